"""Searches that were followed by another one at once: a sign that the first answer was no good.

Two searches in a row make a pair if the second ended within 60 s of the first and no task was opened in between. With
the same process id that is one program's own second try (a program that holds an engine); by the command line each
call is a process of its own, so pairs of any process are counted too, which takes in what different people asked at
one time.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from ats_core.text.fold import fold

from ats_bench.usage.calls import Call

WITHIN = 60.0
"""Seconds."""

_SHOWN = 10


class Pair(NamedTuple):
    """Two searches in a row."""

    first: Call
    second: Call


class Pairs:
    """Counts pairs. `latest` are the last ones in other words, whatever process they came from."""

    def __init__(self) -> None:
        self.searches = 0
        self.same_pid = {"same": 0, "other": 0}
        self.any_pid = {"same": 0, "other": 0}
        self.latest: deque[Pair] = deque(maxlen=_SHOWN)
        self._last: Call | None = None
        self._last_by_pid: dict[int, Call] = {}

    def add(self, call: Call) -> None:
        """Take the next call of the log."""
        if not call.is_search:
            self._opened(call)
            return
        if not call.query.strip():
            return
        self.searches += 1
        if self._last is not None and _is_pair(self._last, call):
            kind = _kind(self._last, call)
            self.any_pid[kind] += 1
            if kind == "other":
                self.latest.append(Pair(self._last, call))
        self._last = call
        if call.pid is not None:
            before = self._last_by_pid.get(call.pid)
            if before is not None and _is_pair(before, call):
                self.same_pid[_kind(before, call)] += 1
            self._last_by_pid[call.pid] = call
            self._forget(call.at)

    def figures(self) -> dict[str, Any]:
        """Pairs by whose they are: with the same words, and with others; `rate` is their share of all searches."""
        return {
            "withinSeconds": int(WITHIN),
            "searches": self.searches,
            "samePid": self._of(self.same_pid),
            "anyPid": self._of(self.any_pid),
        }

    def _of(self, counts: dict[str, int]) -> dict[str, Any]:
        pairs = sum(counts.values())
        return {
            "pairs": pairs,
            "sameQuery": counts["same"],
            "otherQuery": counts["other"],
            "rate": pairs / self.searches if self.searches else None,
        }

    def _opened(self, call: Call) -> None:
        # By the command line nobody opens a task in the process that found it: any search before may have led here.
        self._last = None
        self._last_by_pid.clear()

    def _forget(self, now: float) -> None:
        """Let go of processes that are past pairing, now and then: a log knows as many of them as calls."""
        if len(self._last_by_pid) > 4096:
            self._last_by_pid = {pid: call for pid, call in self._last_by_pid.items() if now - call.at <= WITHIN}


def _is_pair(first: Call, second: Call) -> bool:
    return 0 <= second.at - first.at <= WITHIN


def _kind(first: Call, second: Call) -> str:
    return "same" if fold(first.query.strip()) == fold(second.query.strip()) else "other"
