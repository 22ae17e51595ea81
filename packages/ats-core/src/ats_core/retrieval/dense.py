"""The branches that read vectors, core's or a backend's: hybrid, dense alone, and likeness to a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ats_core.branches.hybrid import NAME as HYBRID
from ats_core.branches.hybrid import hybrid
from ats_core.branches.ranked import Ranked
from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError
from ats_core.fanout import OK, FanOut, Job, Outcome
from ats_core.hookspecs import HybridBackend
from ats_core.index.build import embedded_text
from ats_core.models import Task
from ats_core.plugins.boundary import as_candidate
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote, foreign_vote, own_vote

if TYPE_CHECKING:
    from ats_core.vectors.coverage import CorpusVectors
    from ats_core.vectors.embedder import Embedder
    from ats_core.vectors.types import Cosines, Vectors

DENSE, SPARSE, BACKEND = "dense", "sparse", "hybrid backend"

MERGE_MARGIN = 0.05
"""Seconds, or a tenth of what is left if that is less, that hybrid keeps back from dense to merge in time."""


class OwnDense(NamedTuple):
    """Core's own dense retrieval: an embedder, and the vectors of the corpus, read when first needed."""

    embedder: Embedder
    vectors: Callable[[], CorpusVectors]


class DenseRanking(NamedTuple):
    """The best tasks by cosine, and the cosine of every task, by ordinal."""

    ranked: list[Ranked]
    cosines: Cosines


def hybrid_job(question: Question, source: OwnDense | HybridBackend, fanout: FanOut) -> Job[Vote]:
    """Dense and sparse fused; where dense or the backend fails or is late, the sparse ranking stands in, degraded."""
    if isinstance(source, OwnDense):
        return Job(HYBRID, lambda deadline: _own_hybrid(question, source, fanout, deadline))
    return Job(HYBRID, lambda deadline: _backend_hybrid(question, source, fanout, deadline))


def dense_job(question: Question, source: OwnDense | HybridBackend) -> Job[Vote]:
    """Dense alone."""
    if isinstance(source, OwnDense):
        return Job(DENSE, lambda deadline: _dense_vote(question, _rank(question, source, deadline)))

    def ask_backend(deadline: Deadline) -> Vote:
        ranking = source.search(question.text, question.candidates, "dense", question.scope_ids, deadline)
        return foreign_vote(question, ranking)

    return Job(DENSE, ask_backend)


def similar_job(question: Question, seed: Task, source: OwnDense | HybridBackend) -> Job[Vote]:
    """Dense, from a task in place of a query; the task itself is left out."""
    if isinstance(source, OwnDense):
        return Job(DENSE, lambda deadline: _dense_vote(question, _rank_similar(question, seed, source, deadline)))

    def ask_backend(deadline: Deadline) -> Vote:
        ranking = source.similar(seed, question.candidates + 1, question.scope_ids, deadline)
        return foreign_vote(question, (item for item in ranking if as_candidate(item).id != seed.id))

    return Job(DENSE, ask_backend)


def _own_hybrid(question: Question, source: OwnDense, fanout: FanOut, deadline: Deadline) -> Vote:
    import numpy  # noqa: F401 - dense needs it in any case, and where it is loaded sparse is ranked by it

    sparse = question.sparse_scores.top(question.candidates, question.scope)
    job = Job(DENSE, lambda until: _rank(question, source, until))
    (outcome,) = fanout.run([job], _before_merge(deadline))
    if outcome.value is None:
        candidates = hybrid({SPARSE: sparse}, question.index, question.tie_break, question.candidates)
        return Vote(candidates, degraded=_reason(outcome))
    parts = {DENSE: outcome.value.ranked, SPARSE: sparse}
    candidates = hybrid(parts, question.index, question.tie_break, question.candidates)
    return Vote(candidates, cosines=outcome.value.cosines)


def _backend_hybrid(question: Question, backend: HybridBackend, fanout: FanOut, deadline: Deadline) -> Vote:
    dense_only = bool(getattr(backend, "dense_only", False))
    mode = DENSE if dense_only else HYBRID

    def ask(until: Deadline) -> Vote:
        ranking = backend.search(question.text, question.candidates, mode, question.scope_ids, until)
        return foreign_vote(question, ranking)

    sparse = question.sparse_scores.top(question.candidates, question.scope)
    (outcome,) = fanout.run([Job(BACKEND, ask)], _before_merge(deadline))
    if outcome.value is None:
        candidates = hybrid({SPARSE: sparse}, question.index, question.tie_break, question.candidates)
        return Vote(candidates, degraded=f"{_reason(outcome)}; sparse took its place")
    return _with_sparse(question, outcome.value, sparse) if dense_only else outcome.value


def _with_sparse(question: Question, dense: Vote, sparse: list[Ranked]) -> Vote:
    """A backend's dense vote, fused with core's sparse as core's own would be."""
    ranked = [
        Ranked(ordinal, candidate.score or 0.0)
        for candidate in dense.candidates
        if (ordinal := question.index.ordinal(candidate.id)) is not None
    ]
    passages = {candidate.id: candidate.passage for candidate in dense.candidates}
    fused = hybrid({DENSE: ranked, SPARSE: sparse}, question.index, question.tie_break, question.candidates)
    candidates = [msgspec.structs.replace(candidate, passage=passages.get(candidate.id)) for candidate in fused]
    return Vote(candidates, dense.dropped + len(dense.candidates) - len(ranked))


def _dense_vote(question: Question, dense: DenseRanking) -> Vote:
    return own_vote(question, dense.ranked)._replace(cosines=dense.cosines)


def _rank(question: Question, source: OwnDense, deadline: Deadline) -> DenseRanking:
    target = source.embedder.embed_query(question.text, deadline)
    return _nearest(question, source, target, question.candidates, deadline)


def _rank_similar(question: Question, seed: Task, source: OwnDense, deadline: Deadline) -> DenseRanking:
    seed_at = question.index.ordinal(seed.id)
    target = None if seed_at is None else source.vectors().row(seed_at)
    if target is None or not target.any():
        target = source.embedder.embed([embedded_text(seed)], "document", deadline)[0]
    if not target.any():
        raise EmbeddingError(f"{source.embedder.provider} gave no usable vector for the task {seed.id}")
    nearest = _nearest(question, source, target, question.candidates + 1, deadline)
    others = [ranked for ranked in nearest.ranked if ranked.ordinal != seed_at]
    return nearest._replace(ranked=others[: question.candidates])


def _nearest(question: Question, source: OwnDense, target: Vectors, limit: int, deadline: Deadline) -> DenseRanking:
    from ats_core.branches.dense import LEAST_COVERED, dense

    vectors = source.vectors()
    failure: EmbeddingError | None = None
    if not vectors.known.all():
        try:
            vectors.embed_missing(source.embedder, question.corpus, _before_merge(deadline))
        except EmbeddingError as error:
            failure = error
    question.warnings += vectors.take_warnings()
    embedded = f"{int(vectors.known.sum())} of {question.index.size} embedded"
    if vectors.covered < LEAST_COVERED:
        raise failure or EmbeddingError(f"{embedded}; run `ats sync`")
    if failure is not None:  # a few tasks without a vector are no reason to lose the vote of all others
        question.warnings.append(f"{embedded}: {failure.message}")
    cosines = vectors.cosines(target)
    return DenseRanking(dense(cosines, question.scope, limit), cosines)


def _reason(outcome: Outcome[Any]) -> str | None:
    if outcome.status == OK:
        return None
    return f"{outcome.name}: {outcome.error}" if outcome.exception else f"{outcome.name} {outcome.error}"


def _before_merge(deadline: Deadline) -> Deadline:
    return deadline.less(min(MERGE_MARGIN, deadline.remaining() / 10))
