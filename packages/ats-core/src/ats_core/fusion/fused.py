"""What goes into a fusion and what comes out of it, whatever the method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

K = 60
"""The constant of Reciprocal Rank Fusion, as in the paper."""


class BranchRanking(NamedTuple):
    """What one branch votes: task ids, best first. An id counts once, at its best rank."""

    name: str
    ids: Sequence[str]


class Signal(NamedTuple):
    """A scorer that can score any task, not only those it ranked.

    `value` gives a task's score as a share from 0 to 1, `raw` the score itself (None: it has none), `weight` what the
    share counts.
    """

    name: str
    weight: float
    value: Callable[[str], float]
    raw: Callable[[str], float | None]


class Signals(NamedTuple):
    """The scorers within a branch, in whose place they can enter a fusion."""

    branch: str
    parts: Sequence[Signal]


TieBreak: TypeAlias = Callable[[str], tuple[bool, int]]
"""What decides between equal scores for an id: (its title is not exactly the query, its place in corpus order)."""


class Contest(NamedTuple):
    """All that a fusion method may use.

    `rankings` are in branch order; an empty one changes nothing. `pinned` are the tasks whose title or id is exactly
    the query, in corpus order, and `exact_id` the one of them whose id it is. `signals` is called by a method that
    needs them; None: no branch has any.
    """

    rankings: Sequence[BranchRanking]
    tie_break: TieBreak
    pinned: Sequence[str] = ()
    exact_id: str | None = None
    signals: Callable[[], Signals | None] = lambda: None


class Part(NamedTuple):
    """What a scorer within a branch added: its own score (None: none), and its share of the contribution."""

    name: str
    score: float | None
    contribution: float


class Share(NamedTuple):
    """What one branch adds to a task's score; `rank` from 1, None where the branch did not rank the task."""

    branch: str
    rank: int | None
    contribution: float
    parts: tuple[Part, ...] = ()


class Fused(NamedTuple):
    """A task with its fused score and the shares that sum to it, in branch order."""

    id: str
    score: float
    shares: tuple[Share, ...]


PINNED = "pinned"
"""How the explanation names a task that stands where it does whatever its score."""


class Method(Protocol):
    """A way to fuse: a total order over every task that any branch ranked, best first."""

    def __call__(self, contest: Contest) -> list[Fused]: ...


class Ranks:
    """Where each branch has each task, ranks counted after repeats are gone."""

    def __init__(self, rankings: Sequence[BranchRanking]) -> None:
        self.ids: dict[str, None] = {}
        self._ranks: list[tuple[str, dict[str, int]]] = []
        for ranking in rankings:
            ranks = {task_id: rank for rank, task_id in enumerate(dict.fromkeys(ranking.ids), start=1)}
            self.ids.update(dict.fromkeys(ranks))
            self._ranks.append((ranking.name, ranks))

    def of(self, task_id: str) -> list[tuple[str, int]]:
        """The branches that rank a task, each with its rank, in branch order."""
        return [(name, ranks[task_id]) for name, ranks in self._ranks if task_id in ranks]

    def best(self, task_id: str) -> tuple[int, int]:
        """The task's best single rank, and how early in branch order it was won."""
        return min((ranks[task_id], place) for place, (_, ranks) in enumerate(self._ranks) if task_id in ranks)


def ordered(fused: Sequence[Fused], ranks: Ranks, tie_break: TieBreak) -> list[Fused]:
    """The total order: score descending; then a title that is exactly the query; then best single rank; then how early
    in branch order that rank was won; then corpus order; then id. Same input, same bytes out, in every process."""

    def key(hit: Fused) -> tuple[object, ...]:
        inexact_title, corpus_order = tie_break(hit.id)
        return (-hit.score, inexact_title, *ranks.best(hit.id), corpus_order, hit.id)

    return sorted(fused, key=key)


def pin(ranking: Sequence[Fused], pinned: Sequence[str]) -> list[Fused]:
    """The ranking with some of its tasks before all others, in the order given, each with a share of 0 that says so."""
    first = {task_id: at for at, task_id in enumerate(pinned)}
    chosen = sorted((item for item in ranking if item.id in first), key=lambda item: first[item.id])
    return [*map(_marked, chosen), *(item for item in ranking if item.id not in first)]


def lift(ranking: list[Fused], task_id: str, place: int) -> list[Fused]:
    """The ranking with a task that stood below a place (from 1) moved up to it, with a share of 0 that says so."""
    at = next((at for at, item in enumerate(ranking) if item.id == task_id), -1)
    if at < place:
        return ranking
    return [*ranking[: place - 1], _marked(ranking[at]), *ranking[place - 1 : at], *ranking[at + 1 :]]


def _marked(item: Fused) -> Fused:
    return item._replace(shares=(Share(PINNED, None, 0.0), *item.shares))
