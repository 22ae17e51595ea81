"""A note that is too long for one vector, in overlapping pieces that are not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from ats_adapter_ticktick.hybrid.length import fit, length, whole

MOST_CHUNKS = 400
"""Of one note. A book is that long; what lies beyond is found by its words only."""

_OVERLAP = 0.15
_HEADING = 0.25
"""Of a chunk, at most: a longer title is cut there, and is read once as text."""

_LONGEST_WORD = 100
"""Of what is cut at all costs rather than kept whole: rules, data, and scripts that do without spaces."""

_MOST_OF_A_WORD = 25
"""So many characters without a space are taken for a script that does without."""

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s+|[。！？][」』”）]*")
_SPACE = re.compile(r"\s+")


class Chunk(NamedTuple):
    """`text` is what is embedded; `passage` its part of the body, which may be empty, for people to see."""

    text: str
    passage: str


def chunks(title: str, body: str, tags: Sequence[str], *, limit_chars: float) -> list[Chunk]:
    """The pieces of a task, in order; none where it has no text.

    What fits is one chunk, the text that core would embed. Otherwise the body is cut at the end of a paragraph, a line,
    a sentence or a word; each chunk begins with title and tags, and about 15 % of it is the end of the one before.
    Every word of the body is whole in some chunk, unless it is longer than 100 characters or than a chunk.

    :param limit_chars: how long a chunk may be, in characters of plain text as `length` counts them; at least 40.
    """
    if limit_chars < 40:
        raise ValueError(f"a chunk of {limit_chars} characters has no room for text beside a title")
    heading = "\n".join(part for part in (title, " ".join(tags)) if part)
    text = "\n".join(part for part in (title, body, " ".join(tags)) if part)
    if not text.strip():
        return []
    if length(text) <= limit_chars:
        return [Chunk(text, body.strip())]
    if length(heading) > _HEADING * limit_chars:
        body = f"{heading}\n\n{body}"
        heading = heading[: whole(heading, fit(heading, _HEADING * limit_chars))]
    heading = heading.strip()
    room = limit_chars - length(heading) - 1
    pieces = islice(_pieces(body.rstrip(), room), MOST_CHUNKS)
    return [Chunk(f"{heading}\n{piece}".strip(), piece) for piece in pieces]


def _pieces(text: str, room: float) -> Iterator[str]:
    start = end = 0
    while end < len(text):
        stop = _end(text, start, fit(text, room, start))
        if stop <= end:  # with the overlap before it, the next word does not fit
            start = end
            stop = _end(text, start, fit(text, room, start))
        piece = text[start:stop].strip()
        if piece:
            yield piece
        start, end = _next(text, start, stop, room), stop


def _end(text: str, start: int, limit: int) -> int:
    """Where a piece that may reach up to `limit` ends: after a paragraph, line or sentence that ends in its last two
    fifths, else after a word."""
    if limit == len(text):
        return limit
    low = start + (limit - start) * 3 // 5
    for boundary in (_PARAGRAPH, _LINE, _SENTENCE):
        ends = [match.end() for match in boundary.finditer(text, low, limit)]
        if ends:
            return ends[-1]
    if text[limit].isspace() or text[limit - 1].isspace():
        return limit
    word = text[start:limit].rsplit(None, 1)[-1]
    if len(word) <= _LONGEST_WORD and len(word) < limit - start:
        return limit - len(word)
    return whole(text, limit, start)


def _next(text: str, start: int, end: int, room: float) -> int:
    """Where the piece after `text[start:end]` begins: a little before its end, at a line, a sentence or a word."""
    target = max(start + 1, fit(text, length(text[start:end]) - _OVERLAP * room, start))
    for boundary in (_LINE, _SENTENCE, _SPACE):
        match = boundary.search(text, target, end)
        if match is not None and match.end() < end:
            return match.end()
    if end - target > _MOST_OF_A_WORD:
        return whole(text, target, start)
    return end
