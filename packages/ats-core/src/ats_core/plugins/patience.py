"""Code of others is given a bounded time to load: one that hangs is left out, and nobody waits for it again so soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Generic, NamedTuple, TypeVar, cast

import msgspec

from ats_core.atomic import open_file, write_atomically
from ats_core.deadline import Deadline
from ats_core.errors import BrokenPluginError
from ats_core.plugins.discovery import Found, broken

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds for loading. A module that imports a neural network takes some; one that waits for a network has no end."""

LEAST = 1.0
"""Seconds that one gets where those before it have used up all patience."""

REST = 600.0
"""Seconds for which one that hung is left out without a trial."""


class Loaded(NamedTuple, Generic[T]):
    """What came of one: `made`, or the `error` that it raised or was given up with."""

    found: Found
    made: T | None
    error: BaseException | None


class Patience:
    """Loads entry points one after the other, apart from the caller, all within `seconds`, or `LEAST` a piece.

    :param note: the file that tells other processes who hung; None: it is not told.
    :param clock: seconds since the epoch.
    """

    def __init__(
        self, note: Path | None = None, *, seconds: float | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._note = note
        self._seconds = PATIENCE if seconds is None else seconds
        self._clock = clock

    def load_all(self, points: Iterable[Found], make: Callable[[Found], T]) -> list[Loaded[T]]:
        """What `make` returns or raises for each, in order; a `BrokenPluginError` for one that does not come back, now
        or a short while ago.

        :raises KeyboardInterrupt: `make` has raised it.
        """
        noted = self._noted() if (points := list(points)) else {}
        result = {found: Loaded[T](found, None, _left_out(found, ago)) for found, ago in self._resting(points, noted)}
        rest = [found for found in points if found not in result]
        whole = Deadline(self._seconds)
        while rest:
            # On one thread as long as nobody hangs: handing over to another one for each takes its time.
            results: SimpleQueue[Loaded[T]] = SimpleQueue()
            given_up = Event()
            Thread(target=_work, args=(tuple(rest), make, results, given_up), name="ats-loading", daemon=True).start()
            while rest:
                found, patience = rest.pop(0), max(whole.remaining(), min(LEAST, self._seconds))
                try:
                    result[found] = results.get(timeout=patience)
                except Empty:
                    given_up.set()
                    result[found] = Loaded(found, None, _hung(found, patience))
                    if patience >= self._seconds - LEAST:  # who had less, behind others, may only have been slow
                        noted[_key(found)] = self._clock()
                        self._write(noted)
                    break
        for loaded in result.values():
            if isinstance(loaded.error, KeyboardInterrupt):
                raise loaded.error
        return [result[found] for found in points]

    def load(self, found: Found, make: Callable[[], T]) -> T:
        """One alone: what `make` returns; what it raises passes through.

        :raises BrokenPluginError: it does not come back, now or a short while ago.
        """
        (loaded,) = self.load_all([found], lambda _: make())
        if loaded.error is not None:
            raise loaded.error
        return cast("T", loaded.made)

    def forget(self, found: Found) -> bool:
        """It does load: nobody has to leave it out any more. Returns whether it was left out."""
        noted = self._noted()
        there = noted.pop(_key(found), None) is not None
        if there:
            self._write(noted)
        return there

    def _resting(self, points: Iterable[Found], noted: Mapping[str, float]) -> Iterator[tuple[Found, float]]:
        for found in points:
            age = self._clock() - noted.get(_key(found), -REST)
            if 0 <= age < REST:
                yield found, age

    def _noted(self) -> dict[str, float]:
        if self._note is None:
            return {}
        with suppress(OSError, ValueError), open_file(self._note) as file:
            return msgspec.json.decode(file.read(), type=dict[str, float])
        return {}

    def _write(self, noted: dict[str, float]) -> None:
        if self._note is not None:
            with suppress(OSError, ValueError):
                write_atomically(self._note, [msgspec.json.encode(noted)])


def _work(
    points: Iterable[Found], make: Callable[[Found], T], results: SimpleQueue[Loaded[T]], given_up: Event
) -> None:
    for found in points:
        if given_up.is_set():
            return
        try:
            loaded = Loaded(found, make(found), None)
        except BaseException as error:  # noqa: BLE001 - the caller's to judge
            loaded = Loaded(found, None, error)
        results.put(loaded)


def _hung(found: Found, seconds: float) -> BrokenPluginError:
    return broken(found, f"cannot be loaded: it had not ended after {seconds:.0f} s")


def _left_out(found: Found, ago: float) -> BrokenPluginError:
    return BrokenPluginError(
        f"{found.name} of {found.distribution} {found.version} is left out: {ago:.0f} s ago loading it hung",
        hint="to try it again: ats doctor",
    )


def note_path(config_dir: Path) -> Path:
    """Where those who hung are noted."""
    return config_dir / "hanging-plugins.json"


def _key(found: Found) -> str:
    return " ".join([found.group, found.name, found.value, found.distribution, found.version])
