"""Reading request bodies: JSON as Qdrant takes it, and only fields that this fake knows."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ..wire import Request
from .refusal import Refusal, beyond, invalid, malformed

Fields = dict[str, Any]


def body_of(request: Request) -> Any:
    """The parsed body.

    :raises Refusal: 400; NaN and Infinity, which Python writes and reads, are no JSON.
    """
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise Refusal(400, "Content type error")
    if isinstance(request.body, str) or not request.raw:
        raise malformed("expected value at line 1 column 1")
    if b"NaN" in request.raw or b"Infinity" in request.raw:
        json.loads(request.raw, parse_constant=_no_json)
    return request.body


def _no_json(constant: str) -> NoReturn:
    raise malformed("expected value at line 1 column 1")


def fields(body: Any, *known: str) -> Fields:
    """The fields of an object that are not null.

    :raises Refusal: 400, it is no object; 501, it has a field that Qdrant may know and this fake does not.
    """
    if not isinstance(body, dict):
        raise malformed(f"invalid type: {type(body).__name__}, expected struct")
    present = {name: value for name, value in body.items() if value is not None}
    unknown = sorted(present.keys() - set(known))
    if unknown:
        raise beyond(f"the fields {unknown} beside {sorted(known)}")
    return present


def required(present: Fields, name: str) -> Any:
    if name not in present:
        raise malformed(f"missing field `{name}`")
    return present[name]


def natural(present: Fields, name: str, default: int, least: int = 1) -> int:
    """A whole number of at least `least`."""
    value = present.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise malformed(f"invalid value for `{name}`: {value!r}, expected usize")
    if value < least:
        raise invalid(name, f"value {value} invalid, must be {least} or larger")
    return value


def numbers(value: Any) -> list[float]:
    """A dense vector's numbers."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        raise beyond("multivectors")
    if not isinstance(value, list) or not all(type(number) in (int, float) for number in value):
        raise malformed("data did not match any variant of untagged enum VectorStruct")
    return value
