"""The sparse ranking of `sparse.py` without a look at every posting: the same tasks, scores and order, bit for bit.

MaxScore (Turtle and Flood 1995, "Query evaluation: strategies and optimizations"): terms are taken from the rarest on,
and a task that could not come among the best even if it held all further terms at their most is let go of. So most
postings of common words cost one comparison, or none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import NamedTuple

from ats_core.branches.ranked import Ranked, Scope, best
from ats_core.branches.sparse import K1, B
from ats_core.index.reader import SearchIndex, packed_at

MOST = K1 + 2
"""More than a posting can weigh, as a multiple of its idf: a saturation below K1 + 1, and 1 for the title."""

TRIED = 3
"""Tasks scored ahead for each that is wanted, to have a score that so many reach."""

FEW = 50
"""Postings a task at hand from which the postings are searched for it (3 microseconds) and not gone through (0.06)."""

_SLACK = 1 - 1e-9
"""Bounds are sums in another order than scores are: more than their rounding can come to."""


class _Term(NamedTuple):
    idf: float
    postings: memoryview


class PrunedSparseScores:
    """As `SparseScores`: `top` for a limit that is small, `score` and `coverage` for single tasks."""

    def __init__(self, terms: Sequence[str], index: SearchIndex) -> None:
        self._index = index
        self._average = index.average_length or 1.0
        found = map(index.postings, terms)
        self._terms = [_Term(index.idf(len(postings) // 2), postings) for postings in found]
        total_idf = 0.0
        for term in self._terms:  # not sum(), which rounds in a way of its own
            total_idf += term.idf
        self._total_idf = total_idf

    def coverage(self, ordinal: int) -> float:
        return self._held(ordinal)[0] / self._total_idf if self._total_idf else 0.0

    def score(self, ordinal: int) -> float:
        matched_idf, weight = self._held(ordinal)
        return math.sqrt(matched_idf / self._total_idf) * weight if self._total_idf else 0.0

    def top(self, limit: int, scope: Scope) -> list[Ranked]:
        sieve = _Sieve(self._terms, self._index, scope, limit, self._total_idf)
        sieve.least = self._reached(sieve, limit)
        for place in range(len(sieve.terms)):
            sieve.take(place)
            sieve.let_go(place)
        return best(((ordinal, self.score(ordinal)) for ordinal in sieve.near_the_best()), limit)

    def _held(self, ordinal: int) -> tuple[float, float]:
        """The idf and the weight of what a task holds: the sums of `sparse.py`, in its order."""
        matched_idf, weight = 0.0, 0.0
        length, average = self._index.lengths[ordinal], self._average
        for idf, postings in self._terms:
            packed = packed_at(postings, ordinal)
            if packed:
                frequency = packed >> 1
                saturation = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / average))
                matched_idf += idf
                weight += idf * (saturation + (packed & 1))
        return matched_idf, weight

    def _reached(self, sieve: _Sieve, limit: int) -> float:
        """A score that `limit` tasks reach for sure: promising ones are scored; 0 where there are not so many."""
        tried = sieve.promising(TRIED * limit)
        scores = nlargest(limit, map(self.score, tried))
        return scores[-1] * _SLACK if len(scores) == limit else 0.0


class _Sieve:
    """The tasks that may be among the best, with the idf and the weight of the terms taken so far.

    :param terms: those of the query; they are taken from the rarest on.
    """

    def __init__(self, terms: Sequence[_Term], index: SearchIndex, scope: Scope, limit: int, total_idf: float) -> None:
        self.terms = sorted((term for term in terms if len(term.postings)), key=lambda term: -term.idf)
        self.least = 0.0
        self._scope = scope
        self._limit = limit
        self._total_idf = total_idf
        self._average = index.average_length or 1.0
        self._lengths = index.lengths
        self._matched: dict[int, float] = {}
        self._weights: dict[int, float] = {}
        self._lists: dict[int, tuple[list[int], list[int]]] = {}

    def promising(self, count: int) -> Iterable[int]:
        """Some tasks that are likely to score high: those that hold rare terms often, or in the title."""
        likely: dict[int, float] = {}
        for place, term in enumerate(self.terms):
            ordinals, packed = self._listed(place)
            values = {one: term.idf * _most(one) for one in _highest(packed, count)}
            for ordinal, one in zip(ordinals, packed, strict=True):
                if one in values:
                    likely[ordinal] = likely.get(ordinal, 0.0) + values[one]
            if len(likely) >= count:
                break
        return nlargest(count, likely, key=likely.__getitem__)

    def take(self, place: int) -> None:
        """Add a term to the tasks at hand, and to them those that it alone makes promising enough."""
        idf, postings = self.terms[place]
        further = self._further(place)
        if (
            self.least
            and FEW * len(self._matched) < len(postings) // 2
            and not self._may_rise(idf, idf * MOST, further)
        ):
            for ordinal in self._matched:
                self._add(ordinal, idf, packed_at(postings, ordinal))
            return
        ordinals, packed = self._listed(place)
        newcomers = {one for one in set(packed) if self._may_rise(idf, idf * _most(one), further)}
        at_hand = self._matched
        for ordinal, one in zip(ordinals, packed, strict=True):
            if ordinal in at_hand or one in newcomers:
                self._add(ordinal, idf, one)
        del self._lists[place]

    def let_go(self, place: int) -> None:
        """Drop the tasks that the terms after this one cannot lift to the least score that counts."""
        if not self.least or place + 1 == len(self.terms):
            return
        further, weights = self._further(place), self._weights
        kept = [ordinal for ordinal, idf in self._matched.items() if self._may_rise(idf, weights[ordinal], further)]
        if len(kept) < len(weights):
            self._matched = {ordinal: self._matched[ordinal] for ordinal in kept}
            self._weights = {ordinal: weights[ordinal] for ordinal in kept}

    def near_the_best(self) -> list[int]:
        """The best tasks, and those that rounding alone may keep from being so."""
        scores = {
            ordinal: math.sqrt(idf / self._total_idf) * self._weights[ordinal] for ordinal, idf in self._matched.items()
        }
        if len(scores) <= self._limit:
            return list(scores)
        least = nlargest(self._limit, scores.values())[-1] * _SLACK
        return [ordinal for ordinal, score in scores.items() if score >= least]

    def _further(self, place: int) -> float:
        """The idf of all terms after this one."""
        return math.fsum(term.idf for term in self.terms[place + 1 :])

    def _may_rise(self, idf: float, weight: float, further: float) -> bool:
        """Whether a task that holds so much can come to the least score that counts, by terms of so much idf."""
        return math.sqrt((idf + further) / self._total_idf) * (weight + further * MOST) >= self.least

    def _add(self, ordinal: int, idf: float, packed: int) -> None:
        if packed:
            frequency = packed >> 1
            norm = K1 * (1 - B + B * self._lengths[ordinal] / self._average)
            weight = idf * (frequency * (K1 + 1) / (frequency + norm) + (packed & 1))
            self._matched[ordinal] = self._matched.get(ordinal, 0.0) + idf
            self._weights[ordinal] = self._weights.get(ordinal, 0.0) + weight

    def _listed(self, place: int) -> tuple[list[int], list[int]]:
        """The postings of a term within the scope: ordinals, and frequency * 2 + in title."""
        if place not in self._lists:
            postings, scope = self.terms[place].postings, self._scope
            ordinals, packed = postings[::2].tolist(), postings[1::2].tolist()
            if scope is not None:
                kept = [at for at, ordinal in enumerate(ordinals) if scope[ordinal]]
                ordinals, packed = [ordinals[at] for at in kept], [packed[at] for at in kept]
            self._lists[place] = ordinals, packed
        return self._lists[place]


def _most(packed: int) -> float:
    """What a posting weighs at most, as a multiple of its idf: in a task of no length."""
    frequency = packed >> 1
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B)) + (packed & 1)


def _highest(packed: Sequence[int], count: int) -> set[int]:
    """The postings that weigh most, so many that at least `count` tasks have them; all where these are fewer."""
    held = Counter(packed)
    wanted: set[int] = set()
    for one in sorted(held, key=_most, reverse=True):
        wanted.add(one)
        count -= held[one]
        if count <= 0:
            break
    return wanted
