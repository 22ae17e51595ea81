"""JSON as it is written: one line, no NaN, nothing that a terminal would obey."""

import re
from typing import Any

import msgspec

_LIVE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def encode(document: Any) -> str:
    """One line of JSON. Numbers unrounded, not-a-number and infinities as null, lone surrogates as U+FFFD.

    Control and bidi characters are written as escapes, which is the same JSON, so that looking at it is harmless.
    """
    try:
        text = msgspec.json.encode(document).decode()
    except UnicodeEncodeError:
        text = msgspec.json.encode(_whole(document)).decode()
    return _LIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _whole(value: Any) -> Any:
    """The same document without lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_whole(item) for item in value]
    return value
