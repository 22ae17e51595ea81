"""The pace of requests: below the service's limits, shared by threads and processes, and never beyond a deadline."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.api.pace import COOL_DOWN, FIVE_MINUTES, LONGEST, MINUTE, SLOW, Pacer
from ats_core import Deadline, RateLimitedError

COLD_FETCH = 53
"""Requests of an account with 50 lists: the lists, the filter, each list and the Inbox."""

LONG = 1_000_000.0


class Clock:
    """Seconds that pass when somebody sleeps; `slept` has every nap."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds

    def deadline(self, seconds: float = LONG) -> Deadline:
        return Deadline(seconds, clock=self)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "pace.json"


def pacer_of(path: Path | None, clock: Clock, **limits: Any) -> Pacer:
    return Pacer(path, clock=clock, sleep=clock.sleep, **limits)


def send(pacer: Pacer, clock: Clock, requests: int) -> list[float]:
    """The times at which so many requests go out, each as early as it may."""
    times = []
    for _ in range(requests):
        pacer.acquire(clock.deadline())
        times.append(clock.now)
    return times


def refused(pacer: Pacer, clock: Clock, seconds: float = 0.0) -> float:
    """How long a request that has so many seconds would have to wait."""
    with pytest.raises(RateLimitedError, match="TickTick: rate limited") as caught:
        pacer.acquire(clock.deadline(seconds))
    assert caught.value.retry_after is not None
    return caught.value.retry_after


def most_within(times: list[float], seconds: float) -> int:
    return max(bisect_left(times, at + seconds) - number for number, at in enumerate(times))


# --- how fast


def test_a_cold_fetch_of_a_normal_account_goes_out_at_once(path: Path, clock: Clock) -> None:
    send(pacer_of(path, clock), clock, COLD_FETCH)
    assert clock.slept == []


def test_no_minute_has_more_than_the_service_takes(path: Path, clock: Clock) -> None:
    times = send(pacer_of(path, clock), clock, 3000)
    assert most_within(times, 61) <= 95
    assert most_within(times, 301) <= 290
    assert 3000 / (times[-1] - times[0]) * 60 <= 60, "sustained"


def test_requests_that_come_slowly_never_wait(clock: Clock) -> None:
    pacer = pacer_of(None, clock)
    for _ in range(600):
        send(pacer, clock, 1)
        clock.now += 60 / 58 + 0.02
    assert clock.slept == []


def test_what_is_left_is_told(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock, burst=10, per_minute=4)
    assert pacer.remaining() == 10
    send(pacer, clock, 7)
    assert pacer.remaining() == 3
    clock.now += MINUTE
    assert pacer.remaining() == 10
    send(pacer, clock, 9)
    clock.now += MINUTE
    assert pacer.remaining() == 4, "of the five minutes"


@pytest.mark.parametrize("requests", [0, 1, 95, 96, 203, 400])
@pytest.mark.parametrize("refused_before", [False, True])
def test_the_outlook_is_the_time_that_it_takes(path: Path, clock: Clock, requests: int, refused_before: bool) -> None:
    pacer = pacer_of(path, clock)
    send(pacer, clock, 20)
    if refused_before:
        pacer.cool_down(5)
    outlook, started = pacer.outlook(requests), clock.now
    send(pacer, clock, requests)
    assert clock.now - started == pytest.approx(outlook, abs=1e-3)


def test_asking_for_the_outlook_uses_nothing_up(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock)
    pacer.outlook(1000)
    assert pacer.remaining() == 95


# --- deadlines


def test_a_wait_that_the_deadline_allows_is_waited(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock, burst=2)
    send(pacer, clock, 2)
    pacer.acquire(clock.deadline(MINUTE + 1))
    assert sum(clock.slept) == MINUTE


def test_a_wait_beyond_the_deadline_is_refused_at_once(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock, burst=2)
    send(pacer, clock, 2)
    clock.now += 10
    assert refused(pacer, clock, 30) == pytest.approx(MINUTE - 10)
    assert clock.slept == []


def test_a_wait_that_leaves_no_time_for_the_answer_is_refused(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock, burst=2)
    send(pacer, clock, 2)
    refused(pacer, clock, MINUTE + 0.5)
    assert clock.slept == []


def test_the_refusal_says_when_to_try_again(clock: Clock) -> None:
    pacer = pacer_of(None, clock, burst=1, label="Dida365")
    send(pacer, clock, 1)
    with pytest.raises(RateLimitedError, match=r"^Dida365: rate limited") as caught:
        pacer.acquire(clock.deadline(1))
    assert "try again in 62 s" in str(caught.value.hint)


# --- the service says no


def test_a_refusal_makes_all_who_share_the_file_wait(path: Path, clock: Clock) -> None:
    one, other, elsewhere = pacer_of(path, clock), pacer_of(path, clock), pacer_of(path.with_name("b"), clock)
    one.cool_down(60)
    assert refused(one, clock) == refused(other, clock) == 60
    assert other.remaining() == 0
    assert other.outlook(1) == 60
    elsewhere.acquire(clock.deadline(0))
    clock.now += 60
    other.acquire(clock.deadline(0))


def test_the_longer_of_two_refusals_counts(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock)
    pacer.cool_down(60)
    pacer.cool_down(2)
    assert refused(pacer, clock) == 60


@pytest.mark.parametrize(("said", "kept"), [(0, 1), (-5, 1), (1e9, LONGEST)])
def test_a_refusal_lasts_for_a_second_to_an_hour(path: Path, clock: Clock, said: float, kept: float) -> None:
    pacer = pacer_of(path, clock)
    pacer.cool_down(said)
    assert refused(pacer, clock) == kept


def test_after_a_refusal_requests_come_one_by_one_for_a_while(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock)
    send(pacer, clock, 10)
    pacer.cool_down(2)
    times = send(pacer, clock, 50)
    assert most_within(times, 1) == 1
    assert times[-1] - times[0] < 60
    clock.now += SLOW
    clock.slept.clear()
    send(pacer, clock, COLD_FETCH)
    assert clock.slept == []


def test_a_refusal_while_one_waits_is_seen(path: Path, clock: Clock) -> None:
    other = pacer_of(path, clock)
    naps: list[float] = []

    def sleep(seconds: float) -> None:
        if not naps:
            other.cool_down(seconds + 20)
        naps.append(seconds)
        clock.now += seconds

    pacer = Pacer(path, burst=1, clock=clock, sleep=sleep)
    send(pacer, clock, 1)
    pacer.acquire(clock.deadline())
    assert naps == [MINUTE, pytest.approx(20)]


# --- the file


def test_the_file_is_small_and_for_nobody_else(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock)
    send(pacer, clock, 500)
    assert path.stat().st_size < 16 * 1024
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
    clock.now += FIVE_MINUTES
    send(pacer, clock, 1)
    assert json.loads(path.read_bytes())["sent"] == [clock.now], "what is past is dropped"


def test_a_new_process_knows_what_was_sent_before(path: Path, clock: Clock) -> None:
    send(pacer_of(path, clock), clock, 95)
    assert refused(pacer_of(path, clock), clock) == MINUTE


DAMAGE = [
    *(b"", b"{", b"\0" * 4096, b"[]", b"null", b'{"sent":"x"}', b'{"sent":[null]}', b'{"sent":[1e999]}', b"\xff\xfe"),
    *(b'{"sent":[]}{', b"[" * 70_000, b" " * 70_000, b'{"sent":[' + b"1.5," * 40_000 + b"1]}"),
]


@pytest.mark.parametrize("content", DAMAGE, ids=lambda content: repr(content[:12]))
def test_a_damaged_file_counts_as_none_and_is_mended(path: Path, clock: Clock, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    send(pacer_of(path, clock), clock, 3)
    assert clock.slept == []
    assert json.loads(path.read_bytes())["sent"] == [clock.now] * 3
    assert pacer_of(path, clock).remaining() == 92


@pytest.mark.parametrize(
    "state",
    [
        {"sent": [9e15] * 300, "refused": 0, "until": 0},
        {"sent": [-1.0] * 300, "refused": 0, "until": 9e15},
        {"sent": [], "refused": 9e15, "until": 9e15},
        {"sent": [], "refused": -9e15, "until": 9e15},
    ],
)
def test_times_that_cannot_be_are_not_believed(path: Path, clock: Clock, state: dict[str, Any]) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps(state))
    assert pacer_of(path, clock).remaining() == 95


def test_a_clock_that_was_set_back_blocks_nobody(path: Path, clock: Clock) -> None:
    send(pacer_of(path, clock), clock, 95)
    pacer_of(path, clock).cool_down(COOL_DOWN)
    clock.now -= 7200
    send(pacer_of(path, clock), clock, COLD_FETCH)
    assert clock.slept == []


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _file_for_a_folder(path: Path) -> None:
    path.parent.write_text("")


def _pipe(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [_folder, _file_for_a_folder, _pipe])
def test_without_a_file_the_process_keeps_its_own_pace(path: Path, clock: Clock, spoil: Callable[[Path], None]) -> None:
    spoil(path)
    pacer = pacer_of(path, clock)
    send(pacer, clock, 95)
    assert refused(pacer, clock) == MINUTE


def test_a_file_that_goes_away_is_made_again_with_what_we_know(path: Path, clock: Clock) -> None:
    pacer = pacer_of(path, clock)
    send(pacer, clock, 95)
    path.unlink()
    assert refused(pacer, clock) == MINUTE
    assert refused(pacer_of(path, clock), clock) == MINUTE


def test_a_full_disk_leaves_the_pace_to_the_process(path: Path) -> None:
    """Under a limit of the file size, whose signal Python ignores: writing fails in the middle."""
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from ats_adapter_ticktick.api.pace import Pacer\n"
        "from ats_core import Deadline\n"
        "pacer = Pacer(Path(sys.argv[1]))\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "for _ in range(40): pacer.acquire(Deadline(0))\n"
        "print(pacer.remaining())\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "55"


# --- all at once

BURST = 50

PROCESS = (
    "import sys\n"
    "from pathlib import Path\n"
    "from ats_adapter_ticktick.api.pace import Pacer\n"
    "from ats_core import Deadline, RateLimitedError\n"
    f"pacer, sent = Pacer(Path(sys.argv[1]), burst={BURST}), 0\n"
    "for _ in range(40):\n"
    "    try:\n"
    "        pacer.acquire(Deadline(0))\n"
    "        sent += 1\n"
    "    except RateLimitedError:\n"
    "        pass\n"
    "print(sent)\n"
)


def test_processes_share_one_budget(path: Path) -> None:
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, path], stdout=subprocess.PIPE, text=True) for _ in range(5)
    ]
    assert sum(int(process.communicate()[0]) for process in started) == BURST


@pytest.mark.parametrize("has_file", [True, False])
def test_threads_share_one_budget(path: Path, clock: Clock, has_file: bool) -> None:
    pacer = pacer_of(path if has_file else None, clock, burst=BURST)
    sent: list[float] = []

    def work() -> None:
        for _ in range(20):
            try:
                pacer.acquire(clock.deadline(0))
            except RateLimitedError:
                continue
            sent.append(clock.now)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(sent) == BURST


def test_nobody_waits_for_a_holder_of_the_file_that_was_stopped(path: Path, clock: Clock) -> None:
    import fcntl

    send(pacer_of(path, clock), clock, 1)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        send(pacer_of(path, clock), clock, 1)
    assert pacer_of(path, clock).remaining() == 93
