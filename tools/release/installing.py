"""Trying the wheels as somebody does who has nothing but Python and pip."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from release.declared import Package

_PROGRAM = """
import importlib, importlib.metadata, sys
for name in sys.argv[1:]:
    distribution = importlib.metadata.distribution(name)
    version = importlib.import_module(name.replace("-", "_")).__version__
    if version != distribution.version:
        print(f"{name}: __version__ is {version}, and what is installed is {distribution.version}")
    for point in distribution.entry_points:
        try:
            point.load()
        except Exception as error:
            print(f"{name}: the entry point {point.name} = {point.value} does not resolve: {error!r}")
"""


def installed(every: Sequence[Package], wheels: Sequence[Path], scratch: Path) -> Iterator[str]:
    """What is wrong once the wheels are installed into a bare environment, with dependencies from the index."""
    scripts = scratch / "bare" / ("Scripts" if os.name == "nt" else "bin")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("ATS_", "PYTHON", "VIRTUAL_"))}
    environ |= {"ATS_CONFIG_DIR": str(scratch / "state"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    python = str(scripts / "python")
    commands: list[list[str]] = [
        [sys.executable, "-m", "venv", str(scratch / "bare")],
        [python, "-m", "pip", "install", "--quiet", *map(str, wheels)],
        [python, "-m", "pip", "check"],
        [str(scripts / "ats"), "--version"],
        [str(scripts / "ats"), "find", "--json", "how do I roll back a release"],
    ]
    for command in commands:
        done = subprocess.run(command, cwd=scratch, env=environ, capture_output=True, encoding="utf-8")
        if done.returncode:
            yield f"{' '.join(command[-4:])}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
            return
    program = [python, "-I", "-c", _PROGRAM, *(package.name for package in every)]
    done = subprocess.run(program, cwd=scratch, env=environ, capture_output=True, encoding="utf-8")
    yield from (done.stdout + (done.stderr if done.returncode else "")).splitlines()
