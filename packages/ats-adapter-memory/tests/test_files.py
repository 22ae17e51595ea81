"""Which file it is, what is said about one that cannot be read, and that a change is seen at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, AtsError, ConfigError, Deadline, StoreError, Task

Open = Callable[..., MemoryAdapter]
TasksOf = Callable[[MemoryAdapter], list[Task]]


def adapter(environ: dict[str, str] | None = None, **settings: object) -> MemoryAdapter:
    return MemoryAdapter(AdapterConfig(name="memory", environ=environ or {}, settings=settings))


def one(path: Path, title: str) -> Path:
    path.write_text(json.dumps({"id": "1", "title": title}))
    return path


def titles(adapter: MemoryAdapter) -> list[str]:
    return [task.title for task in adapter.bulk_fetch(Deadline(5)).tasks]


def test_environment_then_settings_then_demo(tmp_path: Path) -> None:
    env, setting = one(tmp_path / "env.json", "env"), one(tmp_path / "setting.json", "setting")
    assert titles(adapter({"ATS_MEMORY_FILE": str(env)}, file=str(setting))) == ["env"]
    assert titles(adapter({"ATS_MEMORY_FILE": ""}, file=str(setting))) == ["setting"]
    assert not adapter(file=str(setting)).demo
    for empty in (adapter(), adapter({"ATS_MEMORY_FILE": ""}), adapter(file=""), adapter(file=None)):
        assert empty.demo


def test_a_tilde_is_the_home_of_the_environment_given(tmp_path: Path) -> None:
    one(tmp_path / "tasks.json", "home")
    assert titles(adapter({"HOME": str(tmp_path), "ATS_MEMORY_FILE": "~/tasks.json"})) == ["home"]
    assert titles(adapter({"HOME": str(tmp_path)}, file="~/tasks.json")) == ["home"]


def test_a_relative_path_is_fixed_when_the_adapter_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one(tmp_path / "tasks.json", "here")
    monkeypatch.chdir(tmp_path)
    made = adapter({"ATS_MEMORY_FILE": "tasks.json"})
    monkeypatch.chdir("/")
    assert titles(made) == ["here"]


@pytest.mark.parametrize("value", [7, ["x"], {"path": "x"}, "a\0b"])
def test_a_setting_that_is_no_path_is_named(value: object) -> None:
    with pytest.raises(ConfigError, match="file is"):
        adapter(file=value)


def test_constructing_touches_no_file(tmp_path: Path) -> None:
    adapter({"ATS_MEMORY_FILE": str(tmp_path / "nowhere" / "tasks.json")})


def failure(path: Path) -> AtsError:
    made = adapter({"ATS_MEMORY_FILE": str(path)})
    calls: list[Callable[[], object]] = [
        made.list_projects,
        lambda: made.bulk_fetch(Deadline(5)),
        lambda: made.list_tasks_in_project("p"),
        lambda: made.get_task("p", "1"),
    ]
    errors = []
    for call in calls:
        with pytest.raises((ConfigError, StoreError)) as caught:
            call()
        errors.append(caught.value)
    assert len({str(error) for error in errors}) == 1
    error = errors[0]
    assert str(path) in error.message
    assert error.message.isprintable()
    assert error.hint
    assert error.hint.isprintable()
    return error


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in failure(tmp_path / "nope.json").message
    assert "no such file" in failure(one(tmp_path / "file", "x") / "below.json").message
    assert adapter({"ATS_MEMORY_FILE": str(tmp_path / "nope.json")}).revision() is None


def test_a_folder_or_a_pipe(tmp_path: Path) -> None:
    assert "is a folder" in failure(tmp_path).message
    os.mkfifo(tmp_path / "pipe")
    assert "no regular file" in failure(tmp_path / "pipe").message
    adapter({"ATS_MEMORY_FILE": str(tmp_path)}).revision()
    adapter({"ATS_MEMORY_FILE": str(tmp_path / "pipe")}).revision()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = one(tmp_path / "tasks.json", "x")
    path.chmod(0)
    assert "cannot read" in failure(path).message


def test_a_file_that_refuses_to_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    path = one(tmp_path / "tasks.json", "x")
    monkeypatch.setattr(Path, "read_bytes", refuse)
    error = failure(path)
    assert error.message == f"cannot read {path}: Permission denied"


def test_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert "cannot read" in failure(tmp_path / "a").message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\0" * 4096, "not JSON"),
        (b"hello", "not JSON"),
        (b"hello\nworld\n", "no line of it is a JSON object"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
        (b"\x89PNG\r\n\x1a\n\0\0", "no line of it is a JSON object"),
        (b'["caf\xe9"]', "not UTF-8"),
        (b'{"tasks":[{"id"', "not JSON"),
        (b'[\n  {"id": "1"},\n  {"id": "2"}\n', "not JSON"),
        (b'{\n"tasks": [\n{"id": "1"},\n{"id": "2"}\n]', "not JSON"),
        (b'[{"id": "1"},\n{"id": "2"}\n', "not JSON"),
        (b"42", "holds a number"),
        (b"null", "holds null"),
        (b'"text"', "holds a text"),
        (b"1\n2\n", "no line of it is a JSON object"),
        (b'{"tasks": {"1": {}}}', "tasks is an object, not an array"),
        (b'{"tasks": [], "projects": 3}', "projects is a number, not an array"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_file_without_tasks_is_one_clear_line(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_bytes(data)
    assert said in failure(path).message


def test_a_file_that_is_mended_is_read(open_file: Open, tasks_of: TasksOf, tmp_path: Path) -> None:
    broken = open_file("[")
    with pytest.raises(StoreError):
        tasks_of(broken)
    (tmp_path / "tasks.jsonl").write_text('[{"id": "1", "title": "a"}]')
    assert titles(broken) == ["a"]


def test_a_change_is_seen_at_once_even_at_the_same_size(open_file: Open, tmp_path: Path) -> None:
    made = open_file('{"id": "1", "title": "alpha"}')
    seen = set()
    for number in range(200):
        (tmp_path / "tasks.jsonl").write_text(f'{{"id": "1", "title": "{number:05}"}}')
        assert titles(made) == [f"{number:05}"]
        seen.add(made.revision())
    assert len(seen) == 200


def test_an_unchanged_file_is_parsed_once(open_file: Open) -> None:
    made = open_file('{"id": "1", "title": "alpha"}')
    revision = made.revision()
    assert made.list_tasks_in_project("default")[0] is made.get_task("default", "1")
    assert made.revision() == revision


def test_the_revision_holds_path_inode_size_and_time(open_file: Open, tmp_path: Path) -> None:
    made = open_file(b'{"id": "1"}' + b" " * 100_000)
    path = tmp_path / "tasks.jsonl"
    status = path.stat()
    assert made.revision() == f"{path}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}"
    os.utime(path, ns=(1, 1))
    assert made.revision() == f"{path}:{status.st_ino}:{status.st_size}:1"


def test_the_scope_is_the_file_itself(open_file: Open, tmp_path: Path) -> None:
    made = open_file("[]")
    (tmp_path / "link.json").symlink_to("tasks.jsonl")
    linked = adapter({"ATS_MEMORY_FILE": str(tmp_path / "link.json")})
    assert made.cache_scope() == linked.cache_scope() == os.path.realpath(tmp_path / "tasks.jsonl")
    assert adapter({"ATS_MEMORY_FILE": str(tmp_path / "other")}).cache_scope() != made.cache_scope()


def test_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/t\xff.jsonl")
    Path(path).write_text('{"id": "1"}\nbroken\n')
    made = adapter({"ATS_MEMORY_FILE": path})
    assert titles(made) == [""]
    said = [made.revision() or "", made.cache_scope(), made.url_for("p", "1"), *made.take_warnings()]
    assert all("\\udcff" in text or "%FF" in text for text in said)
    with pytest.raises(ConfigError) as caught:
        titles(adapter({"ATS_MEMORY_FILE": path + "x"}))
    "".join([*said, caught.value.message]).encode()


def test_the_address_is_the_file_s_with_the_id_as_fragment(tmp_path: Path) -> None:
    made = adapter({"ATS_MEMORY_FILE": str(tmp_path / "my tasks.json")})
    assert made.url_for("p", "task/ä #1") == (tmp_path / "my tasks.json").as_uri() + "#task%2F%C3%A4%20%231"
    assert "my%20tasks.json" in made.url_for("p", "1")


def test_warnings_are_taken_once_and_come_again_with_a_change(
    open_file: Open, tasks_of: TasksOf, tmp_path: Path
) -> None:
    made = open_file('{"id": "1"}\n{"id"\n')
    assert made.take_warnings() == []
    tasks_of(made)
    made.list_projects()
    path = tmp_path / "tasks.jsonl"
    (warning,) = made.take_warnings()
    assert warning.startswith(f"{path}: line 2 ")
    tasks_of(made)
    assert made.take_warnings() == []
    path.write_text('{"id": "1"}\n\n{"id"\n')
    tasks_of(made)
    assert "line 3" in made.take_warnings()[0]
    path.write_text('{"id": "1"}\n{"id"\n')
    tasks_of(made)
    path.write_text('{"id": "1"}\n')
    tasks_of(made)
    assert made.take_warnings() == []


def test_settings_name_the_variable_and_no_secret() -> None:
    (setting,) = adapter().settings()
    assert (setting.key, setting.env, setting.secret) == ("file", "ATS_MEMORY_FILE", False)
