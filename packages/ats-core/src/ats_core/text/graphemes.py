"""Characters as people see them, and the columns that they take: so that a cut tears none, and a bound is a bound.

Extended grapheme clusters (Unicode Standard Annex 29), told by ranges instead of the full property tables. Where the
two differ this joins more than the rules ask for, which costs a cut some columns and never a character its marks.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from unicodedata import category, east_asian_width

from ats_core.text.marks import MARKS
from ats_core.text.plain import is_plain

_ZWJ, _EMOJI_STYLE = "\u200d", "\ufe0f"
_FLAG_LETTER = "\U0001f1e6-\U0001f1ff"
_EXTEND = f"{MARKS}\u200c\u200d\u0e33\u0eb3\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f"
_PREPEND = "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2"
_VIRAMA = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d"  # of the Indic scripts whose conjuncts UAX 29 keeps whole
_LEADING, _VOWEL, _TRAILING = "\u1100-\u115f\ua960-\ua97c", "\u1160-\u11a7\ud7b0-\ud7c6", "\u11a8-\u11ff\ud7cb-\ud7fb"


@cache  # compiled for the first text beyond ASCII only
def _cluster() -> re.Pattern[str]:
    # At most 31 marks and 15 joins: a hostile text has no end of them (UAX 15 has such a bound for the same reason).
    extended = f"[{_EXTEND}]{{0,31}}"
    hangul = f"[{_LEADING}]+[\uac00-\ud7a3]?[{_VOWEL}]*[{_TRAILING}]*|[\uac00-\ud7a3][{_VOWEL}]*[{_TRAILING}]*"
    base = rf"\r\n|[{_FLAG_LETTER}]{{2}}|{hangul}|[{_PREPEND}]?."
    return re.compile(rf"(?:{base}){extended}(?:(?<=[{_ZWJ}{_VIRAMA}])[^\s{_EXTEND}]{extended}){{0,15}}", re.DOTALL)


@cache
def _joining() -> re.Pattern[str]:
    return re.compile(f"[\r{_EXTEND}{_FLAG_LETTER}{_PREPEND}{_LEADING}{_VOWEL}{_TRAILING}]")


@cache
def _joins(code_point: str) -> bool:
    """Whether a code point may belong to the character before it or after it."""
    return _joining().match(code_point) is not None


def clusters(text: str) -> Sequence[str]:
    """The characters of a text, in order; together they are the text.

    >>> clusters("nai\u0308f") == ["n", "a", "i\u0308", "f"]
    True
    """
    if text.isascii() or not any(map(_joins, set(text))):
        return text
    return _cluster().findall(text)


@cache
def columns(cluster: str) -> int:
    """How wide a character is shown: 2 for a wide one (Han, kana, Hangul, emoji, flags), and never less than 1, so that
    a bound on columns is one on characters too."""
    if len(cluster) == 1:
        return 2 if east_asian_width(cluster) in "WF" else 1
    if _EMOJI_STYLE in cluster or cluster[0] >= "\U0001f1e6" or east_asian_width(cluster[0]) in "WF":
        return 2
    return max(1, sum(category(code_point) not in ("Mn", "Mc", "Me", "Cf") for code_point in cluster))


class Layout:
    """Where in a text its characters begin, and in which column. Positions are offsets in code points."""

    def __init__(self, text: str) -> None:
        self._plain = text.isascii() or is_plain(text)
        self.characters: Sequence[str] = text if self._plain else clusters(text)
        """The text, character by character."""
        self.boundaries: Sequence[int] = list(range(len(text) + 1))  # a range is slow to bisect
        """The offset of every character, and the end of the text."""
        self._columns: Sequence[int] = self.boundaries
        if self._plain:
            return
        widths = {character: columns(character) for character in set(self.characters)}
        self._plain = self.characters is text and all(width == 1 for width in widths.values())
        if self._plain:
            return
        if self.characters is not text:
            self.boundaries = list(accumulate(map(len, self.characters), initial=0))
        self._columns = list(accumulate((widths[character] for character in self.characters), initial=0))

    def column(self, boundary: int) -> int:
        """The column in which the character at a boundary begins."""
        return boundary if self._plain else self._columns[bisect_left(self.boundaries, boundary)]

    def floor(self, position: int) -> int:
        """The last boundary at or before a position."""
        return position if self._plain else self.boundaries[bisect_right(self.boundaries, position) - 1]

    def ceil(self, position: int) -> int:
        """The first boundary at or after a position."""
        return position if self._plain else self.boundaries[bisect_left(self.boundaries, position)]

    def end_of(self, start: int, width: int) -> int:
        """How far one comes in `width` columns from a boundary."""
        at = bisect_left(self.boundaries, start)
        return self.boundaries[bisect_right(self._columns, self._columns[at] + width) - 1]

    def start_of(self, end: int, width: int) -> int:
        """How far back from a boundary one may begin to come to it in `width` columns."""
        at = bisect_left(self.boundaries, end)
        return self.boundaries[bisect_left(self._columns, self._columns[at] - width)]
