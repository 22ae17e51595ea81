"""How far a long job is, in words, and as lines of a log."""

import time
from collections.abc import Callable

from ats_cli.show.units import duration

EVERY = 10.0
"""Seconds between two lines where a tenth of the job takes longer."""


class Pace:
    """Puts counts into words: `64 of 812 (7 %), 34/s, 22 s left`. The rate is that since the first call."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first: tuple[float, int] | None = None

    def __call__(self, done: int, total: int) -> str:
        """How far the job is, and, from the second call on, how fast it is and how long it takes."""
        now = self._clock()
        self._first = self._first or (now, done)
        since, before = self._first
        words = f"{done} of {total} ({done * 100 // max(total, 1)} %)"
        if done > before and now > since:
            rate = (done - before) / (now - since)
            words += f", {rate:,.0f}/s" if rate >= 10 else f", {rate:.1f}/s"
            words += f", {duration((total - done) / rate)} left" if done < total else ""
        return words


class ProgressLines:
    """Writes a line each tenth of the way, and every `EVERY` seconds where that takes longer."""

    def __init__(self, what: str, write: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._what = what
        self._write = write
        self._clock = clock
        self._pace = Pace(clock)
        self._tenth = 0
        self._written_at = clock()

    def __call__(self, done: int, total: int) -> None:
        """Take note of how far the job is."""
        words = self._pace(done, total)
        tenth = done * 10 // max(total, 1)
        if tenth > self._tenth or self._clock() - self._written_at >= EVERY:
            self._tenth, self._written_at = tenth, self._clock()
            self._write(f"{self._what}: {words}")
