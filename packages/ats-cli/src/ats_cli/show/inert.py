"""Text of others, made harmless for a terminal: nothing in it moves the cursor, colours, or reorders a line."""

import re

_LIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAKS = re.compile("[\t\n\x0b\x0c\r\x85\u2028\u2029]")


def inert(text: str) -> str:
    """The text with control, escape and bidi characters as visible escapes (`\\x1b`); tabs and line feeds stay."""
    return _LIVE.sub(_escaped, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """The same in one line: a blank for every tab and line break."""
    return inert(_BREAKS.sub(" ", text))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
