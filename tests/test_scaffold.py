"""What `ats adapter new` writes is as good as the code that it is to become the beginning of."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ats_cli.scaffold import KINDS, write_adapter

NAMES = ["jot", "my-old-tasks"]


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, encoding="utf-8", stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(params=[(kind, name) for kind in KINDS for name in NAMES], ids="-".join)
def package(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    kind, name = request.param
    return write_adapter(name, kind, tmp_path / "package").folder


def test_ruff_finds_nothing_to_say(package: Path) -> None:
    rules = "A,B,BLE,C4,E,F,I,N,PIE,RET,RUF,SIM,UP,W"  # ours; the package itself asks for ruff's own choice
    run(package, "ruff", "check", "--no-cache", "--extend-select", rules, "src")
    run(package, "ruff", "check", "--no-cache")


def test_ruff_would_format_it_as_it_is(package: Path) -> None:
    run(package, "ruff", "format", "--no-cache", "--check", "--diff")


def test_mypy_is_content_in_strict_mode(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tomllib.loads((package / "pyproject.toml").read_text())["tool"]["mypy"]["strict"]
    monkeypatch.setenv("MYPYPATH", "src")  # where it is not installed
    assert "no issues found" in run(package, "mypy")


def test_its_own_tests_pass(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "src")
    assert " passed" in run(package, "pytest", "-q", "-W", "error", "-p", "no:cacheprovider")


def test_it_is_short(package: Path) -> None:
    (adapter,) = package.glob("src/*/adapter.py")
    assert len(adapter.read_text().splitlines()) <= 185
