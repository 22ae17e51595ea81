"""What the rankers have in common: a ranking by ordinals, a scope, and the cut to the best."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from typing import NamedTuple, TypeAlias

from ats_core.index.reader import SearchIndex

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


def open_tasks(index: SearchIndex) -> Scope:
    """The scope without completed tasks; None where there are none."""
    done = bytes(index.done)
    return done.translate(bytes([1, 0]) + bytes(254)) if 1 in done else None
