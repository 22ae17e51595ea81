"""A passage of a task's body around the densest match, cut at words, with the matches marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining

from ats_core.models import Snippet
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold

LENGTH = 200
"""Code points of a passage, at most, the marks of omission aside."""

_LONGEST_SCANNED = 50_000
"""Code points of a body that are looked at: a hit deeper in shows the beginning."""

_WORD = re.compile(r"[^\W_]+(?:[-.&+#_][^\W_]*)*")
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
    folded, origin = _folded_with_origin(text)
    wanted = set(terms)
    spans = [
        (match.start(), match.end())
        for match in _WORD.finditer(text)
        if match.group().isascii() and not wanted.isdisjoint(analyser.terms(match.group()))
    ]
    # A word beyond ASCII is looked for as it stands: in a script without spaces its terms are no words of the text.
    literal = {fold(query).strip(), *(term for term in terms if not term.isascii())}
    for needle in filter(None, literal):
        at = folded.find(needle)
        while at >= 0:
            spans.append((origin[at], origin[at + len(needle)]))
            at = folded.find(needle, at + len(needle))
    return _merged(spans)


def _folded_with_origin(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its positions (and its end) the position in the text."""
    if text.isascii():
        return fold(text), range(len(text) + 1)
    pieces: list[str] = []
    origin: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and combining(text[end]):
            end += 1
        piece = fold(text[start:end])
        pieces.append(piece)
        origin += [start] * len(piece)
        start = end
    origin.append(len(text))
    return "".join(pieces), origin


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _window(text: str, spans: Sequence[tuple[int, int]], length: int) -> tuple[int, int]:
    """The stretch with the most matched text in it (the first of equals), with some room before the first match."""
    best_start, most = 0, 0
    for first, (start, _) in enumerate(spans):
        inside = sum(to - at for at, to in spans[first:] if to <= start + length * 3 // 4)
        if inside > most:
            best_start, most = max(0, start - length // 4), inside
    end = min(len(text), best_start + length)
    start = max(0, end - length)
    if start and (blank := text.find(" ", start, start + length // 4)) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", end - length // 4, end)) >= 0:
        end = blank
    return start, end
