"""The sparse branch: exact-token coverage with a title boost, weighted by rarity and frequency.

    coverage(d) = sum idf(t), t in Q and in d  /  sum idf(t), t in Q
    score(d)    = sqrt(coverage(d)) * sum over matched t of idf(t) * (sat(t, d) + [t in title])
    sat(t, d)   = tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / avglen))

The weights are BM25's (Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework"); the coverage factor
prefers a task that has many of the query's words over one that has a rare one many times. What it was measured on is
in `docs/ranking.md`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ats_core.branches.ranked import Ranked, Scope, best
from ats_core.index.reader import SearchIndex

NAME = "sparse"

K1 = 1.2
B = 0.75


class SparseScores:
    """The sparse score of every task that matches a query.

    `terms` is the query as a set of terms, in a fixed order. `coverage` of a task is the share of the query's idf that
    it holds, from 0 to 1. Every match scores above 0; N, df and average length are those of the whole corpus.
    """

    def __init__(self, terms: Sequence[str], index: SearchIndex) -> None:
        matched_idf: dict[int, float] = {}
        weights: dict[int, float] = {}
        total_idf = 0.0
        lengths = index.lengths
        average = index.average_length or 1.0
        for term in terms:
            flat = index.postings(term).tolist()
            idf = index.idf(len(flat) // 2)
            total_idf += idf
            for at in range(0, len(flat), 2):
                ordinal, packed = flat[at], flat[at + 1]
                frequency = packed >> 1
                saturation = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * lengths[ordinal] / average))
                matched_idf[ordinal] = matched_idf.get(ordinal, 0.0) + idf
                weights[ordinal] = weights.get(ordinal, 0.0) + idf * (saturation + (packed & 1))
        self._matched_idf = matched_idf
        self._weights = weights
        self._total_idf = total_idf

    def coverage(self, ordinal: int) -> float:
        """The idf-weighted share of the query that this task holds."""
        # The sums run in one order, so a full match divides a number by itself.
        return self._matched_idf.get(ordinal, 0.0) / self._total_idf if self._total_idf else 0.0

    def score(self, ordinal: int) -> float:
        """The score of this task, 0 for one that matches nothing."""
        return math.sqrt(self.coverage(ordinal)) * self._weights.get(ordinal, 0.0)

    def top(self, limit: int, scope: Scope) -> list[Ranked]:
        """The best matches within the scope; membership is decided by match, not by score."""
        within = (ordinal for ordinal in self._weights if scope is None or scope[ordinal])
        return best(((ordinal, self.score(ordinal)) for ordinal in within), limit)
