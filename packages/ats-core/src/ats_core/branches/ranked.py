"""What the rankers have in common: a ranking by ordinals, a scope, and the cut to the best."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from typing import NamedTuple, TypeAlias

Scope: TypeAlias = bytes | None
"""The tasks that a ranking may hold: one byte a task, 1 for those within; None for all of them."""


class Ranked(NamedTuple):
    """A task at an ordinal, with the score of the ranker that placed it (higher is better)."""

    ordinal: int
    score: float


def best(scored: Iterable[tuple[int, float]], limit: int) -> list[Ranked]:
    """The `limit` highest scores, best first; corpus order breaks ties."""
    top = nsmallest(limit, scored, key=lambda item: (-item[1], item[0]))
    return [Ranked(ordinal, score) for ordinal, score in top]
