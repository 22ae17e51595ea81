"""What syncs have done, in a small file: what a search must know without asking a server, and a status shows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
from ats_core.atomic import open_file, write_atomically

from ats_adapter_ticktick.hybrid.space import Space

_VERSION = 1


class SpaceState(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One owner's vectors of one space in one place, as the last sync left them, or the running one has them now.

    `tasks` is the size of the corpus, of which `settled` tasks have vectors or cannot have any; `unusable` are those
    without any, `refused` the digests of the texts that the model refused. `finished` says whether a sync ever came to
    its end, `at` when this was written (seconds since the epoch). `asked` is the length of vectors that was asked for,
    None for the model's own. `spared` are the projects that the last complete sync missed as a whole.
    """

    owner: str
    place: str
    model: str
    digest: str
    dimension: int
    scheme: str
    tasks: int = 0
    settled: int = 0
    unusable: int = 0
    refused: list[str] = []
    finished: bool = False
    at: float = 0.0
    asked: int | None = None
    spared: list[str] = []

    @property
    def space(self) -> Space:
        return Space(self.model, self.digest, self.dimension, self.scheme)


class _File(msgspec.Struct):
    version: int
    spaces: list[SpaceState]


class StateFile:
    """The file. Reading never fails: damage of any kind means that nothing is known. Writers hold the sync's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> list[SpaceState]:
        """Every owner, place and space."""
        try:
            with open_file(self._path) as file:
                found = msgspec.json.decode(file.read(), type=_File)
        except (OSError, ValueError):  # msgspec's errors are ValueErrors
            return []
        return found.spaces if found.version == _VERSION else []

    def get(self, key: SpaceState) -> SpaceState | None:
        """What is known of the owner, place and space of `key`."""
        return next((state for state in self.all() if _key(state) == _key(key)), None)

    def put(self, state: SpaceState) -> None:
        """Remember a state in place of the older one. A file that cannot be written costs no sync."""
        self._write([*(other for other in self.all() if _key(other) != _key(state)), state])

    def forget(self, state: SpaceState) -> None:
        """Remove what is known of an owner, place and space."""
        self._write([other for other in self.all() if _key(other) != _key(state)])

    def _write(self, states: list[SpaceState]) -> None:
        with suppress(OSError):
            write_atomically(self._path, (msgspec.json.encode(_File(_VERSION, states)),))


def _key(state: SpaceState) -> tuple[str | int, ...]:
    return state.owner, state.place, *state.space
