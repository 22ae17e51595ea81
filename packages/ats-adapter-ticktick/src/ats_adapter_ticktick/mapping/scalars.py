"""Single values of a record, whatever type they came in."""

from __future__ import annotations

import math

from ats_core.text.fold import clean


def text(value: object) -> str:
    """A string, half a surrogate pair in it as U+FFFD; a number in decimal; `""` for anything else."""
    if type(value) is str:
        return clean(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def number(value: object) -> int | None:
    """A whole number, also one written as text; None for anything else."""
    if type(value) is int:
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            return None
    return None


def flag(value: object) -> bool:
    """True for JSON's true, and for the 1 and "true" of clients that know no booleans."""
    return value is True or value == 1 or (isinstance(value, str) and value.strip().lower() in ("true", "1"))
