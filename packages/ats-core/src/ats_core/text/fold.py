"""One way to make text comparable, used by every comparison in every branch.

NFKC and casefold (Unicode Standard, chapter 3.13), then accents come off Latin and Greek letters, and ё becomes е.
No other script loses its marks: й is a letter of its own, a kana's or a Thai or Devanagari vowel sign is part of it.
"""

from __future__ import annotations

import re
from unicodedata import normalize

_SURROGATE = re.compile("[\ud800-\udfff]")

_LATIN_AND_GREEK = (
    "a-z\u00df-\u024f\u0250-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\u0370-\u03ff\u1f00-\u1fff"
)
_COMBINING = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
_ACCENTS = re.compile(f"(?<=[{_LATIN_AND_GREEK}])[{_COMBINING}]+")
_YO = re.compile("\u0435\u0308+")

# Latin letters whose mark is a stroke or a missing dot: Unicode does not decompose them, people type them without.
_STROKES = str.maketrans("øłđħŧıƚɨʉƶ", "oldhtiliuz")


def clean(text: str) -> str:
    """Replace lone surrogates by U+FFFD, so that nothing downstream can fail to encode the text."""
    if text.isascii():
        return text
    try:
        text.encode()  # three times as fast as a search
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def normalise(text: str) -> str:
    """NFKC and casefold, accents kept: the form that stop words and stemmers know."""
    if text.isascii():
        return text.lower()
    # Casefolding can undo a composition and composing can bring back a capital; two rounds reach the fixed point.
    for _ in range(2):
        text = normalize("NFKC", normalize("NFKC", text).casefold())
    return text


def strip_accents(text: str) -> str:
    """Take the accents off the Latin and Greek letters of a normalised text."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", normalize("NFD", text).translate(_STROKES))
    return bare if bare.isascii() else normalize("NFKC", _YO.sub("\u0435", bare))


def fold(text: str) -> str:
    """The form in which texts are compared: `fold("Café") == fold("CAFE")`. Idempotent."""
    return strip_accents(normalise(text))
