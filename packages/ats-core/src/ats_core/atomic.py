"""Writing a file so that a reader sees the old one or the new one, whole, and a killed writer leaves no litter."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ats_core.lock import try_lock

_PREFIX, _SUFFIX = ".ats-", ".tmp"


def write_atomically(path: Path, chunks: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write chunks to a unique temporary file in the same folder, then replace `path` by it.

    The file is 0600 and the folder, if it has to be made, 0700, from creation. The temporary file is gone afterwards,
    whatever happened; those of writers that were killed are swept on the way.

    :raises OSError: the file could not be written; an older one is unharmed.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _temporary(path.parent) as (file, name):
        _sweep(path.parent)
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        if os.name == "nt":
            file.close()  # Windows moves no open file
        os.replace(name, path)


@contextmanager
def _temporary(folder: Path) -> Iterator[tuple[IO[bytes], str]]:
    """An open temporary file, locked as long as its writer lives; deleted unless it was moved away."""
    while True:
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX, dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            try_lock(file)
            if not os.path.exists(name):
                continue  # swept by another writer before we had the lock
            try:
                yield file, name
            finally:
                with suppress(OSError):
                    os.unlink(name)
            return


def _sweep(folder: Path) -> None:
    """Delete the temporary files that nobody holds a lock on: their writers are dead."""
    for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with suppress(OSError), path.open("r+b") as file:
            if try_lock(file):
                path.unlink()
