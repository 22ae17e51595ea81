"""A progress bar on stderr, where that is a terminal; elsewhere nothing."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

import typer


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """While something takes its time: gives `progress(done, total)`, to be called as it goes on."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda done, total: None
        return
    with typer.progressbar(length=1, label=f"ats: {what}", file=sys.stderr) as bar:
        last = 0

        def show(done: int, total: int) -> None:
            nonlocal last
            bar.length = max(total, 1)
            bar.update(done - last)
            last = done

        yield show
