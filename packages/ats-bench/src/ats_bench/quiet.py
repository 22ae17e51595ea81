"""Standard output is the answer's. Whatever an adapter or a plugin prints meanwhile goes to stderr."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from ats_bench.inert import one_line


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """While code of others runs, `sys.stdout` leads to stderr."""
    before, sys.stdout = sys.stdout, sys.stderr
    try:
        yield
    finally:
        sys.stdout = before


def warn(message: str) -> None:
    """One line on stderr; a reader that is gone harms nobody."""
    line = one_line(message)
    with contextlib.suppress(OSError, ValueError):
        print(f"ats: {line}", file=sys.stderr, flush=True)
