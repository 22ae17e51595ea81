"""The fake TickTick's API over real HTTP: it behaves as the service was observed to."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from calling import Reply, call
from fakes.ticktick import Account, FakeTickTick

ROOT = Path(__file__).resolve().parent.parent
NOON = datetime(2026, 10, 2, 12, tzinfo=UTC).timestamp()
DUE = "2026-10-02T09:00:00.000+0000"
FULL: dict[str, Any] = {
    "title": "Full",
    "content": "a **body**",
    "desc": "a description",
    "tags": ["a", "b"],
    "priority": 5,
    "dueDate": DUE,
    "repeatFlag": "RRULE:FREQ=DAILY",
    "reminders": ["TRIGGER:PT0S"],
    "items": [{"id": "i1", "title": "one", "status": 1}],
}


class Clock:
    """Seconds that pass when told to."""

    now = NOON

    def __call__(self) -> float:
        return self.now


class Api:
    """Calls of one account."""

    def __init__(self, api_url: str, token: str) -> None:
        self._request = partial(call, token=token)
        self._base = api_url

    def __call__(self, line: str, body: Any = None) -> Reply:
        method, path = line.split(" ", 1)
        return self._request(method, self._base + path, body)

    def titles(self, line: str, body: Any = None) -> list[str]:
        answer = self(line, body).json
        return sorted(task["title"] for task in (answer["tasks"] if isinstance(answer, dict) else answer))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fake(clock: Clock) -> Iterator[FakeTickTick]:
    with FakeTickTick(clock=clock) as fake:
        yield fake


@pytest.fixture
def account(fake: FakeTickTick) -> Account:
    return fake.account("token-a", uid="115781412", username="anna")


@pytest.fixture
def api(fake: FakeTickTick, account: Account) -> Api:
    return Api(fake.api_url, "token-a")


class TestTokens:
    def test_each_opens_its_own_account(self, fake: FakeTickTick, account: Account, api: Api) -> None:
        account.add_task(title="Anna's")
        fake.account("token-b").add_task(title="Berta's")

        assert api.titles("GET /project/inbox/data") == ["Anna's"]
        assert Api(fake.api_url, "token-b").titles("GET /project/inbox/data") == ["Berta's"]

    def test_one_account_may_have_several(self, fake: FakeTickTick, account: Account) -> None:
        assert fake.account("token-c", uid=account.uid) is account
        assert fake.account("token-a") is account

    def test_a_revoked_one_is_refused_in_the_login_servers_words(self, fake: FakeTickTick, api: Api) -> None:
        fake.revoke("token-a")

        reply = api("GET /project")

        assert reply.status == 401
        assert reply.json["error"] == "invalid_token"
        assert "token-a" in reply.json["error_description"]

    def test_none_at_all_is_refused(self, fake: FakeTickTick) -> None:
        assert call("GET", fake.api_url + "/project").json["error"] == "unauthorized"

    def test_an_address_outside_the_api_shows_a_web_page(self, fake: FakeTickTick) -> None:
        reply = call("GET", fake.url + "/project", token="token-a")

        assert (reply.status, reply.json) == (200, None)
        assert reply.body.startswith(b"<!DOCTYPE html>")


class TestProjects:
    def test_the_inbox_is_not_listed(self, account: Account, api: Api) -> None:
        work = account.add_project("Work", closed=True, groupId="g1")
        home = account.add_project("Home")

        projects = api("GET /project").json

        assert [project["id"] for project in projects] == [work, home]
        assert projects[0]["closed"] is True
        assert projects[1].keys() & {"closed", "groupId", "permission", "color"} == set()

    def test_pages_once_offset_or_limit_is_given(self, account: Account, api: Api) -> None:
        for number in range(205):
            account.add_project(f"P{number}")

        def names(query: str) -> list[str]:
            return [project["name"] for project in api("GET /project" + query).json]

        assert len(names("")) == 205
        assert len(names("?offset=0")) == 200
        assert names("?offset=200") == ["P200", "P201", "P202", "P203", "P204"]
        assert names("?offset=3&limit=2") == ["P3", "P4"]

    def test_one_is_read_by_its_id_but_the_inbox_by_neither_of_its_own(self, account: Account, api: Api) -> None:
        work = account.add_project("Work")

        assert api(f"GET /project/{work}").json["name"] == "Work"
        assert api("GET /project/inbox115781412").status == 404
        assert api("GET /project/inbox").status == 404

    def test_data_has_the_open_tasks_only(self, account: Account, api: Api) -> None:
        work = account.add_project("Work")
        account.add_task(work, title="open")
        account.add_task(work, title="done", status=2)
        account.add_task(work, title="abandoned", status=-1)
        account.delete_task(account.add_task(work, title="deleted"))
        account.add_task(title="elsewhere")

        data = api(f"GET /project/{work}/data").json

        assert [task["title"] for task in data["tasks"]] == ["open"]
        assert data["project"]["id"] == work
        assert data["columns"] == []

    @pytest.mark.parametrize("alias", ["inbox", "inbox115781412"])
    def test_data_of_the_inbox_has_no_project(self, account: Account, api: Api, alias: str) -> None:
        account.add_task(title="Renew passport")

        data = api(f"GET /project/{alias}/data").json

        assert data.keys() == {"tasks", "columns"}
        assert data["tasks"][0]["projectId"] == "inbox115781412"

    @pytest.mark.parametrize("unknown", ["nothing", "trash", "inbox999"])
    def test_data_of_an_unknown_list_is_an_empty_object(self, api: Api, unknown: str) -> None:
        reply = api(f"GET /project/{unknown}/data")

        assert (reply.status, reply.json) == (200, {})

    def test_the_inbox_has_the_user_as_its_member(self, api: Api) -> None:
        assert api("GET /project/inbox/members").json == [{"username": "anna", "displayName": "Anna", "self": True}]

    def test_one_is_made_changed_and_deleted_with_its_tasks(self, account: Account, api: Api) -> None:
        made = api("POST /project", {"name": "New", "kind": "NOTE", "sortOrder": 7}).json
        account.add_task(made["id"], title="Goes too")

        changed = api(f"POST /project/{made['id']}", {"name": "Newer"}).json
        assert (changed["name"], changed["kind"], changed["sortOrder"]) == ("Newer", "NOTE", 0)

        assert api(f"DELETE /project/{made['id']}").body == b""
        assert api("GET /project").json == []
        assert api("POST /task/filter", {}).json == []

    def test_tags_of_tasks_are_not_listed(self, account: Account, api: Api) -> None:
        account.add_task(tags=["a"])

        assert api("GET /tag").json == []

    def test_the_preference_is_got_by_post(self, api: Api) -> None:
        assert api("POST /preference").json == {"timeZone": "Europe/Berlin"}
        assert api("GET /preference").status == 500

    def test_what_is_not_there_is_404_without_a_body(self, api: Api) -> None:
        for line in ("GET /user", "GET /task/1", "POST /project/x/completed", "GET /project/none"):
            assert api(line)[::2] == (404, b"")


class TestReadingATask:
    def test_empty_fields_and_fields_never_set_are_left_out(self, account: Account, api: Api) -> None:
        task = api(f"GET /project/inbox/task/{account.add_task(desc='', items=[])}").json

        assert task.keys() & {"desc", "items", "tags", "dueDate", "repeatFlag", "parentId"} == set()
        assert task["createdTime"] == task["modifiedTime"] == "2026-10-02T12:00:00.000+0000"
        assert task.keys() >= {"etag", "sortOrder", "timeZone", "kind", "priority", "status", "isAllDay"}

    def test_an_unknown_one_is_an_empty_200(self, account: Account, api: Api) -> None:
        task = account.add_task()

        for line in ("GET /project/inbox/task/none", f"GET /project/elsewhere/task/{task}"):
            reply = api(line)
            assert (reply.status, reply.body, reply.headers["content-type"]) == (200, b"", None)

    def test_a_deleted_one_is_still_there(self, account: Account, api: Api) -> None:
        task = account.add_task(title="Gone")

        assert api(f"DELETE /project/inbox/task/{task}").body == b""

        assert api(f"GET /project/inbox/task/{task}").json["title"] == "Gone"
        assert api(f"POST /task/{task}", {"projectId": account.inbox, "title": "Edited"}).json["title"] == "Edited"
        assert api.titles("GET /project/inbox/data") == api.titles("POST /task/filter", {}) == []

    def test_odd_fields_of_a_test_come_as_they_are(self, account: Account, api: Api) -> None:
        task = account.add_task(priority="high", tags="a", repeatFrom="", etag=None)
        account.tasks[task]["dueDate"] = None

        shown = api(f"GET /project/inbox/task/{task}").json

        assert (shown["priority"], shown["tags"], shown["repeatFrom"], shown["dueDate"]) == ("high", "a", "", None)
        assert "etag" not in shown


class TestCreating:
    def test_without_a_list_it_goes_to_the_inbox(self, account: Account, api: Api) -> None:
        made = api("POST /task", {"title": "x", "id": "my-own", "status": 2}).json

        assert made["projectId"] == "inbox115781412"
        assert made["id"] != "my-own"
        assert made["status"] == 0

    def test_the_same_twice_is_two_tasks(self, api: Api) -> None:
        first, second = (api("POST /task", {"title": "x"}).json["id"] for _ in range(2))

        assert first != second
        assert len(api("GET /project/inbox/data").json["tasks"]) == 2

    @pytest.mark.parametrize("body", [None, b"no json", {}, {"title": " "}, {"title": "x" * (1 << 20)}, [1]])
    def test_what_fails_validation_is_a_500(self, account: Account, api: Api, body: Any) -> None:
        reply = api("POST /task", body)

        assert reply.status == 500
        assert reply.json.keys() == {"errorId", "errorCode", "errorMessage", "data"}
        assert account.tasks == {}

    def test_nearly_anything_else_is_taken(self, account: Account, api: Api) -> None:
        made = api("POST /task", {"title": 12, "dueDate": "tomorrow", "projectId": "bogus", "priority": "5"}).json

        assert (made["title"], made["projectId"], made["priority"]) == ("12", "bogus", 5)
        assert "dueDate" not in made

    @pytest.mark.parametrize(
        "sent",
        [
            "2026-10-02T09:00:00+0000",
            "2026-10-02T09:00:00Z",
            "2026-10-02T11:00:00+0200",
            "2026-10-02T11:00:00.000+02:00",
            "2026-10-02T09:00:00",
        ],
    )
    def test_every_form_of_a_date_is_the_same_instant(self, api: Api, sent: str) -> None:
        made = api("POST /task", {"title": "x", "dueDate": sent, "timeZone": "Asia/Tokyo"}).json

        assert made["dueDate"] == made["startDate"] == DUE
        assert made["timeZone"] == "Asia/Tokyo"

    def test_a_repeat_needs_a_due_date(self, api: Api) -> None:
        rule = {"title": "x", "repeatFlag": "RRULE:FREQ=DAILY"}

        assert "repeatFlag" not in api("POST /task", rule).json
        with_due = api("POST /task", rule | {"dueDate": DUE}).json
        assert (with_due["repeatFlag"], with_due["repeatFrom"]) == ("RRULE:FREQ=DAILY", "2")

    def test_the_description_of_a_plain_task_does_not_become_its_body(self, api: Api) -> None:
        made = api("POST /task", {"title": "x", "desc": "d"}).json

        assert (made["desc"], made["content"], made["kind"]) == ("d", "", "TEXT")

    def test_items_get_ids(self, api: Api) -> None:
        made = api("POST /task", {"title": "x", "items": [{"title": "one"}, {"title": "two", "status": 1}]}).json

        assert made["kind"] == "CHECKLIST"
        assert [(item["title"], item["status"]) for item in made["items"]] == [("one", 0), ("two", 1)]
        assert all(item["id"] for item in made["items"])


class TestUpdating:
    @pytest.fixture
    def task(self, account: Account) -> str:
        return account.add_task(**FULL)

    @pytest.fixture
    def before(self, account: Account, task: str) -> dict[str, Any]:
        return dict(account.tasks[task])

    def update(self, api: Api, task: str, **fields: Any) -> dict[str, Any]:
        reply = api(f"POST /task/{task}", {"id": task, "projectId": "inbox115781412"} | fields)
        assert reply.status == 200
        answer: dict[str, Any] = reply.json
        return answer

    def changed(self, before: dict[str, Any], after: dict[str, Any]) -> set[str]:
        names = before.keys() | after.keys()
        return {name for name in names if before.get(name) != after.get(name)} - {"etag", "modifiedTime"}

    @pytest.mark.parametrize(
        "fields", [{"title": "New"}, {"content": ""}, {"tags": []}, {"priority": 0}, {"desc": "d2"}]
    )
    def test_what_is_not_sent_stays(
        self, api: Api, clock: Clock, task: str, before: dict[str, Any], fields: dict[str, Any]
    ) -> None:
        clock.now += 5
        after = self.update(api, task, **fields)

        assert self.changed(before, after) == fields.keys()
        assert after["etag"] != before["etag"]
        assert after["modifiedTime"] == "2026-10-02T12:00:05.000+0000"

    def test_null_clears_the_dates_and_the_repeat_with_them(self, api: Api, task: str, before: dict[str, Any]) -> None:
        after = self.update(api, task, dueDate=None, startDate=None)

        assert after.keys() & {"dueDate", "startDate", "repeatFlag"} == set()
        assert self.changed(before, after) == {"dueDate", "startDate", "repeatFlag"}

    def test_empty_dates_and_other_nulls_are_ignored(self, api: Api, task: str, before: dict[str, Any]) -> None:
        after = self.update(api, task, dueDate="", startDate="", content=None, tags=None, items=None, repeatFlag=None)

        assert self.changed(before, after) == set()

    def test_an_empty_repeat_clears_the_repeat_only(self, api: Api, task: str, before: dict[str, Any]) -> None:
        assert self.changed(before, self.update(api, task, repeatFlag="")) == {"repeatFlag"}

    def test_a_due_date_alone_is_the_start_too(self, api: Api, account: Account, task: str) -> None:
        account.edit_task(task, startDate="2026-10-01T09:00:00.000+0000")
        later = "2026-10-05T09:00:00.000+0000"

        assert self.update(api, task, dueDate=later)["startDate"] == later
        assert self.update(api, task, dueDate=later, startDate=DUE)["startDate"] == DUE

    def test_items_are_replaced_as_a_whole(self, api: Api, task: str) -> None:
        after = self.update(api, task, items=[{"title": "two"}])

        assert [item["title"] for item in after["items"]] == ["two"]
        assert "items" not in self.update(api, task, items=[])

    def test_status_closes_and_reopens_and_the_completion_time_stays(self, api: Api, task: str) -> None:
        assert self.update(api, task, status=2)["completedTime"] == "2026-10-02T12:00:00.000+0000"

        after = self.update(api, task, status=0)

        assert (after["status"], after["completedTime"]) == (0, "2026-10-02T12:00:00.000+0000")

    def test_a_parent_is_set_and_detached(self, api: Api, task: str) -> None:
        assert self.update(api, task, parentId="p")["parentId"] == "p"
        assert "parentId" not in self.update(api, task, parentId="")

    @pytest.mark.parametrize("body", [{"title": "New"}, {"title": "New", "projectId": "other"}])
    def test_without_its_project_nothing_happens_and_nothing_says_so(
        self, api: Api, account: Account, task: str, before: dict[str, Any], body: dict[str, Any]
    ) -> None:
        assert api(f"POST /task/{task}", body).status == 200

        assert account.tasks[task] == before

    def test_a_blank_title_is_a_500(self, api: Api, account: Account, task: str, before: dict[str, Any]) -> None:
        assert api(f"POST /task/{task}", {"projectId": account.inbox, "title": ""}).status == 500
        assert account.tasks[task] == before

    def test_an_unknown_task_is_404(self, api: Api, account: Account) -> None:
        assert api("POST /task/none", {"projectId": account.inbox, "title": "x"}).status == 404


class TestCompleting:
    def test_a_task_leaves_the_open_ones(self, account: Account, api: Api) -> None:
        task = account.add_task(title="x")

        reply = api(f"POST /project/inbox/task/{task}/complete")

        assert (reply.status, reply.body) == (200, b"")
        assert api.titles("GET /project/inbox/data") == []
        assert api.titles("POST /task/completed", {}) == ["x"]

    def test_a_repeating_one_goes_on_and_leaves_a_copy(self, account: Account, api: Api) -> None:
        task = account.add_task(title="x", dueDate=DUE, repeatFlag="RRULE:FREQ=WEEKLY")

        api(f"POST /project/inbox/task/{task}/complete")

        [still_open], [copy] = api("GET /project/inbox/data").json["tasks"], api("POST /task/completed", {}).json
        assert (still_open["id"], still_open["dueDate"]) == (task, "2026-10-09T09:00:00.000+0000")
        assert copy["id"] != task
        assert (copy["dueDate"], copy["status"]) == (DUE, 2)
        assert "repeatFlag" not in copy

    @pytest.mark.parametrize(
        ("rule", "due", "following"),
        [
            ("RRULE:FREQ=DAILY;INTERVAL=3", "2026-10-02T09:00:00.000+0000", "2026-10-05T09:00:00.000+0000"),
            ("RRULE:FREQ=WEEKLY;BYDAY=MO,FR", "2026-10-02T09:00:00.000+0000", "2026-10-05T09:00:00.000+0000"),
            ("RRULE:FREQ=MONTHLY", "2026-08-31T09:00:00.000+0000", "2026-09-30T09:00:00.000+0000"),
            ("RRULE:FREQ=YEARLY", "2028-02-29T09:00:00.000+0000", "2029-02-28T09:00:00.000+0000"),
            ("ERULE:NAME=CUSTOM;BYDATE=20261231", "2026-10-02T09:00:00.000+0000", "2026-10-03T09:00:00.000+0000"),
            ("RRULE:FREQ=YEARLY;INTERVAL=9999", "2026-10-02T09:00:00.000+0000", "2026-10-02T09:00:00.000+0000"),
            ("RRULE:FREQ=DAILY", "2026-10-24T22:00:00.000+0000", "2026-10-25T23:00:00.000+0000"),  # summer time ends
        ],
    )
    def test_a_rule_says_when_next(self, account: Account, api: Api, rule: str, due: str, following: str) -> None:
        task = account.add_task(dueDate=due, repeatFlag=rule)

        api(f"POST /project/inbox/task/{task}/complete")

        assert account.tasks[task]["dueDate"] == account.tasks[task]["startDate"] == following

    def test_from_the_day_of_completion_where_the_task_says_so(self, account: Account, api: Api) -> None:
        long_ago = "2026-09-01T09:00:00.000+0000"
        task = account.add_task(dueDate=long_ago, repeatFlag="RRULE:FREQ=DAILY", repeatFrom="1")

        api(f"POST /project/inbox/task/{task}/complete")

        assert account.tasks[task]["dueDate"] == "2026-10-03T09:00:00.000+0000"

    def test_many_at_once_are_the_first_fifty_of_the_list(self, account: Account, api: Api) -> None:
        other = account.add_task(account.add_project("Work"))
        tasks = [account.add_task() for _ in range(50)]

        done = api("POST /task/completeTasks", {"taskIds": [other, *tasks]}).json

        assert done == tasks[:49]
        assert account.tasks[other]["status"] == account.tasks[tasks[49]]["status"] == 0

    def test_an_unknown_one_is_404(self, api: Api) -> None:
        assert api("POST /project/inbox/task/none/complete").status == 404


class TestMoving:
    def test_the_old_pair_of_ids_is_stale_then(self, account: Account, api: Api) -> None:
        work, task = account.add_project("Work"), account.add_task(title="x")
        wanted = {"fromProjectId": account.inbox, "toProjectId": work, "taskId": task}

        answer = api("POST /task/move", [wanted]).json

        assert answer == [{"id": task, "etag": account.tasks[task]["etag"]}]
        assert api(f"GET /project/inbox/task/{task}").body == b""
        assert api(f"GET /project/{work}/task/{task}").json["title"] == "x"
        assert api("POST /task/move", [wanted]).json == []

    def test_it_takes_an_array_only(self, api: Api) -> None:
        assert api("POST /task/move", {"taskId": "x"}).status == 500


class TestBatch:
    def test_errors_stand_inside_a_200(self, account: Account, api: Api) -> None:
        shared = account.add_project("Shared", permission="read")
        task, gone, read_only = account.add_task(), account.add_task(), account.add_task(shared)
        account.delete_task(gone)
        body = {
            "add": [{"title": "new"}, {"title": " ", "id": "blank"}, {"title": "again", "id": task}],
            "update": [
                {"id": gone, "projectId": account.inbox, "title": "x"},
                {"id": "none", "projectId": account.inbox, "title": "x"},
                {"id": read_only, "projectId": shared, "title": "x"},
            ],
        }

        reply = api("POST /task/batch", body)

        assert reply.status == 200
        assert reply.json["id2error"] == {
            "blank": "UNKNOWN",
            task: "EXISTED",
            gone: "DELETED",
            "none": "NOT_EXISTED",
            read_only: "NO_PROJECT_PERMISSION",
        }
        assert [account.tasks[made]["title"] for made in reply.json["id2etag"]] == ["new"]

    def test_an_update_keeps_the_rest(self, account: Account, api: Api) -> None:
        task = account.add_task(content="kept")

        answer = api("POST /task/batch", {"update": [{"id": task, "projectId": account.inbox, "title": "New"}]}).json

        assert answer == {"id2etag": {task: account.tasks[task]["etag"]}, "id2error": {}}
        assert (account.tasks[task]["title"], account.tasks[task]["content"]) == ("New", "kept")

    def test_a_task_named_in_another_project_is_not_moved(self, account: Account, api: Api) -> None:
        work, task = account.add_project("Work"), account.add_task()

        answer = api("POST /task/batch", {"update": [{"id": task, "projectId": work}]}).json

        assert answer["id2error"] == {task: "PROJECT_MOVE_ERROR"}

    def test_it_takes_fifty_of_each(self, api: Api) -> None:
        assert api("POST /task/batch", {"add": [{"title": "x"}] * 51}).status == 500


class TestFilter:
    @pytest.fixture
    def work(self, account: Account) -> str:
        work = account.add_project("Work")
        account.add_task(work, title="both", tags=["a", "B"], priority=5, startDate="2026-10-01T00:00:00.000+0000")
        account.add_task(work, title="one", tags=["a"], kind="NOTE")
        account.add_task(work, title="done", status=2, tags=["a"])
        account.add_task(title="inboxed", startDate="2026-10-03T00:00:00.000+0000")
        return work

    @pytest.mark.parametrize(
        ("body", "titles"),
        [
            ({}, ["both", "inboxed", "one"]),
            ({"status": [0]}, ["both", "inboxed", "one"]),
            ({"status": [2]}, ["done"]),
            ({"status": [0, 2]}, ["both", "done", "inboxed", "one"]),
            ({"tag": ["a"]}, ["both", "one"]),
            ({"tag": ["a", "b"]}, ["both"]),
            ({"tags": ["b"]}, ["both", "inboxed", "one"]),
            ({"priority": [5]}, ["both"]),
            ({"kind": ["NOTE"]}, ["one"]),
            ({"projectIds": ["inbox115781412"]}, ["inboxed"]),
            ({"projectIds": ["inbox"]}, []),
            ({"startDate": "2026-10-02T00:00:00+0000"}, ["inboxed"]),
            ({"startDate": "2026-10-01T00:00:00+0000", "endDate": "2026-10-03T00:00:00+0000"}, ["both", "inboxed"]),
        ],
    )
    def test_all_conditions_count(self, api: Api, work: str, body: dict[str, Any], titles: list[str]) -> None:
        assert api.titles("POST /task/filter", body) == titles

    def test_without_a_body_it_is_a_500(self, api: Api) -> None:
        assert api("POST /task/filter").status == 500

    def test_the_201st_task_is_missing_without_a_sign(self, account: Account, api: Api) -> None:
        first, last = account.add_project("First"), account.add_project("Last")
        for number in range(200):
            account.add_task(first, title=f"t{number}")
        account.add_task(last, title="cut")

        reply = api("POST /task/filter", {"status": [0]})

        assert len(reply.json) == 200
        assert "cut" not in [task["title"] for task in reply.json]
        assert len(api(f"GET /project/{first}/data").json["tasks"]) == 200
        assert api.titles("POST /task/filter", {"projectIds": [last]}) == ["cut"]


class TestCompleted:
    def test_both_ends_of_the_range_count(self, account: Account, api: Api) -> None:
        for day in range(1, 5):
            account.add_task(title=str(day), status=2, completedTime=f"2026-10-0{day}T08:00:00.000+0000")
        account.add_task(title="reopened", status=0, completedTime="2026-10-02T08:00:00.000+0000")
        account.add_task(title="abandoned", status=-1, completedTime="2026-10-02T08:00:00.000+0000")
        between = {"startDate": "2026-10-02T08:00:00+0000", "endDate": "2026-10-03T08:00:00+0000"}

        assert api.titles("POST /task/completed", between) == ["2", "3"]
        assert api.titles("POST /task/completed", {"startDate": "2026-10-04T00:00:00+0000"}) == ["4"]
        assert api.titles("POST /task/completed", {}) == ["1", "2", "3", "4"]

    def test_only_the_last_200_come(self, account: Account, api: Api) -> None:
        for number in range(201):
            done = datetime.fromtimestamp(NOON + number, UTC).strftime("%Y-%m-%dT%H:%M:%S.000+0000")
            account.add_task(title=f"{number:03d}", status=2, completedTime=done)

        titles = api.titles("POST /task/completed", {})

        assert (len(titles), titles[0]) == (200, "001")

    def test_some_projects_only(self, account: Account, api: Api) -> None:
        work = account.add_project("Work")
        for project, title in ((work, "w"), ("inbox", "i")):
            account.add_task(project, title=title, status=2, completedTime=DUE)

        assert api.titles("POST /task/completed", {"projectIds": [work]}) == ["w"]


class TestSearch:
    @pytest.mark.parametrize(
        ("body", "titles"),
        [
            ({"keywords": "REPORT"}, ["Annual report", "Notes", "reporting"]),
            ({"keywords": "annual report"}, ["Annual report"]),
            ({"keywords": "report annual"}, []),
            ({"keywords": "report", "status": [2]}, ["reporting"]),
            ({"keywords": "report", "tags": ["x"]}, ["Annual report"]),
            ({"keywords": "report", "dueFrom": DUE, "dueTo": DUE}, ["Annual report"]),
            ({"keywords": " "}, []),
            ({}, []),
        ],
    )
    def test_finds_a_part_of_title_or_body(
        self, account: Account, api: Api, body: dict[str, Any], titles: list[str]
    ) -> None:
        account.add_task(title="Annual report", tags=["x"], dueDate=DUE)
        account.add_task(title="Notes", content="for the report")
        account.add_task(title="reporting", status=2)
        account.delete_task(account.add_task(title="report, deleted"))

        assert api.titles("POST /task/search", body) == titles

    def test_undone_takes_at_most_14_days(self, account: Account, api: Api) -> None:
        task = account.add_task(title="due", dueDate=DUE)
        account.add_task(title="without a date")
        start = {"startDate": "2026-10-01T00:00:00+0000", "projectIds": ["inbox"], "taskIds": [task]}

        assert api.titles("POST /task/undone", start | {"endDate": "2026-10-15T00:00:00+0000"}) == ["due"]
        assert api.titles("POST /task/undone", start | {"endDate": "2026-10-16T00:00:00+0000"}) == []
        assert api.titles("POST /task/undone", start) == []


class TestLimits:
    def statuses(self, api: Api, count: int) -> list[int]:
        return [api("GET /project").status for _ in range(count)]

    def test_none_unless_asked_for(self, api: Api) -> None:
        assert set(self.statuses(api, 120)) == {200}

    def test_over_it_is_a_500_with_a_code(self, fake: FakeTickTick, api: Api, clock: Clock) -> None:
        fake.limit(count=3, seconds=60)
        assert self.statuses(api, 4) == [200, 200, 200, 500]

        reply = api("GET /project")

        assert reply.json["errorCode"] == "exceed_query_limit"
        assert reply.json["errorMessage"].startswith("Query rate limit exceeded. Maximum 3 requests per minute")
        assert reply.json["data"] is None
        assert reply.headers["Retry-After"] is None
        clock.now += 60
        assert self.statuses(api, 1) == [200]

    def test_each_account_has_its_own(self, fake: FakeTickTick, api: Api) -> None:
        fake.limit(count=1)
        fake.account("token-b")

        assert self.statuses(api, 2) == [200, 500]
        assert self.statuses(Api(fake.api_url, "token-b"), 1) == [200]

    def test_two_tokens_of_an_account_share_it(self, fake: FakeTickTick, account: Account, api: Api) -> None:
        fake.limit(count=1)
        fake.account("token-c", uid=account.uid)

        assert self.statuses(api, 1) + self.statuses(Api(fake.api_url, "token-c"), 1) == [200, 500]

    def test_a_429_says_when_to_come_back(self, fake: FakeTickTick, api: Api) -> None:
        fake.limit(count=0, retry_after=2)

        reply = api("GET /project")

        assert (reply.status, reply.headers["Retry-After"]) == (429, "2")

    def test_hammering_keeps_a_burst_limit_shut(self, fake: FakeTickTick, api: Api, clock: Clock) -> None:
        fake.limit_burst(2, seconds=1)

        assert self.statuses(api, 3) == [200, 200, 500]
        clock.now += 0.9
        assert self.statuses(api, 1) == [500]
        clock.now += 0.9
        assert self.statuses(api, 1) == [200]

    def test_several_count_together_and_can_be_lifted(self, fake: FakeTickTick, api: Api, clock: Clock) -> None:
        fake.limit(count=2, seconds=60)
        fake.limit(count=3, seconds=300)
        assert self.statuses(api, 3) == [200, 200, 500]
        clock.now += 60
        assert self.statuses(api, 2) == [200, 500]

        fake.unlimited()
        assert self.statuses(api, 1) == [200]


class TestCorpus:
    def test_keeps_ids_and_projects(self, fake: FakeTickTick, tmp_path: Path) -> None:
        records = [
            {
                "id": "d01",
                "title": "One",
                "content": "c",
                "projectId": "eng",
                "projectName": "Engineering",
                "tags": ["t"],
            },
            {"id": "d/2", "title": "Two", "projectId": "eng", "dueDate": "2026-10-02", "status": "done"},
            {"id": "d03", "title": "Three", "modifiedTime": "2024-01-01T00:00:00Z"},
        ]
        path = tmp_path / "corpus.jsonl"
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")

        fake.seed_from_jsonl(path, "token-z")
        api = Api(fake.api_url, "token-z")

        [project] = api("GET /project").json
        assert (project["id"], project["name"]) == ("eng", "Engineering")
        [one] = api("GET /project/eng/data").json["tasks"]
        assert (one["id"], one["content"], one["tags"]) == ("d01", "c", ["t"])
        two = api("GET /project/eng/task/d%2F2").json
        assert (two["status"], two["isAllDay"], two["dueDate"]) == (2, True, "2026-10-01T22:00:00.000+0000")
        [three] = api("GET /project/inbox/data").json["tasks"]
        assert three["modifiedTime"] == "2024-01-01T00:00:00.000+0000"

    def test_five_thousand_tasks_are_served_whole(self, account: Account, api: Api) -> None:
        account.load({"title": f"Task {n}", "projectId": f"p{n % 50}", "id": f"t{n}"} for n in range(5000))

        lists = [api(f"GET /project/p{number}/data").json["tasks"] for number in range(50)]

        assert [len(tasks) for tasks in lists] == [100] * 50
        assert len({task["id"] for tasks in lists for task in tasks}) == 5000


class TestByHand:
    def start(self, *words: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.fakes.ticktick", *words]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def api(self, process: subprocess.Popen[str]) -> Api:
        """Waits for the line that a developer pastes, and calls what it names."""
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(r"export ATS_TICKTICK_API_URL=(\S+) ATS_TICKTICK_TOKEN=(\S+)\n", line)
        assert match, line
        return Api(match[1], match[2])

    def test_a_demo_account_until_ctrl_c(self) -> None:
        with self.start() as process:
            api = self.api(process)
            names = [project["name"] for project in api("GET /project").json]
            inbox = api.titles("GET /project/inbox/data")
            done = api.titles("POST /task/completed", {})
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=10)

        assert names == ["💼 Work", "Home", "📒 Permanent Notes"]
        assert "Renew passport" in inbox
        assert "Rotate the API keys" in done
        assert (process.returncode, errors) == (0, "")

    def test_a_corpus_instead_and_a_rate_limit(self, tmp_path: Path) -> None:
        path = tmp_path / "corpus.jsonl"
        path.write_text(json.dumps({"id": "a", "title": "Only one"}), encoding="utf-8")
        with self.start("--corpus", str(path), "--token", "mine", "--per-minute", "2") as process:
            api = self.api(process)
            titles = api.titles("POST /task/filter", {})
            statuses = [api("GET /project").status for _ in range(2)]
            process.send_signal(signal.SIGTERM)

        assert titles == ["Only one"]
        assert statuses == [200, 500]
