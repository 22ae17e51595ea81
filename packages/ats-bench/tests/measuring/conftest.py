"""A small store with questions over it, and `ats bench` run in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import pytest
from ats_bench.app import app
from ats_core import Candidate, Deadline, Project, StoreError, Task, hookimpl
from ats_core.engine import Engine
from ats_core.errors import AtsError
from ats_core.testing import make_engine
from typer.testing import CliRunner

TASKS = (
    Task(id="pass", title="Renew the passport", content="Bring two photos to the office", project_id="p"),
    Task(id="milk", title="Buy oat milk", content="And renew the library card", project_id="p"),
    Task(id="roll", title="Roll back a release", content="Use the previous tag, then tell everybody", project_id="q"),
    Task(id="fern", title="Water the fern", content="Every evening, but not the orchids", project_id="q"),
    Task(id="gone", title="Old visa form", content="for the consulate", project_id="q", status="done"),
)

QUESTIONS = (
    {"id": "q1", "question": "renew passport", "gold_task_ids": ["pass"], "tags": ["title"]},
    {"id": "q2", "question": "roll back a release", "gold_task_ids": ["roll"], "tags": ["title"]},
    {"id": "q3", "question": "orchids every evening", "gold_task_ids": ["fern"], "tags": ["half"]},
    {"id": "q4", "question": "library card", "gold_task_ids": ["milk", "pass"], "tags": ["half"]},
    {"id": "q5", "question": "yoga timetable", "no_answer": True},
)


class Store:
    """An adapter over tasks at hand. It prints while it works, as adapters do."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.fetches = 0
        self.budget_ms = 20_000

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        print("noise of an adapter")
        self.fetches += 1
        return [Project(id=name, name=name) for name in dict.fromkeys(task.project_id for task in self.tasks)]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return [task for task in self.tasks if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in self.tasks if task.id == task_id), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"test://{task_id}"


class Searching(Store):
    """A store with a search of its own: all tasks, the last first, with odd scores, one id twice, one done."""

    down = False
    gate: Event | None = None

    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Sequence[Candidate]:
        if self.gate is not None:
            self.gate.wait()
        if self.down:
            raise StoreError("the store is down")
        ranked = [*reversed(self.tasks), self.tasks[0]]
        return [Candidate(id=task.id, score=float("nan")) for task in ranked]


class Ended(NamedTuple):
    """How a command ended. `error` is the one line that `ats` would show."""

    code: int
    out: str
    err: str
    error: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Bench = Callable[..., Ended]


@pytest.fixture
def store() -> Store:
    """The store that `bench` asks; a test may change its tasks."""
    return Store(list(TASKS))


@pytest.fixture
def bench(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Runs `ats bench` with these words in a folder of its own, over `store`."""
    monkeypatch.setenv("ATS_CONFIG_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def open_engine(environ: Mapping[str, str], adapter: str | None, flags: Mapping[str, Any]) -> Engine:
        return make_engine(store, **{"state_dir": tmp_path / "state", "budget_ms": store.budget_ms, **flags})

    monkeypatch.setattr(Engine, "open", open_engine)

    def run(*words: object) -> Ended:
        result = CliRunner().invoke(app, [str(word) for word in words])
        error = result.exception
        if isinstance(error, AtsError):
            return Ended(error.exit_code, result.stdout, result.stderr, error.message)
        if error is not None and not isinstance(error, SystemExit):
            raise error
        return Ended(result.exit_code, result.stdout, result.stderr, "")

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """`write(name, records)`: a JSONL file of objects, or of lines as they are."""

    def make(name: str, records: Iterable[object]) -> Path:
        path = tmp_path / name
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return make


@pytest.fixture
def questions(write: Callable[..., Path]) -> Path:
    return write("questions.jsonl", QUESTIONS)


@pytest.fixture
def made(bench: Bench, questions: Path, tmp_path: Path) -> Path:
    """A finished run of find, sparse and keyword."""
    folder = tmp_path / "made"
    assert bench("run", "--questions", questions, "--methods", "find,sparse,keyword", "--out", folder).code == 0
    return folder


@pytest.fixture
def spoil() -> Callable[..., None]:
    """`spoil(folder, change)`: rewrite the answers of a run, each through `change(row)`, None for none."""

    def rewrite(folder: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
        path = folder / "rows.jsonl"
        rows = [change(json.loads(line)) for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows if row is not None))

    return rewrite
