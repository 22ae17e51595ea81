"""Counts and durations of a group of calls: those of one tool, of one day, or all."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any

from ats_bench.usage.calls import Call


class Tally:
    """Adds up calls. Eight bytes a call are kept, for the quantiles of the duration."""

    def __init__(self) -> None:
        self.calls = 0
        self.empty = 0
        self.errors = 0
        self.degraded = 0
        self._durations = array("d")

    def add(self, call: Call) -> None:
        self.calls += 1
        self.empty += call.is_empty
        self.errors += bool(call.error)
        self.degraded += call.degraded
        if call.duration_ms is not None:
            self._durations.append(call.duration_ms)

    def figures(self) -> dict[str, Any]:
        """The counts; rates as shares of all calls, the empty rate of those that were answered; quantiles of the
        duration in milliseconds. What cannot be told is None.
        """
        answered = self.calls - self.errors
        durations = sorted(self._durations)
        return {
            "calls": self.calls,
            "empty": self.empty,
            "emptyRate": _share(self.empty, answered),
            "errors": self.errors,
            "errorRate": _share(self.errors, self.calls),
            "degraded": self.degraded,
            "degradedRate": _share(self.degraded, self.calls),
            "p50Ms": quantile(durations, 0.5),
            "p95Ms": quantile(durations, 0.95),
        }


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest-rank quantile of an ascending sequence: a value that was really observed. None if it is empty."""
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1] if ordered else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
