"""What goes into a fusion and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

K = 60
"""The constant of Reciprocal Rank Fusion, as in the paper."""


class BranchRanking(NamedTuple):
    """What one branch votes: task ids, best first, each once."""

    name: str
    ids: Sequence[str]


class Share(NamedTuple):
    """What one branch, having a task at `rank` (from 1), adds to its score."""

    branch: str
    rank: int | None
    contribution: float


class Fused(NamedTuple):
    """A task with its fused score and the shares that sum to it, in branch order."""

    id: str
    score: float
    shares: tuple[Share, ...]


TieBreak: TypeAlias = Callable[[str], tuple[bool, int]]
"""What decides between equal scores for an id: (its title is not exactly the query, its place in corpus order)."""


def distinct(ids: Sequence[str]) -> list[str]:
    """A ranking in which every id keeps only its best rank; the ranks below close up."""
    return list(dict.fromkeys(ids))
