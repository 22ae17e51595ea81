"""Whether a copy of the corpus may still answer, and what the next search will do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ats_core.cache.file import Copy
from ats_core.cache.setbacks import Setback, noted_setback
from ats_core.errors import AtsError
from ats_core.plugins.adapter import Adapter

CLOCK_SLACK = 2.0
"""Seconds by which a copy may lie in the future and still be fresh: clocks of two hosts differ by as much."""


class Policy(NamedTuple):
    """Where the corpus is kept and for how long it is fresh. Times in seconds. `path` None: no cache."""

    path: Path | None
    time_to_live: float
    fetch_timeout: float


class Freshness:
    """Judges copies of one adapter's corpus by a policy. `clock` gives seconds since the epoch."""

    def __init__(self, adapter: Adapter, policy: Policy, clock: Callable[[], float]) -> None:
        self._adapter = adapter
        self._policy = policy
        self._clock = clock

    def is_fresh(self, copy: Copy, warnings: list[str]) -> bool:
        """Whether the copy has the store's revision, or is young enough where the store has none."""
        if self._policy.time_to_live <= 0:
            return False
        revision = self.revision(warnings)
        if revision is not None:
            return revision == copy.header.revision
        age = self._clock() - copy.header.fetched_at
        return -CLOCK_SLACK <= age < self._policy.time_to_live

    def is_retry_due(self, copy: Copy) -> bool:
        """Whether some projects of the copy failed, and it is time to ask them again."""
        due = copy.header.retry_at
        if due is None or self._clock() < due:
            return False
        setback = noted_setback(copy.path, self._clock())
        return setback is None or self._clock() >= setback.due

    def is_fetched_since(self, called_at: float, copy: Copy) -> bool:
        """Whether the copy's fetch began after a call did. (One later than now is from before the clock went back.)"""
        return called_at <= copy.header.fetched_at <= self._clock()

    def revision(self, warnings: list[str]) -> str | None:
        """The store's revision; None, with a warning, where the adapter fails to tell: the age decides then."""
        try:
            return self._adapter.revision()
        except AtsError as error:
            if error.message not in warnings:
                warnings.append(error.message)
            return None

    def outlook(self, copy: Copy | None, setback: Setback | None) -> str:
        """What the next search will do, in a few words."""
        if self._policy.path is None:
            return "the cache is disabled, every search fetches"
        if copy is None:
            return "no copy, the next search fetches"
        if not self.is_fresh(copy, []):
            wait = 0.0 if setback is None else setback.due - self._clock()
            return "stale, the next search " + (f"in {wait:.0f} s refetches" if wait > 0 else "refetches")
        if self.is_retry_due(copy):
            return f"fresh, the next search asks {len(copy.header.failed)} failed projects again"
        if self.revision([]) is not None:
            return "fresh until the store's revision changes"
        left = copy.header.fetched_at + self._policy.time_to_live - self._clock()
        return f"fresh for {int(left // 60)} min {int(left % 60)} s"
