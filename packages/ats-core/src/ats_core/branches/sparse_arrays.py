"""The sparse scores of `sparse.py` over arrays: the same numbers, bit for bit, for queries with many postings.

The loop of `sparse.py` costs about 0.9 microseconds a posting with the cut to the best, arrays a fiftieth of that, but
importing numpy costs 40 ms; `sparse_pruned.py` needs about 0.12. `score_sparse` weighs them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ats_core.branches.ranked import Ranked, Scope
from ats_core.branches.sparse import K1, B, SparseScores
from ats_core.branches.sparse_pruned import PrunedSparseScores
from ats_core.index.reader import SearchIndex

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MANY, MANY_ONCE_IMPORTED = 350_000, 500
"""Postings from which arrays are the cheaper way: importing numpy for it, and where it is there already."""

WORTH_PRUNING, PRUNED_LIMIT = 1_500, 100
"""Postings from which pruning pays, and up to how many of the best."""


class ArraySparseScores:
    """As `SparseScores`."""

    def __init__(self, terms: Sequence[str], index: SearchIndex) -> None:
        import numpy as np

        matched_idf: npt.NDArray[np.float64] = np.zeros(index.size)
        weights: npt.NDArray[np.float64] = np.zeros(index.size)
        total_idf = 0.0
        lengths = np.frombuffer(index.lengths, dtype=np.uint32)
        average = index.average_length or 1.0
        for term in terms:
            postings = np.frombuffer(index.postings(term), dtype=np.uint32).reshape(-1, 2)
            ordinals, packed = postings[:, 0], postings[:, 1]
            idf = index.idf(len(postings))
            total_idf += idf
            # Float first and each operation in the order of the loop in `sparse.py`, so that no bit differs.
            frequency = (packed >> 1).astype(np.float64)
            norm = K1 * (1 - B + B * lengths[ordinals].astype(np.float64) / average)
            saturation = frequency * (K1 + 1) / (frequency + norm)
            matched_idf[ordinals] += idf
            weights[ordinals] += idf * (saturation + (packed & 1))
        self._matched_idf = matched_idf
        self._total_idf = total_idf
        self._scores = np.sqrt(matched_idf / total_idf) * weights if total_idf else weights

    def coverage(self, ordinal: int) -> float:
        return float(self._matched_idf[ordinal]) / self._total_idf if self._total_idf else 0.0

    def score(self, ordinal: int) -> float:
        return float(self._scores[ordinal])

    def top(self, limit: int, scope: Scope) -> list[Ranked]:
        from ats_core.branches.array_top import array_top

        return array_top(self._scores, self._matched_idf > 0, scope, limit)


AnySparseScores: TypeAlias = SparseScores | PrunedSparseScores | ArraySparseScores


def score_sparse(terms: Sequence[str], index: SearchIndex, limit: int, *, one_of_many: bool = False) -> AnySparseScores:
    """The sparse scores of a query, by whichever way is the cheapest for its postings.

    :param limit: how many of the best will be asked for.
    :param one_of_many: the process answers other questions too, which importing numpy will serve as well.
    """
    postings = sum(len(index.postings(term)) // 2 for term in terms)
    if postings >= (MANY_ONCE_IMPORTED if one_of_many or "numpy" in sys.modules else MANY):
        return ArraySparseScores(terms, index)
    if postings >= WORTH_PRUNING and limit <= PRUNED_LIMIT:
        return PrunedSparseScores(terms, index)
    return SparseScores(terms, index)
