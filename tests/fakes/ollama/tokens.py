"""How many tokens a text has, about: what a model's context is measured in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import ceil

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_PIECE = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+|[^\w\s]|_")

_FRAME = 2
"""The tokens that a model puts around every text."""


def token_count(text: str) -> int:
    """1.3 a word, more for a long one, 1 for a CJK character and for every symbol."""
    return _FRAME + ceil(sum(cost for _, cost in _pieces(text)))


def cut(text: str, context: int) -> str:
    """The beginning of the text that fits into `context` tokens."""
    total = float(_FRAME)
    end = 0
    for piece_end, cost in _pieces(text):
        total += cost
        if total > context:
            return text[:end]
        end = piece_end
    return text


def _pieces(text: str) -> Iterator[tuple[int, float]]:
    """Where each piece ends, and what it costs."""
    for piece in _PIECE.finditer(text):
        word = piece.group()
        yield piece.end(), 1.0 if len(word) == 1 else max(1.3, len(word) / 6)
