"""What others print, on stderr, each line under the name of the module that printed it."""

import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any, TextIO

_CARRIERS = frozenset({"ats_cli", "ats_core", "click", "pluggy", "rich", "typer"})
"""Packages that print on behalf of whoever called them. So does the standard library."""


class Printed:
    """Stands in for `sys.stdout` while code of others runs.

    Who prints is looked up at the beginning of a line, so that it costs nothing where nobody does.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._begins = True

    def write(self, text: str) -> int:
        for piece in text.splitlines(keepends=True):
            self._stream.write(f"[{_speaker()}] {piece}" if self._begins else piece)
            self._begins = piece.endswith("\n")
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _speaker() -> str:
    """The innermost module on the stack that is no carrier."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        root = name.partition(".")[0]
        if root and root not in _CARRIERS and root not in sys.stdlib_module_names:
            return name
        frame = frame.f_back
    return "?"
