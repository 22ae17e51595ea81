"""Calls that may never come back, and whether they let others run meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread
from types import TracebackType
from typing import Any, NamedTuple, Self

from ats_core.deadline import Deadline
from ats_core.fanout import FanOut, Job, Outcome

_BEAT = 0.01


class Timed(NamedTuple):
    """How a call ended: after how many seconds, and for how long at a stretch it let no other Python thread run."""

    outcome: Outcome[Any]
    seconds: float
    held: float


def timed(name: str, call: Callable[[], Any], most: float) -> Timed:
    """Make a call on a daemon thread and wait for it, `most` seconds at most."""
    started = time.monotonic()
    with Pulse() as pulse:
        (outcome,) = FanOut().run([Job(name, lambda _: call())], Deadline(most))
    return Timed(outcome, time.monotonic() - started, pulse.longest)


class Pulse:
    """A thread that beats a hundred times a second; `longest` is the longest time without a beat, in seconds."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._last = time.monotonic()
        self._over = Event()
        self._thread = Thread(target=self._beat, name="ats-pulse", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._note()
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(_BEAT):
            self._note()

    def _note(self) -> None:
        now = time.monotonic()
        self.longest = max(self.longest, now - self._last)
        self._last = now
