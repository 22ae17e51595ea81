"""One sync at a time, between processes: whoever comes second waits a little, then says who is at it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ats_core import EmbeddingError
from ats_core.lock import locked, try_lock

PATIENCE = 3.0


@contextmanager
def exclusive(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock file within the block; it is never deleted, and tells the process that holds it.

    Where there can be no such file (a read-only folder, a file system without locks) the block runs without.

    :raises EmbeddingError: another process holds it for `patience` seconds.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    except OSError:
        yield
        return
    with os.fdopen(descriptor, "r+b", buffering=0) as file, locked(file, patience) as held:
        if not held and try_lock(file) is False:
            raise EmbeddingError(
                f"another sync is running{_holder(descriptor)}", hint="run `ats sync` again when it is done"
            )
        with suppress(OSError):
            # From byte 1 on: on Windows nobody else may read the byte that is locked.
            os.truncate(descriptor, 1)
            os.lseek(descriptor, 1, os.SEEK_SET)
            os.write(descriptor, b"%d" % os.getpid())
        yield


def _holder(descriptor: int) -> str:
    with suppress(OSError, ValueError):
        os.lseek(descriptor, 1, os.SEEK_SET)
        return f" (process {int(os.read(descriptor, 20))})"
    return ""
