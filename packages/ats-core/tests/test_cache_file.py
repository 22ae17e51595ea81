"""The cache file: what was written comes back, and whatever else lies there is damage that is named."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ats_core import FailedProject, Project, Task
from ats_core.atomic import write_atomically
from ats_core.cache.file import (
    SCHEMA,
    DamagedCopyError,
    Header,
    decode_task,
    decode_tasks,
    encode_task,
    identity_of,
    read_copy,
    write_copy,
)
from hypothesis import given
from hypothesis import strategies as st

HEADER = Header(schema=SCHEMA, adapter="shop", scope="ann", fetched_at=1000.5)
TASKS = [
    Task(id="1", title="a\nb", content='"],\n{"x": 1}\n]}\n', tags=("x",), raw={"n": 1}),
    Task(id="2", title="日本語 \x00 \u2028", due_date="2026-01-01"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ats" / "corpus-cache.json"


@pytest.mark.parametrize("tasks", [[], TASKS[:1], TASKS])
def test_what_was_written_comes_back(path: Path, tasks: list[Task]) -> None:
    header = Header(
        schema=SCHEMA,
        adapter="shop",
        scope="ann\0completed",
        fetched_at=12.25,
        demo=True,
        revision="7",
        failed=(FailedProject(id="q", name="Work", error="HTTP 500"),),
        projects=(Project(id="p", name="Errands", kind="notes"),),
        warnings=("one line skipped",),
    )
    identity, spans = write_copy(path, header, tasks)
    copy = read_copy(path)
    assert copy is not None
    assert (copy.header, copy.identity) == (header, identity)
    assert decode_tasks(copy) == (tasks, spans)
    assert identity == identity_of(path.stat())


def test_a_task_can_be_read_without_its_neighbours(path: Path) -> None:
    _, spans = write_copy(path, HEADER, TASKS)
    places = memoryview(spans).cast("Q")
    content = path.read_bytes()
    assert [decode_task(content[places[2 * at] : places[2 * at + 1]]) for at in range(2)] == TASKS


def test_the_file_is_one_json_document(path: Path) -> None:
    import json

    write_copy(path, HEADER, TASKS)
    document = json.loads(path.read_bytes())
    assert (document["schema"], document["adapter"], len(document["tasks"])) == (SCHEMA, "shop", 2)
    assert "projectId" in document["tasks"][0]


def test_the_file_is_private_and_nothing_else_is_left(path: Path) -> None:
    old_mask = os.umask(0)
    try:
        write_copy(path, HEADER, TASKS)
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert os.listdir(path.parent) == [path.name]


def test_no_file_is_no_copy(path: Path) -> None:
    assert read_copy(path) is None
    path.parent.mkdir()
    assert read_copy(path) is None
    assert read_copy(path.parent / "file" / "x.json") is None


def whole(path: Path) -> bytes:
    write_copy(path, HEADER, TASKS)
    return path.read_bytes()


DAMAGE = {
    "truncated header": lambda content: content[:20],
    "truncated in a task": lambda content: content[:-30],
    "truncated by one byte": lambda content: content[:-1],
    "half a task": lambda content: b'{"tasks":[{"id"',
    "empty": lambda content: b"",
    "NULs": lambda content: bytes(4096),
    "a list": lambda content: b"[]",
    "a number": lambda content: b'5,"tasks":[\n\n]}\n',
    "another schema": lambda content: content.replace(b'"schema":1', b'"schema":0', 1),
    "a text as schema": lambda content: content.replace(b'"schema":1', b'"schema":"1"', 1),
    "older JSON": lambda content: b'{"version": 1, "tasks": []}',
    "a header without a field": lambda content: content.replace(b'"scope":"ann",', b"", 1),
    "a field of the wrong type": lambda content: content.replace(b'"scope":"ann"', b'"scope":[1]', 1),
    "not UTF-8": lambda content: content.replace(b"ann", b"a\xff\xfe", 1),
    "binary": lambda content: bytes(range(256)) * 8,
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damage_of_any_kind_is_told_from_a_copy(path: Path, how: str) -> None:
    path.write_bytes(DAMAGE[how](whole(path)))
    with pytest.raises(DamagedCopyError):
        read_copy(path)


def test_another_schema_says_so(path: Path) -> None:
    path.write_bytes(DAMAGE["another schema"](whole(path)))
    with pytest.raises(DamagedCopyError, match=r"written by another version \(schema 0\)"):
        read_copy(path)


@pytest.mark.parametrize(
    "line", [b"null", b'{"id":1,"title":"a"}', b'{"id":"1"', b'{"title":"a"}', b"", b'{"id":"\xff"}']
)
def test_a_line_that_is_no_task_is_damage(path: Path, line: bytes) -> None:
    content = whole(path)
    head = content.split(b"\n", 1)[0]
    path.write_bytes(head + b"\n" + line + b",\n" + encode_task(TASKS[0]) + b"\n]}\n")
    copy = read_copy(path)
    assert copy is not None
    with pytest.raises(DamagedCopyError, match="a task in it cannot be read"):
        decode_tasks(copy)


def test_a_folder_a_pipe_and_a_link_to_nothing_are_damage(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(DamagedCopyError, match="not a regular file"):
        read_copy(path)
    path.rmdir()
    os.mkfifo(path)
    with pytest.raises(DamagedCopyError, match="not a regular file"):
        read_copy(path)
    path.unlink()
    path.symlink_to(path.parent / "nowhere")
    with pytest.raises(DamagedCopyError, match="a link that leads nowhere"):
        read_copy(path)
    path.unlink()
    path.symlink_to(path)
    with pytest.raises(DamagedCopyError):
        read_copy(path)


def test_a_file_that_may_not_be_read_is_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    whole(path)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(DamagedCopyError, match="Permission denied"):
        read_copy(path)


def test_a_failed_write_leaves_the_old_file_and_no_other(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = whole(path)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_copy(path, HEADER, [])
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_a_write_that_is_interrupted_leaves_the_old_file_and_no_other(path: Path) -> None:
    before = whole(path)

    def chunks() -> Any:
        yield b"half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, chunks())
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


class Rude:
    def __str__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize("value", [Rude(), "\ud83d", {Rude(): 3}])
def test_a_raw_record_that_json_cannot_carry_costs_only_itself(value: Any) -> None:
    assert decode_task(encode_task(Task(id="1", title="a", raw={"x": value}))) == Task(id="1", title="a")


@pytest.mark.parametrize("value", [Rude(), "\ud83d", {Rude(): 3}])
def test_a_raw_record_of_a_project_that_json_cannot_carry_costs_only_itself(path: Path, value: Any) -> None:
    project = Project(id="p", name="Errands", kind="notes", raw={"x": value})
    write_copy(path, msgspec.structs.replace(HEADER, projects=(project,)), TASKS)
    copy = read_copy(path)
    assert copy is not None
    assert copy.header.projects == (Project(id="p", name="Errands", kind="notes"),)
    assert decode_tasks(copy)[0] == TASKS


def test_a_raw_record_that_holds_itself_costs_only_itself() -> None:
    raw: dict[str, Any] = {}
    raw["again"] = raw
    assert decode_task(encode_task(Task(id="1", title="a", raw=raw))).raw == {}


def test_a_foreign_value_in_a_raw_record_is_written_as_text() -> None:
    assert decode_task(encode_task(Task(id="1", title="a", raw={"x": Path("/y")}))).raw == {"x": "/y"}


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    st.lists(
        st.builds(
            Task,
            id=words,
            title=words,
            content=words,
            project_id=words,
            project_name=words,
            tags=st.lists(words, max_size=3).map(tuple),
            due_date=st.none() | words,
            raw=st.dictionaries(words, st.none() | st.booleans() | st.integers(-(2**60), 2**60) | words, max_size=3),
        ),
        max_size=4,
    )
)
def test_any_tasks_come_back(tmp_path_factory: pytest.TempPathFactory, tasks: list[Task]) -> None:
    path = tmp_path_factory.mktemp("cache") / "corpus-cache.json"
    _, spans = write_copy(path, HEADER, tasks)
    copy = read_copy(path)
    assert copy is not None
    assert decode_tasks(copy) == (tasks, spans)
