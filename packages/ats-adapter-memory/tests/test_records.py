"""A field of the wrong type costs that field, not the task."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from ats_adapter_memory.parse import parse
from ats_adapter_memory.records import now, read_task
from ats_core import Task


def task(**fields: Any) -> Task:
    read = read_task({"id": "1", "title": "t"} | fields)
    assert read is not None
    return read


def test_all_fields_are_read_and_the_record_is_kept() -> None:
    record = {
        "id": "t1",
        "title": "Renew passport",
        "content": "Bring a photo",
        "projectId": "p1",
        "projectName": "Errands",
        "tags": ["admin", "2026"],
        "dueDate": "2026-05-29",
        "modifiedTime": "2026-01-01T00:00:00.000+0000",
        "status": "done",
        "sortOrder": -5,
    }
    assert read_task(record) == Task(
        id="t1",
        title="Renew passport",
        content="Bring a photo",
        project_id="p1",
        project_name="Errands",
        tags=("admin", "2026"),
        due_date="2026-05-29",
        modified_time="2026-01-01T00:00:00.000+0000",
        status="done",
        raw=record,
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [(42, "42"), (10**30, "1" + "0" * 30), (-7, "-7"), (0, "0"), (65.0, "65"), ("042", "042"), (" 7", " 7")],
)
def test_ids_become_strings(value: object, expected: str) -> None:
    assert task(id=value).id == expected
    assert task(projectId=value).project_id == expected


@pytest.mark.parametrize("value", [None, True, [], {}, ["x"], {"a": 1}])
def test_odd_values_cost_the_field(value: object) -> None:
    odd = task(title=value, content=value, projectName=value, dueDate=value, modifiedTime=value)
    assert (odd.title, odd.content, odd.project_name, odd.due_date, odd.modified_time) == (
        "",
        "",
        "",
        None,
        None,
    )


def test_a_title_that_is_a_number_can_be_found_by_it() -> None:
    assert task(title=2024).title == "2024"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ()),
        ([], ()),
        ("", ()),
        ("work", ("work",)),
        ("work, home,", ("work", "home")),
        (["work", None, 7, "", {"name": "x"}], ("work", "7")),
        ({"work": True}, ()),
        (3, ()),
        (True, ()),
    ],
)
def test_tags(value: object, expected: tuple[str, ...]) -> None:
    assert task(tags=value).tags == expected


@pytest.mark.parametrize("value", ["done", "Done", " completed ", "complete", True, 2, 2.0, "2", "true"])
def test_done(value: object) -> None:
    assert task(status=value).status == "done"


@pytest.mark.parametrize("value", ["open", "", "waiting", None, False, 0, 1, -1, [], {}, ["done"], 1.5])
def test_any_other_status_is_open(value: object) -> None:
    assert task(status=value).status == "open"


def test_null_title_and_unknown_fields_lose_no_task() -> None:
    odd = {
        "id": "2",
        "title": None,
        "repeatFrom": "",
        "priority": "5",
        "tags": None,
        "items": None,
        "kind": "NEWKIND",
        "extra": {"deep": [1]},
    }
    parsed = parse(json.dumps([{"id": "1", "title": "a"}, odd, {"id": "3", "title": "c"}]).encode(), "f")
    assert [task.title for task in parsed.tasks] == ["a", "", "c"]
    assert parsed.tasks[1].raw == odd
    assert parsed.warnings == []


def test_a_missing_id_is_made_from_the_content_and_said_once() -> None:
    parsed = parse(b'{"title": "a"}\n{"title": "b", "id": null}\n{"title": "c", "id": ""}\n', "f")
    ids = [task.id for task in parsed.tasks]
    assert len(set(ids)) == 3
    assert all(ids)
    assert parsed.warnings == ["f: 3 tasks have no id: their ids are made from the content and will change with it"]


def test_a_made_up_id_is_the_same_in_any_form_order_and_spacing() -> None:
    wanted = parse(b'{"title": "a", "content": "b"}', "f").tasks[0].id
    assert parse(b'[{"id": null, "content":"b","title":"a"}]', "g").tasks[0].id == wanted
    assert parse(b'{"title": "x"}\n{"title": "a",  "content": "b"}', "g").tasks[1].id == wanted


def test_identical_contents_get_distinct_ids() -> None:
    first, second, third = (task.id for task in parse(b'{"title": "a"}\n' * 3, "f").tasks)
    assert (second, third) == (f"{first}-2", f"{first}-3")


def test_a_made_up_id_is_never_one_that_the_file_has() -> None:
    made_up = parse(b'{"title": "a"}', "f").tasks[0].id
    parsed = parse(f'{{"title": "a"}}\n{{"id": "{made_up}", "title": "b"}}'.encode(), "f")
    assert [task.id for task in parsed.tasks] == [f"{made_up}-2", made_up]


def test_now_looks_like_the_times_in_the_files() -> None:
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", now())
