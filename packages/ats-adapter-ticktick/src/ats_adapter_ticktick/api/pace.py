"""How fast requests may go: below the service's limits, for all threads and processes of an account together.

The service takes 100 requests a minute, and by what other clients have seen 300 in five. So the times of the last five
minutes are kept, and a request goes out as soon as neither window is full: an account's first fetch is one burst, and
what goes on and on comes to less than 60 a minute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import ceil
from pathlib import Path

from ats_core import Deadline, RateLimitedError

from ats_adapter_ticktick.api.ledger import Ledger, State

MINUTE, FIVE_MINUTES = 62.0, 305.0
"""Seconds: a little more than the service's, which counts a request when it arrives and not when it is sent."""

COOL_DOWN, LONGEST = 60.0, 3600.0
"""Seconds to wait after a refusal that does not say how long, and at most."""

SLOW = 300.0
"""Seconds after a refusal in which requests come one by one: somebody else is using up what we took for ours."""

_STEP = 60.0
"""Seconds: a time that lies farther in the future was written before the clock was set back, and says nothing."""

_ANSWER = 1.0
"""Seconds that an answer takes at most, mostly: a wait that leaves less is in vain."""


class Pacer:
    """The pace of one account's requests. Safe to use from several threads.

    Neither waiting nor a refusal is ever longer than the caller's deadline.

    :param path: the file that its processes share; None, or one that cannot be written: this process alone.
    :param per_minute: the most in the long run, counted over five minutes.
    :param burst: the most within a minute.
    :param label: the service's name in messages.
    :param clock: seconds since the epoch.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        per_minute: int = 58,
        burst: int = 95,
        label: str = "TickTick",
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._ledger = Ledger(path)
        self._windows = ((burst, MINUTE), (5 * per_minute, FIVE_MINUTES))
        self._gap = 60 / per_minute
        self._label = label
        self._clock = clock
        self._sleep = sleep

    def acquire(self, deadline: Deadline) -> None:
        """Wait until a request may be sent, and count it.

        :raises RateLimitedError: that is too late for the deadline, said at once; `retry_after` is the wait.
        """
        while wait := self._ledger.use(self._take):
            if wait + _ANSWER > deadline.remaining():
                raise RateLimitedError(
                    f"{self._label}: rate limited, too many requests lately", hint=patience(wait), retry_after=wait
                )
            self._sleep(wait)

    def cool_down(self, seconds: float) -> None:
        """Let nobody send anything for so long: the service refused a request."""

        def refuse(state: State) -> None:
            now = self._tidied(state)
            state.refused = now
            state.until = max(state.until, now + min(max(seconds, 1.0), LONGEST))

        self._ledger.use(refuse)

    def pause(self, seconds: float) -> None:
        """Wait before a second try."""
        self._sleep(seconds)

    def outlook(self, requests: int) -> float:
        """Seconds until so many more requests can have been sent, if nobody else sends any."""
        return self._ledger.use(lambda state: self._forecast(state, requests))

    def remaining(self) -> int:
        """How many requests may be sent right now, one after the other."""
        return self._ledger.use(self._count)

    def _take(self, state: State) -> float:
        """Count a request, or say how many seconds it is too early."""
        now = self._tidied(state)
        at = self._earliest(state, now)
        if at <= now:
            state.sent.append(now)
        return max(0.0, at - now)

    def _forecast(self, state: State, requests: int) -> float:
        now = at = self._tidied(state)
        ahead = State([*state.sent], state.refused, state.until)
        for _ in range(requests):
            at = self._earliest(ahead, at)
            ahead.sent.append(at)
        return at - now

    def _count(self, state: State) -> int:
        now = self._tidied(state)
        ahead = State([*state.sent], state.refused, state.until)
        while self._earliest(ahead, now) <= now:
            ahead.sent.append(now)
        return len(ahead.sent) - len(state.sent)

    def _earliest(self, state: State, at: float) -> float:
        """The first moment from `at` on at which a request may be sent."""
        at = max(at, state.until)
        for most, seconds in self._windows:
            if len(state.sent) >= most:
                at = max(at, state.sent[-most] + seconds)
        slow_until = state.until + SLOW
        if at < slow_until and state.sent:
            at = max(at, min(state.sent[-1] + self._gap, slow_until))
        return at

    def _tidied(self, state: State) -> float:
        """Drop what is past, or was never true, from the state; returns the time."""
        now = self._clock()
        state.sent = sorted(at for at in state.sent if now - FIVE_MINUTES < at < now + _STEP)
        if not now - LONGEST - SLOW < state.refused < now + _STEP:
            state.refused = state.until = 0.0
        state.until = min(state.until, state.refused + LONGEST)
        return now


def patience(wait: float) -> str:
    """The hint for a wait of so many seconds."""
    return f"try again in {ceil(wait)} s; other programs that use this account count too"
