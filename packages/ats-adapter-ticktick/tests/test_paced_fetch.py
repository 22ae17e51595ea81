"""Two hundred lists under the rate limit: none is read twice, none is lost, and the service never has to refuse."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from ats_adapter_ticktick.api import pace
from ats_core import Deadline
from ats_core.cache.freshness import Policy
from ats_core.cache.store import CorpusStore
from ats_core.plugins.adapter import Adapter
from ats_core.text.analyser import Analyser
from fakes.ticktick import FakeTickTick
from fakes.wire import Answer, Request

LISTS = 200


class Clock:
    """Seconds since the epoch, which pass when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        with self._lock:
            self.now = max(self.now, until)


class Counting(FakeTickTick):
    """Notes the status of each answer."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock=clock)
        self.statuses: list[int] = []

    def answer(self, request: Request) -> Answer:
        answer = super().answer(request)
        self.statuses.append(answer.status)
        return answer


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(clock: Clock) -> Iterator[FakeTickTick]:
    with Counting(clock) as fake:
        account = fake.account("token-a", uid="42")
        for number in range(LISTS):
            project = account.add_project(f"List {number}")
            account.add_task(project, title=f"Task {number}")
            account.add_task(project, title=f"Another {number}")
        account.add_task(title="Renew passport")
        fake.limit(100, 60)
        fake.limit(300, 300)
        yield fake
    assert set(fake.statuses) == {200}, "the service had to refuse"


@pytest.fixture
def adapter(open_adapter, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Adapter:
    monkeypatch.setattr(pace, "Pacer", functools.partial(pace.Pacer, clock=clock, sleep=clock.sleep))
    return Adapter("ticktick", open_adapter())


def reads(service: FakeTickTick) -> int:
    return service.count("GET /project/[^/]+/data")


def test_with_time_enough_it_finishes_and_says_beforehand_how_long_it_takes(
    adapter: Adapter, service: FakeTickTick, clock: Clock, caplog: pytest.LogCaptureFixture
):
    began = clock.now
    with caplog.at_level(logging.WARNING, "ats_adapter_ticktick"):
        fetched = adapter.bulk_fetch(Deadline(600, clock=clock))
    assert not fetched.failed
    assert len(fetched.tasks) == 2 * LISTS + 1
    assert reads(service) == LISTS + 1
    assert 100 < clock.now - began < 200
    assert caplog.messages == ["ats: under the rate limit, reading 201 lists takes about 2 min"]


def test_what_did_not_fit_is_asked_for_later_and_what_did_is_not_asked_for_again(
    adapter: Adapter, service: FakeTickTick, clock: Clock, tmp_path: Path
):
    policy = Policy(path=tmp_path / "cache.json", time_to_live=3600.0, fetch_timeout=60.0)
    store = CorpusStore(adapter, "anna", policy, lambda: Analyser("none"), clock=clock)
    loaded = store.load()
    left = [len(loaded.report.sources_failed)]
    assert 100 < left[0] < 120
    assert all("rate limit" in project.error for project in loaded.report.sources_failed)
    for _ in range(5):
        if not left[-1]:
            break
        before = len(service.requests)
        assert len(store.load().report.sources_failed) == left[-1], "it is not time yet"
        assert len(service.requests) == before
        clock.sleep(63)
        loaded = store.load()
        left.append(len(loaded.report.sources_failed))
    assert left[-1] == 0
    assert len(loaded.opened.corpus) == 2 * LISTS + 1
    assert len(left) <= 4
    assert reads(service) == LISTS + 1
    assert service.count("POST /task/filter") == 1


def test_a_process_that_comes_next_keeps_to_the_same_limit(
    open_adapter, adapter: Adapter, service: FakeTickTick, clock: Clock
):
    adapter.bulk_fetch(Deadline(30, clock=clock))
    before = len(service.requests)
    fetched = Adapter("ticktick", open_adapter()).bulk_fetch(Deadline(120, clock=clock))
    assert len(fetched.failed) < LISTS
    assert len(service.requests) > before
