"""The command and the engine over an adapter that does what its plan says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ats_core import AdapterConfig, Engine
from ats_core.testing import make_engine
from reliability.fault_adapter import Faulty
from reliability.harness import Ats


@pytest.fixture
def ats(tmp_path: Path) -> Ats:
    return Ats(tmp_path)


@pytest.fixture
def open_engine(ats: Ats) -> Callable[..., Engine]:
    """`open_engine(**settings)`: an engine in this process over the plan and the files of `ats`."""

    def make(**settings: Any) -> Engine:
        adapter = Faulty(AdapterConfig(name="faulty", environ=ats.environ))
        return make_engine(adapter, name="faulty", state_dir=ats.state, **{"budget_ms": 20_000} | settings)

    return make
