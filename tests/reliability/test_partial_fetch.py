"""A fetch that fails, as a whole or in part: the older copy answers and says so, and the store is left in peace."""

from __future__ import annotations

from typing import Any

import pytest
from reliability.harness import Ats, Ended

TTL = 300
PROJECTS = ["p1", "p2", "p3", "p4", "p5"]
TASKS = [{"id": f"t{n}", "title": f"task number{n}x", "project_id": f"p{n}"} for n in range(1, 6)]


def later(seconds: int) -> dict[str, str]:
    return {"TEST_CLOCK_SHIFT": str(seconds)}


def is_degraded(found: Ended, reason: str) -> bool:
    return found.answer["degraded"] and any(reason in warning for warning in found.answer["warnings"])


@pytest.mark.parametrize(("fault", "reason"), [("HTTP 503", "HTTP 503"), ("login", "run: ats auth login")])
def test_a_refetch_that_fails_serves_the_older_copy_degraded_with_the_reason(ats: Ats, fault: str, reason: str) -> None:
    ats.find("number1x")
    before = ats.cache.read_bytes()
    ats.plan(fetch_error=fault)
    found = ats.find("number1x", **later(TTL + 1))
    assert found.ids == ["t1"]
    assert is_degraded(found, reason)
    assert found.answer["corpus"]["stale"]
    assert ats.cache.read_bytes() == before
    assert "ats: warning: " in ats("find", "number1x", **later(TTL + 2)).err
    assert ats.log_lines()[-1]["meta"]["degraded"] is True


def test_after_a_refetch_that_failed_the_store_is_not_asked_at_once(ats: Ats) -> None:
    ats.find("number1x")
    ats.plan(fetch_error="HTTP 503")
    for second, fetches in ((301, 2), (310, 2), (332, 3)):
        assert is_degraded(ats.find("number1x", **later(second)), "HTTP 503")
        assert len(ats.asked("fetch")) == fetches
    assert is_degraded(ats.find("number1x", "--fresh", **later(335)), "HTTP 503")
    assert len(ats.asked("fetch")) == 4, "unless it is wanted"
    ats.plan()
    assert not ats.find("number1x", **later(370)).answer["degraded"]


def test_a_login_is_noticed_at_once(ats: Ats) -> None:
    ats.find("number1x")
    ats.plan(fetch_error="login")
    assert ats.find("number1x", **later(301)).answer["corpus"]["stale"]
    ats.plan()
    assert not ats.find("number1x", **later(302)).answer["degraded"]


def test_a_store_that_answers_empty_after_holding_tasks_has_to_say_so_twice(ats: Ats) -> None:
    ats.find("number1x")
    ats.plan(tasks=0)
    for second, fetches in ((301, 2), (310, 2)):
        found = ats.find("number1x", **later(second))
        assert found.ids == ["t1"]
        assert is_degraded(found, "answered with no tasks, where it had 5")
        assert len(ats.asked("fetch")) == fetches
    found = ats.find("number1x", **later(332))
    assert (found.ids, found.answer["degraded"], found.answer["corpus"]["size"]) == ([], False, 0)


def test_a_store_that_answers_empty_once_loses_nothing(ats: Ats) -> None:
    ats.find("number1x")
    ats.plan(tasks=0)
    assert ats.find("number1x", **later(301)).ids == ["t1"]
    ats.plan()
    found = ats.find("number1x", **later(332))
    assert (found.ids, found.answer["degraded"]) == (["t1"], False)


def five_projects(ats: Ats, *failing: str) -> None:
    ats.plan(projects=PROJECTS, tasks=TASKS, failing=failing)


def names_of_failed(found: Ended) -> list[Any]:
    return [(project["id"], bool(project["kept"])) for project in found.answer["corpus"]["sourcesFailed"]]


def test_two_of_five_projects_fail_and_keep_their_older_tasks(ats: Ats) -> None:
    five_projects(ats)
    ats.find("number2x")
    five_projects(ats, "p2", "p4")
    found = ats.find("number2x", **later(TTL + 1))
    assert found.ids == ["t2"], "of the older copy"
    assert found.answer["corpus"]["size"] == 5
    assert names_of_failed(found) == [("p2", True), ("p4", True)]
    assert is_degraded(found, "HTTP 500 for p2")
    assert found.answer["corpus"]["stale"]


def test_only_the_failed_projects_are_asked_again_and_not_at_once(ats: Ats) -> None:
    five_projects(ats, "p2", "p4")
    found = ats.find("number2x")
    assert (found.ids, names_of_failed(found)) == ([], [("p2", False), ("p4", False)])
    five_projects(ats, "p4")
    assert is_degraded(ats.find("number1x", **later(5)), "HTTP 500 for p4")
    assert len(ats.asked("project")) == 5, "not at once"
    found = ats.find("number2x", **later(32))
    assert found.ids == ["t2"]
    assert names_of_failed(found) == [("p4", False)]
    assert sorted(ats.asked("project")[5:]) == ["project p2", "project p4"]
    assert len(ats.asked("fetch")) == 1


def test_a_project_that_always_fails_never_refetches_the_others(ats: Ats) -> None:
    five_projects(ats, "p4")
    ats.find("number1x")
    for second in (32, 64, 96):
        found = ats.find("number1x", **later(second))
        assert found.ids == ["t1"]
        assert is_degraded(found, "HTTP 500 for p4")
    assert ats.asked("project")[5:] == ["project p4"] * 3
    assert len(ats.asked("fetch")) == 1
    five_projects(ats)
    assert ats.find("number4x", **later(128)).ids == ["t4"]
