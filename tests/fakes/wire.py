"""What the fakes share: an HTTP/1.1 server on loopback that records its requests, is slow, and fails on demand.

A fake is a subclass of `FakeServer` with an `answer` method:

    class FakeClock(FakeServer):
        def answer(self, request: Request) -> Answer:
            if request.line == "GET /time":
                return Answer(body={"now": 12})
            return Answer(404)

    with FakeClock() as fake:
        fake.latency = 0.02                               # seconds before each answer
        fake.fail("GET /time", status=503, times=2)       # the next two
        urlopen(fake.url + "/time")
        assert fake.count("GET /time") == 1
"""

from __future__ import annotations

import argparse
import re
import signal
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .listener import HOST, Listener
from .message import Answer, Request

__all__ = ["Answer", "Failure", "FakeServer", "Request", "arguments", "run_forever"]


@dataclass
class Failure:
    """A misbehaviour ordered with `FakeServer.fail`. `after` and `times` count down."""

    pattern: re.Pattern[str]
    answer: Answer | None
    delay: float
    drop: bool
    handled: bool
    times: int | None
    after: int

    def strikes(self, request: Request) -> bool:
        """Whether it is this request's turn; counts it if it matches."""
        if self.times == 0 or not self.pattern.fullmatch(request.line):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


class FakeServer:
    """Base of the fakes. `answer` is called from several threads at once, one for each connection.

    `prefix` is cut off the paths that begin with it. `requests` are recorded as they arrive. An exception in `answer`
    is a bug of the fake: it is answered with a 500 and raised when the `with` block ends.
    """

    prefix: ClassVar[str] = ""

    def __init__(self, *, port: int = 0, latency: float = 0.0) -> None:
        self.latency = latency
        self.requests: list[Request] = []
        self._port = port
        self._failures: list[Failure] = []
        self._bugs: list[Exception] = []
        self._closing = threading.Event()
        self._wire_lock = threading.Lock()
        self._listener: Listener | None = None

    def answer(self, request: Request) -> Answer:
        """The service's answer; the fake's own part."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, once started."""
        if self._listener is None:
            raise RuntimeError("the fake is not started: use it in a `with` block")
        return f"http://{HOST}:{self._listener.port}"

    def start(self) -> None:
        """Listens on the port given, or on a free one."""
        self._closing.clear()
        self._listener = Listener(self._port, self.prefix, self.respond)

    def close(self) -> None:
        """Cuts every connection and frees the port. What was recorded stays."""
        if self._listener is not None:
            self._closing.set()
            self._listener.close()
            self._listener = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.close()
        if self._bugs and kind is None:
            raise self._bugs[0]

    def count(self, pattern: str) -> int:
        """How many requests so far were `"METHOD /path"`; a regular expression that must match the whole of it."""
        matches = re.compile(pattern).fullmatch
        return sum(1 for request in list(self.requests) if matches(request.line))

    def forget(self) -> None:
        """Empties `requests`."""
        self.requests.clear()

    def fail(
        self,
        pattern: str,
        *,
        status: int | None = 500,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        times: int | None = 1,
        delay: float = 0.0,
        drop: bool = False,
        handled: bool = False,
        after: int = 0,
    ) -> Failure:
        """Orders a failure for requests whose whole `"METHOD /path"` matches the regular expression.

        `times` None is for ever, or until `heal`. `after` lets that many matching requests through first. `delay` is
        in seconds, in addition to `latency`; with `status` None the right answer follows, late. `drop` closes the
        connection instead of an answer. With `handled` the request takes effect all the same, and only its answer is
        lost. Where two failures match, the one ordered first counts.
        """
        answer = None if status is None else Answer(status, body, headers or {})
        failure = Failure(re.compile(pattern), answer, delay, drop, handled, times, after)
        with self._wire_lock:
            self._failures.append(failure)
        return failure

    def heal(self) -> None:
        """Forgets all ordered failures."""
        with self._wire_lock:
            self._failures.clear()

    def respond(self, request: Request) -> Answer | None:
        """Records the request and finds its answer; None where the connection is to be dropped."""
        with self._wire_lock:
            self.requests.append(request)
            failure = next((failure for failure in self._failures if failure.strikes(request)), None)
        self.wait(self.latency + (failure.delay if failure else 0.0))
        if failure is None:
            return self._answer_or_bug(request)
        if failure.handled or (failure.answer is None and not failure.drop):
            right = self._answer_or_bug(request)
            return None if failure.drop else failure.answer or right
        return None if failure.drop else failure.answer

    def wait(self, seconds: float) -> None:
        """Sleeps, or less where the fake is closed meanwhile."""
        if seconds > 0:
            self._closing.wait(seconds)

    def _answer_or_bug(self, request: Request) -> Answer:
        try:
            return self.answer(request)
        except Exception as error:
            self._bugs.append(error)
            return Answer(500, {"bug in the fake": repr(error)})


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser of the options that all `python -m` fakes have: `--port`, `--latency`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0, help="the port to listen on; 0, the default, takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    return parser


def run_forever(server: FakeServer, lines: Callable[[], Iterable[str]]) -> None:
    """Serves until Ctrl-C or SIGTERM, after printing `lines()`, which may use the server's `url`."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with server:
        print(*lines(), sep="\n", flush=True)
        while not stop.wait(0.5):
            pass
