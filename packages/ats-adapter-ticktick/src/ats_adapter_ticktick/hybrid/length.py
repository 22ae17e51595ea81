"""How many tokens a text may be, without a tokeniser: an estimate that would rather be too high.

A token is about two and a half characters of plain text, but every Han character, kana or symbol is one of its own. So
lengths are counted in characters of plain text, and such a character counts as two and a half.
"""

from __future__ import annotations

import re

from ats_core.text.graphemes import Layout

CHARS_PER_TOKEN = 2.5

_RUNS = re.compile(r"([A-Za-z0-9\s\u00c0-\u024f]+)|[^A-Za-z0-9\s\u00c0-\u024f]+")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9\s\u00c0-\u024f]")


def length(text: str) -> float:
    """In characters of plain text: `length("ab c") == 4`, `length("税") == 2.5`."""
    return len(text) + (CHARS_PER_TOKEN - 1) * len(_NOT_PLAIN.findall(text))


def fit(text: str, limit: float, start: int = 0) -> int:
    """The greatest end for which `length(text[start:end]) <= limit`."""
    for run in _RUNS.finditer(text, start):
        width = 1.0 if run.lastindex else CHARS_PER_TOKEN
        if width * (run.end() - run.start()) > limit:
            return run.start() + int(limit // width)
        limit -= width * (run.end() - run.start())
    return len(text)


def whole(text: str, position: int, start: int = 0) -> int:
    """The position, or one a little before it, where a cut tears no character from its marks; `start` is one."""
    if text.isascii() or not start < position < len(text):
        return position
    floor = start + Layout(text[start : position + 64]).floor(position - start)
    return floor if floor > start else position


def cut(text: str, limit: float) -> str:
    """The beginning of a text, at most `limit` long."""
    return text if CHARS_PER_TOKEN * len(text) <= limit else text[: whole(text, fit(text, limit))]


def halved(text: str) -> str:
    """The first half of a text."""
    return text[: whole(text, len(text) // 2)]
