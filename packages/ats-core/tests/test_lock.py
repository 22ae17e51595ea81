"""The lock between processes, where there is nobody to wait for."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from ats_core.lock import locked_path

fcntl = pytest.importorskip("fcntl")


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_on_a_file_system_without_locks_nobody_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "no locks here")

    def never() -> bool:
        raise AssertionError("waited")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with locked_path(tmp_path / "lock", 60.0, never) as held:
        assert not held
