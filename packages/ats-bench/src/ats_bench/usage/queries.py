"""What was asked most often, counted exactly and without keeping the texts of a million queries."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from ats_core.text.fold import fold

from ats_bench.usage.calls import Call


class Asked(NamedTuple):
    """A query, in the words of its first call, and how often it was asked and answered with nothing."""

    query: str
    calls: int
    empty: int


class Queries:
    """Counts the queries of searches, however they are written (case, accents, blanks around).

    A first reading of the log keeps eight bytes a call; the texts of the few that win are taken from a second one.
    """

    def __init__(self) -> None:
        self._keys = array("q")
        self._empty = array("b")

    def add(self, call: Call) -> None:
        if call.is_search and call.query.strip():
            self._keys.append(_key(call))
            self._empty.append(call.is_empty)

    def top(self, most: int, calls: Iterable[Call]) -> list[Asked]:
        """The queries that were asked more than once, most often first, then in order of first appearance.

        :param calls: the same calls again.
        """
        import numpy as np

        keys, firsts, inverse, counts = np.unique(
            np.frombuffer(self._keys, dtype=np.int64) if self._keys else np.empty(0, np.int64),
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        empty = np.bincount(inverse, weights=np.frombuffer(self._empty, np.int8)) if self._keys else counts
        order = np.lexsort((firsts, -counts))[:most]
        wanted = {int(keys[at]): (int(counts[at]), int(empty[at])) for at in order if counts[at] > 1}
        texts: dict[int, str] = {}
        for call in calls if wanted else ():
            if call.is_search and (key := _key(call)) in wanted and key not in texts:
                texts[key] = call.query.strip()
                if len(texts) == len(wanted):
                    break
        return [Asked(texts[key], *numbers) for key, numbers in wanted.items() if key in texts]


def _key(call: Call) -> int:
    return hash(fold(call.query.strip()))
