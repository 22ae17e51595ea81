from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick import TickTickAdapter
from ats_core import AdapterConfig, Deadline
from fakes.ticktick import FakeTickTick

Open = Callable[..., TickTickAdapter]


@pytest.fixture
def deadline() -> Deadline:
    return Deadline(20)


@pytest.fixture
def service() -> Iterator[FakeTickTick]:
    """A service with the account of `token-a`: a list "Work" with id `w`, and one task in it and in the inbox."""
    with FakeTickTick() as fake:
        account = fake.account("token-a", uid="42", username="anna")
        account.add_project("Work", id="w")
        account.add_task("w", title="Write the report", id="t1", content="Figures of Q3")
        account.add_task("inbox", title="Renew passport", id="t2")
        yield fake


@pytest.fixture
def open_adapter(service: FakeTickTick, tmp_path: Path) -> Open:
    """`open_adapter(variables...)`: an adapter of that account; what is None is left out, `settings` go to its file."""

    def make(settings: dict[str, Any] | None = None, **variables: str | None) -> TickTickAdapter:
        defaults = {"ATS_TICKTICK_API_URL": service.api_url, "ATS_TICKTICK_TOKEN": "token-a"}
        environ = {name: value for name, value in (defaults | variables).items() if value is not None}
        return TickTickAdapter(
            AdapterConfig(
                name="ticktick", settings=settings or {}, environ=environ, state_dir=tmp_path / "config" / "ticktick"
            )
        )

    return make
