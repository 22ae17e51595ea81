"""A branch that is late is given up on, said so, and holds neither the engine nor the process."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ats_core import (
    AllBranchesFailedError,
    Branch,
    Candidate,
    Deadline,
    Engine,
    FindResult,
    StoreTimeoutError,
    Task,
)

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]
Report = Callable[[FindResult, str], Any]

BUDGET_MS = 400
"""Long enough for the branches that answer at once, on a busy machine too; each test waits for it once or twice."""


class Stuck:
    """Calls that wait until they are released, all of them at the end of the test at the latest."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.calls = 0

    def __call__(self, *_: Any) -> list[Candidate]:
        self.calls += 1
        self.release.wait(60)
        return [Candidate(id="t3")]


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    calls = Stuck()
    yield calls
    calls.release.set()
    join_branches()


def join_branches() -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("ats-"):
            thread.join(60)
            assert not thread.is_alive()


def test_a_late_branch_is_reported_and_the_others_answer(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, stuck: Stuck
) -> None:
    engine = open_engine(make_store(branches=lambda: [Branch("slow", stuck)]), budget_ms=BUDGET_MS)
    result = engine.find("passport")
    assert ids(result) == ["t4", "t1"]
    slow = report(result, "slow")
    assert (slow.status, slow.ok, slow.count) == ("timed out", False, 0)
    assert slow.error.startswith("timed out after ")
    assert result.degraded
    assert result.warnings == (f"slow timed out: {slow.error}",)
    assert [branch.status for branch in result.branches if branch.name != "slow"] == ["ok", "ok"]
    assert result.confidence.verdict != "strong"


def test_a_branch_that_is_still_stuck_is_not_started_again_and_the_engine_stays_usable(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, stuck: Stuck
) -> None:
    engine = open_engine(make_store(branches=lambda: [Branch("slow", stuck)]), budget_ms=BUDGET_MS)
    engine.find("passport")
    assert engine.stuck
    for _ in range(20):
        result = engine.find("passport")
        assert ids(result) == ["t4", "t1"]
        slow = report(result, "slow")
        assert (slow.status, slow.ok, slow.error) == ("still running", False, "still running since an earlier call")
        assert result.degraded
    assert stuck.calls == 1
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("ats-")] == ["ats-slow"]


def test_once_it_has_ended_the_branch_is_asked_again_and_the_late_answer_is_gone(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, stuck: Stuck
) -> None:
    engine = open_engine(make_store(branches=lambda: [Branch("slow", stuck)]), budget_ms=BUDGET_MS)
    assert "t3" not in ids(engine.find("passport"))
    stuck.release.set()
    join_branches()
    assert not engine.stuck
    result = engine.find("passport")
    assert report(result, "slow").status == "ok"
    assert "t3" in ids(result)
    assert stuck.calls == 2


def test_a_late_native_search_is_no_worse_than_a_branch(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, stuck: Stuck
) -> None:
    result = open_engine(make_store(search_by_query=stuck), budget_ms=BUDGET_MS).find("passport")
    assert ids(result) == ["t4", "t1"]
    assert report(result, "native").status == "timed out"


def test_no_hits_and_no_hits_in_time_look_different(
    make_store: MakeStore, open_engine: OpenEngine, stuck: Stuck
) -> None:
    healthy = open_engine(make_store()).find("zzz")
    late = open_engine(make_store(search_by_query=stuck), budget_ms=BUDGET_MS).find("zzz")
    assert healthy.hits == late.hits == ()
    assert (healthy.degraded, late.degraded) == (False, True)
    assert (healthy.warnings, len(late.warnings)) == ((), 1)


def test_where_the_embedder_is_late_hybrid_is_the_sparse_ranking_and_counts(
    make_store: MakeStore, make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report, stuck: Stuck
) -> None:
    engine = open_engine(make_embedding_store(embeddings=stuck), name="embedding", budget_ms=BUDGET_MS)
    plain = open_engine(make_store(), name="plain").find("passport")
    first = engine.find("passport")
    assert report(first, "hybrid").status == "degraded"
    assert report(first, "hybrid").error.startswith("dense timed out after ")
    second = engine.find("passport")
    assert report(second, "hybrid").error == "dense still running since an earlier call"
    for result in (first, second):
        assert [(hit.task.id, hit.score) for hit in result.hits] == [(hit.task.id, hit.score) for hit in plain.hits]
        assert result.hits[0].sources[0] == "hybrid"
        assert result.degraded
    assert stuck.calls == 1


class LateBackend:
    def __init__(self, stuck: Stuck) -> None:
        self.stuck = stuck

    def search(self, *_: Any) -> Any:
        return self.stuck()


def test_where_the_backend_is_late_sparse_takes_its_place(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, stuck: Stuck
) -> None:
    backend = LateBackend(stuck)
    engine = open_engine(make_store(hybrid_backend=lambda: backend), budget_ms=BUDGET_MS)
    result = engine.find("passport")
    assert ids(result) == ["t4", "t1"]
    error = report(result, "hybrid").error
    assert error.startswith("hybrid backend timed out after ")
    assert error.endswith("; sparse took its place")
    error = report(engine.find("passport"), "hybrid").error
    assert error == "hybrid backend still running since an earlier call; sparse took its place"


def test_when_every_branch_is_late_there_is_no_answer(
    make_embedding_store: MakeStore, open_engine: OpenEngine, stuck: Stuck
) -> None:
    engine = open_engine(make_embedding_store(embeddings=stuck), budget_ms=600)
    with pytest.raises(AllBranchesFailedError, match="no branch answered: dense: timed out after") as caught:
        engine.semantic("passport")
    assert caught.value.exit_code == 4
    with pytest.raises(AllBranchesFailedError, match="still running since an earlier call"):
        engine.semantic("passport")


def test_branches_are_handed_the_budget(make_store: MakeStore, open_engine: OpenEngine) -> None:
    seen: dict[str, float] = {}

    def native(deadline: Deadline) -> list[Candidate]:
        seen["native"] = deadline.remaining()
        return []

    def run(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        seen["mine"] = deadline.remaining()
        return []

    store = make_store(search_by_query=native, branches=lambda: [Branch("mine", run)])
    open_engine(store, budget_ms=20_000).find("passport")
    assert sorted(seen) == ["mine", "native"]
    assert all(0 < remaining <= 20 for remaining in seen.values())


def test_an_embedder_is_handed_less_than_the_budget_so_that_there_is_time_to_merge(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    seen: list[float] = []

    def embeddings(texts: list[str], deadline: Deadline) -> list[list[float]]:
        seen.append(deadline.remaining())
        return [[1.0, float(len(text))] for text in texts]

    open_engine(make_embedding_store(embeddings=embeddings), budget_ms=20_000).find("passport")
    assert len(seen) == 2
    assert all(0 < remaining <= 19.95 for remaining in seen)


def test_the_budget_starts_when_the_corpus_is_there(
    make_store: MakeStore, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch, report: Report
) -> None:
    ahead = 0.0

    def bulk() -> list[Task]:
        nonlocal ahead
        ahead += 3600  # the fetch takes an hour
        return [Task(id="t1", title="passport")]

    engine = open_engine(make_store(bulk_fetch=bulk))
    monkeypatch.setattr(engine, "_deadline", lambda: Deadline(20, clock=lambda: time.monotonic() + ahead))
    result = engine.find("passport")
    assert report(result, "keyword").status == "ok"
    assert not result.degraded


def test_a_store_that_does_not_answer_is_given_up_on_after_its_own_time(
    make_store: MakeStore, open_engine: OpenEngine, stuck: Stuck
) -> None:
    engine = open_engine(make_store(bulk_fetch=stuck), fetch_timeout_ms=50)
    with pytest.raises(StoreTimeoutError, match="test: bulk_fetch timed out after"):
        engine.find("passport")


def test_a_store_that_does_not_answer_leaves_the_old_copy(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, stuck: Stuck
) -> None:
    open_engine(make_store()).find("passport")
    engine = open_engine(make_store(bulk_fetch=stuck), fetch_timeout_ms=50)
    result = engine.find("passport", fresh=True)
    assert ids(result) == ["t4", "t1"]
    assert result.corpus.stale
    assert "timed out" in result.warnings[0]


HOLDS = """
import threading
from ats_core import Branch, Project, Task, hookimpl
from ats_core.testing import make_engine

class Store:
    @hookimpl
    def list_projects(self): return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self): return [Task(id="t1", title="passport", project_id="p")]
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self, task_id): return task_id
    @hookimpl
    def branches(self): return [Branch("slow", lambda *_: threading.Event().wait())]

engine = make_engine(Store(), budget_ms=300)
print([hit.task.id for hit in engine.find("passport").hits], engine.stuck)
"""


def test_the_process_ends_though_a_branch_never_does(
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = python(HOLDS)
    assert (done.returncode, done.stdout, done.stderr) == (0, "['t1'] True\n", "")


def test_two_calls_at_once_that_both_give_up_on_a_branch_leave_an_engine_that_knows(
    make_store: MakeStore, open_engine: OpenEngine, stuck: Stuck, in_threads: Callable[..., list[Any]]
) -> None:
    engine = open_engine(make_store(branches=lambda: [Branch("slow", stuck)]), budget_ms=BUDGET_MS)
    in_threads([lambda: engine.find("passport")] * 2)
    assert engine.stuck
    stuck.release.set()
    join_branches()
    assert not engine.stuck


def test_a_fetch_that_is_still_stuck_is_not_started_again(make_store: MakeStore, open_engine: OpenEngine) -> None:
    gate = threading.Event()
    calls: list[str] = []

    def bulk_fetch() -> list[Task]:
        calls.append("bulk_fetch")
        gate.wait(60)
        return []

    engine = open_engine(make_store(bulk_fetch=bulk_fetch), fetch_timeout_ms=50)
    try:
        with pytest.raises(StoreTimeoutError, match="timed out"):
            engine.find("passport")
        assert engine.stuck
        for _ in range(5):
            with pytest.raises(StoreTimeoutError, match="still running since an earlier call"):
                engine.find("passport")
        assert calls == ["bulk_fetch"]
    finally:
        gate.set()
