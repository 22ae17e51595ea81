"""What the confidence verdict rests on, measured on the best hit of an answer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ats_core.confidence import Evidence
from ats_core.index.reader import packed_at
from ats_core.models import Contribution, Hit
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote
from ats_core.text.function_words import content_terms
from ats_core.text.tokens import is_word

if TYPE_CHECKING:
    from ats_core.vectors.types import Cosines

FAMILY = {
    "id": "lexical",
    "keyword": "lexical",
    "sparse": "lexical",
    "notes_find": "lexical",
    "dense": "dense",
    "native": "native",
}
"""Branches of one family read the same signal, so they count once."""

AGREES_WITHIN = 3
"""A branch agrees on a hit that is among its first three."""


class Coverage(NamedTuple):
    """The idf-weighted share of a query that a task holds, from 0 to 1, and in how many words."""

    share: float
    words: int


def evidence_for(best: Hit, question: Question, votes: Mapping[str, Vote]) -> Evidence:
    """The evidence for an answer whose best hit is `best`."""
    ordinal = question.index.ordinal(best.task.id)
    covered = Coverage(0.0, 0) if ordinal is None else coverage(question, ordinal)
    cosines = next((vote.cosines for vote in votes.values() if vote.cosines is not None), None)
    return Evidence(
        exact=best.task.id in question.pinned,
        coverage=covered.share,
        words=covered.words,
        families={
            FAMILY[source]
            for contribution in best.explain
            for source, rank in _standings(contribution)
            if source in FAMILY and rank is not None and rank <= AGREES_WITHIN
        },
        stand_out=None if cosines is None or ordinal is None else stand_out(cosines, ordinal),
    )


def coverage(question: Question, ordinal: int) -> Coverage:
    """How much of the query a task holds; function words of the query's script do not count.

    A compound is covered by its parts: a task with `node` and `js` covers `node.js`.
    """
    total, held, words = 0.0, 0.0, 0
    for term in content_terms(question.terms):
        postings = question.index.postings(term)
        idf = question.index.idf(len(postings) // 2)
        total += idf
        if packed_at(postings, ordinal) or _parts_hold(question, ordinal, term):
            held += idf
            words += 1
    return Coverage(held / total if total else 0.0, words)


def stand_out(cosines: Cosines, ordinal: int) -> float | None:
    """How far a task's cosine lies above what chance gives the best of so many, in standard deviations of the corpus.

    The largest of N normal values is expected at about sqrt(2 ln N) deviations. None where the task has no vector, or
    all cosines are one.
    """
    import numpy as np

    known = cosines[~np.isnan(cosines)]
    spread = float(known.std()) if len(known) > 1 else 0.0
    cosine = float(cosines[ordinal])
    if math.isnan(cosine) or spread == 0.0:
        return None
    return (cosine - float(known.mean())) / spread - math.sqrt(2 * math.log(len(known)))


def _parts_hold(question: Question, ordinal: int, term: str) -> bool:
    """Whether a task holds every part of a compound; false for a plain word."""
    if is_word(term):
        return False
    parts = [part for part in question.analyser.terms(term) if is_word(part)]
    return bool(parts) and all(packed_at(question.index.postings(part), ordinal) for part in parts)


def _standings(contribution: Contribution) -> Iterator[tuple[str, int | None]]:
    if contribution.within:
        yield from ((inner.source, inner.rank) for inner in contribution.within)
    else:
        yield contribution.source, contribution.rank
