"""A passage of a task's body around the densest match, from the start of a sentence, with the matches marked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ats_core.models import Snippet
from ats_core.text.graphemes import Layout
from ats_core.text.matches import Matcher, Span

LENGTH = 200
"""Columns of a passage, at most, the marks of omission aside. A wide character takes two."""

_LONGEST_SCANNED = 50_000
"""Code points of a body that are looked at: a hit deeper in shows the beginning."""

_BLANKS = re.compile(r"\s")
_SENTENCE_END = re.compile(r"[.!?…؟।॥۔]{1,3}[\"'”’»)\]]{0,3}\s+|[。！？｡]{1,3}[」』”’）]{0,3}\s*|\n\s*")
_LONGEST_SENTENCE_END = 8
_OMISSION = "…"


def make_snippet(body: str, matcher: Matcher, length: int = LENGTH, *, indexed: bool = False) -> Snippet:
    """The passage of `body` that holds the most of the query; its beginning where nothing matches.

    It begins with a sentence where that costs no match, else with a word where one is near, and never within a
    character. Matching is folded, the text is as stored, but for blanks, which become spaces.

    :param indexed: it is the body of a task of the corpus that the matcher knows the words of.
    """
    body = body.strip()
    scanned = body[:_LONGEST_SCANNED]
    text = _BLANKS.sub(" ", scanned)
    layout = Layout(text)
    spans = matcher.spans(text, layout, indexed=indexed and len(scanned) == len(body))
    start, end = _window(scanned, spans, layout, length)
    before = _OMISSION if start else ""
    after = _OMISSION if end < len(body) else ""
    shift = len(before) - start
    marks = tuple((max(at, start) + shift, min(to, end) + shift) for at, to in spans if at < end and to > start)
    return Snippet(text=f"{before}{text[start:end]}{after}", marks=marks)


def _window(text: str, spans: Sequence[Span], layout: Layout, length: int) -> Span:
    """Where the passage begins and ends: around the densest matches, all of which it keeps."""
    first, last = _densest(spans, layout, length * 3 // 4)
    earliest = layout.start_of(max(last, layout.end_of(first, length // 4)), length)
    sentences = _sentence_starts(text, earliest, first, layout)
    if sentences:
        start = sentences[-1]
    else:
        start = _word_start(text, max(earliest, layout.start_of(first, length // 4)), first, layout)
    end = layout.end_of(start, length)
    if end == len(text):  # room is left: show more of what comes before
        earliest = layout.start_of(end, length)
        sentences = _sentence_starts(text, earliest, start, layout)
        return (sentences[0] if sentences else _word_start(text, earliest, start, layout)), end
    return start, _word_end(text, max(start, last, layout.start_of(end, length // 4)), end, layout)


def _densest(spans: Sequence[Span], layout: Layout, width: int) -> Span:
    """From the first to the last of the matches within `width` columns that are the most text (the first of equals)."""
    best, most = (0, 0), 0
    inside = beyond = 0
    ends = [layout.column(end) for _, end in spans]
    for number, (start, end) in enumerate(spans):
        limit = layout.column(start) + width
        while beyond < len(spans) and (ends[beyond] <= limit or beyond == number):
            inside += spans[beyond][1] - spans[beyond][0]
            beyond += 1
        if inside > most:
            best, most = (start, min(spans[beyond - 1][1], layout.end_of(start, width))), inside
        inside -= end - start
    return best


def _sentence_starts(text: str, earliest: int, latest: int, layout: Layout) -> list[int]:
    """Where sentences and lines begin, from `earliest` to `latest`."""
    starts = [0] if earliest == 0 else []
    for ending in _SENTENCE_END.finditer(text, max(0, earliest - _LONGEST_SENTENCE_END), latest):
        abbreviation = text[ending.end() : ending.end() + 1].islower() and "\n" not in ending.group()
        if ending.end() >= earliest and not abbreviation and layout.floor(ending.end()) == ending.end():
            starts.append(ending.end())
    return starts


def _word_start(text: str, earliest: int, latest: int, layout: Layout) -> int:
    """The first word that begins from `earliest` on, at `latest`; `earliest` itself where no blank is near."""
    if earliest == 0:
        return 0
    blank = _BLANKS.search(text, earliest, latest)
    return min(latest, layout.ceil(blank.end())) if blank else earliest


def _word_end(text: str, earliest: int, latest: int, layout: Layout) -> int:
    """The last word end from `earliest` to `latest`; `latest` itself where no blank is near."""
    if text[latest : latest + 1].isspace():
        return latest
    blanks = [blank.start() for blank in _BLANKS.finditer(text, earliest, latest)]
    return max(earliest, layout.floor(blanks[-1])) if blanks else latest
