"""Everything that an adapter says while a block runs: what it prints, what it logs."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout


class Heard(logging.Handler):
    """Keeps each record of the log as text, with its traceback."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[str] = []
        self.printed = io.StringIO()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        try:
            self.records.append(self.format(record))
        except Exception as error:  # noqa: BLE001 - a record whose arguments do not fit is not ours to mend
            self.records.append(f"{record.msg} {record.args} {error}")


@contextmanager
def listening() -> Iterator[Heard]:
    """While the block runs, hear all that is logged at any level, and all that is printed."""
    heard = Heard()
    root = logging.getLogger()
    level = root.level
    root.addHandler(heard)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stdout(heard.printed), redirect_stderr(heard.printed):
            yield heard
    finally:
        root.setLevel(level)
        root.removeHandler(heard)
