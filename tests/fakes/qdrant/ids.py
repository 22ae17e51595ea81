"""Point ids: unsigned 64-bit integers and UUIDs, nothing else."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from .refusal import malformed

PointId = int | str
"""A number, or a UUID in lower case with hyphens."""

_HYPHENATED = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_UUID = re.compile(rf"[0-9a-fA-F]{{32}}|{_HYPHENATED}|\{{{_HYPHENATED}\}}|urn:uuid:{_HYPHENATED}")


def point_id(value: Any) -> PointId:
    """The id in its canonical form.

    :raises Refusal: 400; the string "42" is as wrong as "task-1".
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64:
        return value
    if isinstance(value, str) and _UUID.fullmatch(value):
        return str(UUID(value))
    raise malformed(f"value {value} is not a valid point ID, valid values are either an unsigned integer or a UUID")


def point_ids(values: Any) -> list[PointId]:
    if not isinstance(values, list):
        raise malformed(f"invalid type: {values!r}, expected a sequence")
    return [point_id(value) for value in values]


def order(identifier: PointId) -> tuple[bool, int, str]:
    """The sort key of ids: numbers first, then UUIDs."""
    return (True, 0, identifier) if isinstance(identifier, str) else (False, identifier, "")
