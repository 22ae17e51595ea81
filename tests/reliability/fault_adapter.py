"""An adapter that does what its plan says, right or wrong, and keeps count of what it was asked.

The plan is a JSON file, named by `ATS_FAULTY_PLAN` and read anew at each call, so that a store can change its ways
between two searches and while a process lives. `harness.py` publishes this module as a distribution of its own.

    tasks             a number, or records of tasks: {"id", "title", "content", "project_id", ...}; default 5 of them
    projects          ids; default ["p1"]; tasks without a project go to the first
    account           what `cache_scope` says; default "ann"
    asked             a file that gets a line a call: "fetch", "project p1", "embed document 64", ...
    fetch_seconds     how long a fetch takes
    fetch_error       a fetch fails with this text; "login": it wants a login
    failing           ids of projects that cannot be had
    branch            what the branch "odd" does: see `_Odd`; none by default
    space             the embedding space; there is an embedder where it is given
    embed             what the embedder does: see `Faulty.embeddings`
    dimension         of its vectors, default 16
    backend           what the hybrid backend does: "raises" or "stalls"; none by default
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ats_core import AdapterConfig, Branch, Candidate, Deadline, LoginRequiredError, Project, StoreError, Task, hookimpl

LONG = 30.0
"""Seconds that count as for ever."""


class Faulty:
    """Walked project by project."""

    def __init__(self, config: AdapterConfig) -> None:
        self._path = Path(config.environ["ATS_FAULTY_PLAN"])

    @property
    def plan(self) -> dict[str, Any]:
        plan: dict[str, Any] = json.loads(self._path.read_bytes())  # msgspec refuses lone surrogates
        return plan

    @hookimpl
    def cache_scope(self) -> str:
        return str(self.plan.get("account", "ann"))

    @hookimpl
    def list_projects(self) -> list[Project]:
        self._fetch()
        return [Project(id=project, name=f"Project {project}") for project in self._projects()]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        self._note(f"project {project_id}")
        if project_id in self.plan.get("failing", ()):
            raise StoreError(f"HTTP 500 for {project_id}")
        return [task for task in self._tasks() if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in self._tasks() if (task.project_id, task.id) == (project_id, task_id)), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"faulty://{project_id}/{task_id}"

    @hookimpl
    def branches(self) -> list[Branch] | None:
        how = self.plan.get("branch")
        return None if how is None else [Branch("odd", getattr(_Odd, how))]

    @hookimpl
    def embedding_space(self) -> str | None:
        space: str | None = self.plan.get("space")
        return space

    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        self._note(f"embed {kind} {len(texts)}")
        plan = self.plan
        how = plan.get("embed", "well")
        if how == "down" or (how == "refuses" and any("REFUSED" in text for text in texts)):
            raise ConnectionError("connection refused")
        if how == "stalls":
            time.sleep(LONG)
        if how == "slow":
            time.sleep(0.02)
        if how == "till the end" and kind == "document":
            time.sleep(deadline.remaining())
        if how == "stumbles" and self._stumbles():
            raise ConnectionResetError("connection reset by peer")
        rows = [_vector(text, plan.get("dimension", 16)) for text in texts]
        if how == "miscounts":
            return rows[1:]
        if how == "nan":
            return [[float("nan")] * len(row) if "ODD" in text else row for text, row in zip(texts, rows, strict=True)]
        return rows

    @hookimpl
    def hybrid_backend(self) -> Any:
        how = self.plan.get("backend")
        return None if how is None else _Backend(how)

    def _stumbles(self) -> bool:
        """Every other call of a batch, and of its parts, fails."""
        self._calls = getattr(self, "_calls", 0) + 1
        return self._calls % 2 == 1

    def _fetch(self) -> None:
        self._note("fetch")
        plan = self.plan
        time.sleep(plan.get("fetch_seconds", 0))
        if plan.get("fetch_error") == "login":
            raise LoginRequiredError("the login has expired", hint="run: ats auth login")
        if plan.get("fetch_error"):
            raise StoreError(plan["fetch_error"])

    def _projects(self) -> list[str]:
        projects: list[str] = self.plan.get("projects", ["p1"])
        return projects

    def _tasks(self) -> list[Task]:
        given = self.plan.get("tasks", 5)
        if isinstance(given, int):
            given = [{"id": f"t{n}", "title": f"task number{n}x"} for n in range(given)]
        first = self._projects()[0]
        return [Task(**{"project_id": first, **record}) for record in given]

    def _note(self, what: str) -> None:
        if "asked" in self.plan:
            with open(self.plan["asked"], "ab", buffering=0) as file:
                file.write(f"{what}\n".encode())


class FaultyBulk(Faulty):
    """All at once."""

    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> list[Task]:
        self._fetch()
        return self._tasks()


class _Odd:
    """What a branch may do: `branch(query, corpus, deadline)`."""

    @staticmethod
    def sleeps(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        print("BRANCH STARTED", file=sys.stderr, flush=True)
        time.sleep(LONG)
        return []

    @staticmethod
    def blocks_in_c(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        import ctypes

        ctypes.CDLL(None).sleep(int(LONG))  # ctypes lets go of the GIL; the call itself cannot be interrupted
        return []

    @staticmethod
    def starts_a_pool(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(4)
        return list(pool.map(time.sleep, [LONG] * 4))[:0]

    @staticmethod
    def leaves_a_pool(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        from concurrent.futures import ThreadPoolExecutor

        ThreadPoolExecutor(1).submit(time.sleep, LONG)
        return [Candidate(id="t0")]

    @staticmethod
    def prints(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        import subprocess

        print("PRINTED")
        os.write(1, b"WRITTEN\n")
        subprocess.run(["echo", "ECHOED"], check=True)
        return [Candidate(id="t0")]

    @staticmethod
    def never_stops_printing(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        while True:
            _Odd.prints(query, corpus, deadline)

    @staticmethod
    def raises(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        raise ZeroDivisionError("the branch divides by zero")

    @staticmethod
    def exits(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        sys.exit("the branch leaves")

    @staticmethod
    def returns_a_million_ids(query: str, corpus: Any, deadline: Deadline) -> list[Candidate]:
        return [Candidate(id=f"x{n}") for n in range(10**6)]


class _Backend:
    def __init__(self, how: str) -> None:
        self._how = how

    def search(self, *_: Any) -> list[Candidate]:
        if self._how == "stalls":
            time.sleep(LONG)
        raise RuntimeError("the index is corrupt")

    similar = sync = status = search


def _vector(text: str, dimension: int) -> list[float]:
    """A vector that only the text decides; like texts are not alike, which no test here needs."""
    digest = blake2b(text.encode(), digest_size=64).digest()
    return [float(digest[at % 64]) - 127.5 for at in range(dimension)]
