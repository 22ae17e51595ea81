"""The process is gone in time, whatever a branch does; and what is stuck stays alone."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from ats_core import Engine
from reliability.harness import Ats, Ended

BUDGET_MS = 700
GRACE = 0.3
TRIES = 3


def timed(ats: Ats, *words: str) -> tuple[float, Ended]:
    """Seconds from the start of the process to its end."""
    started = time.monotonic()
    result = ats("find", "--json", *words, "number1x")
    return time.monotonic() - started, result


def baseline(ats: Ats) -> float:
    """What the same search takes where nothing is wrong: the machine's own slowness, which is not the matter here."""
    ats.plan()
    ats.find("number1x")
    return min(timed(ats)[0] for _ in range(TRIES))


@pytest.mark.parametrize(
    "how", ["sleeps", "blocks_in_c", "starts_a_pool", "leaves_a_pool", "never_stops_printing", "returns_a_million_ids"]
)
def test_the_process_is_gone_in_time_whatever_a_branch_does(ats: Ats, how: str) -> None:
    plain = baseline(ats)
    ats.plan(branch=how)
    spent = []
    for _ in range(TRIES):
        seconds, result = timed(ats, "--budget-ms", str(BUDGET_MS))
        assert result.code == 0, result
        assert result.ids[0] == "t1"
        (odd,) = [branch for branch in result.answer["branches"] if branch["name"] == "odd"]
        if not odd["ok"]:
            assert result.answer["degraded"]
            assert any(f"odd timed out: {odd['error']}" in warning for warning in result.answer["warnings"])
        assert odd["ok"] <= (how in ("leaves_a_pool", "returns_a_million_ids"))
        spent.append(seconds - plain)
        if spent[-1] < BUDGET_MS / 1000 + GRACE:
            return
    pytest.fail(f"seconds beyond a plain search: {spent}")


@pytest.mark.parametrize(
    ("how", "reason"),
    [("raises", "ZeroDivisionError: the branch divides by zero"), ("exits", "SystemExit: the branch")],
)
def test_a_branch_that_raises_is_named_and_the_others_answer(ats: Ats, how: str, reason: str) -> None:
    ats.plan(branch=how)
    answer = ats.find("number1x").answer
    assert answer["tasks"][0]["id"] == "t1"
    assert answer["degraded"]
    assert any(warning.startswith(f"odd failed: {reason}") for warning in answer["warnings"])


def test_what_a_branch_prints_is_no_part_of_the_answer(ats: Ats) -> None:
    ats.plan(branch="prints")
    result = ats.find("number1x")
    assert len(result.out.splitlines()) == 1
    assert {"t0", "t1"} == set(result.ids)
    assert {"PRINTED", "WRITTEN", "ECHOED"} <= set(result.err.split())


def test_text_says_that_a_branch_was_late(ats: Ats) -> None:
    ats.plan(branch="sleeps")
    result = ats("find", "--budget-ms", "300", "number1x")
    assert result.code == 0
    assert any(line.startswith("ats: warning: odd timed out") for line in result.err.splitlines())


def test_ctrl_c_ends_a_search_at_once(ats: Ats) -> None:
    ats.plan(branch="sleeps")
    process = ats.start("find", "--budget-ms", "25000", "number1x")
    assert process.stderr is not None
    assert process.stderr.readline() == b"BRANCH STARTED\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err


@pytest.mark.parametrize("cached", [False, True])
def test_a_fetch_that_never_ends_is_given_up_on(ats: Ats, cached: bool) -> None:
    if cached:
        ats.find("number1x")
    ats.plan(fetch_seconds=30)
    result = ats("find", "--json", "number1x", ATS_FETCH_TIMEOUT_MS="300", TEST_CLOCK_SHIFT="600")
    if cached:
        assert (result.code, result.ids) == (0, ["t1"])
        assert (result.answer["degraded"], result.answer["corpus"]["stale"]) == (True, True)
        said = result.answer["warnings"][0]
    else:
        assert result.code == 1
        said = result.answer["error"]["message"]
    assert "list_projects timed out after 3" in said


def test_a_hundred_searches_under_a_stuck_branch_leave_one_thread(
    ats: Ats, open_engine: Callable[..., Engine], capfd: Any
) -> None:
    ats.plan(branch="sleeps")
    engine = open_engine(budget_ms=20)
    before = threading.active_count()
    statuses = {engine.find("number1x").branches[-1].status for _ in range(100)}
    assert statuses == {"timed out", "still running"}
    assert threading.active_count() - before <= 3, "the stuck branch, and what has not noticed its end yet"


def test_one_engine_serves_many_threads(ats: Ats, open_engine: Callable[..., Engine]) -> None:
    ats.plan(tasks=16, fetch_seconds=0.1, space="s")
    engine = open_engine()
    found: dict[int, list[str]] = {}
    gate = threading.Barrier(16)

    def ask(number: int) -> None:
        gate.wait()
        found[number] = [hit.task.id for hit in engine.find(f"number{number}x").hits]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: ids[0] for number, ids in found.items()} == {number: f"t{number}" for number in range(16)}
    assert ats.asked("fetch") == ["fetch"]
    assert ats.asked("embed document") == ["embed document 16"]
