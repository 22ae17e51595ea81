"""Kills a process that writes, again and again, at a random moment; prints what was found afterwards as JSON.

    python killed_writer.py cache|vectors TIMES FOLDER

A process of its own because it forks: what writes is a child with everything imported, so that fifty deaths cost
little. The child does nothing but write, through the engine; it says so by a byte, and dies up to 60 ms later.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ats_core import Deadline, Engine, Project, Task, hookimpl
from ats_core.cache.file import decode_tasks, read_copy
from ats_core.testing import make_engine
from ats_core.vectors.store import VectorStore

TASKS = 40
LONGEST_WAIT = 0.06


class Store:
    """Large records, so that most of the time is spent in writing; their texts change with each fetch."""

    def __init__(self) -> None:
        self.fetches = 0

    @hookimpl
    def list_projects(self) -> list[Project]:
        self.fetches += 1
        return [Project(id="p", name="P")]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        raw = {"blob": "x" * 50_000}
        return [
            Task(id=f"t{n}", title=f"task number{n}x", content=f"{os.getpid()} {self.fetches}", project_id="p", raw=raw)
            for n in range(TASKS)
        ]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return None

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return ""

    @hookimpl
    def revision(self) -> None:
        return None


class EmbeddingStore(Store):
    """Long vectors, for the same reason."""

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        return [Task(id=task.id, title=task.title, content=task.content) for task in super().list_tasks_in_project("p")]

    @hookimpl
    def embedding_space(self) -> str:
        return "long"

    @hookimpl
    def embeddings(self, texts: Any, kind: str, deadline: Deadline) -> Any:
        import numpy as np

        return np.random.default_rng(0).random((len(texts), 8192), dtype=np.float32)


def main() -> None:
    what, times, state = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    store: type[Store] = {"cache": Store, "vectors": EmbeddingStore}[what]
    write: Callable[[Engine], Any] = {"cache": lambda e: e.state.refresh(), "vectors": lambda e: e.state.sync()}[what]

    def engine() -> Engine:
        return make_engine(store(), name="store", state_dir=state, budget_ms=20_000)

    write(engine())
    found = {"killed": 0, "unreadable": [], "wrong": [], "littered": 0, "left over": []}
    chance = random.Random(int(os.environ.get("SEED", "1")))
    for _ in range(times):
        found["killed"] += kill_one(lambda: write(writer), chance) if (writer := engine()) else 0
        found["unreadable"] += unreadable(state)
        found["littered"] += bool(litter(state))
        after = engine()
        hits = after.find("number7x", cached=True).hits
        if [hit.task.id for hit in hits] != ["t7"] and what == "cache":
            found["wrong"].append([hit.task.id for hit in hits])
        write(after)
        found["left over"] += litter(state)
    print(json.dumps(found))


def kill_one(write: Callable[[], Any], chance: random.Random) -> bool:
    """Whether a child was killed while it wrote."""
    ready, says = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(says, b"!")
            while True:
                write()
        finally:
            os._exit(1)
    os.close(says)
    os.read(ready, 1)
    os.close(ready)
    time.sleep(chance.uniform(0, LONGEST_WAIT))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def unreadable(state: Path) -> list[str]:
    bad = []
    try:
        copy = read_copy(state / "corpus-cache.json")
        if copy is None or len(decode_tasks(copy)[0]) != TASKS:
            bad.append("corpus-cache.json")
    except ValueError as error:
        bad.append(f"corpus-cache.json: {error}")
    for folder in (state / "vectors").glob("*"):
        bad += [str(path) for path in VectorStore(folder, "long").segments()[1]]
    return bad


def litter(state: Path) -> list[str]:
    return [str(path) for path in state.rglob(".ats-*")]


if __name__ == "__main__":
    main()
