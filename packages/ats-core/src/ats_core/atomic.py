"""Files that are replaced as a whole: a reader sees the old one or the new one, a killed writer leaves no litter."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ats_core.lock import locked, try_lock

_PREFIX, _SUFFIX = ".ats-", ".tmp"
_SWEEPER_PATIENCE = 0.1
"""Seconds: another writer holds the lock on our temporary file for as long as it takes to delete it."""


def write_atomically(path: Path, chunks: Iterable[bytes | bytearray | memoryview | mmap.mmap]) -> os.stat_result:
    """Write chunks to a unique temporary file in the same folder, then replace `path` by it.

    The file is 0600 and the folder, if it has to be made, 0700, from creation. The temporary file is gone afterwards,
    whatever happened; those of writers that were killed are swept on the way.

    :return: the status of what was written, even if another writer has replaced it since.
    :raises OSError: the file could not be written; an older one is unharmed. What is no file (a folder, a pipe) is
        left alone.
    """
    _refuse_what_is_no_file(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _temporary(path.parent) as (file, name):
        _sweep(path.parent)
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())  # or a power cut could leave a whole name on pages of zeros
        status = os.fstat(file.fileno())
        if os.name == "nt":
            file.close()  # Windows moves no open file
        os.replace(name, path)
    return status


def open_file(path: Path) -> IO[bytes]:
    """Open a file for reading.

    :raises OSError: it cannot be opened, or is none: a pipe in its place must not hang the search.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(descriptor, "rb")


def map_file(path: Path) -> mmap.mmap:
    """A whole file, mapped for reading.

    :raises OSError: as `open_file`.
    :raises ValueError: the file is empty.
    """
    with open_file(path) as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[IO[bytes], str]]:
    """An open temporary file, locked as long as its writer lives; deleted unless it was moved away."""
    while True:
        # By hand: importing tempfile brings random and hashlib along, 4 ms that every search would pay.
        name = os.path.join(folder, f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as file:
            with locked(file, _SWEEPER_PATIENCE):
                if not os.path.exists(name):
                    continue  # swept by another writer before we had the lock
                try:
                    yield file, name
                finally:
                    with suppress(OSError):
                        os.unlink(name)
            return


def _refuse_what_is_no_file(path: Path) -> None:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode)):
        raise FileExistsError(errno.EEXIST, "something that is no file is in its place", str(path))


def _sweep(folder: Path) -> None:
    """Delete the temporary files that nobody holds a lock on: their writers are dead."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError), path.open("r+b") as file:
            if try_lock(file):
                path.unlink()
