"""The demo, tasks in memory, and the adapter as pluggy and a cold process see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import ats_adapter_memory
import pluggy
import pytest
from ats_adapter_memory import MemoryAdapter
from ats_adapter_memory.demo import DEMO_FILE
from ats_core import (
    AdapterConfig,
    Deadline,
    NotFoundError,
    Project,
    ReadOnlyAdapterError,
    Task,
    TaskDraft,
    TaskPatch,
)
from ats_core.hookspecs import REQUIRED, AtsSpec

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def demo() -> MemoryAdapter:
    return MemoryAdapter(AdapterConfig(name="memory"))


def test_the_demo_reads_without_a_warning(demo: MemoryAdapter) -> None:
    fetched = demo.bulk_fetch(Deadline(5))
    assert demo.demo
    assert len(fetched.tasks) >= 84
    assert len({task.id for task in fetched.tasks}) == len(fetched.tasks)
    assert demo.take_warnings() == []
    shipped = json.loads(DEMO_FILE.read_text(encoding="utf-8"))
    assert [project.id for project in demo.list_projects()] == [project["id"] for project in shipped["projects"]]


def test_the_demo_is_read_only_and_says_what_to_do(demo: MemoryAdapter) -> None:
    for write in (
        lambda: demo.create_task(TaskDraft(title="x")),
        lambda: demo.update_task("p", "1", TaskPatch(title="x")),
    ):
        with pytest.raises(ReadOnlyAdapterError) as caught:
            write()
        assert "ATS_MEMORY_FILE" in (caught.value.hint or "")


def test_the_demo_has_a_scope_a_revision_and_addresses(demo: MemoryAdapter) -> None:
    assert demo.cache_scope() == "demo"
    assert demo.revision() == f"demo:{ats_adapter_memory.__version__}:{DEMO_FILE.stat().st_size}"
    assert demo.url_for("p", "a b") == "memory:demo#a%20b"


def test_in_memory_it_is_writable_and_no_demo() -> None:
    adapter = MemoryAdapter.of([Task(id="1", title="a", project_id="p")], projects=[Project(id="q", name="Q")])
    assert not adapter.demo
    before = adapter.revision()
    task = adapter.create_task(TaskDraft(title="b", project_id="q", tags=("x",)))
    assert (task.project_name, task.tags) == ("Q", ("x",))
    assert adapter.revision() != before
    assert adapter.get_task("q", task.id) == task
    assert adapter.update_task("p", "1", TaskPatch(project_id="q")).project_name == "Q"
    assert [task.title for task in adapter.list_tasks_in_project("q")] == ["a", "b"]
    assert adapter.url_for("q", "1/2") == "memory:#1%2F2"
    with pytest.raises(NotFoundError):
        adapter.update_task("q", "nope", TaskPatch(title="x"))
    with pytest.raises(NotFoundError):
        adapter.create_task(TaskDraft(title="x", project_id="nope"))


def test_in_memory_a_record_follows_its_task() -> None:
    adapter = MemoryAdapter.of([Task(id="1", title="a", raw={"title": "a", "status": 0}), Task(id="2", title="b")])
    first = adapter.update_task("default", "1", TaskPatch(title="c"))
    assert (first.raw["title"], first.raw["status"]) == ("c", 0)
    second = adapter.update_task("default", "2", TaskPatch(title="d"))
    assert (second.title, second.raw) == ("d", {})
    assert adapter.update_task("default", "2", TaskPatch()) is second


def test_in_memory_no_two_share_a_scope() -> None:
    assert len({MemoryAdapter.of().cache_scope() for _ in range(10)}) == 10


def test_an_empty_one_is_empty() -> None:
    adapter = MemoryAdapter.of()
    assert list(adapter.bulk_fetch(Deadline(5)).tasks) == []
    assert list(adapter.list_projects()) == []


def test_a_reader_is_not_disturbed_by_a_later_write() -> None:
    adapter = MemoryAdapter.of([Task(id="1", title="a")])
    held = adapter.list_tasks_in_project("default")
    adapter.create_task(TaskDraft(title="b"))
    assert [task.id for task in held] == ["1"]


def test_pluggy_takes_it_with_every_hook_known() -> None:
    manager = pluggy.PluginManager("ats")
    manager.add_hookspecs(AtsSpec)
    manager.register(MemoryAdapter.of([Task(id="1", title="a", project_id="p")]))
    manager.check_pending()
    callers = manager.get_hookcallers(manager.get_plugins().pop()) or []
    assert set(REQUIRED) <= {caller.name for caller in callers}
    assert manager.hook.get_task(project_id="p", task_id="1")[0].title == "a"
    assert [task.id for task in manager.hook.bulk_fetch(deadline=Deadline(5))[0].tasks] == ["1"]


PROBE = """
import sys
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, Deadline

adapter = MemoryAdapter(AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": sys.argv[1]}))
adapter.bulk_fetch(Deadline(5))
adapter.list_projects()
adapter.url_for("p", "1")
print([name for name in ("numpy", "filelock", "json") if name in sys.modules])
"""


def test_reading_imports_neither_numpy_nor_filelock(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text('{"id": "1", "title": "a"}\n')
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path / "tasks.jsonl")],
        env=environ,
        text=True,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
