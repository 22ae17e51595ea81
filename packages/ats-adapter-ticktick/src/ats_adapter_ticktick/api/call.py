"""One request: what is asked, until when, and what may be said if it fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ats_core import Deadline

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
