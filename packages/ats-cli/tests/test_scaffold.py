"""`ats adapter new`: a package that is whole, or nothing at all."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ats_cli import scaffold
from ats_cli.scaffold import KINDS, named, next_commands, write_adapter
from ats_core import AdapterConfig, ConfigError, UsageError
from ats_core.plugins.adapter import Adapter

EVERY_FILE = [".github/workflows/ci.yml", ".gitignore", "README.md", "pyproject.toml"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def test_it_writes_a_whole_package(kind: str, tmp_path: Path) -> None:
    made = write_adapter("my-tasks", kind, tmp_path / "here")
    assert set(made.files) > {
        *EVERY_FILE,
        *(f"src/ats_adapter_my_tasks/{name}" for name in ("__init__.py", "adapter.py", "py.typed")),
        "tests/test_adapter.py",
    }
    assert made.files == sorted(p.relative_to(made.folder).as_posix() for p in made.folder.rglob("*") if p.is_file())
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    for name in made.files:
        text = (made.folder / name).read_text("utf-8")
        assert "skeleton" not in text.lower(), name
        if name.endswith(".py"):
            compile(text, name, "exec")
    project = tomllib.loads((made.folder / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == "ats-adapter-my-tasks"
    assert project["entry-points"] == {"ats.adapters": {"my-tasks": "ats_adapter_my_tasks:MyTasksAdapter"}}
    assert project["dependencies"] == ["ats-core>=0.1,<0.2", *(["httpx>=0.27"] if kind == "http" else [])]


def test_the_adapter_can_be_registered(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = write_adapter(f"seen-{kind}", kind, tmp_path / "here")
    monkeypatch.syspath_prepend(made.folder / "src")
    module = __import__(f"ats_adapter_seen_{kind}")
    factory = getattr(module, f"Seen{kind.capitalize()}Adapter")
    adapter = Adapter(made.name, factory(AdapterConfig(name=made.name)))
    assert {setting.env for setting in adapter.settings()} == {
        "file": {"ATS_SEEN_FILE_FILE"},
        "http": {"ATS_SEEN_HTTP_URL", "ATS_SEEN_HTTP_TOKEN"},
    }[kind]
    assert [setting.key for setting in adapter.settings() if setting.secret] == (["token"] if kind == "http" else [])


def test_its_tests_pass_where_there_is_nothing_but_core_and_pytest(tmp_path: Path) -> None:
    made = write_adapter("jot", "file", tmp_path / "here")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider"],
        cwd=made.folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, ["src", os.environ.get("PYTHONPATH")]))},
        capture_output=True,
        encoding="utf-8",
    )
    assert re.search(r"\d+ passed", done.stdout), done.stdout + done.stderr
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("there", ["file", "folder", "dangling link"])
def test_what_is_in_the_way_is_left_alone(there: str, tmp_path: Path) -> None:
    place = tmp_path / "here"
    match there:
        case "file":
            place.write_text("mine")
        case "folder":
            place.mkdir()
        case _:
            place.symlink_to(tmp_path / "nowhere")
    before = place.lstat()
    with pytest.raises(UsageError, match="exists already"):
        write_adapter("jot", "file", place)
    assert place.lstat() == before
    assert list(tmp_path.iterdir()) == [place]


def test_a_folder_that_appears_meanwhile_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "here"

    def late(*given: Any) -> list[str]:
        written = write(*given)
        place.mkdir()
        (place / "mine").write_text("mine")
        return written

    write = scaffold._write
    monkeypatch.setattr(scaffold, "_write", late)
    with pytest.raises(ConfigError, match="cannot be written"):
        write_adapter("jot", "file", place)
    assert [path.name for path in place.iterdir()] == ["mine"]
    assert list(tmp_path.iterdir()) == [place]


def test_a_failure_in_the_middle_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        write_adapter("jot", "file", tmp_path / "here")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder") as caught:
        write_adapter("jot", "file", tmp_path / "no" / "here")
    assert "mkdir" in (caught.value.hint or "")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_as_open_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    made = write_adapter("jot", "file", tmp_path / "here")
    assert made.folder.stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Jot", "jot"),
        ("my_tasks", "my-tasks"),
        ("my tasks", "my-tasks"),
        ("my--tasks", "my-tasks"),
        ("-jot", "jot"),
        ("jot-", "jot"),
        ("ats-adapter-jot", "jot"),
        ("ats_adapter_jot", "jot"),
        ("../jot", "jot"),
        ("jöt", "j-t"),
        ("jot\n", "jot"),
        ("1st", "my-tasks"),
        ("", "my-tasks"),
        ("💩", "my-tasks"),
        ("x" * 41, "x" * 40),
    ],
)
def test_a_name_that_cannot_be_is_refused_with_one_that_can(name: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        write_adapter(name, "file", tmp_path / "here")
    assert re.search(rf"\b{re.escape(hint)}$", caught.value.hint or "")
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_spoken_for(ats: Any, make_dist: Any, tmp_path: Path) -> None:
    make_dist("ats-shelf", group="ats.commands", points={"shelf": "shelf:app"})
    for name, said in {
        "toy": "an adapter toy is installed: ats-toy 1.0",
        "find": "ats find is a command already",
        "shelf": "ats shelf is a command already",
    }.items():
        done = ats("adapter", "new", name, "--dir", str(tmp_path / "here"))
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert not (tmp_path / "here").exists()


def test_the_command_says_what_comes_next(ats: Any, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "a folder"
    done = ats("adapter", "new", "jot", "--kind", kind, "--dir", str(place))
    assert (done.code, done.err) == (0, "")
    assert f"\n  cd '{place}'\n" in done.out
    assert "\n  ats find --adapter jot two photos\n" in done.out
    again = ats("adapter", "new", "jot", "--kind", kind, "--dir", str(place), "--json")
    assert again.code == 2
    assert again.json["error"]["type"] == "UsageError"
    other = ats("adapter", "new", "jot", "--kind", kind, "--dir", str(tmp_path / "other"), "--json").json
    assert (other["name"], other["kind"], other["folder"]) == ("jot", kind, str(tmp_path / "other"))
    assert set(EVERY_FILE) < set(other["files"])
    assert other["next"][1:3] == ["pip install -e '.[test]'", "pytest"]


def test_a_kind_that_there_is_none_of(ats: Any, tmp_path: Path) -> None:
    done = ats("adapter", "new", "jot", "--kind", "ftp", "--dir", str(tmp_path / "here"), "--json")
    assert (done.code, json.loads(done.out)["error"]["message"]) == (2, "kind is 'ftp', expected file or http")


def test_the_next_commands_begin_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert next_commands(write_adapter("jot", "file", Path("here")))[0] == "cd here"


def test_every_form_of_the_name_is_replaced() -> None:
    text = "ats_adapter_skeleton.SkeletonAdapter reads $ATS_SKELETON_FILE of skeleton"
    assert named(text, "my-tasks") == "ats_adapter_my_tasks.MyTasksAdapter reads $ATS_MY_TASKS_FILE of my-tasks"
