"""The store over the demo corpus that ships with the package: read-only."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from ats_core import ReadOnlyAdapterError, TaskDraft, TaskPatch

import ats_adapter_memory
from ats_adapter_memory.file import read_file
from ats_adapter_memory.parse import parse
from ats_adapter_memory.snapshot import Snapshot, snapshot

DEMO_FILE = Path(__file__).with_name("demo.json")


class DemoStore:
    """Tasks to try ATS with before it knows one's own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None

    def read(self) -> Snapshot:
        with self._lock:
            if self._snapshot is None:
                parsed = parse(read_file(DEMO_FILE), "the demo corpus")
                self._snapshot = snapshot(parsed.declared, parsed.tasks, parsed.warnings)
            return self._snapshot

    def revision(self) -> str:
        return f"demo:{ats_adapter_memory.__version__}:{DEMO_FILE.stat().st_size}"

    def scope(self) -> str:
        return "demo"

    def url(self, task_id: str) -> str:
        return f"memory:demo#{quote(task_id, safe='')}"

    def create(self, draft: TaskDraft) -> NoReturn:
        raise _read_only()

    def update(self, project_id: str, task_id: str, patch: TaskPatch) -> NoReturn:
        raise _read_only()


def _read_only() -> ReadOnlyAdapterError:
    return ReadOnlyAdapterError(
        "the demo corpus is read-only", hint="set ATS_MEMORY_FILE to a file of your own; an empty one will do"
    )
