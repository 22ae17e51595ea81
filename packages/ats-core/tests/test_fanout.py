"""Jobs side by side against one deadline: order, failures, lateness, stuck jobs. And the deadline itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest
from ats_core import Deadline, RateLimitedError
from ats_core.fanout import FAILED, OK, STILL_RUNNING, TIMED_OUT, FanOut, Job, Outcome, attempt, describe

AMPLE = 60.0
"""Seconds that no healthy job needs: a test that waits so long has failed."""


class Gate:
    """A job that holds until it is released, and says when it has begun and ended."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.release = threading.Event()
        self.ended = threading.Event()
        self.thread: threading.Thread | None = None

    def __call__(self, deadline: Deadline) -> str:
        self.thread = threading.current_thread()
        self.begun.set()
        self.release.wait(AMPLE)
        self.ended.set()
        return "late"

    def let_go(self) -> None:
        self.release.set()
        if self.thread is not None:
            self.thread.join(AMPLE)


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.let_go()


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def give(value: str) -> Callable[[Deadline], str]:
    return lambda deadline: value


def brief() -> Deadline:
    """A deadline that never stops a job from being started, and soon ends the wait for one that does not answer."""
    return Deadline(0.02, clock=lambda: 0.0)


def abandon(fanout: FanOut, gate: Gate, name: str = "slow") -> Outcome[str]:
    """Give up on a gate."""
    (outcome,) = fanout.run([Job(name, gate)], brief())
    assert gate.begun.wait(AMPLE)
    return outcome


def test_results_come_in_the_order_of_the_jobs_whichever_ends_first() -> None:
    second_done = threading.Event()

    def first(deadline: Deadline) -> str:
        assert second_done.wait(AMPLE)
        return "a"

    def second(deadline: Deadline) -> str:
        second_done.set()
        return "b"

    outcomes = FanOut().run([Job("first", first), Job("second", second)], Deadline(AMPLE))
    assert [(outcome.name, outcome.status, outcome.value, outcome.error) for outcome in outcomes] == [
        ("first", OK, "a", None),
        ("second", OK, "b", None),
    ]
    assert all(outcome.elapsed_ms >= 0 for outcome in outcomes)


def test_no_jobs_give_no_outcomes() -> None:
    assert FanOut().run([], Deadline(AMPLE)) == []


def test_all_jobs_run_at_once_on_daemon_threads() -> None:
    meeting = threading.Barrier(5, timeout=AMPLE)

    def meet(deadline: Deadline) -> bool:
        meeting.wait()
        return threading.current_thread().daemon

    outcomes = FanOut().run([Job(str(at), meet) for at in range(5)], Deadline(AMPLE))
    assert [outcome.value for outcome in outcomes] == [True] * 5


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError("no such thing\nsecond line"), "ValueError: no such thing"),
        (KeyError(), "KeyError"),
        (SystemExit(3), "SystemExit: 3"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (RateLimitedError("come back later", hint="in a minute"), "come back later"),
    ],
)
def test_a_job_that_raises_is_an_outcome_and_the_others_stand(raised: BaseException, error: str) -> None:
    def fail(deadline: Deadline) -> str:
        raise raised

    bad, good = FanOut().run([Job("bad", fail), Job("good", give("fine"))], Deadline(AMPLE))
    assert (bad.name, bad.status, bad.value, bad.error) == ("bad", FAILED, None, error)
    assert bad.exception is raised
    assert describe(raised) == error
    assert (good.status, good.value) == (OK, "fine")


def test_every_job_is_given_the_deadline_itself() -> None:
    deadline = Deadline(AMPLE)
    outcomes = FanOut().run([Job(str(at), lambda until: until) for at in range(3)], deadline)
    assert all(outcome.value is deadline for outcome in outcomes)


def test_a_late_job_is_named_and_its_result_thrown_away(gate: Gate) -> None:
    fanout = FanOut()
    quick_thread: list[threading.Thread] = []

    def be_quick(until: Deadline) -> str:
        assert gate.begun.wait(AMPLE)
        quick_thread.append(threading.current_thread())
        return "quick"

    def past_when_quick_has_answered() -> float:
        for thread in quick_thread:
            thread.join(AMPLE)
        return 2 * AMPLE if quick_thread else 0.0

    deadline = Deadline(AMPLE, clock=past_when_quick_has_answered)
    late, quick = fanout.run([Job("slow", gate), Job("quick", be_quick)], deadline)
    assert (late.name, late.status, late.value, late.exception) == ("slow", TIMED_OUT, None, None)
    assert (late.error or "").startswith("timed out after ")
    assert (quick.status, quick.value) == (OK, "quick")
    gate.let_go()
    assert gate.ended.is_set()
    (again,) = fanout.run([Job("slow", give("now"))], Deadline(AMPLE))
    assert again.value == "now"


def test_past_the_deadline_nothing_is_started() -> None:
    started: SimpleQueue[str] = SimpleQueue()
    fanout = FanOut()
    outcomes = fanout.run([Job("a", lambda _: started.put("a")), Job("b", lambda _: started.put("b"))], Deadline(0))
    assert [outcome.status for outcome in outcomes] == [TIMED_OUT, TIMED_OUT]
    assert started.empty()
    assert not fanout.stuck
    (healthy,) = fanout.run([Job("a", give("x"))], Deadline(AMPLE))
    assert healthy.status == OK


def test_a_stuck_name_is_not_started_again_while_others_run(gate: Gate) -> None:
    fanout = FanOut()
    assert abandon(fanout, gate).status == TIMED_OUT
    assert fanout.stuck
    refused, healthy = fanout.run([Job("slow", give("never")), Job("other", give("fine"))], Deadline(AMPLE))
    assert (refused.status, refused.value, refused.elapsed_ms) == (STILL_RUNNING, None, 0.0)
    assert refused.error == "still running since an earlier call"
    assert healthy.value == "fine"
    gate.let_go()
    assert not fanout.stuck
    (recovered,) = fanout.run([Job("slow", give("again"))], Deadline(AMPLE))
    assert recovered.value == "again"


def test_another_fanout_knows_nothing_of_a_stuck_name(gate: Gate) -> None:
    abandon(FanOut(), gate)
    (outcome,) = FanOut().run([Job("slow", give("fine"))], Deadline(AMPLE))
    assert outcome.value == "fine"


def test_a_healthy_name_runs_in_many_calls_at_once() -> None:
    fanout = FanOut()
    meeting = threading.Barrier(8, timeout=AMPLE)
    outcomes: SimpleQueue[Outcome[int]] = SimpleQueue()

    def call() -> None:
        outcomes.put(fanout.run([Job("same", lambda _: meeting.wait())], Deadline(AMPLE))[0])

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(AMPLE)
    assert sorted(outcomes.get(timeout=AMPLE).value for _ in range(8)) == list(range(8))
    assert not fanout.stuck


def test_a_name_that_two_calls_gave_up_on_is_stuck_until_both_have_ended(gate: Gate) -> None:
    fanout = FanOut()
    other = Gate()
    # Two jobs of one name, as two calls at once would have them.
    outcomes = fanout.run([Job("slow", gate), Job("slow", other)], brief())
    assert [outcome.status for outcome in outcomes] == [TIMED_OUT, TIMED_OUT]
    assert other.begun.wait(AMPLE)
    other.let_go()
    assert gate.begun.wait(AMPLE)
    assert fanout.stuck
    (outcome,) = fanout.run([Job("slow", give("never"))], Deadline(AMPLE))
    assert outcome.status == STILL_RUNNING
    gate.let_go()
    assert not fanout.stuck


def test_a_hundred_calls_with_a_stuck_job_grow_no_threads(gate: Gate) -> None:
    fanout = FanOut()
    abandon(fanout, gate)
    before = set(threading.enumerate())
    for _ in range(100):
        stuck, healthy = fanout.run([Job("slow", gate), Job("healthy", give("fine"))], Deadline(AMPLE))
        assert (stuck.status, healthy.value) == (STILL_RUNNING, "fine")
    for thread in set(threading.enumerate()) - before:
        thread.join(AMPLE)  # a healthy one may be on its way out
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("workers", [1, 3])
def test_no_more_jobs_run_at_once_than_there_are_workers(workers: int) -> None:
    lock = threading.Lock()
    meeting = threading.Barrier(workers, timeout=AMPLE)
    running = most = 0

    def count(deadline: Deadline) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        meeting.wait()
        with lock:
            running -= 1
        return "done"

    outcomes = FanOut().run([Job(str(at), count) for at in range(12)], Deadline(AMPLE), workers=workers)
    assert [outcome.name for outcome in outcomes] == [str(at) for at in range(12)]
    assert {outcome.value for outcome in outcomes} == {"done"}
    assert most == workers


def test_with_bounded_workers_what_never_began_is_late_but_not_stuck(gate: Gate) -> None:
    fanout = FanOut()
    outcomes = fanout.run([Job("slow", gate), Job("waiting", give("never"))], brief(), workers=1)
    assert [(outcome.name, outcome.status) for outcome in outcomes] == [("slow", TIMED_OUT), ("waiting", TIMED_OUT)]
    (outcome,) = fanout.run([Job("waiting", give("fine"))], Deadline(AMPLE))
    assert outcome.value == "fine"


def test_a_stuck_name_takes_no_worker(gate: Gate) -> None:
    fanout = FanOut()
    abandon(fanout, gate)
    jobs = [Job("slow", give("never")), Job("a", give("a")), Job("slow", give("never")), Job("b", give("b"))]
    outcomes = fanout.run(jobs, Deadline(AMPLE), workers=1)
    assert [outcome.value for outcome in outcomes] == [None, "a", None, "b"]


def test_attempt_runs_on_this_thread() -> None:
    outcome = attempt(Job("here", lambda _: threading.current_thread()), Deadline(AMPLE))
    assert outcome.value is threading.current_thread()


def test_a_deadline_counts_down_and_never_below_zero() -> None:
    clock = Clock()
    deadline = Deadline(3.0, clock=clock)
    assert (deadline.remaining(), deadline.expired) == (3.0, False)
    clock.now += 2.5
    assert deadline.remaining() == 0.5
    clock.now += 10
    assert (deadline.remaining(), deadline.expired) == (0.0, True)


def test_an_earlier_deadline_shares_the_clock() -> None:
    clock = Clock()
    deadline = Deadline(3.0, clock=clock)
    earlier = deadline.less(1.0)
    clock.now += 2.0
    assert (earlier.expired, deadline.remaining()) == (True, 1.0)
    assert deadline.less(5.0).expired
    assert repr(deadline) == "Deadline(1.000 s left)"
