"""The adapter: which store the configuration means, and the hooks over it."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Self

from ats_core import (
    AdapterConfig,
    ConfigError,
    Deadline,
    Fetched,
    Project,
    Setting,
    Task,
    TaskDraft,
    TaskPatch,
    hookimpl,
)

from ats_adapter_memory.demo import DemoStore
from ats_adapter_memory.file import FileStore
from ats_adapter_memory.listed import ListStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ats_adapter_memory.snapshot import Snapshot, Store


class MemoryAdapter:
    """Tasks in one file, in memory, or the built-in demo corpus.

    The file is `ATS_MEMORY_FILE` of `config.environ`, else `file` of `config.settings`; where neither names
    one, it is the demo, which is read-only. Constructing reads nothing, so a missing file fails the first
    hook instead.

    Beside the hooks core reads two things off the object, where an adapter has them: `demo` (bool: the answer
    says that these are not the user's own tasks) and `take_warnings()`.

    Every reading hook raises ConfigError where the path leads to no file, StoreError where the file cannot be
    read.
    """

    demo: bool

    def __init__(self, config: AdapterConfig) -> None:
        path = _file(config)
        self.demo = path is None
        self._store: Store = DemoStore() if path is None else FileStore(path)
        self._lock = threading.Lock()
        self._seen: Snapshot | None = None
        self._warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, tasks: Iterable[Task] = (), *, projects: Iterable[Project] = ()) -> Self:
        """An adapter over these tasks, writable and in memory only: what a test wants.

        Tasks without a project land in the project `default`, named "Tasks".
        """
        adapter = cls(AdapterConfig(name="memory"))
        adapter.demo = False
        adapter._store = ListStore(tasks, projects)
        return adapter

    def take_warnings(self) -> list[str]:
        """What was odd about the store when it was last read, a line each; given once, then forgotten.

        A record that had to be skipped, or ids that had to be made up, are no reason to fail, but whoever
        reads the answer must know. Core calls this after a fetch and adds the lines to the answer's warnings.
        An unchanged file is not read again and says nothing new.
        """
        with self._lock:
            warnings, self._warnings = self._warnings, ()
        return list(warnings)

    def _read(self) -> Snapshot:
        snapshot = self._store.read()
        with self._lock:
            if snapshot is not self._seen:
                self._seen = snapshot
                self._warnings = snapshot.warnings
        return snapshot

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        return self._read().projects

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return self._read().tasks_in(project_id)

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return self._read().find(project_id, task_id)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return self._store.url(task_id)

    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Fetched:
        snapshot = self._read()
        return Fetched(tasks=snapshot.tasks, projects=snapshot.projects)

    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        return self._store.create(draft)

    @hookimpl
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        return self._store.update(project_id, task_id, patch)

    @hookimpl
    def revision(self) -> str | None:
        return self._store.revision()

    @hookimpl
    def cache_scope(self) -> str:
        return self._store.scope()

    @hookimpl
    def settings(self) -> Sequence[Setting]:
        return [
            Setting(
                key="file",
                env="ATS_MEMORY_FILE",
                help="JSON or JSONL file with the tasks; without one, the built-in demo corpus",
            )
        ]


def _file(config: AdapterConfig) -> str | None:
    """The absolute path that the configuration names, or None."""
    named = config.environ.get("ATS_MEMORY_FILE", "").strip() or config.settings.get("file")
    if named is None or named == "":
        return None
    if not isinstance(named, str) or "\0" in named:
        raise ConfigError(
            f"{config.name}.json: file is {named!r}, not a path",
            hint="set it to the path of a JSON or JSONL file",
        )
    home = config.environ.get("HOME")
    if home and (named == "~" or named.startswith("~/")):
        named = home + named[1:]
    return os.path.abspath(os.path.expanduser(named))
