"""What the tests of question files and of the usage log share: a small store, and the commands run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ats_bench.app import app
from ats_core import Deadline, Fetched, Project, Task, hookimpl
from ats_core.engine import Engine
from ats_core.errors import AtsError
from ats_core.testing import make_engine
from typer.testing import CliRunner


class Store:
    """An adapter over tasks that are at hand; it prints while it works, as adapters do."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self.tasks = list(tasks)

    @hookimpl
    def list_projects(self) -> list[Project]:
        return [Project(id=name, name=name) for name in dict.fromkeys(task.project_id for task in self.tasks)]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        return [task for task in self.tasks if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in self.tasks if task.id == task_id), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str | None:
        return None

    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Fetched:
        print("fetching...")
        return Fetched(tasks=self.tasks)


class Ended(NamedTuple):
    """How a command ended. `error` is the one line that `ats` would show."""

    code: int
    out: str
    err: str
    error: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Bench = Callable[..., Ended]

TASKS = (
    Task(id="pass", title="Renew the old passport", content="Bring two photos", project_id="errands", tags=("admin",)),
    Task(id="plants", title="Water the plants", content="The fern wants less", project_id="home"),
    Task(id="gone", title="Return the library books", content="Overdue", project_id="errands", status="done"),
)


@pytest.fixture
def tasks() -> list[Task]:
    """The tasks of the store that `bench` asks; a test may change the list."""
    return list(TASKS)


@pytest.fixture
def bench(tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Runs `ats bench` with these words in a folder of its own."""

    def open_engine(environ: Mapping[str, str], adapter: str | None, flags: Mapping[str, Any]) -> Engine:
        return make_engine(Store(tasks), **flags)

    monkeypatch.setattr(Engine, "open", open_engine)
    monkeypatch.setenv("ATS_CONFIG_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("ATS_USAGE_LOG", raising=False)
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Ended:
        result = CliRunner().invoke(app, [str(word) for word in words])
        error = result.exception
        if isinstance(error, AtsError):
            return Ended(error.exit_code, result.stdout, result.stderr, str(error))
        if error is not None and not isinstance(error, SystemExit):
            raise error
        return Ended(result.exit_code, result.stdout, result.stderr, "")

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """`write(name, *records)`: a JSONL file of objects, or of lines as they are."""

    def make(name: str, *records: object) -> Path:
        path = tmp_path / name
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return make
