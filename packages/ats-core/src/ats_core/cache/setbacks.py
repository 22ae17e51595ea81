"""Fetches that brought nothing: noted beside the copy, so that nobody waits for the same again at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from ats_core.atomic import open_file, write_atomically
from ats_core.cache.file import Copy
from ats_core.cache.partial import RETRY_AFTER
from ats_core.cache.place import CachePlace
from ats_core.models import Model


class Setback(Model, frozen=True, kw_only=True):
    """A fetch that brought nothing, noted beside the copy: rewriting the copy would cost its index.

    `at` is when it ended and `due` when the store may be asked again, in seconds since the epoch; `reason` one line.
    `empty`: the store did answer, with no tasks where it had some. `partial`: only failed projects were asked again.
    """

    at: float
    due: float
    reason: str = ""
    empty: bool = False
    partial: bool = False


class Setbacks:
    """The last setback of one scope, shared between processes. `clock` gives seconds since the epoch."""

    def __init__(self, place: CachePlace, clock: Callable[[], float]) -> None:
        self._place = place
        self._clock = clock

    def note(
        self,
        reason: str,
        revision: str | None,
        *,
        wait: float | None = None,
        empty: bool = False,
        partial: bool = False,
    ) -> Setback:
        """Note that a fetch brought nothing, and when the store may be asked again: `wait` is in seconds.

        A store with a revision is at hand and may be asked at any time.
        """
        now = self._clock()
        pause = 0.0 if revision is not None else RETRY_AFTER if wait is None else wait
        setback = Setback(at=now, due=now + pause, reason=reason, empty=empty, partial=partial)
        path = self._place.path()
        if path is not None:
            note_setback(path, setback)
        return setback

    def last(self) -> Setback | None:
        """The last one, None where the last fetch went well."""
        path = self._place.path()
        return None if path is None else noted_setback(path, self._clock())

    def answers(self, setback: Setback, called_at: float, copy: Copy | None, *, fresh: bool) -> bool:
        """Whether a setback answers a call too: it happened since, or there is a copy to tide over until it is due."""
        return called_at < setback.at or (copy is not None and not fresh and self._clock() < setback.due)


def note_setback(copy_path: Path, setback: Setback) -> None:
    """Remember a setback, so that other processes neither wait for the same again nor add to the store's troubles."""
    with suppress(OSError):
        write_atomically(retry_path(copy_path), (msgspec.json.encode(setback),))


def noted_setback(copy_path: Path, now: float) -> Setback | None:
    """The last setback, None where there is none. One from the future (the clock went back) is none."""
    try:
        with open_file(retry_path(copy_path)) as file:
            setback = msgspec.json.decode(file.read(), type=Setback)
    except (OSError, ValueError):
        return None
    return setback if setback.at <= now else None


def forget_setback(copy_path: Path) -> None:
    """A fetch went well."""
    with suppress(OSError):
        retry_path(copy_path).unlink(missing_ok=True)


def retry_path(copy_path: Path) -> Path:
    """Where that is noted."""
    return copy_path.with_suffix(".retry")
