"""JSON as it is written to stdout: one line, no NaN, nothing that a terminal would obey."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_LIVE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def encode(document: Any) -> str:
    """One line of JSON. Numbers unrounded, not-a-number and infinities as null.

    Control and bidi characters are written as escapes, which is the same JSON, so that looking at it is harmless.
    """
    return _LIVE.sub(lambda match: f"\\u{ord(match[0]):04x}", msgspec.json.encode(document).decode()) + "\n"
