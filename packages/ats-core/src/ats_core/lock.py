"""An exclusive lock on an open file, between processes. It goes with its holder: a killed one leaves none behind.

By fcntl or msvcrt directly, since a search that finds a fresh corpus must not pay for the import of a lock library
(filelock: 50 ms), and one that waits with forty others even less.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ats_core.deadline import Deadline

_FIRST_NAP, _LONGEST_NAP = 0.001, 0.05


@contextmanager
def locked(file: IO[bytes], patience: float, until: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """Hold the lock on a file within the block; yields whether it was had within `patience` seconds.

    The block runs in either case: a holder that was stopped must not stop us.

    :param until: asked between two tries; True: there is nothing left to wait for.
    """
    deadline = Deadline(patience)
    nap = _FIRST_NAP
    held = try_lock(file)
    while held is False and not deadline.expired and not until():
        time.sleep(nap)
        nap = min(2 * nap, _LONGEST_NAP)
        held = try_lock(file)
    try:
        yield bool(held)
    finally:
        if held:
            _unlock(file)


@contextmanager
def locked_path(path: Path, patience: float, until: Callable[[], bool] = lambda: False) -> Iterator[bool]:
    """As `locked`, on a lock file, which is made where it is missing and never deleted.

    Where no such file can be made (a read-only folder), the block runs without the lock.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield False
        return
    with os.fdopen(descriptor, "r+b", buffering=0) as file, locked(file, patience, until) as held:
        yield held


def try_lock(file: IO[bytes]) -> bool | None:
    """Take the lock if nobody has it; it is released when the file is closed.

    :return: False where somebody has it; None where this file system knows no locks, so that waiting is in vain.
    """
    try:
        _lock(file)
    except (BlockingIOError, PermissionError):  # the second is what msvcrt says
        return False
    except OSError:
        return None
    return True


try:
    import fcntl
except ImportError:
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]

else:

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
