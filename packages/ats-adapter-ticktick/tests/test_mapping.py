"""Records of the service as tasks and projects: a bad scalar costs the field, not the task."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import pytest
from ats_adapter_ticktick.mapping import inbox_project, is_inbox, project_of, task_of
from ats_core import Project, Task
from hypothesis import given
from hypothesis import strategies as st

NAMES = {"p1": "Work"}

FULL: dict[str, Any] = {
    "id": "65f0c0ffee0123456789abcd",
    "projectId": "p1",
    "title": "Renew passport",
    "content": "Bring **photos**\n",
    "isAllDay": True,
    "startDate": "2026-05-28T16:00:00.000+0000",
    "dueDate": "2026-05-28T16:00:00.000+0000",
    "timeZone": "Asia/Shanghai",
    "reminders": ["TRIGGER:P0DT9H0M0S"],
    "tags": ["AI_Work", "旅行"],
    "repeatFlag": "RRULE:FREQ=YEARLY",
    "repeatFrom": "2",
    "priority": 5,
    "status": 0,
    "sortOrder": -1099511627776,
    "kind": "TEXT",
    "parentId": "65f0c0ffee0123456789abce",
    "assigneeUsername": "anna",
    "focusSummaries": [{"pomoCount": 1}],
    "etag": "abc",
    "columnId": "c1",
    "createdTime": "2026-01-01T00:00:00.000+0000",
    "modifiedTime": "2026-05-01T10:00:00.000+0000",
    "etimestamp": 1780000000000,
}


def task(**fields: Any) -> Task:
    found = task_of({"id": "1", "projectId": "p1", "title": "t"} | fields, NAMES)
    assert found is not None
    return found


def test_every_field_of_a_task() -> None:
    record = copy.deepcopy(FULL)
    found = task_of(record, NAMES)
    assert found == Task(
        id="65f0c0ffee0123456789abcd",
        title="Renew passport",
        content="Bring **photos**\n",
        project_id="p1",
        project_name="Work",
        tags=("AI_Work", "旅行"),
        due_date="2026-05-29",
        modified_time="2026-05-01T10:00:00.000+0000",
        status="open",
        raw=FULL,
    )
    assert found is not None
    assert found.raw is record
    assert record == FULL


def test_an_odd_task_loses_its_odd_fields_alone() -> None:
    found = task(
        title=None, repeatFrom="", priority="5", tags=None, items=None, kind="NEWKIND", isAllDay="perhaps", dueDate=17,
        modifiedTime="yesterday", unknown={"deep": [1]}, content=[], desc=None, status="odd",
    )  # fmt: skip
    assert found.raw["unknown"] == {"deep": [1]}
    assert (found.id, found.title, found.content, found.tags, found.status) == ("1", "", "", (), "open")
    assert (found.due_date, found.modified_time) == (None, None)


@pytest.mark.parametrize(
    "record",
    [None, 5, "x", [], {}, {"title": "t"}, {"id": None}, {"id": ""}, {"id": " "}, {"id": True}, {"id": []}, {"id": {}}],
)
def test_a_record_without_a_usable_id_is_no_task(record: object) -> None:
    assert task_of(record, NAMES) is None
    assert project_of(record) is None


def test_a_numeric_id_or_title_is_its_decimal_text() -> None:
    found = task(id=42, title=2026, projectId=7)
    assert (found.id, found.title, found.project_id, found.project_name) == ("42", "2026", "7", "")
    assert task(title=3.0).title == "3"
    assert task(title=float("nan")).title == task(title=True).title == ""


@pytest.mark.parametrize(
    ("status", "expected"),
    [(0, "open"), (2, "done"), (-1, "done"), ("2", "done"), ("-1", "done"), (2.0, "done"), (1, "open"), (None, "open"),
     (True, "open"), ("two", "open"), ([], "open")],
)  # fmt: skip
def test_completed_and_abandoned_tasks_are_done(status: object, expected: str) -> None:
    assert task(status=status).status == expected


def test_a_task_that_was_opened_again_is_open_in_spite_of_its_completed_time() -> None:
    assert task(status=0, completedTime="2026-05-01T10:00:00.000+0000").status == "open"


@pytest.mark.parametrize("tags", [None, "work", 5, {"a": 1}, True])
def test_tags_of_an_odd_type_are_none(tags: object) -> None:
    assert task(tags=tags).tags == ()


def test_of_a_list_of_tags_only_texts_count() -> None:
    assert task(tags=["AI_Work", None, 5, "", " ", ["x"], "b"]).tags == ("AI_Work", "b")


ITEMS = [
    {"id": "i2", "title": "milk", "status": 1, "sortOrder": 2},
    {"id": "i1", "title": "bread", "status": 0, "sortOrder": -1},
]


def test_a_checklist_is_its_description_and_a_line_an_item_in_order() -> None:
    found = task(kind="CHECKLIST", content="", desc="For the weekend", items=ITEMS)
    assert found.content == "For the weekend\n- [ ] bread\n- [x] milk"


def test_all_three_texts_are_searchable_and_the_shown_one_is_first() -> None:
    assert task(content="A", desc="B", items=ITEMS[:1]).content == "A\nB\n- [x] milk"
    assert task(kind="CHECKLIST", content="A", desc="B", items=ITEMS[:1]).content == "B\nA\n- [x] milk"


@pytest.mark.parametrize("kind", ["TEXT", "CHECKLIST", "NOTE", None, "NEWKIND"])
def test_no_text_is_there_twice(kind: object) -> None:
    assert task(kind=kind, content="same", desc=" same\n").content.strip() == "same"
    assert task(kind=kind, content="- [x] milk", items=ITEMS[:1]).content == "- [x] milk"
    assert task(kind=kind, desc="only", content="").content == "only"
    assert task(kind=kind, desc=" ", content="only").content.strip() == "only"


def test_odd_items_cost_themselves_alone() -> None:
    odd: list[object] = [None, 5, "milk", [], {}, {"title": None}, {"title": " "}]
    items = [*odd, {"title": "a\nb", "status": "1", "sortOrder": "x"}, {"title": 7, "status": None}]
    assert task(items=items).content == "- [x] a b\n- [ ] 7"
    assert task(items="milk").content == task(items={"title": "x"}).content == ""


def test_a_note_is_open() -> None:
    assert task(kind="NOTE").status == "open"


def test_the_inbox_has_its_name_under_any_id() -> None:
    for project_id in ("inbox", "inbox115781412"):
        assert is_inbox(project_id)
        assert task(projectId=project_id).project_name == "Inbox"
    assert not is_inbox("65f0c0ffee0123456789abcd")
    assert inbox_project("inbox115781412") == Project(id="inbox115781412", name="Inbox")
    assert inbox_project().id == "inbox"


def test_a_record_that_does_not_say_where_it_is_is_where_it_was_found() -> None:
    found = task_of({"id": "1", "title": "t"}, NAMES, project_id="p1")
    assert found is not None
    assert (found.project_id, found.project_name) == ("p1", "Work")
    other = task_of({"id": "1", "title": "t", "projectId": "p2"}, NAMES, project_id="p1")
    assert other is not None
    assert (other.project_id, other.project_name) == ("p2", "")


def test_a_project_keeps_its_record() -> None:
    record = {
        "id": "p1",
        "name": "📚 Notes",
        "kind": "NOTE",
        "closed": True,
        "groupId": "g",
        "permission": "read",
        "new": 1,
    }
    assert project_of(record) == Project(id="p1", name="📚 Notes", kind="notes", raw=record)


@pytest.mark.parametrize("kind", ["TASK", None, 5, "NEWKIND"])
def test_a_project_that_is_no_note_list_holds_tasks(kind: object) -> None:
    found = project_of({"id": 7, "name": None, "kind": kind})
    assert found is not None
    assert (found.id, found.name, found.kind) == ("7", "7", "tasks")


def test_an_inbox_that_is_listed_after_all_is_called_inbox() -> None:
    found = project_of({"id": "inbox115781412", "name": "inbox"})
    assert found is not None
    assert found.name == "Inbox"


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from([*FULL, "desc", "items", "completedTime"]), anything),
    st.dictionaries(st.text(), anything),
)
def test_no_record_breaks_the_reading(odd: dict[str, Any], unknown: dict[str, Any]) -> None:
    record = unknown | odd
    found = task_of(record, NAMES)
    assert found is None or (found.raw is record and all(type(tag) is str for tag in found.tags))
    project_of(record)


@given(anything)
def test_nothing_that_json_holds_breaks_the_reading_of_an_item(item: object) -> None:
    assert isinstance(task(items=[item]).content, str)


def test_reading_loads_no_time_zones_before_it_meets_an_all_day_task() -> None:
    code = """
import json, sys
from ats_adapter_ticktick.mapping import task_of
timed = {"id": "1", "dueDate": "2026-05-28T16:00:00.000+0000"}
task_of(timed, {})
before = "zoneinfo" in sys.modules
task_of(timed | {"isAllDay": True, "timeZone": "Asia/Tokyo"}, {})
print(json.dumps([before, "zoneinfo" in sys.modules]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [False, True]
