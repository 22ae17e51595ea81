"""Writes against a service that answers 200 to what it ignores: all is checked before, and compared after."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest
from ats_adapter_ticktick.mapping.dates import instant
from ats_adapter_ticktick.writes import create_task, find_task, update_task
from ats_adapter_ticktick.writes.zones import Zone
from ats_core import (
    AtsError,
    Deadline,
    LoginRequiredError,
    NotFoundError,
    RateLimitedError,
    StoreError,
    Task,
    TaskDraft,
    TaskPatch,
    UsageError,
)

Record = dict[str, Any]

PLAIN: Record = {
    "id": "t1",
    "projectId": "p1",
    "title": "Renew passport",
    "content": "Bring photos",
    "isAllDay": False,
    "startDate": "2026-10-19T07:00:00.000+0000",
    "dueDate": "2026-10-21T15:00:00.000+0000",
    "timeZone": "Europe/Berlin",
    "reminders": ["TRIGGER:PT0S"],
    "tags": ["travel", "AI_Work"],
    "repeatFlag": "RRULE:FREQ=WEEKLY;TT_SKIP=WEEKEND",
    "priority": 3,
    "status": 0,
    "sortOrder": -5,
    "kind": "TEXT",
    "parentId": "t0",
}
CHECKLIST: Record = {
    "id": "t2",
    "projectId": "p1",
    "title": "Shopping",
    "content": "",
    "desc": "For the weekend",
    "kind": "CHECKLIST",
    "status": 0,
    "items": [{"id": "i1", "title": "bread", "status": 0}, {"id": "i2", "title": "milk", "status": 1}],
}
DONE: Record = {
    "id": "t3",
    "projectId": "p1",
    "title": "Old",
    "content": "c",
    "status": 2,
    "completedTime": "2026-01-01T00:00:00.000+0000",
}
WONT_DO: Record = DONE | {"id": "t4", "title": "Never", "status": -1}
INBOX = "inbox115781412"
IN_INBOX: Record = {"id": "t5", "projectId": INBOX, "title": "In", "status": 0}


class Service:
    """`TickTickApi` over a dict, with faults: `deaf` are the fields it ignores, `lost` those that a write empties."""

    def __init__(self) -> None:
        self.names = {"p1": "Work", "p2": "Home"}
        records = (PLAIN, CHECKLIST, DONE, WONT_DO, IN_INBOX)
        self.tasks: dict[str, Record] = {row["id"]: copy.deepcopy(row) for row in records}
        self.deleted: set[str] = set()
        self.deaf: set[str] = set()
        self.lost: set[str] = set()
        self.failures: dict[str, AtsError] = {}
        self.calls: list[str] = []
        self.bodies: list[Record] = []

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.failures:
            raise self.failures[name]

    def projects(self, deadline: Deadline) -> list[Record]:
        self._called("projects")
        return [{"id": key, "name": name} for key, name in self.names.items()]

    def project_data(self, project_id: str, deadline: Deadline) -> Record | None:
        self._called("data")
        inbox = project_id in ("inbox", INBOX)
        if not inbox and project_id not in self.names:
            return None
        home = INBOX if inbox else project_id
        tasks = [row for row in self.tasks.values() if row["projectId"] == home and row["status"] == 0]
        data: Record = {"tasks": [copy.deepcopy(row) for row in tasks if row["id"] not in self.deleted], "columns": []}
        return data if inbox else data | {"project": {"id": home, "name": self.names[home]}}

    def task(self, project_id: str, task_id: str, deadline: Deadline) -> Record | None:
        self._called("task")
        return copy.deepcopy(self.tasks.get(task_id))

    def create(self, body: Record, deadline: Deadline) -> Record:
        self._called("create")
        self.bodies.append(body)
        self.tasks["new"] = {"id": "new", "projectId": INBOX, "status": 0, "kind": "TEXT"}
        self._take(self.tasks["new"], body)
        return {"id": "new", "projectId": self.tasks["new"]["projectId"]}

    def update(self, task_id: str, body: Record, deadline: Deadline) -> Record | None:
        self._called("update")
        self.bodies.append(body)
        self._take(self.tasks[task_id], body)
        return None

    def complete(self, project_id: str, task_id: str, deadline: Deadline) -> None:
        self._called("complete")
        row = self.tasks[task_id]
        if "status" in self.deaf:
            return
        if row.get("repeatFlag"):
            row["dueDate"] = "2026-10-28T16:00:00.000+0000"
        else:
            row["status"] = 2

    def move(self, from_project: str, to_project: str, task_id: str, deadline: Deadline) -> None:
        self._called("move")
        if "projectId" not in self.deaf:
            self.tasks[task_id]["projectId"] = INBOX if to_project == "inbox" else to_project

    def _take(self, row: Record, body: Record) -> None:
        for name, value in body.items():
            if name in self.deaf or (name == "id" and "id" in row):
                continue
            if value is None:
                row.pop(name, None)
            elif name in ("dueDate", "startDate"):
                at = instant(value)
                assert at is not None
                row[name] = at.isoformat()
            else:
                row[name] = value
        if "dueDate" not in row:
            row.pop("repeatFlag", None)
        for name in self.lost:
            row.pop(name, None)


@pytest.fixture
def service() -> Service:
    return Service()


def zoned(name: str) -> Zone:
    found = Zone.of(name)
    assert found is not None
    return found


def change(service: Service, task_id: str = "t1", home: str = "p1", **fields: Any) -> Task:
    patch = TaskPatch(**fields)
    return update_task(cast("Any", service), home, task_id, patch, Deadline(5), zone=zoned("Asia/Shanghai"))


def create(service: Service, **fields: Any) -> Task:
    draft = TaskDraft(**({"title": "New"} | fields))
    return create_task(cast("Any", service), draft, Deadline(5), zone=zoned("Asia/Shanghai"))


# Creating


def test_a_task_without_a_project_goes_to_the_inbox_and_names_none(service: Service) -> None:
    task = create(service, content="body\n\nmore", tags=("a", "B", "a"))
    assert service.bodies == [{"title": "New", "content": "body\n\nmore", "tags": ["a", "B"]}]
    assert (task.id, task.project_id, task.project_name) == ("new", INBOX, "Inbox")
    assert (task.content, task.tags) == ("body\n\nmore", ("a", "B"))
    assert service.calls == ["create", "task"]


@pytest.mark.parametrize("project_id", ["inbox", INBOX])
def test_the_inbox_by_its_id_is_the_inbox(service: Service, project_id: str) -> None:
    assert create(service, project_id=project_id).project_name == "Inbox"
    assert "projectId" not in service.bodies[0]


def test_a_task_in_a_project_takes_one_call_more(service: Service) -> None:
    task = create(service, project_id="p2")
    assert (task.project_id, task.project_name) == ("p2", "Home")
    assert service.calls == ["projects", "create", "task"]


def test_a_due_day_is_all_day_in_the_users_zone(service: Service) -> None:
    assert create(service, due_date="2026-05-29").due_date == "2026-05-29"
    assert service.bodies[0]["dueDate"] == "2026-05-29T00:00:00+0800"
    assert service.bodies[0]["timeZone"] == "Asia/Shanghai"


def test_a_due_time_without_an_offset_is_the_users(service: Service) -> None:
    assert instant(create(service, due_date="2026-05-29T14:30").due_date) == instant("2026-05-29T06:30:00Z")


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""}, {"title": " \n"}, {"title": None}, {"title": 5}, {"due_date": "soon"}, {"tags": ("a", 5)},
        {"tags": "work"}, {"tags": ("",)}, {"content": 5}, {"project_id": ""}, {"project_id": 5},
    ],
)  # fmt: skip
def test_a_wrong_draft_is_refused_before_any_call(service: Service, fields: Record) -> None:
    with pytest.raises(UsageError):
        create(service, **fields)
    assert service.calls == []


def test_an_unknown_project_is_found_out_before_the_create(service: Service) -> None:
    with pytest.raises(NotFoundError, match="'nowhere'"):
        create(service, project_id="nowhere")
    assert "create" not in service.calls


def test_lone_surrogates_do_not_reach_the_wire(service: Service) -> None:
    assert create(service, title="plan \ud83d", content="x\ud83d").title == "plan \ufffd"


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("dueDate", {"due_date": "2026-05-29"}),
        ("startDate", {"due_date": "2026-05-29T10:00"}),
        ("isAllDay", {"due_date": "2026-05-29"}),
        ("timeZone", {"due_date": "2026-05-29"}),
        ("tags", {"tags": ("a",)}),
        ("content", {"content": "text"}),
        ("title", {}),
        ("projectId", {"project_id": "p1"}),
    ],
)
def test_a_create_of_which_a_field_was_ignored_says_so_and_that_the_task_exists(
    service: Service, field: str, fields: Record
) -> None:
    service.deaf = {field}
    with pytest.raises(StoreError, match=rf"did not take {field}.*; the task was created, its id is new"):
        create(service, **fields)
    assert service.calls.count("create") == 1


def test_a_create_that_cannot_be_read_back_says_that_the_task_exists(service: Service) -> None:
    service.failures["task"] = LoginRequiredError("refused", hint="run `ats auth login`")
    with pytest.raises(LoginRequiredError) as failed:
        create(service)
    assert failed.value.hint == "run `ats auth login`; the task was created, its id is new"
    assert service.calls.count("create") == 1


@pytest.mark.parametrize("answer", [{}, {"id": None}])
def test_a_create_without_an_id_in_the_answer_is_not_tried_again(
    service: Service, monkeypatch: pytest.MonkeyPatch, answer: Record
) -> None:
    monkeypatch.setattr(service, "create", lambda body, deadline: answer)
    with pytest.raises(StoreError, match="without an id") as failed:
        create(service)
    assert "look before you try again" in (failed.value.hint or "")


# Finding what is to be changed


def test_an_open_task_takes_one_call_and_a_completed_one_two(service: Service) -> None:
    assert find_task(cast("Any", service), "p1", "t1", Deadline(5)).place.name == "Work"
    assert service.calls == ["data"]
    assert find_task(cast("Any", service), "p1", "t3", Deadline(5)).record["title"] == "Old"
    assert service.calls == ["data", "data", "task"]


@pytest.mark.parametrize(
    ("project_id", "task_id"),
    [("p1", "nothing"), ("nowhere", "t1"), ("", "t1"), ("p1", ""), ("p2", "t1"), ("p2", "t3")],
)
def test_an_unknown_task_is_not_found_and_nothing_is_sent(service: Service, project_id: str, task_id: str) -> None:
    with pytest.raises(NotFoundError):
        change(service, task_id, project_id, title="x")
    assert set(service.calls) <= {"data", "task"}


def test_a_deleted_task_is_not_found_although_the_service_still_shows_it(service: Service) -> None:
    service.deleted.add("t1")
    with pytest.raises(NotFoundError, match="'t1'"):
        change(service, title="x")
    assert service.tasks["t1"] == PLAIN


@pytest.mark.parametrize("project_id", ["inbox", INBOX])
def test_a_task_of_the_inbox_is_found_by_either_id(service: Service, project_id: str) -> None:
    task = change(service, "t5", project_id, title="Inside")
    assert (task.title, task.project_id, task.project_name) == ("Inside", INBOX, "Inbox")
    assert service.bodies[0]["projectId"] == INBOX


def test_an_empty_inbox_that_answers_nothing_has_no_such_task(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "project_data", lambda project_id, deadline: None)
    with pytest.raises(NotFoundError, match="'t9' in project 'Inbox'"):
        change(service, "t9", "inbox", title="x")


# Changing


@pytest.mark.parametrize(
    ("fields", "sent"),
    [
        ({"title": "New"}, {"title": "New"}),
        ({"content": "New"}, {"content": "New"}),
        ({"content": None}, {"content": ""}),
        ({"tags": ("x", "y", "x")}, {"tags": ["x", "y"]}),
        ({"tags": None}, {"tags": []}),
        ({"tags": ()}, {"tags": []}),
        ({"due_date": None}, {"dueDate": None, "startDate": None}),
    ],
)
def test_only_what_changes_is_sent_besides_id_project_and_title(service: Service, fields: Record, sent: Record) -> None:
    change(service, **fields)
    assert service.bodies == [{"id": "t1", "projectId": "p1", "title": "Renew passport"} | sent]
    assert service.calls == ["data", "update", "task"]


def test_a_blank_title_is_not_sent_along(service: Service) -> None:
    for title in (None, "", " "):
        service.tasks["t1"]["title"] = title
        change(service, tags=(f"tag of {title!r}",))
        assert "title" not in service.bodies.pop()


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"title": "Renew passport"},
        {"content": "Bring photos"},
        {"tags": ("travel", "AI_Work")},
        {"due_date": "2026-10-21T17:00:00+02:00"},
        {"project_id": "p1"},
        {"status": "open"},
    ],
)
def test_what_is_so_already_is_not_sent(service: Service, fields: Record) -> None:
    assert change(service, **fields).raw == PLAIN
    assert service.calls == ["data"]


def test_a_new_due_date_keeps_repeat_reminders_and_length(service: Service) -> None:
    task = change(service, due_date="2026-10-23T17:00+02:00")
    assert instant(task.due_date) == instant("2026-10-23T15:00:00Z")
    assert instant(task.raw["startDate"]) == instant("2026-10-21T07:00:00Z")
    assert (task.raw["repeatFlag"], task.raw["reminders"]) == (PLAIN["repeatFlag"], PLAIN["reminders"])


def test_clearing_the_due_date_of_a_repeating_task_ends_the_repeat(service: Service) -> None:
    task = change(service, due_date=None)
    assert task.due_date is None
    assert not task.raw.keys() & {"dueDate", "startDate", "repeatFlag"}


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""}, {"title": None}, {"content": 5}, {"tags": (None,)}, {"tags": "work"}, {"due_date": "soon"},
        {"due_date": ""}, {"status": "closed"}, {"status": None}, {"project_id": ""}, {"project_id": None},
    ],
)  # fmt: skip
def test_a_wrong_patch_is_refused_before_any_call(service: Service, fields: Record) -> None:
    with pytest.raises(UsageError):
        change(service, **fields)
    assert service.calls == []


# Bodies


def test_the_body_of_a_checklist_is_its_description(service: Service) -> None:
    task = change(service, "t2", content="For Monday")
    assert (task.raw["desc"], task.raw["content"]) == ("For Monday", "")
    assert task.raw["items"] == CHECKLIST["items"]
    assert task.content == "For Monday\n- [ ] bread\n- [x] milk"


@pytest.mark.parametrize(
    ("content", "desc"),
    [
        ("For Monday\n- [ ] bread\n- [x] milk", "For Monday"),
        ("For Monday\r\n- [ ] bread\r\n- [x] milk\r\n", "For Monday"),
        ("- [ ] bread\n- [x] milk", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_checklist_at_the_end_of_an_edited_body_is_no_text(service: Service, content: str, desc: str) -> None:
    task = change(service, "t2", content=content)
    assert task.raw["desc"] == desc
    assert task.raw["items"] == CHECKLIST["items"]


def test_a_body_as_it_was_read_is_no_change(service: Service) -> None:
    for task_id in ("t1", "t2"):
        content = change(service, task_id).content
        assert change(service, task_id, content=content).content == content
    assert "update" not in service.calls


@pytest.mark.parametrize(
    "content",
    [
        "For the weekend\n- [x] bread\n- [x] milk",
        "For the weekend\n- [x] milk\n- [ ] bread",
        "For the weekend\n- [ ] bread",
        "For the weekend\n- [ ] bread\n- [x] milk\n- [ ] eggs",
        "For the weekend\n- [ ] eggs\n- [ ] bread\n- [x] milk",
        "- [ ] bread\n- [x] milk\nFor the weekend",
        "For the weekend\n* [X] bread",
    ],
)
def test_an_edited_checklist_is_refused_and_nothing_is_lost(service: Service, content: str) -> None:
    with pytest.raises(UsageError, match="cannot be edited through content"):
        change(service, "t2", content=content, title="x")
    assert service.tasks["t2"] == CHECKLIST
    assert "update" not in service.calls


def test_a_text_with_boxes_of_its_own_is_a_text(service: Service) -> None:
    assert change(service, content="- [ ] a\n- [x] b").raw["content"] == "- [ ] a\n- [x] b"
    service.tasks["t2"]["desc"] = "- [ ] own"
    assert change(service, "t2", content="- [ ] own\nmore\n- [ ] bread\n- [x] milk").raw["desc"] == "- [ ] own\nmore"


def test_the_text_that_the_apps_do_not_show_stays_what_it_is(service: Service) -> None:
    service.tasks["t1"]["desc"] = "hidden"
    assert change(service, content="Bring two photos\nhidden").raw["content"] == "Bring two photos"
    assert change(service, content="Bring none").content == "Bring none\nhidden"


# States


def test_done_uses_the_complete_endpoint(service: Service) -> None:
    assert change(service, "t2", status="done").status == "done"
    assert service.calls == ["data", "complete", "task"]


@pytest.mark.parametrize("task_id", ["t3", "t4"])
def test_a_task_that_is_done_is_not_completed_again(service: Service, task_id: str) -> None:
    before = copy.deepcopy(service.tasks[task_id])
    assert change(service, task_id, status="done").raw == before
    assert service.calls == ["data", "task"]


@pytest.mark.parametrize("task_id", ["t3", "t4"])
def test_editing_a_done_task_does_not_open_it(service: Service, task_id: str) -> None:
    task = change(service, task_id, title="Newer")
    assert task.status == "done"
    assert "status" not in service.bodies[0]


@pytest.mark.parametrize("task_id", ["t3", "t4"])
def test_open_sends_status_0(service: Service, task_id: str) -> None:
    task = change(service, task_id, status="open", content="again")
    assert (task.status, task.content) == ("open", "again")
    assert service.bodies[0]["status"] == 0


def test_completing_a_repeating_task_finishes_one_occurrence(service: Service) -> None:
    task = change(service, status="done")
    assert task.status == "open"
    assert instant(task.due_date) == instant("2026-10-28T16:00:00Z")


@pytest.mark.parametrize("task_id", ["t1", "t2"])
def test_a_completion_that_was_ignored_is_an_error(service: Service, task_id: str) -> None:
    service.deaf = {"status"}
    with pytest.raises(StoreError, match="did not take status"):
        change(service, task_id, status="done")


def test_a_reopening_that_was_ignored_is_an_error(service: Service) -> None:
    service.deaf = {"status"}
    with pytest.raises(StoreError, match="did not take status: it has 2 now"):
        change(service, "t3", status="open")


# Moving, and all together


def test_a_move_is_read_back_in_the_new_project(service: Service) -> None:
    task = change(service, project_id="p2")
    assert (task.project_id, task.project_name) == ("p2", "Home")
    assert service.calls == ["data", "projects", "move", "task"]


def test_a_move_to_an_unknown_project_is_found_out_before_anything_is_sent(service: Service) -> None:
    with pytest.raises(NotFoundError, match="'nowhere'"):
        change(service, project_id="nowhere", title="x")
    assert service.tasks["t1"] == PLAIN


@pytest.mark.parametrize("project_id", ["inbox", INBOX])
def test_a_move_to_the_inbox(service: Service, project_id: str) -> None:
    assert change(service, project_id=project_id).project_id == INBOX
    del service.tasks["t5"]
    assert change(service, "t2", project_id=project_id).project_name == "Inbox"


def test_a_move_that_was_ignored_is_an_error(service: Service) -> None:
    service.deaf = {"projectId"}
    with pytest.raises(StoreError, match="did not take projectId: it has 'p1' now"):
        change(service, project_id="p2")


def test_fields_come_first_then_the_move_then_the_completion(service: Service) -> None:
    task = change(service, "t2", title="All", content="new", tags=("x",), project_id="p2", status="done")
    assert service.calls == ["data", "projects", "update", "task", "move", "complete", "task"]
    assert (task.title, task.tags, task.project_id, task.status) == ("All", ("x",), "p2", "done")


def test_a_task_whose_fields_were_not_taken_is_not_completed(service: Service) -> None:
    service.deaf = {"tags"}
    with pytest.raises(StoreError, match="did not take tags"):
        change(service, "t2", tags=("x",), status="done")
    assert "complete" not in service.calls


def test_a_due_date_and_a_completion_of_a_repeating_task_go_together(service: Service) -> None:
    task = change(service, due_date="2026-10-22", status="done")
    assert task.status == "open"
    assert service.calls[-2:] == ["complete", "task"]


def test_a_failure_half_way_says_what_was_done(service: Service) -> None:
    service.failures["complete"] = RateLimitedError("rate limited", retry_after=60, hint="wait")
    with pytest.raises(RateLimitedError) as failed:
        change(service, "t2", title="New", project_id="p2", status="done")
    assert failed.value.hint == "wait; before that it was changed title, moved to Home"
    assert failed.value.retry_after == 60


def test_a_failure_of_the_first_call_says_nothing_of_the_kind(service: Service) -> None:
    service.failures["update"] = StoreError("broken")
    with pytest.raises(StoreError) as failed:
        change(service, title="New")
    assert failed.value.hint is None


# Verifying


@pytest.mark.parametrize(
    ("field", "fields", "now"),
    [
        ("title", {"title": "New"}, "'Renew passport'"),
        ("content", {"content": "New"}, "'Bring photos'"),
        ("tags", {"tags": ("x",)}, r"\['travel', 'AI_Work'\]"),
        ("tags", {"tags": None}, r"\['travel', 'AI_Work'\]"),
        ("dueDate", {"due_date": "2026-12-24"}, "'2026-10-21T15:00:00.000"),
        ("dueDate", {"due_date": None}, "'2026-10-21T15:00:00.000"),
        ("startDate", {"due_date": "2026-12-24"}, "'2026-10-19T07:00:00.000"),
        ("isAllDay", {"due_date": "2026-12-24"}, "False"),
    ],
)
def test_a_field_that_was_ignored_is_named_with_what_is_stored(
    service: Service, field: str, fields: Record, now: str
) -> None:
    service.deaf = {field}
    with pytest.raises(StoreError, match=f"TickTick did not take {field}: it has {now}.* now"):
        change(service, **fields)


@pytest.mark.parametrize("field", ["content", "tags", "dueDate", "startDate", "repeatFlag", "reminders", "priority"])
def test_a_field_that_a_write_lost_is_named_with_what_it_was(service: Service, field: str) -> None:
    service.lost = {field}
    with pytest.raises(StoreError, match=f"TickTick dropped {field}, which was ") as failed:
        change(service, title="New")
    assert "\n" not in failed.value.message


def test_a_lost_checklist_is_an_error(service: Service) -> None:
    service.lost = {"items"}
    with pytest.raises(StoreError, match="dropped items"):
        change(service, "t2", title="New")


def test_an_edit_that_opened_a_done_task_is_an_error(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def update(task_id: str, body: Record, deadline: Deadline) -> None:
        service.tasks[task_id] |= body | {"status": 0}

    monkeypatch.setattr(service, "update", update)
    with pytest.raises(StoreError, match="opened the task again"):
        change(service, "t3", title="New")


def test_a_task_that_is_gone_after_the_write_is_an_error(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "task", lambda project_id, task_id, deadline: None)
    with pytest.raises(StoreError, match="does not show the task any more"):
        change(service, title="New")


def test_what_means_the_same_was_taken(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def update(task_id: str, body: Record, deadline: Deadline) -> None:
        service.tasks[task_id] |= {
            "title": "New title",
            "content": "a\nb",
            "tags": ["y", "x"],
            "dueDate": "2026-12-24T09:00:00.000+0000",
            "startDate": "2026-12-22T01:00:00.000+0000",
            "isAllDay": "false",
        }

    monkeypatch.setattr(service, "update", update)
    task = change(
        service, title=" New  title ", content="a\r\nb\n", tags=("X", "Y"), due_date="2026-12-24T10:00:00.5+01:00"
    )
    assert task.tags == ("y", "x")


def test_a_long_stored_text_is_cut_in_the_message(service: Service) -> None:
    service.deaf = {"content"}
    service.tasks["t1"]["content"] = "line\n" * 1000
    with pytest.raises(StoreError) as failed:
        change(service, content="short")
    assert len(failed.value.message) < 200
    assert "\n" not in failed.value.message
