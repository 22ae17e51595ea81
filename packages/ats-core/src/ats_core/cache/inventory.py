"""What lies in the cache: every copy of every scope, and how to remove them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ats_core.cache.file import DamagedCopyError, Header, read_copy
from ats_core.cache.opened import index_path
from ats_core.cache.setbacks import retry_path
from ats_core.models import Model


class CopyStatus(Model, frozen=True, kw_only=True):
    """One file of the cache. Sizes in bytes; `header` is None where the file is damaged, and `problem` says how."""

    path: Path
    size: int
    index_size: int | None
    header: Header | None = None
    problem: str | None = None


def copies(plain: Path) -> list[CopyStatus]:
    """Every copy beside and including the plain cache file, by name."""
    return [_status(path) for path in sorted(_files(plain))]


def remove_copy(path: Path) -> bool:
    """Remove a copy and its index; the lock file stays. Returns whether there was one.

    :raises OSError: it cannot be removed.
    """
    there = path.exists()
    for victim in (index_path(path), retry_path(path), path):
        victim.unlink(missing_ok=True)
    return there


def _files(plain: Path) -> Iterator[Path]:
    with suppress(OSError):
        for path in plain.parent.iterdir():
            own = path.name.startswith(f"{plain.stem}-") and path.suffix == plain.suffix
            if (own or path.name == plain.name) and path.is_file():
                yield path


def _status(path: Path) -> CopyStatus:
    size, index_size = _size(path) or 0, _size(index_path(path))
    try:
        copy = read_copy(path)
    except DamagedCopyError as error:
        return CopyStatus(path=path, size=size, index_size=index_size, problem=str(error))
    return CopyStatus(path=path, size=size, index_size=index_size, header=copy.header if copy else None)


def _size(path: Path) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None
