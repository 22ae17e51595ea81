"""Measures of one ranking against the ids that answer the question.

All are between 0 and 1, and take binary relevance: a task is gold or it is not. An id that a ranking holds twice
counts at its best rank; a gold list is a set. The names are those of `ir-measures`, which the tests hold them to:
Success@1, Success@5, P@5, RR@10, nDCG@10.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

MEASURES = ("hit@1", "recall@5", "precision@5", "mrr", "ndcg@10")
"""The columns of `measure()`."""

TITLES = {"hit@1": "hit@1", "recall@5": "recall@5", "precision@5": "P@5", "mrr": "MRR@10", "ndcg@10": "nDCG@10"}

DEPTH = 10
_DISCOUNT = 1 / np.log2(np.arange(2, DEPTH + 2))


def first_gold(ranked: Iterable[str], gold: Collection[str]) -> int | None:
    """The rank, from 1, of the first gold item; None where there is none."""
    return next((rank for rank, task in enumerate(dict.fromkeys(ranked), 1) if task in gold), None)


def measure(rankings: Sequence[Sequence[str]], golds: Sequence[Collection[str]]) -> Values:
    """Every measure of every ranking: shape `(len(rankings), len(MEASURES))`.

    With `rel(r)` 1 where the task at rank r is gold, else 0, and G the number of gold items:

        hit@1        rel(1)
        recall@5     1 where a gold item is among the first five, else 0 (Success@5: whether the answer is in sight)
        precision@5  sum of rel(r) over r <= 5, by 5, also where fewer than five were ranked
        mrr          1 / rank of the first gold item within the first ten, else 0 (Voorhees, TREC-8, 1999)
        ndcg@10      DCG / ideal DCG, DCG = sum of rel(r) / log2(r + 1) over r <= 10, ideal: all of G, at most ten, on
                     top (Jarvelin and Kekalainen, TOIS 20(4), 2002)

    :raises ValueError: a question without gold: no ranking of it can be right or wrong.
    """
    sizes = np.array([len(set(gold)) for gold in golds], dtype=np.int64)
    if (sizes == 0).any():
        raise ValueError("a question without gold cannot be measured")
    relevant = np.zeros((len(rankings), DEPTH))
    for row, (ranked, gold) in enumerate(zip(rankings, golds, strict=True)):
        hits = [task in gold for task in list(dict.fromkeys(ranked))[:DEPTH]]
        relevant[row, : len(hits)] = hits
    found = relevant.any(axis=1)
    reciprocal = np.where(found, 1 / (relevant.argmax(axis=1) + 1), 0.0)
    ideal = np.concatenate([[0.0], np.cumsum(_DISCOUNT)])[np.minimum(sizes, DEPTH)]
    return np.column_stack(
        [
            relevant[:, 0],
            relevant[:, :5].any(axis=1),
            relevant[:, :5].sum(axis=1) / 5,
            reciprocal,
            (relevant @ _DISCOUNT) / ideal,
        ]
    )
