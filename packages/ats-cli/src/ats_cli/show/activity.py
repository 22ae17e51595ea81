"""A line on the terminal that moves while something takes its time, and is wiped in the end."""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ats_cli.show.pace import Pace

if TYPE_CHECKING:
    from rich.live import Live

DELAY = 0.3
"""Seconds that have to pass before anything is shown: what is quick needs no spinner, nor rich's import."""


class Activity:
    """What is being done (`what`), as a spinner on stderr; a bar beside it once `progress` was called.

    `counts` are those of the last call, done and total; `words` put them into words.
    """

    def __init__(self, what: str, environ: Mapping[str, str]) -> None:
        self.what = what
        self.counts: tuple[int, int] | None = None
        self.words = ""
        self._environ = environ
        self._pace = Pace()
        self._live: Live | None = None
        self._timer = threading.Timer(DELAY, self._show)
        self._timer.daemon = True

    def progress(self, done: int, total: int) -> None:
        """Take note of how far it is."""
        self.counts, self.words = (done, total), self._pace(done, total)

    @contextlib.contextmanager
    def renamed(self, what: str) -> Iterator[None]:
        """Say something else within the block."""
        before, self.what = self.what, what
        try:
            yield
        finally:
            self.what = before

    def __enter__(self) -> "Activity":
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        if self._live is not None:
            self._live.stop()

    def _show(self) -> None:
        from ats_cli.show.rich_live import start_live

        self._live = start_live(self, self._environ)
