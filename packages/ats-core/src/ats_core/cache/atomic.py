"""Writing a file so that a reader sees the old one or the new one, whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, chunks: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write chunks to a unique temporary file in the same folder, then replace `path` by it.

    The file is 0600 and the folder, if it has to be made, 0700, from creation. The temporary file is gone afterwards,
    whatever happened.

    :raises OSError: the file could not be written; an older one is unharmed.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
