"""Texts in which every code point is a character of its own and one column wide: most texts in Latin and Cyrillic.

What holds of them need not be looked up character by character. A test looks through the whole set.
"""

from __future__ import annotations

import re
from functools import cache

_GREEK_AND_CYRILLIC = r"\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482\u048a-\u052f"


@cache  # compiled for the first text beyond ASCII only
def _plain() -> re.Pattern[str]:
    return re.compile(rf"[ -~\u00a0-\u02ff{_GREEK_AND_CYRILLIC}\u2010-\u2027\u2030-\u205e]*")


def is_plain(text: str) -> bool:
    """Whether a text holds Latin, Greek and Cyrillic letters, digits and common signs alone; no mark, no line break."""
    return _is_ascii(text) or _plain().fullmatch(text) is not None


_LATIN = r"\u00c0-\u012f\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e"
_GREEK_AND_CYRILLIC_LETTERS = r"\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0481\u048a-\u052f"
_SIGNS = r" -~\u00a1-\u00a7\u00a9\u00ab\u00ac\u00ae\u00b0\u00b1\u00b6\u00b7\u00bb\u00bf\u2013\u2014\u2018-\u201e\u2022"


@cache
def _regular() -> re.Pattern[str]:
    return re.compile(f"[{_SIGNS}{_LATIN}{_GREEK_AND_CYRILLIC_LETTERS}]*")


def is_regular(text: str) -> bool:
    """Whether a text is plain, and normalising it makes no word of what was none, tears none and joins none."""
    return _is_ascii(text) or _regular().fullmatch(text) is not None


def _is_ascii(text: str) -> bool:
    return text.isascii() and text.isprintable()
