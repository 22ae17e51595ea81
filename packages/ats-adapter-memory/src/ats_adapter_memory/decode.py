"""JSON from bytes: msgspec for speed, and the standard library for what msgspec refuses."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from ats_adapter_memory.records import clean

_strict = msgspec.json.Decoder().decode


def decode(data: bytes) -> Any:
    """One JSON value. Raises ValueError with a reason of one line.

    Lone surrogates become U+FFFD. Control characters inside strings are taken as they are; NaN and numbers
    out of range are null, since no JSON that we write could hold them.
    """
    try:
        return _strict(data)
    except (msgspec.MsgspecError, RecursionError):
        return _lenient(data)


def _lenient(data: bytes) -> Any:
    import json

    try:
        return _cleaned(
            json.loads(
                data.decode("utf-8", "surrogatepass"),
                strict=False,
                parse_constant=lambda _: None,
                parse_float=_finite,
            )
        )
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg}, line {error.lineno} column {error.colno}") from None


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    return value
