"""When the requests of an account were sent, by whatever process: one small file, written in place under its own lock.

In place, since a file that is replaced and synced costs milliseconds, which every request would pay. It is one write,
so that a process that is killed leaves the old state or the new one; what cannot be read counts as nothing.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

import msgspec
from ats_core.lock import locked

T = TypeVar("T")

_PATIENCE = 0.2
"""Seconds: the lock is held for some 0.1 ms, unless its holder was stopped; then we go on without it."""

_MOST_BYTES = 64 * 1024


class State(msgspec.Struct):
    """Times are seconds since the epoch: `sent` those of the latest requests, the oldest first; `refused` when the
    service last said "not so fast", and `until` when it takes requests again; 0 for never."""

    sent: list[float] = []
    refused: float = 0.0
    until: float = 0.0


class Ledger:
    """Safe to use from several threads and processes. Without a file that can be written, each process has its own.

    :param path: None for no file.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._own = State()
        self._lock = threading.Lock()

    def use(self, act: Callable[[State], T]) -> T:
        """Hand the state to `act`, which nobody else has meanwhile, and keep what it changes."""
        with self._lock, self._opened() as file:
            written = b"" if file is None else self._loaded(file)
            result = act(self._own)
            if file is not None:
                self._save(file, written)
            return result

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes] | None]:
        try:
            descriptor = _open(self._path) if self._path is not None else None
        except OSError:
            descriptor = None
        if descriptor is None:
            yield None
            return
        with os.fdopen(descriptor, "r+b", buffering=0) as file, locked(file, _PATIENCE):
            yield file

    def _loaded(self, file: IO[bytes]) -> bytes:
        """Take over the file's state; where it has none, ours stays."""
        with suppress(OSError):
            content = file.read(_MOST_BYTES) or b""
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                self._own = msgspec.json.decode(content, type=State)
            return content
        return b""

    def _save(self, file: IO[bytes], written: bytes) -> None:
        content = msgspec.json.encode(self._own)
        if content == written.rstrip():
            return
        try:
            if len(written) == _MOST_BYTES:
                file.truncate(0)  # it was none of ours
            file.seek(0)
            file.write(content.ljust(len(written)))
        except OSError:
            self._path = None  # a full disk: what it holds is out of date from now on


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, flags, 0o600)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return descriptor
