"""The store over tasks in memory: the test double."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from ats_adapter_memory import records
from ats_adapter_memory.snapshot import Snapshot, known_project, new_id, settle, snapshot, unknown_task

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ats_core import Project, Task, TaskDraft, TaskPatch


class ListStore:
    """Holds the tasks it was given; nothing is written anywhere."""

    def __init__(self, tasks: Iterable[Task], projects: Iterable[Project]) -> None:
        self._lock = threading.Lock()
        from uuid import uuid4

        self._scope = f"memory:{uuid4().hex}"
        self._writes = 0
        self._declared = tuple(projects)
        self._tasks = settle(self._declared, list(tasks))
        self._snapshot = snapshot(self._declared, self._tasks)

    def read(self) -> Snapshot:
        return self._snapshot

    def revision(self) -> str:
        return str(self._writes)

    def scope(self) -> str:
        return self._scope

    def url(self, task_id: str) -> str:
        return f"memory:#{quote(task_id, safe='')}"

    def create(self, draft: TaskDraft) -> Task:
        with self._lock:
            project = None
            if draft.project_id is not None:
                project = known_project(self._snapshot.projects, draft.project_id)
            record = records.draft_record(new_id(self._tasks), draft, project)
            return self._put(len(self._tasks), record, record)

    def update(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        with self._lock:
            task = self._snapshot.find(project_id, task_id)
            if task is None:
                raise unknown_task(project_id, task_id)
            project = None
            if patch.project_id is not msgspec.UNSET:
                project = known_project(self._snapshot.projects, patch.project_id)
            record = records.write_task(task)
            changes = records.changes(record, patch, project)
            if not changes:
                return task
            index = next(index for index, other in enumerate(self._tasks) if other is task)
            # A task made in Python need not have a record of its own; where it has one, that changes with it.
            return self._put(index, record | changes, {**task.raw, **changes} if task.raw else {})

    def _put(self, index: int, record: records.Record, raw: records.Record) -> Task:
        """Make new lists rather than change the old ones, which a reader may still hold."""
        task = records.read_task(record)
        assert task is not None  # noqa: S101 - it has a title
        task = msgspec.structs.replace(task, raw=raw)
        tasks = settle(self._declared, [*self._tasks[:index], task, *self._tasks[index + 1 :]])
        self._snapshot = snapshot(self._declared, tasks)
        self._tasks = tasks
        self._writes += 1
        return tasks[index]
