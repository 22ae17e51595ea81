"""A write changes what it says and not one other byte of the file."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from ats_adapter_memory import MemoryAdapter, edit, write
from ats_adapter_memory.parse import parse
from ats_core import (
    AdapterConfig,
    ConfigError,
    NotFoundError,
    StoreError,
    Task,
    TaskDraft,
    TaskPatch,
    UsageError,
)
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

Open = Callable[..., MemoryAdapter]
TasksOf = Callable[[MemoryAdapter], list[Task]]

LINES = (
    '{"id": "1", "title": "caf\\u00e9", "n": 1.10, "n": 1e2, "projectId": "p", "tags": ["a"]}\n'
    "\n"
    "broken {\n"
    '{"id":2,"title":"two","projectId":"p","unknown":{"deep":[1,  2]},"bad":"\\ud83d"}\r\n'
    '{"title": "no id", "projectId": "p"}\n'
)
INDENTED = """\
{
  "version": 1.0,
  "projects": [{"id": "p", "name": "Home"}, {"id": "q", "name": "Work"}],
  "tasks": [
    {
      "id": "1",
      "title": "one",
      "projectId": "p",
      "dueDate": "2026-05-29"
    },
    17,
    {
      "id": 2,
      "title": "two",
      "projectId": "p",
      "big": 1e400
    }
  ],
  "after": "\\ud83d"
}
"""


def bytes_of(tmp_path: Path) -> bytes:
    return (tmp_path / "tasks.jsonl").read_bytes()


def without_times(text: str) -> str:
    """The text without the `modifiedTime` that a write adds or sets."""
    return re.sub(r',\s*"modifiedTime":\s*"[^"]*"', "", text)


def test_updating_a_line_leaves_every_other_byte(open_file: Open, tmp_path: Path) -> None:
    adapter = open_file(b"\xef\xbb\xbf" + LINES.encode() + b"\xff\xfe not utf-8")
    task = adapter.update_task("p", "2", TaskPatch(title="zwei ä", tags=("x", "y")))
    assert (task.id, task.title, task.tags) == ("2", "zwei ä", ("x", "y"))
    assert task.raw["unknown"] == {"deep": [1, 2]}
    wanted = LINES.replace('"two"', '"zwei ä"').replace('"\\ud83d"}', '"\\ud83d","tags":["x", "y"]}')
    data = bytes_of(tmp_path)
    assert data.endswith(b"\xff\xfe not utf-8")
    assert without_times(data[: -len(b"\xff\xfe not utf-8")].decode()) == "\ufeff" + wanted


def test_updating_the_first_line_keeps_how_its_other_values_are_written(open_file: Open, tmp_path: Path) -> None:
    open_file(LINES).update_task("p", "1", TaskPatch(status="done"))
    first = bytes_of(tmp_path).decode().splitlines()[0]
    assert first.startswith(LINES.splitlines()[0].removesuffix("}") + ', "status": "done", "modifiedTime": "')


def test_updating_in_an_indented_object_keeps_the_rest(open_file: Open, tmp_path: Path) -> None:
    adapter = open_file(INDENTED)
    task = adapter.update_task("p", "2", TaskPatch(title="zwei", project_id="q"))
    assert (task.project_id, task.project_name) == ("q", "Work")
    assert without_times(bytes_of(tmp_path).decode()) == INDENTED.replace(
        '"two",\n      "projectId": "p",\n      "big": 1e400',
        '"zwei",\n      "projectId": "q",\n      "big": 1e400,\n      "projectName": "Work"',
    )


def test_creating_in_an_indented_object_indents_alike(open_file: Open, tmp_path: Path) -> None:
    task = open_file(INDENTED).create_task(TaskDraft(title="three", content="line\nline", project_id="q"))
    before, after = INDENTED.split("\n  ],\n")
    text = bytes_of(tmp_path).decode()
    added = text.removeprefix(before + ",\n").removesuffix("\n  ],\n" + after)
    assert added.splitlines()[:3] == ["    {", f'      "id": "{task.id}",', '      "title": "three",']
    assert added.endswith("\n    }")
    assert [task.id for task in parse(text.encode(), "f").tasks] == ["1", "2", task.id]
    assert task.content == "line\nline"


@pytest.mark.parametrize(
    "data",
    [
        "",
        "\n",
        "[]",
        "[ ]\n",
        '{"tasks": []}',
        '{"tasks": null, "x": 1}',
        '{"projects": []}',
        '{"id": "a", "title": "t"}',
        '{\n  "id": "a",\n  "title": "t"\n}\n',
        '[{"id":"a"}]',
        '[\n\t{"id":"a"}\n]\n',
        '[\n\t{"id":"a"},\n\t{"id":"b"}\n]\n',
        '[\r\n  {\r\n    "id": "a"\r\n  }\r\n]\r\n',
        '{"id":"a"}\n{"id":"b"}',
        '{"id":"a"}\r\n{"id":"b"}\r\n',
        '{"id":"a"}\n{"id"',
        "\n\n{}\n",
    ],
)
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["tasks.json", "tasks.jsonl"])
def test_creating_works_in_every_form_and_keeps_it(
    open_file: Open, tasks_of: TasksOf, tmp_path: Path, data: str, bom: str, name: str
) -> None:
    adapter = open_file(bom + data, name)
    before = tasks_of(adapter)
    made = [adapter.create_task(TaskDraft(title=title)) for title in ("first", "second")]
    assert tasks_of(adapter) == before + made
    text = (tmp_path / name).read_bytes().decode()
    assert text.startswith(bom)
    if data.strip()[:1] == "[" or "tasks" in data or "projects" in data:
        json.loads(text.removeprefix("\ufeff"))
    elif not data.startswith("{\n") and data.strip():
        assert text.startswith(bom + data)
    assert ("\r\n" in text) == ("\r\n" in data)
    assert text.count("\r\n") in (0, text.count("\n"))


def test_a_created_task_is_complete(open_file: Open, tasks_of: TasksOf) -> None:
    adapter = open_file(LINES)
    draft = TaskDraft(title="new", content="body", project_id="p", tags=("a", "b"), due_date="2026-05-29")
    task = adapter.create_task(draft)
    assert (task.title, task.content, task.tags, task.due_date) == ("new", "body", ("a", "b"), "2026-05-29")
    assert (task.project_id, task.status) == ("p", "open")
    assert task.modified_time
    assert task.modified_time.endswith("+0000")
    assert adapter.get_task("p", task.id) == task
    assert task.raw["id"] == task.id
    assert tasks_of(adapter)[-1] == task


def test_without_a_project_a_task_goes_to_the_default_one(open_file: Open) -> None:
    task = open_file("").create_task(TaskDraft(title="x"))
    assert (task.project_id, task.project_name) == ("default", "Tasks")
    assert "projectId" not in task.raw


def test_a_new_id_is_never_one_that_is_taken(
    open_file: Open, tasks_of: TasksOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = iter([uuid.UUID(int=7)] * 3 + [uuid.UUID(int=8 << 96)])
    monkeypatch.setattr(uuid, "uuid4", lambda: next(ids))
    adapter = open_file('{"id": "000000000000"}\n')
    assert adapter.create_task(TaskDraft(title="x")).id == "000000080000"


def test_unknown_tasks_and_projects_are_refused_and_nothing_is_written(open_file: Open, tmp_path: Path) -> None:
    adapter = open_file(LINES)
    with pytest.raises(NotFoundError, match="no task 'nope'"):
        adapter.update_task("p", "nope", TaskPatch(title="x"))
    with pytest.raises(NotFoundError, match="no task '1' in project 'q'"):
        adapter.update_task("q", "1", TaskPatch(title="x"))
    with pytest.raises(NotFoundError, match="no project 'q'") as caught:
        adapter.update_task("p", "1", TaskPatch(project_id="q"))
    assert caught.value.hint == "there are: default, p"
    with pytest.raises(NotFoundError, match="no project 'q'"):
        adapter.create_task(TaskDraft(title="x", project_id="q"))
    with pytest.raises(UsageError, match="unknown status"):
        adapter.update_task("p", "1", TaskPatch(status="half"))
    assert bytes_of(tmp_path) == LINES.encode()


def test_an_empty_patch_writes_nothing(open_file: Open, tmp_path: Path) -> None:
    adapter = open_file(LINES)
    revision = adapter.revision()
    assert adapter.update_task("p", "1", TaskPatch()).title == "café"
    assert adapter.revision() == revision


FULL: dict[str, Any] = {
    "id": "1",
    "title": "t",
    "content": "c",
    "projectId": "p",
    "projectName": "P",
    "tags": ["a"],
    "dueDate": "2026-05-29",
    "modifiedTime": "2020-01-01T00:00:00.000+0000",
    "status": "open",
}


@pytest.mark.parametrize(
    ("patch", "changed"),
    [
        (TaskPatch(title="x"), {"title": "x"}),
        (TaskPatch(content="x"), {"content": "x"}),
        (TaskPatch(content=None), {"content": ""}),
        (TaskPatch(tags=("b", "c")), {"tags": ["b", "c"]}),
        (TaskPatch(tags=None), {"tags": []}),
        (TaskPatch(due_date="2027-01-01"), {"dueDate": "2027-01-01"}),
        (TaskPatch(due_date=None), {"dueDate": None}),
        (TaskPatch(status="done"), {"status": "done"}),
        (TaskPatch(project_id="default"), {"projectId": "default", "projectName": "Tasks"}),
        (TaskPatch(title="plan \ud83d"), {"title": "plan \ufffd"}),
    ],
)
def test_a_patch_changes_its_field_and_the_time_alone(
    open_file: Open, patch: TaskPatch, changed: dict[str, Any]
) -> None:
    task = open_file(json.dumps([FULL])).update_task("p", "1", patch)
    assert task.raw["modifiedTime"] > "2026"
    assert dict(task.raw) == FULL | changed | {"modifiedTime": task.raw["modifiedTime"]}

    memory = MemoryAdapter.of([Task(**_fields())])
    mine = memory.update_task("p", "1", patch)
    assert (mine.title, mine.content, mine.tags, mine.due_date) == (
        task.title,
        task.content,
        task.tags,
        task.due_date,
    )
    assert (mine.project_id, mine.project_name, mine.status) == (
        task.project_id,
        task.project_name,
        task.status,
    )


def _fields() -> dict[str, Any]:
    return {
        "id": "1",
        "title": "t",
        "content": "c",
        "project_id": "p",
        "project_name": "P",
        "tags": ("a",),
        "due_date": "2026-05-29",
    }


def test_clearing_a_date_that_is_not_there_adds_none(open_file: Open) -> None:
    task = open_file('{"id": "1", "projectId": "p"}').update_task("p", "1", TaskPatch(due_date=None, title="x"))
    assert "dueDate" not in task.raw


@pytest.mark.parametrize(
    ("old", "done", "reopened"),
    [
        (0, 2, 0),
        (2, 2, 0),
        (False, True, False),
        (True, True, False),
        ("open", "done", "open"),
        ("completed", "completed", "open"),
        ("waiting", "done", "open"),
        (None, "done", "open"),
    ],
)
def test_a_status_is_written_in_the_terms_of_the_file(
    open_file: Open, old: object, done: object, reopened: object
) -> None:
    adapter = open_file(json.dumps({"id": "1", "status": old}))
    task = adapter.update_task("default", "1", TaskPatch(status="done"))
    assert (task.status, task.raw["status"]) == ("done", done)
    task = adapter.update_task("default", "1", TaskPatch(status="open"))
    assert (task.status, task.raw["status"]) == ("open", reopened)


def test_an_update_keeps_an_id_that_was_made_from_the_content(open_file: Open, tasks_of: TasksOf) -> None:
    adapter = open_file('{"title": "a"}\n{"title": "a"}\n{"id": null, "title": "b"}\n')
    before = [task.id for task in tasks_of(adapter)]
    for task_id in before:
        assert adapter.update_task("default", task_id, TaskPatch(content="more")).id == task_id
        assert [task.id for task in tasks_of(adapter)] == before
    assert all(task.content == "more" for task in tasks_of(adapter))


def test_of_duplicate_ids_the_first_is_updated(open_file: Open, tasks_of: TasksOf) -> None:
    adapter = open_file('{"id": "1", "title": "a"}\n{"id": "1", "title": "b"}\n')
    adapter.update_task("default", "1", TaskPatch(title="c"))
    assert [task.title for task in tasks_of(adapter)] == ["c", "b"]


def test_of_a_key_given_twice_the_one_that_counts_is_changed(open_file: Open) -> None:
    adapter = open_file('{"id": "1", "title": "a", "title": "b"}')
    assert adapter.update_task("default", "1", TaskPatch(title="c")).title == "c"


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "tasks.json", tmp_path / "link.json"
    real.write_text("[]")
    real.chmod(0o640)
    link.symlink_to(real)
    adapter = MemoryAdapter(AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": str(link)}))
    adapter.create_task(TaskDraft(title="x"))
    assert link.is_symlink()
    assert "x" in real.read_text()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path / "real")) == ["tasks.json", "tasks.json.lock"]
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real"]


@pytest.mark.parametrize("where", ["os.replace", "os.fsync", "pathlib.Path.chmod"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_file_and_no_litter(
    open_file: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: BaseException
) -> None:
    adapter = open_file(LINES)

    def fail(*args: object, **kwargs: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(where, fail)
        with pytest.raises((StoreError, KeyboardInterrupt)) as caught:
            adapter.create_task(TaskDraft(title="x"))
    if isinstance(caught.value, StoreError):
        assert caught.value.message == f"cannot write {tmp_path / 'tasks.jsonl'}: No space left on device"
    assert bytes_of(tmp_path) == LINES.encode()
    assert sorted(os.listdir(tmp_path)) == ["tasks.jsonl", "tasks.jsonl.lock"]
    adapter.create_task(TaskDraft(title="x"))


def test_writing_to_a_file_that_cannot_be_read_changes_nothing(open_file: Open, tmp_path: Path) -> None:
    adapter = open_file('[{"id": "1"}')
    with pytest.raises(StoreError, match="not JSON"):
        adapter.create_task(TaskDraft(title="x"))
    assert bytes_of(tmp_path) == b'[{"id": "1"}'
    (tmp_path / "tasks.jsonl").unlink()
    with pytest.raises(ConfigError, match="no such file"):
        adapter.create_task(TaskDraft(title="x"))


def test_a_file_that_is_locked_says_so(tmp_path: Path) -> None:
    target = tmp_path / "tasks.json"
    with write.locked(target), pytest.raises(StoreError, match="is being written by another process"):  # noqa: SIM117
        # As another process would find it: a lock object of its own, and no time to wait.
        with write.locked(target, seconds=0):
            pass


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
names = st.text(min_size=1, max_size=4).filter(lambda name: name not in FULL)
extras = st.lists(st.dictionaries(names, values, max_size=3), min_size=1, max_size=4)


@given(
    extras=extras,
    layout=st.sampled_from(["lines", None, 0, 3, "\t"]),
    ascii_only=st.booleans(),
    data=st.data(),
)
def test_any_record_can_be_changed_and_any_layout_added_to(
    extras: list[dict[str, Any]], layout: Any, ascii_only: bool, data: st.DataObject
) -> None:
    records = [{"id": str(number), **extra, "title": "t"} for number, extra in enumerate(extras)]
    if layout == "lines":
        text = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)
    else:
        text = json.dumps({"a": 1, "tasks": records, "z": []}, indent=layout, ensure_ascii=ascii_only)
    form = parse(text.encode("utf-8", "surrogatepass"), "f").form
    position = data.draw(st.integers(0, len(records) - 1))
    title = data.draw(st.text(st.characters(exclude_categories=["Cs"])))
    changed = edit.change_record(text, form, position, {"title": title, "new": [title]})
    changed = edit.add_record(changed, form, {"id": "added", "title": title})
    wanted = [dict(record) for record in records]
    wanted[position] |= {"title": title, "new": [title]}
    wanted.append({"id": "added", "title": title})
    if layout == "lines":
        # `splitlines` would part at characters that JSON allows inside a line.
        assert [json.loads(line) for line in changed.split("\n") if line] == wanted
    else:
        assert json.loads(changed) == {"a": 1, "tasks": wanted, "z": []}
