"""Processes in which code of others runs: side by side, each for a bounded time, and none outlives the command."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple, cast

from ats_core.deadline import Deadline

AT_ONCE = 6
"""How many start at once. One that has taken `SLOW` seconds waits for something, and no longer counts."""

SLOW = 1.0
"""Seconds."""

MOST_KEPT = 65_536
"""Bytes of what a process prints that are kept; the rest is read and thrown away."""

_TICK = 0.01
_START = "import sys; sys.path[:] = {path!r}; from ats_cli.doctor.child import main; main()"


class Order(NamedTuple):
    """What a process is to do (see `probes.PROBES`), with which arguments, and for how many seconds at most."""

    what: str
    arguments: Mapping[str, Any]
    patience: float


class Ended(NamedTuple):
    """How it went: `answer` is what the probe gave, None where it gave nothing; `printed` what went to its stdout.

    `code` is the exit code, None where it was still running when its time of `seconds` was up. `answer` and `code`
    are None and `seconds` 0 where there was no time left to start it.
    """

    answer: dict[str, Any] | None
    printed: str
    code: int | None
    seconds: float
    said: str = ""


def run_all(orders: Sequence[Order], environ: Mapping[str, str], deadline: Deadline) -> list[Ended]:
    """Run all, most `AT_ONCE` at a time, until each has ended or its time or the deadline is past.

    :return: one a order, in their order.
    """
    waiting = list(enumerate(orders))[::-1]
    running: dict[int, _Child] = {}
    ended: dict[int, Ended] = {}
    try:
        while (waiting or running) and not deadline.expired:
            for number, child in list(running.items()):
                if child.over:
                    ended[number] = running.pop(number).end()
            while waiting and sum(child.age < SLOW for child in running.values()) < AT_ONCE:
                number, order = waiting.pop()
                try:
                    running[number] = _Child(order, environ)
                except OSError as error:
                    ended[number] = Ended(None, "", -1, 0.0, f"no process could be started: {error}")
            time.sleep(_TICK)
    finally:
        for number, child in running.items():
            ended[number] = child.end()
    return [ended.get(number, Ended(None, "", None, 0.0)) for number in range(len(orders))]


class _Child:
    """A process at work. Its descriptor 2 carries the answer; what it prints to stderr itself is thrown away."""

    def __init__(self, order: Order, environ: Mapping[str, str]) -> None:
        self._patience = order.patience
        self._started = time.monotonic()
        self._process = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
            # -u: what a process that hangs has printed must not be stuck in its buffer.
            [sys.executable, "-u", "-c", _START.format(path=sys.path), json.dumps([order.what, order.arguments])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environ),
            start_new_session=True,
        )
        self._printed = _Reader(cast("IO[bytes]", self._process.stdout))
        self._answer = _Reader(cast("IO[bytes]", self._process.stderr))

    @property
    def age(self) -> float:
        return time.monotonic() - self._started

    @property
    def over(self) -> bool:
        return self._process.poll() is not None or self.age > self._patience

    def end(self) -> Ended:
        code, seconds = self._process.poll(), self.age
        self._kill()
        printed, said = self._printed.text(), self._answer.text()
        last = said.rstrip().rpartition("\n")[2]
        try:
            answer = json.loads(last)
        except ValueError:
            answer = None
        return Ended(answer if isinstance(answer, dict) else None, printed, code, seconds, last)

    def _kill(self) -> None:
        """End it, and what it has started."""
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)


class _Reader:
    """Reads a pipe to its end on a thread of its own, so that nobody blocks who writes to it."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)
        self._thread.start()

    def _read(self, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := os.read(pipe.fileno(), 65_536):
                self._kept += piece[: MOST_KEPT - len(self._kept)]

    def text(self) -> str:
        # A grandchild that has left the process group may hold the other end for ever.
        self._thread.join(0.1)
        return bytes(self._kept).decode("utf-8", "replace")
