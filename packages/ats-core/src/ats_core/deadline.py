"""A point in time that work must not outlive, handed down from the caller to every HTTP call."""

from __future__ import annotations

import time
from collections.abc import Callable


class Deadline:
    """`seconds` from now on a monotonic clock. Immutable and safe to share between threads."""

    __slots__ = ("_at", "_clock")

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._at = clock() + seconds

    def remaining(self) -> float:
        """Seconds left, never negative: pass it to a client as its time-out."""
        return max(0.0, self._at - self._clock())

    @property
    def expired(self) -> bool:
        """True once nothing is left."""
        return self.remaining() == 0.0

    def less(self, seconds: float) -> Deadline:
        """A deadline that falls `seconds` before this one."""
        return Deadline(self._at - self._clock() - seconds, clock=self._clock)

    def __repr__(self) -> str:
        return f"Deadline({self.remaining():.3f} s left)"
