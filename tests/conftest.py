from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from running import Run


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The environment of a user who has just installed ATS: nothing configured, a state folder of his own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")}
    scripts = str(Path(sys.executable).parent)
    return {
        **kept,
        "ATS_CONFIG_DIR": str(tmp_path / "state"),
        "PATH": os.pathsep.join([scripts, kept.get("PATH", "")]),
        "COLUMNS": "100",
    }


@pytest.fixture
def ats(environ: dict[str, str], tmp_path: Path) -> Run:
    """Runs `ats` with these words, in a folder of its own; extra variables by keyword."""

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ats_cli", *words],
            env=environ | variables,
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )

    return run
