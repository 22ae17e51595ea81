"""Text of others in one line, harmless for a terminal: nothing in it moves the cursor, colours, or reorders it."""

from __future__ import annotations

import re

_LIVE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """The text in one line, its control and bidi characters as visible escapes (`\\x1b`)."""
    return _LIVE.sub(_escaped, _BREAKS.sub(" ", text))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
