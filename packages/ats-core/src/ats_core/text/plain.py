"""Texts in which every code point is a character of its own and one column wide: most texts in Latin and Cyrillic.

What holds of them need not be looked up character by character. A test looks through the whole set.
"""

from __future__ import annotations

import re

_GREEK_AND_CYRILLIC = r"\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u0482\u048a-\u052f"
_PLAIN = re.compile(rf"[ -~\u00a0-\u02ff{_GREEK_AND_CYRILLIC}\u2010-\u2027\u2030-\u205e]*")


def is_plain(text: str) -> bool:
    """Whether a text holds Latin, Greek and Cyrillic letters, digits and common signs alone; no mark, no line break."""
    return _PLAIN.fullmatch(text) is not None
