"""Replacing a file so that nobody ever sees half of it, and two writers never undo each other."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ats_core import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK_SECONDS = 10.0


@contextmanager
def locked(target: Path, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold the lock of a file: `<file>.lock` beside it, which stays: deleting a lock file breaks the lock.

    Raises StoreError where another writer keeps it for `seconds`, or the folder takes no files.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(f"{target}.lock", timeout=seconds)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(
            f"{target} is being written by another process",
            hint=f"{target}.lock is held; try again when it is done",
        ) from None
    except OSError as error:
        raise cannot_write(target, error) from error
    try:
        yield
    finally:
        lock.release()


def replace(target: Path, data: bytes) -> None:
    """Put `data` in the place of an existing file, all or nothing, with the file's mode.

    Call it under `locked`. Raises StoreError, and then the file is as it was. What a killed writer left over
    is removed on the way.
    """
    prefix = f".{target.name}.ats-"
    try:
        for leftover in target.parent.iterdir():
            if leftover.name.startswith(prefix):
                leftover.unlink(missing_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode)
        temporary = target.with_name(f"{prefix}{os.getpid()}-{os.urandom(4).hex()}")
        try:
            with open(temporary, "xb", opener=_private) as file:
                file.write(data)
                file.flush()
                temporary.chmod(mode)
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise cannot_write(target, error) from error
    _sync_folder(target.parent)


def cannot_write(target: Path, error: OSError) -> StoreError:
    """The one line for a file that takes no writes."""
    reason = error.strerror or type(error).__name__
    return StoreError(f"cannot write {target}: {reason}", hint="the file and its folder must be writable")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_folder(folder: Path) -> None:
    # Makes the rename itself survive a power cut; Windows cannot open a folder, and some file systems refuse.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
