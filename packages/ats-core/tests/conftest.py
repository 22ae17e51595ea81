"""An adapter over tasks at hand, engines over it, and distributions that exist only on `sys.path`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ats_core import Deadline, Engine, FindResult, Project, Task, hookimpl
from ats_core.testing import make_engine

PROJECTS = (Project(id="p", name="Errands"), Project(id="q", name="Work"))
TASKS = (
    Task(id="t1", title="Renew passport", content="Photos are in the drawer.", project_id="p", tags=("travel",)),
    Task(id="t2", title="Buy milk", content="And renew the library card.", project_id="p"),
    Task(id="t3", title="Roll back a release", content="Use the previous tag, then notify.", project_id="q"),
    Task(id="t4", title="Passport photos", content="", project_id="q"),
    Task(id="t5", title="Old visa form", content="passport", project_id="q", status="done"),
)


class Store:
    """An adapter with the four required hooks. `calls` counts what was asked; `tasks` may be changed."""

    def __init__(self, tasks: Iterable[Task] = TASKS, projects: Sequence[Project] = PROJECTS) -> None:
        self.tasks = list(tasks)
        self.projects = list(projects)
        self.calls: list[str] = []
        self.down: Exception | None = None

    @property
    def fetches(self) -> int:
        return self.calls.count("list_projects")

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        self.calls.append("list_projects")
        if self.down is not None:
            raise self.down
        return self.projects

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        self.calls.append("list_tasks_in_project")
        return [task for task in self.tasks if str(task.project_id) == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in self.tasks if (task.project_id, task.id) == (project_id, task_id)), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"test://{project_id}/{task_id}"


class Letters:
    """An embedder that counts letters, so that texts of the same letters are alike. `texts` are all it was given."""

    def __init__(self, space: str | None = "letters") -> None:
        self.space = space
        self.texts: list[tuple[str, str]] = []

    @hookimpl
    def embedding_space(self) -> str | None:
        return self.space

    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        self.texts += [(kind, text) for text in texts]
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        return [float(text.casefold().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]

    def given(self, kind: str) -> list[str]:
        return [text for of, text in self.texts if of == kind]


def with_hooks(base: type, hooks: Mapping[str, Callable[..., Any]]) -> type:
    """`base` with further hooks, each a function of the hook's arguments, or anything to be called without any."""
    return type(base.__name__, (base,), {name: staticmethod(as_hook(answer)) for name, answer in hooks.items()})


def as_hook(answer: Callable[..., Any]) -> Callable[..., Any]:
    def hook() -> Any:
        return answer()

    return hookimpl(answer if isfunction(answer) else hook)


@pytest.fixture
def make_store() -> Callable[..., Store]:
    """`make_store(tasks, projects, hook=function, ...)`: an adapter with these hooks beside the required ones."""

    def make(tasks: Iterable[Task] = TASKS, projects: Sequence[Project] = PROJECTS, **hooks: Any) -> Store:
        store: Store = with_hooks(Store, hooks)(tasks, projects)
        return store

    return make


@pytest.fixture
def make_embedding_store() -> Callable[..., Any]:
    """As `make_store`, and the adapter embeds as `Letters` does."""

    def make(tasks: Iterable[Task] = TASKS, projects: Sequence[Project] = PROJECTS, **hooks: Any) -> Any:
        class Embedding(Letters, Store):
            def __init__(self) -> None:
                Store.__init__(self, tasks, projects)
                Letters.__init__(self)

        return with_hooks(Embedding, hooks)()

    return make


@pytest.fixture
def letters() -> type[Letters]:
    return Letters


@pytest.fixture
def open_engine(tmp_path: Path) -> Callable[..., Engine]:
    """`open_engine(adapter, **settings)`: an engine that keeps its files in `tmp_path / "ats"`."""

    def make(adapter: object, **settings: Any) -> Engine:
        return make_engine(adapter, **{"state_dir": tmp_path / "ats", "budget_ms": 20_000} | settings)

    return make


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The folder of `open_engine`."""
    return tmp_path / "ats"


@pytest.fixture
def log_lines(state: Path) -> Callable[[], list[dict[str, Any]]]:
    """The usage log of `open_engine`, decoded."""

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in (state / "search-log.jsonl").read_text(encoding="utf-8").splitlines()]

    return read


@pytest.fixture
def ids() -> Callable[[FindResult], list[str]]:
    return lambda result: [hit.task.id for hit in result.hits]


@pytest.fixture
def report() -> Callable[[FindResult, str], Any]:
    """`report(result, name)`: how one branch did."""
    return lambda result, name: {branch.name: branch for branch in result.branches}[name]


@pytest.fixture
def in_threads() -> Callable[..., list[Any]]:
    """`in_threads(jobs)`: run all jobs at once, and give what they returned, in order; raises what one of them did."""

    def run(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
        results: list[Any] = [None] * len(jobs)
        errors: list[BaseException] = []
        gate = threading.Barrier(len(jobs))

        def work(number: int) -> None:
            try:
                gate.wait()
                results[number] = jobs[number]()
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(jobs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return results

    return run


@pytest.fixture
def add_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """`add_distribution(name, entry_points, module=..., source=...)`: as if it were installed, for this test."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def add(
        name: str,
        entry_points: Mapping[str, Mapping[str, str]] | str = "",
        *,
        module: str | None = None,
        source: str = "",
        version: str = "1.0",
    ) -> Path:
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nSummary: About {name}\n"
        )
        if isinstance(entry_points, Mapping):
            entry_points = "".join(
                f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
                for group, points in entry_points.items()
            )
        (info / "entry_points.txt").write_text(entry_points)
        if module is not None:
            monkeypatch.delitem(sys.modules, module, raising=False)
            (site / f"{module}.py").write_text(source)
        return site

    yield add
    for name in [name for name, module in sys.modules.items() if _lies_in(module, site)]:
        del sys.modules[name]


def _lies_in(module: Any, folder: Path) -> bool:
    return str(getattr(module, "__file__", None) or "").startswith(str(folder))


@pytest.fixture
def python(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`python(code, *words, **environ)`: run code in a process of its own that imports what we can import."""

    def run(code: str, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(entry for entry in sys.path if entry)
        return subprocess.run(
            [sys.executable, "-c", code, *words],
            env={**os.environ, "PYTHONPATH": path, "HOME": str(tmp_path), **environ},
            text=True,
            capture_output=True,
            check=False,
        )

    return run


@pytest.fixture
def unit() -> Callable[[Sequence[float]], Any]:
    """A vector scaled to length 1."""

    def scale(values: Sequence[float]) -> Any:
        row = np.asarray(values, dtype=np.float32)
        return row / np.linalg.norm(row)

    return scale
