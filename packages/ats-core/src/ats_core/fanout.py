"""Running jobs side by side, each racing one deadline, none able to hold the process.

Daemon threads and a queue, not a pool: a `ThreadPoolExecutor` joins its threads when the interpreter ends, so that one
stuck branch would hold the process for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Generic, NamedTuple, TypeVar

from ats_core.deadline import Deadline
from ats_core.errors import AtsError
from ats_core.text.fold import clean

T = TypeVar("T")

OK, FAILED, TIMED_OUT, STILL_RUNNING = "ok", "failed", "timed out", "still running"


class Job(NamedTuple, Generic[T]):
    """A named call that is given the deadline."""

    name: str
    run: Callable[[Deadline], T]


class Outcome(NamedTuple, Generic[T]):
    """How a job ended: `value` where `status` is `"ok"`, else `error`, one line (and the `exception`, if it raised)."""

    name: str
    status: str
    value: T | None
    error: str | None
    elapsed_ms: float
    exception: BaseException | None = None


class FanOut:
    """Runs jobs on daemon threads; remembers the ones it gave up on, and does not start a stuck name again.

    Safe to use from several threads at once.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._given_up: list[tuple[str, Thread]] = []

    @property
    def stuck(self) -> bool:
        """Whether a job that was given up on still runs."""
        with self._lock:
            return any(thread.is_alive() for _, thread in self._given_up)

    def run(self, jobs: Sequence[Job[T]], deadline: Deadline, *, workers: int | None = None) -> list[Outcome[T]]:
        """Run all jobs, at most `workers` at a time (default: all at once), until done or the deadline is past.

        :return: an outcome a job, in the order of the jobs. A late result is thrown away.
        """
        results: SimpleQueue[tuple[int, Outcome[T]]] = SimpleQueue()
        outcomes: dict[int, Outcome[T]] = {}
        threads: dict[int, Thread] = {}
        waiting = list(enumerate(jobs))[::-1]
        started = time.monotonic()
        free = len(jobs) if workers is None else workers
        while len(outcomes) < len(jobs):
            while waiting and free and not deadline.expired:
                number, job = waiting.pop()
                if self._is_stuck(job.name):
                    error = "still running since an earlier call"
                    outcomes[number] = Outcome(job.name, STILL_RUNNING, None, error, 0.0)
                    continue
                threads[number] = Thread(
                    target=_work, args=(number, job, deadline, results), name=f"ats-{job.name}", daemon=True
                )
                threads[number].start()
                free -= 1
            if len(outcomes) == len(jobs):
                break
            try:
                number, outcome = results.get(timeout=deadline.remaining())
            except Empty:
                break
            outcomes[number] = outcome
            free += 1
        late = {number: job.name for number, job in enumerate(jobs) if number not in outcomes}
        with self._lock:
            self._given_up += [(name, threads[number]) for number, name in late.items() if number in threads]
        elapsed = (time.monotonic() - started) * 1000
        for number, name in late.items():
            outcomes[number] = Outcome(name, TIMED_OUT, None, f"timed out after {elapsed:.0f} ms", elapsed)
        return [outcomes[number] for number in range(len(jobs))]

    def _is_stuck(self, name: str) -> bool:
        with self._lock:
            self._given_up = [(given_up, thread) for given_up, thread in self._given_up if thread.is_alive()]
            return any(given_up == name for given_up, _ in self._given_up)


def _work(number: int, job: Job[T], deadline: Deadline, results: SimpleQueue[tuple[int, Outcome[T]]]) -> None:
    results.put((number, attempt(job, deadline)))


def attempt(job: Job[T], deadline: Deadline) -> Outcome[T]:
    """Run one job on this thread; whatever it raises becomes its outcome."""
    started = time.monotonic()
    status, value, error, exception = OK, None, None, None
    try:
        value = job.run(deadline)
    except BaseException as raised:  # noqa: BLE001 - SystemExit from a plugin's thread must not vanish either
        status, error, exception = FAILED, describe(raised), raised
    return Outcome(job.name, status, value, error, (time.monotonic() - started) * 1000, exception)


def describe(error: BaseException) -> str:
    """One line for an exception: its own words if it is ours, else its type and the first line of its text."""
    if isinstance(error, AtsError):
        return " ".join(clean(error.message).splitlines())
    lines = clean(str(error)).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
