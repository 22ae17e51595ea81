"""The adapter keeps the contract, over a file and as the demo."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from ats_adapter_memory import MemoryAdapter
from ats_core.conformance import AdapterContract, Subject

if TYPE_CHECKING:
    from pathlib import Path

TASKS = [
    {"id": "1", "title": "Renew passport", "content": "Two photos.", "projectId": "home", "tags": ["travel"]},
    {"id": 2, "title": "Buy milk", "projectId": "home", "dueDate": "2026-05-29"},
    {"id": "3", "title": "Roll back a release", "projectId": "work", "status": "done"},
    {"title": "A task without an id", "projectId": "work"},
]


class TestOverAFile(AdapterContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        path = tmp_path / "tasks.json"
        path.write_text(json.dumps({"projects": [{"id": "work", "name": "Work"}], "tasks": TASKS}))
        environ = {"ATS_MEMORY_FILE": str(path)}
        return Subject(MemoryAdapter, name="memory", environ=environ, state_dir=tmp_path / "state", write=True)


class TestTheDemo(AdapterContract):
    @pytest.fixture
    def subject(self, tmp_path: Path) -> Subject:
        return Subject(MemoryAdapter, name="memory", state_dir=tmp_path / "state", write=True)
