"""Completed tasks: every one within the range, though an answer holds at most 200 and does not say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from ats_adapter_ticktick.corpus.completed import MOST_REQUESTS, list_completed, since_of
from ats_adapter_ticktick.corpus.seen import Seen
from ats_core import Deadline, LoginRequiredError, Project, RateLimitedError, StoreError, UsageError
from fakes.endpoints import INBOX, StubApi, record

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=90)
KNOWN = Seen(inbox=INBOX, projects=(Project(id=INBOX, name="Inbox"), Project(id="w", name="Work")))


def done(number: int, at: datetime, project_id: str = "w", **fields: Any) -> dict[str, Any]:
    fields = {"status": 2, "completedTime": at.strftime("%Y-%m-%dT%H:%M:%S.000+0000")} | fields
    return record(f"d{number}", project_id, f"Task {number}", **fields)


def spread(count: int, days: float = 89) -> list[dict[str, Any]]:
    return [done(number, NOW - timedelta(days=days) * number / count) for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 1000])
def test_all_of_them_are_found_each_once_the_last_one_first(deadline: Deadline, count: int):
    api = StubApi([], spread(count))
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert [task.id for task in found.tasks] == [f"d{number}" for number in range(count)]
    assert {task.status for task in found.tasks} <= {"done"}
    assert not found.warnings
    assert len(api.calls) <= 40
    if count < 200:
        assert api.calls == ["completed", "abandoned"]


def test_names_and_the_inbox_come_from_the_last_fetch(deadline: Deadline):
    api = StubApi([], [done(1, NOW), done(2, NOW, INBOX)])
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert {(task.project_id, task.project_name) for task in found.tasks} == {("w", "Work"), (INBOX, "Inbox")}


def test_a_clock_that_is_behind_the_service_s_misses_nothing(deadline: Deadline):
    api = StubApi([], [done(1, NOW + timedelta(minutes=30))])
    assert list_completed(api, SINCE, deadline, KNOWN, now=NOW).tasks


def test_a_second_with_too_many_is_divided_by_lists(deadline: Deadline):
    tasks = [done(number, NOW, INBOX if number % 2 else "w") for number in range(300)]
    found = list_completed(StubApi([], tasks), SINCE, deadline, KNOWN, now=NOW)
    assert len(found.tasks) == 300
    assert not found.cut


def test_what_cannot_be_divided_is_said_to_be_cut(deadline: Deadline):
    found = list_completed(StubApi([], [done(number, NOW) for number in range(300)]), SINCE, deadline, KNOWN, now=NOW)
    assert len(found.tasks) == 200
    assert found.cut
    assert all(cut.startswith("completed 2026-12-01 12:00:00 to") or "11:59:59" in cut for cut in found.cut)
    assert any("gives only 200" in warning for warning in found.warnings)


def test_a_service_that_answers_200_rows_to_everything_is_not_asked_for_ever(deadline: Deadline):
    api = StubApi()
    rows = [done(number, NOW) for number in range(200)]
    api.completed = lambda *_: api.calls.append("completed") or rows  # type: ignore[method-assign,func-returns-value]
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert len(api.calls) < 3 * MOST_REQUESTS
    assert found.cut


def test_abandoned_tasks_of_the_range_belong_to_it(deadline: Deadline):
    api = StubApi(
        [],
        [
            done(1, NOW),
            done(2, NOW - timedelta(days=1), status=-1),
            done(3, NOW - timedelta(days=100), status=-1),
            record("d4", "w", status=-1),
        ],
    )
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert [task.id for task in found.tasks] == ["d1", "d2", "d4"]
    assert {task.status for task in found.tasks} == {"done"}


def test_abandoned_tasks_that_cannot_be_had_cost_no_others(deadline: Deadline):
    api = StubApi([], [done(1, NOW)])
    api.fail("abandoned", StoreError("broken"))
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert [task.id for task in found.tasks] == ["d1"]
    assert found.warnings == ["abandoned tasks are missing: broken"]


@pytest.mark.parametrize("name", ["completed", "abandoned"])
def test_a_refused_login_is_raised(deadline: Deadline, name: str):
    api = StubApi([], [done(1, NOW)])
    api.fail(name, LoginRequiredError("refused"))
    with pytest.raises(LoginRequiredError):
        list_completed(api, SINCE, deadline, KNOWN, now=NOW)


def test_nothing_at_all_is_an_error(deadline: Deadline):
    api = StubApi()
    api.fail("completed", StoreError("broken"))
    with pytest.raises(StoreError, match="broken"):
        list_completed(api, SINCE, deadline, KNOWN, now=NOW)


def test_a_rate_limit_after_the_first_part_keeps_what_is_there_and_says_so(deadline: Deadline):
    api = StubApi([], spread(500))
    real = api.completed

    def limited(*arguments: Any) -> list[dict[str, Any]]:
        if len(api.calls) >= 3:
            raise RateLimitedError("rate limited", retry_after=60)
        return real(*arguments)

    api.completed = limited  # type: ignore[method-assign]
    found = list_completed(api, SINCE, deadline, KNOWN, now=NOW)
    assert 200 <= len(found.tasks) < 500
    assert "some completed tasks are missing: rate limited" in found.warnings


def test_the_days_that_the_user_chose_go_before_those_that_are_asked_for():
    asked = "2026-01-02T03:04:05Z"
    assert since_of(asked, 90) == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert datetime.now(UTC) - since_of(asked, 400) == pytest.approx(timedelta(days=400), abs=timedelta(minutes=1))
    with pytest.raises(UsageError, match="yesterday"):
        since_of("yesterday", 90)
