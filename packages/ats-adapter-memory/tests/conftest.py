from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, Deadline, Task

if TYPE_CHECKING:
    from pathlib import Path

Open = Callable[..., MemoryAdapter]


@pytest.fixture
def open_file(tmp_path: Path) -> Open:
    """`open_file(data, name)`: an adapter over a new file with this content, `str` or `bytes`."""

    def make(data: str | bytes = b"", name: str = "tasks.jsonl") -> MemoryAdapter:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return MemoryAdapter(AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": str(path)}))

    return make


@pytest.fixture
def tasks_of() -> Callable[[MemoryAdapter], list[Task]]:
    """All tasks of an adapter, as core fetches them."""
    return lambda adapter: list(adapter.bulk_fetch(Deadline(5)).tasks)
