"""What a branch votes with, from a ranking of our own or of somebody else's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ats_core.branches.ranked import Ranked
from ats_core.errors import ContractError
from ats_core.models import Candidate
from ats_core.plugins.boundary import as_candidate
from ats_core.retrieval.question import Question

if TYPE_CHECKING:
    from ats_core.vectors.types import Cosines


class Vote(NamedTuple):
    """Candidates, best first, each id once; how many were dropped; why it is less than it should be, if it is.

    `cosines` are those of the whole corpus, by ordinal, where core's dense took part.
    """

    candidates: list[Candidate]
    dropped: int = 0
    degraded: str | None = None
    cosines: Cosines | None = None


def own_vote(question: Question, ranking: Iterable[Ranked]) -> Vote:
    """The vote of a ranker of ours: within the scope, distinct and cut already."""
    return Vote([Candidate(id=question.index.task_id(ordinal), score=score) for ordinal, score in ranking])


def foreign_vote(question: Question, ranking: object) -> Vote:
    """The vote of an adapter's or plugin's ranking: checked, filtered, each id once, cut.

    A candidate that is neither in the corpus nor comes with its task is dropped, and so is one outside the scope.

    :raises ContractError: it is no ranking.
    """
    if not isinstance(ranking, Iterable) or isinstance(ranking, (str, bytes)):
        raise ContractError(f"a ranking was expected, not {type(ranking).__name__}")
    kept: dict[str, Candidate] = {}
    dropped: set[str] = set()
    for item in ranking:
        candidate = as_candidate(item)
        if candidate.id in kept:
            continue
        if not _within_scope(question, candidate):
            dropped.add(candidate.id)
            continue
        kept[candidate.id] = candidate
        if len(kept) == question.candidates:
            break
    return Vote(list(kept.values()), len(dropped))


def _within_scope(question: Question, candidate: Candidate) -> bool:
    ordinal = question.index.ordinal(candidate.id)
    if ordinal is None:
        return candidate.task is not None and question.selection.accepts(candidate.task)
    return question.scope is None or bool(question.scope[ordinal])
