"""The scorers within hybrid as signals for score fusion: true scores for every candidate, as shares of the best."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from ats_core.branches.hybrid import NAME as HYBRID
from ats_core.branches.sparse import NAME as SPARSE
from ats_core.fusion.fused import Signal, Signals
from ats_core.models import Candidate, Standing
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote

if TYPE_CHECKING:
    from ats_core.vectors.types import Cosines

DENSE = "dense"

LEAST_SPREAD = 1e-9
"""Where the best cosine is no further above the median than this, dense tells tasks apart only by its first place."""


def signals_of(question: Question, votes: Mapping[str, Vote], dense_weight: float) -> Signals | None:
    """The signals of the branch that holds sparse; None where a backend took its place and shows no inner scores.

    :param votes: by branch name, of the branches that answered.
    :param dense_weight: of dense where both are there; sparse weighs the rest. Where one of them ranks nothing, the
        other weighs 1.
    """
    branch = HYBRID if HYBRID in votes else SPARSE if SPARSE in votes else None
    if branch is None:
        return None
    vote = votes[branch]
    shown = {name for candidate in vote.candidates for name in candidate.within or ()}
    if branch == HYBRID and vote.candidates and not shown:
        return None
    sparse = _sparse(question)
    dense = None
    if vote.cosines is not None:
        dense = _own_dense(question, vote.cosines)
    elif DENSE in shown:
        dense = _backend_dense(vote)
    if dense is None or sparse is None:
        return Signals(branch, tuple(part for part in (dense, sparse) if part is not None))
    return Signals(branch, (dense._replace(weight=dense_weight), sparse._replace(weight=1 - dense_weight)))


def _sparse(question: Question) -> Signal | None:
    scores = question.sparse_scores
    top = scores.top(1, question.scope)
    if not top:
        return None
    most = top[0].score

    def raw(task_id: str) -> float | None:
        ordinal = question.index.ordinal(task_id)
        return (scores.score(ordinal) or None) if ordinal is not None else None

    return Signal(SPARSE, 1.0, lambda task_id: (raw(task_id) or 0.0) / most, raw)


def _own_dense(question: Question, cosines: Cosines) -> Signal | None:
    import numpy as np

    known = ~np.isnan(cosines)
    within = known if question.scope is None else known & (np.frombuffer(question.scope, dtype=np.uint8) == 1)
    if not within.any():
        return None
    median, most = float(np.median(cosines[known])), float(cosines[within].max())

    def raw(task_id: str) -> float | None:
        ordinal = question.index.ordinal(task_id)
        cosine = float("nan") if ordinal is None else float(cosines[ordinal])
        return None if np.isnan(cosine) else cosine

    return Signal(DENSE, 1.0, lambda task_id: _share(raw(task_id), median, most), raw)


def _backend_dense(vote: Vote) -> Signal:
    """A backend shows cosines of its candidates alone: the least of them stands for the corpus' median."""
    known = {candidate.id: cosine for candidate in vote.candidates if (cosine := _cosine(candidate)) is not None}
    least, most = min(known.values(), default=0.0), max(known.values(), default=0.0)
    return Signal(DENSE, 1.0, lambda task_id: _share(known.get(task_id), least, most), known.get)


def _cosine(candidate: Candidate) -> float | None:
    standing = (candidate.within or {}).get(DENSE)
    score = standing.score if isinstance(standing, Standing) else None
    # One NaN would win or lose every comparison, and take the others' shares with it.
    return score if score is not None and isfinite(score) else None


def _share(cosine: float | None, median: float, most: float) -> float:
    if cosine is None:
        return 0.0
    if most - median < LEAST_SPREAD:
        return float(cosine >= most)
    return min(1.0, max(0.0, (cosine - median) / (most - median)))
