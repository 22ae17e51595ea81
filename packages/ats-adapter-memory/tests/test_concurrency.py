"""Writers wait for each other, readers wait for nobody, and a killed writer leaves a whole file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from ats_adapter_memory import MemoryAdapter
from ats_core import Task, TaskDraft, TaskPatch

if TYPE_CHECKING:
    from pathlib import Path

Open = Callable[..., MemoryAdapter]
TasksOf = Callable[[MemoryAdapter], list[Task]]

WRITER = """
import sys
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, TaskDraft, TaskPatch

path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
adapter = MemoryAdapter(AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": path}))
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    task = adapter.create_task(TaskDraft(title=f"{name} {number}"))
    adapter.update_task("default", task.id, TaskPatch(content="updated"))
    patch = TaskPatch(title=f"{number}") if name == "a" else TaskPatch(content=f"{number}")
    adapter.update_task("default", "shared", patch)
"""

KILLED = """
import os, signal, sys
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, TaskDraft

os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
adapter = MemoryAdapter(AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": sys.argv[1]}))
adapter.create_task(TaskDraft(title="lost"))
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environ,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def in_threads(*jobs: Callable[[], None]) -> None:
    errors: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.parametrize("data", ['{"id": "shared"}\n', '[{"id": "shared"}]', '{"tasks": [{"id": "shared"}]}'])
def test_two_processes_lose_no_write(open_file: Open, tasks_of: TasksOf, tmp_path: Path, data: str) -> None:
    adapter = open_file(data)
    writers = [start(WRITER, str(tmp_path / "tasks.jsonl"), name, "15") for name in ("a", "b")]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    sizes = []
    while any(writer.poll() is None for writer in writers):
        sizes.append(len(tasks_of(adapter)))  # a reader sees a whole file at any moment
    for writer in writers:
        assert writer.communicate()[1] == ""
        assert writer.returncode == 0
    assert sizes == sorted(sizes)
    shared, *made = tasks_of(adapter)
    assert (shared.title, shared.content) == ("14", "14")
    assert sorted(task.title for task in made) == sorted(f"{name} {number}" for name in "ab" for number in range(15))
    assert all(task.content == "updated" for task in made)
    assert len({task.id for task in made}) == 30


def test_threads_lose_no_write(open_file: Open, tasks_of: TasksOf) -> None:
    adapter = open_file("[]")
    _write_and_read_in_threads(adapter, tasks_of)


def test_threads_lose_no_write_in_memory(tasks_of: TasksOf) -> None:
    _write_and_read_in_threads(MemoryAdapter.of(), tasks_of)


def _write_and_read_in_threads(adapter: MemoryAdapter, tasks_of: TasksOf) -> None:
    def write() -> None:
        for number in range(10):
            task = adapter.create_task(TaskDraft(title=f"{number}"))
            adapter.update_task("default", task.id, TaskPatch(status="done"))

    def read() -> None:
        for _ in range(50):
            tasks = tasks_of(adapter)
            assert len({task.id for task in tasks}) == len(tasks)
            adapter.list_projects()
            adapter.revision()
            adapter.take_warnings()

    in_threads(write, write, write, write, read, read)
    tasks = tasks_of(adapter)
    assert sorted(task.title for task in tasks) == sorted(f"{number}" for number in range(10) for _ in range(4))
    assert all(task.status == "done" for task in tasks)


def test_a_writer_killed_before_the_replace_changes_nothing_and_blocks_nobody(
    open_file: Open, tasks_of: TasksOf, tmp_path: Path
) -> None:
    adapter = open_file('{"id": "1"}\n')
    killed = start(KILLED, str(tmp_path / "tasks.jsonl"))
    killed.communicate()
    assert killed.returncode == -signal.SIGKILL
    assert (tmp_path / "tasks.jsonl").read_bytes() == b'{"id": "1"}\n'
    assert len(os.listdir(tmp_path)) == 3  # the file, its lock, and what the killed one could not remove
    adapter.create_task(TaskDraft(title="kept"))
    assert [task.title for task in tasks_of(adapter)] == ["", "kept"]
    assert sorted(os.listdir(tmp_path)) == ["tasks.jsonl", "tasks.jsonl.lock"]
