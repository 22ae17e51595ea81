"""The command group: help imports no command, and every command of the table is there."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from ats_bench.commands import COMMANDS, module_of

from .conftest import Bench


def test_help_lists_every_command_and_imports_none(tmp_path: Path):
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom ats_bench.app import app\n"
        "print(CliRunner().invoke(app, ['--help']).output)\n"
        "print('\\n'.join('module ' + name for name in sys.modules))"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    help_text, _, modules = done.stdout.partition("module ")
    assert all(f"  {name} " in help_text for name in COMMANDS)
    assert not any(line.startswith("module ats_bench.commands.") for line in modules.splitlines())
    assert "module numpy\n" not in modules
    assert "module ats_core.engine\n" not in modules


@pytest.mark.parametrize("name", ["run", "score", "compare", "gate"])
def test_a_command_has_help_with_examples(bench: Bench, name: str):
    ended = bench(name, "--help")
    assert ended.code == 0
    assert "Example" in ended.out
    assert import_module(module_of(name)).app


def test_the_help_of_run_wraps(bench: Bench):
    assert all(len(line) <= 80 for line in bench("run", "--help").out.splitlines())


def test_an_unknown_command_and_none(bench: Bench):
    assert bench("nonsense").code == 2
    assert "Commands:" in bench().out
