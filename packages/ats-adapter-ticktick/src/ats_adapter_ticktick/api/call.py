"""One request: what is asked, until when, and what may be said if it fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ats_core import Deadline

CONNECT_SECONDS = 10.0
"""A host that has not answered by then is not there."""

_UNSURE = "it may or may not have been created; look before you try again"


class Call(NamedTuple):
    method: str
    path: str
    deadline: Deadline
    params: Mapping[str, str | int] = {}
    body: Any = None
    repeatable: bool = True

    @property
    def line(self) -> str:
        return f"{self.method} {self.path}"

    def hint(self, hint: str | None = None) -> str | None:
        """What to do after a failure that does not tell whether the request had its effect."""
        return hint if self.repeatable else _UNSURE


class Timeouts(Mapping[str, float]):
    """What httpcore looks up at the beginning of each phase of a request: what is left then of the deadline, so that
    the time for a slow connection comes off that for the answer."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def __getitem__(self, phase: str) -> float:
        most = CONNECT_SECONDS if phase == "connect" else float("inf")
        return max(0.001, min(most, self._deadline.remaining()))  # 0 would mean not to wait, and fail otherwise

    def __iter__(self) -> Iterator[str]:
        return iter(("connect", "read", "write", "pool"))

    def __len__(self) -> int:
        return 4
