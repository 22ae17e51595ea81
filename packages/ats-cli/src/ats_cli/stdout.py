"""Standard output, kept for the answer.

File descriptor 1 is led to stderr for the whole life of the process, whoever writes there: a plugin at import or in a
hook, a thread that outlives its call, C code, a child process. The answer goes out by a private copy of the real one.
"""

import io
import os
import select
import sys
from typing import Any

from ats_core.errors import AtsError


class ReaderGoneError(SystemExit):
    """Nobody reads the answer any more (a closed pipe). Ends the command quietly, as if it had been read."""

    def __init__(self) -> None:
        super().__init__(0)


class _RealStdout(io.RawIOBase):
    """The private copy. After a failure it swallows what is left in buffers, so that each failure shows once."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lost = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        if self._lost:
            return len(data)
        while True:
            try:
                return os.write(self._descriptor, data)
            except BlockingIOError:
                # Some parents hand down a pipe in non-blocking mode.
                select.select([], [self._descriptor], [])
            except BrokenPipeError:
                self._lost = True
                raise ReaderGoneError from None
            except OSError as error:
                self._lost = True
                raise AtsError(f"the answer could not be written: {error.strerror}") from error


class Answer(io.TextIOWrapper):
    """The stream of the answer: UTF-8 whatever the locale says. `used` tells whether anything was written yet."""

    def __init__(self, buffer: Any, *, line_buffering: bool = False) -> None:
        super().__init__(buffer, encoding="utf-8", errors="replace", newline="\n", line_buffering=line_buffering)
        self.used = False

    def write(self, text: str) -> int:
        self.used = True
        return super().write(text)


def take_over() -> Answer:
    """Lead descriptor 1 to stderr and give the stream of the answer.

    Standard descriptors that are closed become the null device first, or the next file that is opened would get
    their number, and all prints with it.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    if sys.stdout is not None:
        sys.stdout.flush()
    private = os.dup(1)
    os.dup2(2, 1)
    return Answer(io.BufferedWriter(_RealStdout(private), 1 << 16), line_buffering=os.isatty(private))
