"""A passage of a task's body around the densest match, cut at words, with the matches marked."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter
from unicodedata import category

from ats_core.models import Snippet
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from ats_core.text.tokens import word_spans

LENGTH = 200
"""Code points of a passage, at most, the marks of omission aside."""

_LONGEST_SCANNED = 50_000
"""Code points of a body that are looked at: a hit deeper in shows the beginning."""

_BLANKS = re.compile(r"\s")
_OMISSION = "…"


def make_snippet(body: str, query: str, terms: Sequence[str], analyser: Analyser, length: int = LENGTH) -> Snippet:
    """The passage of `body` that holds the most of the query; its beginning where nothing matches.

    Matching is folded, the text is as stored, but for blanks, which become spaces.

    :param terms: the query's terms, by the same analyser.
    """
    text = _BLANKS.sub(" ", body.strip()[:_LONGEST_SCANNED])
    spans = _matches(text, query, terms, analyser)
    if len(text) <= length:
        start, end = 0, len(text)
    else:
        start, end = _window(text, spans, length)
    before = _OMISSION if start else ""
    after = _OMISSION if end < len(text) or len(body.strip()) > _LONGEST_SCANNED else ""
    shift = len(before) - start
    marks = tuple((at + shift, to + shift) for at, to in spans if at >= start and to <= end)
    return Snippet(text=f"{before}{text[start:end]}{after}", marks=marks)


def _matches(text: str, query: str, terms: Sequence[str], analyser: Analyser) -> list[tuple[int, int]]:
    """Where the query or one of its terms stands in the text: (start, end), ascending, without overlap."""
    wanted = set(terms)

    @cache
    def matches(word: str) -> bool:
        return not wanted.isdisjoint(analyser.terms(word))

    spans = [(start, end) for start, end, unspaced in word_spans(text) if not unspaced and matches(text[start:end])]
    # In a script without spaces a term is no word of the text, so it is looked for as it stands.
    literal = {fold(query).strip(), *(term for term in terms if any(unspaced for _, _, unspaced in word_spans(term)))}
    folded, starts, ends = _folded(text)
    for needle in filter(None, literal):
        at = folded.find(needle)
        while at >= 0:
            after = at + len(needle)
            spans.append((starts[at], ends[after - 1]))
            at = folded.find(needle, after)
    return _merged(spans)


def _folded(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The folded text, and where in the text the character behind each of its positions starts and ends."""
    if text.isascii():
        return fold(text), range(len(text)), range(1, len(text) + 1)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    fold_character = cache(fold)
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and _extends(text[end]):
            end += 1
        piece = fold_character(text[start:end])
        pieces.append(piece)
        starts += [start] * len(piece)
        ends += [end] * len(piece)
        start = end
    return "".join(pieces), starts, ends


def _extends(code_point: str) -> bool:
    """Whether a code point belongs to the one before it: a combining mark, a part of a Hangul syllable or a kana."""
    if code_point < "\u0300":
        return False
    return category(code_point)[0] == "M" or "\u1160" <= code_point <= "\u11ff" or code_point in "\uff9e\uff9f"


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _window(text: str, spans: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """The stretch with the most matched text in it (the first of equals), with some room before the first match."""
    best_start, most = 0, -1
    matched = [0, *accumulate(to - at for at, to in spans)]
    for first, (start, _) in enumerate(spans):
        beyond = bisect_right(spans, start + length * 3 // 4, key=itemgetter(1))
        inside = matched[beyond] - matched[first]
        if inside > most:
            best_start, most = max(0, start - length // 4), inside
    end = min(len(text), best_start + length)
    start = max(0, end - length)
    if start and (blank := text.find(" ", start, start + length // 4)) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", end - length // 4, end)) >= 0:
        end = blank
    # Where no blank is near, at least no character is torn from its marks.
    while 0 < start < end and _extends(text[start]):
        start += 1
    while start < end < len(text) and _extends(text[end]):
        end -= 1
    return start, end
