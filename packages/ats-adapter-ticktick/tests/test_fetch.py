"""The fetch of the corpus: complete, with the fewest requests, and never silent about what is missing."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from ats_adapter_ticktick.corpus.fetch import fetch_corpus
from ats_adapter_ticktick.corpus.seen import Seen, SeenFile
from ats_core import Deadline, FailedProject, LoginRequiredError, Project, RateLimitedError, StoreError
from fakes.endpoints import INBOX, StubApi, many, record

WORK, HOME = {"id": "w", "name": "Work"}, {"id": "h", "name": "Home"}
KNOWN = Seen(inbox=INBOX, projects=(Project(id=INBOX, name="Inbox"), Project(id="w", name="Work")))


def test_a_small_account_takes_two_requests(deadline: Deadline):
    api = StubApi([WORK, HOME], [record("a", "w"), record("b"), *many(197, "h")])
    gathered = fetch_corpus(api, deadline)
    assert sorted(api.calls) == ["open tasks", "projects"]
    assert len(gathered.fetched.tasks) == 199
    assert not gathered.seen.by_list


@pytest.mark.parametrize(("count", "requests"), [(199, 2), (200, 5), (500, 5)])
def test_an_answer_of_200_rows_is_taken_for_cut(deadline: Deadline, count: int, requests: int):
    api = StubApi([WORK, HOME], [*many(count, "w"), record("last", "h")][: count if count == 199 else None])
    gathered = fetch_corpus(api, deadline)
    assert len(api.calls) == requests
    assert {task.id for task in gathered.fetched.tasks} == {task["id"] for task in api.tasks}


def test_the_inbox_is_a_project_before_the_others(deadline: Deadline):
    api = StubApi([WORK], [record("a", "w"), record("b", title="Renew passport")])
    fetched = fetch_corpus(api, deadline).fetched
    assert [(project.id, project.name) for project in fetched.projects] == [(INBOX, "Inbox"), ("w", "Work")]
    assert [(task.id, task.project_id, task.project_name) for task in fetched.tasks] == [
        ("b", INBOX, "Inbox"),
        ("a", "w", "Work"),
    ]


@pytest.mark.parametrize("count", [1, 250])
def test_an_inbox_that_the_service_lists_one_day_is_no_second_one(deadline: Deadline, count: int):
    api = StubApi([WORK, {"id": INBOX, "name": "收集箱"}], many(count))
    fetched = fetch_corpus(api, deadline).fetched
    assert [project.name for project in fetched.projects] == ["Inbox", "Work"]
    assert len(fetched.tasks) == count
    assert api.calls.count("data inbox") + api.calls.count(f"data {INBOX}") <= 1


def test_an_empty_inbox_keeps_the_id_that_an_earlier_fetch_learnt(deadline: Deadline):
    assert fetch_corpus(StubApi([WORK]), deadline, KNOWN).fetched.projects[0].id == INBOX
    assert fetch_corpus(StubApi([WORK]), deadline).fetched.projects[0].id == "inbox"


def test_a_record_with_the_alias_is_in_the_same_inbox(deadline: Deadline):
    fetched = fetch_corpus(StubApi([], [record("a", "inbox"), record("b")]), deadline).fetched
    assert {task.project_id for task in fetched.tasks} == {INBOX}


def test_tasks_stand_in_the_order_of_the_lists_and_within_one_in_the_service_s(deadline: Deadline):
    tasks = [record("1", "h"), record("2", "w"), record("3"), record("4", "w"), record("5", "h")]
    fetched = fetch_corpus(StubApi([WORK, HOME], tasks), deadline).fetched
    assert [task.id for task in fetched.tasks] == ["3", "2", "4", "1", "5"]


@pytest.mark.parametrize("more", [0, 200])
def test_a_list_that_the_service_does_not_list_keeps_its_tasks(deadline: Deadline, more: int):
    """A list that somebody shares: its tasks come with the filter."""
    api = StubApi([WORK], [record("a", "shared"), *many(more, "w")])
    api.project_data = lambda project_id, until: (  # type: ignore[method-assign]
        {"tasks": [task for task in api.tasks if task["projectId"] == project_id]}
    )
    fetched = fetch_corpus(api, deadline).fetched
    assert "shared" in {task.project_id for task in fetched.tasks}
    assert "shared" in {project.id for project in fetched.projects}


def test_a_subtask_knows_its_parent(deadline: Deadline):
    api = StubApi([WORK], [record("a", "w", "Move house"), record("b", "w", parentId="a"), record("c", parentId="x")])
    raw = {task.id: task.raw for task in fetch_corpus(api, deadline).fetched.tasks}
    assert raw["b"]["parent"] == {"id": "a", "title": "Move house"}
    assert raw["c"]["parent"] == {"id": "x"}
    assert "parent" not in raw["a"]


@pytest.mark.parametrize("more", [0, 200])
def test_records_that_cannot_be_read_are_counted_and_cost_no_other(deadline: Deadline, more: int):
    api = StubApi([WORK], [record("a", "w"), {"title": "no id", "projectId": "w"}, {"id": "", "projectId": "w"}])
    api.tasks += many(more, "w")
    gathered = fetch_corpus(api, deadline)
    assert gathered.warnings == ["2 tasks cannot be read, and are left out"]
    assert len(gathered.fetched.tasks) == 1 + more


class TestInPart:
    """An account that takes a request a list, and one of them fails."""

    @pytest.fixture
    def api(self) -> StubApi:
        return StubApi([WORK, HOME], [*many(150, "w", "w"), *many(100, "h", "h"), *many(3)])

    def test_the_inbox_alone(self, api: StubApi, deadline: Deadline):
        api.fail("data inbox", StoreError("broken"))
        fetched = fetch_corpus(api, deadline, KNOWN).fetched
        assert [(one.id, one.name, one.error) for one in fetched.failed] == [(INBOX, "Inbox", "broken")]
        assert {task.project_id for task in fetched.tasks} == {"w", "h"}

    def test_rows_of_the_cut_filter_are_better_than_none(self, api: StubApi, deadline: Deadline):
        api.fail("data h", StoreError("broken"))
        fetched = fetch_corpus(api, deadline).fetched
        assert [one.id for one in fetched.failed] == ["h"]
        assert sum(task.project_id == "h" for task in fetched.tasks) == 50

    def test_a_list_that_was_deleted_meanwhile_is_no_failure(self, api: StubApi, deadline: Deadline):
        api.gone.add("h")
        gathered = fetch_corpus(api, deadline)
        assert not gathered.fetched.failed
        assert not gathered.warnings
        assert [project.id for project in gathered.fetched.projects] == [INBOX, "w"]

    def test_a_login_that_ends_in_the_middle_fails_the_fetch(self, api: StubApi, deadline: Deadline):
        real = api.project_data

        def ending(project_id: str, until: Deadline):
            for name in ("projects", "data w", "data h"):
                api.fail(name, LoginRequiredError("refused"))
            return real(project_id, until)

        api.project_data = ending  # type: ignore[method-assign]
        with pytest.raises(LoginRequiredError):
            fetch_corpus(api, deadline, KNOWN)

    def test_a_single_list_that_is_closed_to_us_is_no_end_of_the_login(self, api: StubApi, deadline: Deadline):
        api.fail("data h", LoginRequiredError("refused (403)"))
        api.fail("data inbox", LoginRequiredError("refused (403)"))
        fetched = fetch_corpus(api, deadline).fetched
        assert {one.name: one.error for one in fetched.failed} == {
            "Inbox": "this list is closed to us: refused (403)",
            "Home": "this list is closed to us: refused (403)",
        }
        assert api.calls.count("projects") == 2, "one question settles it"

    def test_a_rate_limit_in_the_middle_keeps_what_was_read_and_says_when_to_go_on(self, deadline: Deadline):
        lists = [{"id": f"p{number}", "name": f"List {number}"} for number in range(40)]
        api = StubApi(lists, [task for row in lists for task in many(10, row["id"], row["id"])])
        for number in range(20, 40):
            api.fail(f"data p{number}", RateLimitedError("rate limited", retry_after=33))
        fetched = fetch_corpus(api, deadline).fetched
        assert [one.id for one in fetched.failed] == [f"p{number}" for number in range(20, 40)]
        assert {one.retry_after for one in fetched.failed} == {33}
        assert {task.project_id for task in fetched.tasks} == {f"p{number}" for number in range(20)}
        assert len(api.calls) < 2 + 1 + 20 + 10, "after the refusal, no more requests but those under way"

    def test_all_lists_failing_leaves_the_rows_of_the_filter(self, api: StubApi, deadline: Deadline):
        for name in ("inbox", "w", "h"):
            api.fail(f"data {name}", StoreError("broken"))
        fetched = fetch_corpus(api, deadline).fetched
        assert len(fetched.failed) == 3
        assert len(fetched.tasks) == 200

    def test_an_archived_list_that_cannot_be_read_is_a_warning_and_no_failure(self, api: StubApi, deadline: Deadline):
        api.records.append({"id": "old", "name": "Old", "closed": True})
        api.fail("data old", StoreError("no permission"))
        gathered = fetch_corpus(api, deadline)
        assert not gathered.fetched.failed
        assert gathered.warnings == ["the archived list Old cannot be read: no permission"]

    def test_an_archived_list_that_is_only_late_is_asked_again(self, api: StubApi, deadline: Deadline):
        api.records.append({"id": "old", "name": "Old", "closed": True})
        api.fail("data old", RateLimitedError("rate limited", retry_after=9))
        assert [one.id for one in fetch_corpus(api, deadline).fetched.failed] == ["old"]


def test_archived_lists_are_read_after_the_others_and_keep_their_place(deadline: Deadline):
    api = StubApi([{"id": "old", "name": "Old", "closed": True}, WORK], [*many(200, "w"), record("x", "old")])
    fetched = fetch_corpus(api, deadline).fetched
    assert [project.id for project in fetched.projects] == ["inbox", "old", "w"]
    assert fetched.tasks[0].id == "x"
    api.records += [{"id": f"p{number}", "name": f"List {number}"} for number in range(10)]
    api.calls.clear()
    fetch_corpus(api, deadline)
    reads = [call for call in api.calls if call.startswith("data ")]
    assert reads.index("data old") >= len(reads) - 6, "six are read at a time, and it is among the last"


class TestWithoutTheLists:
    def test_the_tasks_are_there_under_the_names_of_the_last_fetch(self, deadline: Deadline):
        api = StubApi([], [record("a", "w"), record("b")])
        api.fail("projects", StoreError("broken"))
        gathered = fetch_corpus(api, deadline, KNOWN)
        assert [(task.id, task.project_name) for task in gathered.fetched.tasks] == [("b", "Inbox"), ("a", "Work")]
        assert gathered.warnings == ["the lists could not be read, their names are those of the last fetch: broken"]

    def test_the_tasks_are_there_even_without_names(self, deadline: Deadline):
        api = StubApi([], [record("a", "w")])
        api.fail("projects", StoreError("broken"))
        gathered = fetch_corpus(api, deadline)
        assert [task.id for task in gathered.fetched.tasks] == ["a"]
        assert gathered.warnings == []
        assert gathered.fetched.failed == [FailedProject(id="", name="the names of the lists", error="broken")]

    def test_a_cut_answer_says_nothing_about_lists_that_nobody_knows(self, deadline: Deadline):
        api = StubApi([WORK], many(300, "w"))
        api.fail("projects", StoreError("broken"))
        with pytest.raises(StoreError, match="broken"):
            fetch_corpus(api, deadline)


class TestWithoutTheFilter:
    def test_every_list_is_read_by_itself(self, deadline: Deadline):
        api = StubApi([WORK], [record("a", "w"), record("b")])
        api.fail("open tasks", StoreError("broken"))
        gathered = fetch_corpus(api, deadline)
        assert [task.id for task in gathered.fetched.tasks] == ["b", "a"]
        assert not gathered.fetched.failed

    def test_a_rate_limit_at_once_is_raised_and_asks_no_more(self, deadline: Deadline):
        api = StubApi([WORK], [record("a", "w")])
        api.fail("open tasks", RateLimitedError("rate limited", retry_after=60))
        with pytest.raises(RateLimitedError):
            fetch_corpus(api, deadline, KNOWN)
        assert len(api.calls) == 2

    def test_nothing_at_all_raises_the_first_reason(self, deadline: Deadline):
        api = StubApi([WORK])
        for name in ("open tasks", "data inbox", "data w"):
            api.fail(name, StoreError(f"broken {name}"))
        with pytest.raises(StoreError, match="broken data inbox"):
            fetch_corpus(api, deadline)

    def test_no_answer_at_all_is_an_error(self, deadline: Deadline):
        api = StubApi([WORK])
        for name in ("open tasks", "projects"):
            api.fail(name, StoreError(f"broken {name}"))
        with pytest.raises(StoreError, match="broken open tasks"):
            fetch_corpus(api, deadline)

    @pytest.mark.parametrize("name", ["projects", "open tasks"])
    def test_a_refused_login_is_said_whatever_else_was_had(self, deadline: Deadline, name: str):
        api = StubApi([WORK], [record("a", "w")])
        api.fail(name, LoginRequiredError("refused"))
        with pytest.raises(LoginRequiredError):
            fetch_corpus(api, deadline, KNOWN)


def test_no_more_than_six_lists_are_read_at_a_time(deadline: Deadline):
    lists = [{"id": f"p{number}", "name": f"List {number}"} for number in range(30)]
    api = StubApi(lists, many(200, "p0"))
    lock, now, most = threading.Lock(), 0, 0
    real = api.project_data

    def counting(project_id: str, until: Deadline):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1
        return real(project_id, until)

    api.project_data = counting  # type: ignore[method-assign]
    fetch_corpus(api, deadline)
    assert 1 < most <= 6


def test_what_does_not_fit_the_deadline_is_named_and_what_does_is_kept():
    api = StubApi([WORK, HOME], [*many(200, "w", "w"), *many(5, "h", "h")])
    never = threading.Event()
    real = api.project_data

    def hanging(project_id: str, until: Deadline):
        if project_id == "h":
            never.wait(until.remaining() + 5)
        return real(project_id, until)

    api.project_data = hanging  # type: ignore[method-assign]
    fetched = fetch_corpus(api, Deadline(1.0)).fetched
    never.set()
    assert [one.id for one in fetched.failed] == ["h"]
    assert "timed out" in fetched.failed[0].error
    assert len(fetched.tasks) == 200


def test_a_long_wait_for_the_rate_limit_is_said_beforehand(deadline: Deadline, caplog: pytest.LogCaptureFixture):
    api = StubApi([WORK], many(200, "w"))
    with caplog.at_level(logging.WARNING, "ats_adapter_ticktick"):
        fetch_corpus(api, deadline, outlook=lambda requests: 4.0)
        assert not caplog.messages
        fetch_corpus(api, deadline, outlook=lambda requests: 130.0)
    assert caplog.messages == [
        "ats: under the rate limit, reading 2 lists takes about 2 min; what is read in time is kept, and the next call"
        " goes on from there"
    ]


def test_what_was_seen_survives_the_process_and_damage(tmp_path, deadline: Deadline):
    file = SeenFile(tmp_path / "state" / "lists.json")
    assert file.read() is None
    seen = fetch_corpus(StubApi([WORK], [record("a")]), deadline).seen
    file.write(seen)
    assert SeenFile(tmp_path / "state" / "lists.json").read() == seen
    assert (tmp_path / "state" / "lists.json").stat().st_mode & 0o777 == 0o600
    for damage in (b"", b"{", b"[]", b"\xff", b'{"projects": 3}'):
        (tmp_path / "state" / "lists.json").write_bytes(damage)
        assert SeenFile(tmp_path / "state" / "lists.json").read() is None
    file.forget()
    assert not (tmp_path / "state" / "lists.json").exists()
