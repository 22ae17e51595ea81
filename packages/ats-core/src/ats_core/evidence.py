"""What the confidence verdict rests on, measured on the best hit of an answer."""

from __future__ import annotations

from collections.abc import Iterator

from ats_core.confidence import Evidence
from ats_core.models import Contribution, Hit
from ats_core.retrieval.question import Question

FAMILY = {
    "keyword": "lexical",
    "sparse": "lexical",
    "notes_find": "lexical",
    "dense": "dense",
    "native": "native",
    "id": "lexical",
}
"""Branches of one family read the same signal, so they count once."""

AGREES_WITHIN = 3
"""A branch agrees on a hit that is among its first three."""


def evidence_for(best: Hit, question: Question) -> Evidence:
    """The evidence for an answer whose best hit is `best`."""
    ordinal = question.index.ordinal(best.task.id)
    return Evidence(
        exact=best.task.id in question.exact_titles or best.task.id == question.text,
        coverage=0.0 if ordinal is None else question.sparse_scores.coverage(ordinal),
        families={
            FAMILY[source]
            for contribution in best.explain
            for source, rank in _standings(contribution)
            if source in FAMILY and rank is not None and rank <= AGREES_WITHIN
        },
    )


def _standings(contribution: Contribution) -> Iterator[tuple[str, int | None]]:
    if contribution.within:
        yield from ((inner.source, inner.rank) for inner in contribution.within)
    else:
        yield contribution.source, contribution.rank
