"""What the last fetch saw of an account's lists, kept in a small file.

It is known before any request what the Inbox' real id is, what the lists are called, and whether the wiki project is
among them. Losing the file costs a request or two, so damage is the same as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from ats_core import Project
from ats_core.atomic import open_file, write_atomically
from ats_core.models import Model


class Seen(Model, frozen=True, kw_only=True):
    """`at` is when the fetch began, in seconds since the epoch; `projects` are the lists in order, without `raw`.

    `inbox` is the Inbox' real id, the alias while no task told it. `by_list` is true where the filter's answer was cut,
    so that every list was read by itself. `cut` names what the service keeps back of the completed tasks.
    """

    at: float = 0.0
    inbox: str = "inbox"
    projects: tuple[Project, ...] = ()
    by_list: bool = False
    cut: tuple[str, ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """Project names by id."""
        return {project.id: project.name for project in self.projects}


class SeenFile:
    """The file; where it cannot be written, this process remembers by itself."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._own: Seen | None = None

    def read(self) -> Seen | None:
        """What was seen last, by any process; None: nothing is known."""
        with suppress(OSError, ValueError), open_file(self._path) as file:
            return msgspec.json.decode(file.read(), type=Seen)
        return self._own

    def write(self, seen: Seen) -> None:
        self._own = seen
        with suppress(OSError):
            write_atomically(self._path, [msgspec.json.encode(seen)])

    def note_cut(self, cut: Sequence[str]) -> None:
        """Remember what is missing of the completed tasks."""
        seen = self.read()
        if seen is not None and seen.cut != tuple(cut):
            self.write(msgspec.structs.replace(seen, cut=tuple(cut)))

    def forget(self) -> None:
        self._own = None
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
