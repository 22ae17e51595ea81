"""Files that the bench makes: new ones only, since what lies there already may be somebody's work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from ats_core.errors import UsageError


def refuse_existing(path: Path, *, option: str = "--out") -> None:
    """Say early what `write_new` would say after the work.

    :param option: by which the path was given.
    :raises UsageError: something is there.
    """
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path} is there already, and nothing is overwritten", hint=f"give another {option}")


def write_new(path: Path, chunks: Iterable[str], *, option: str = "--out") -> None:
    """Write a file that must not exist; its folder is made. A file that could not be finished is removed.

    :raises UsageError: it exists, or cannot be written.
    """
    refuse_existing(path, option=option)
    made = False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            made = True
            file.writelines(chunks)
    except BaseException as error:
        if made:
            with contextlib.suppress(OSError):
                path.unlink()
        if isinstance(error, OSError):
            raise UsageError(f"{path} cannot be written: {error.strerror}", hint=f"give another {option}") from error
        raise


def refuse_occupied(folder: Path, *, option: str = "--out") -> None:
    """Say early that a folder cannot take new files.

    :raises UsageError: it is not empty, or no folder.
    """
    try:
        occupied = folder.exists() and any(folder.iterdir())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to: {error.strerror}", hint=f"give another {option}") from error
    if occupied:
        raise UsageError(f"{folder} is not empty, and nothing is overwritten", hint=f"give another {option}")
