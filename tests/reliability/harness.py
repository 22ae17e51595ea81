"""`ats` as a process of its own, over an adapter that does what its plan says (`fault_adapter.py`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
PATIENCE = 60
"""Seconds after which a process counts as hanging."""

SHIFTED_CLOCK = """
import os, time
_real, _shift = time.time, float(os.environ.get("TEST_CLOCK_SHIFT", 0))
if _shift:
    time.time = lambda: _real() + _shift
"""
"""A `sitecustomize` by which a process believes that it is earlier or later."""


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> Any:
        """Its one JSON document."""
        return json.loads(self.out)

    @property
    def ids(self) -> list[str]:
        """The ids of its hits."""
        return [task["id"] for task in self.answer["tasks"]]


class Ats:
    """The command in an environment of its own: state, plan and distribution lie below `folder`."""

    def __init__(self, folder: Path, state: Path | None = None) -> None:
        self.folder = folder
        self.state = state or folder / "state"
        self.asked_file = folder / "asked"
        self._plan_file = folder / "plan.json"
        dists = folder / "dists"
        _publish(dists)
        kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT", "LANG") if key in os.environ}
        path = os.pathsep.join(filter(None, [str(dists), os.environ.get("PYTHONPATH")]))
        self.environ = kept | {
            "PYTHONPATH": path,
            "HOME": str(folder),
            "ATS_CONFIG_DIR": str(self.state),
            "ATS_ADAPTER": "faulty",
            "ATS_FAULTY_PLAN": str(self._plan_file),
        }
        self.plan()

    def plan(self, **plan: Any) -> None:
        """What the adapter does from now on."""
        written = self._plan_file.with_suffix(".new")
        written.write_text(json.dumps({"asked": str(self.asked_file), **plan}))
        os.replace(written, self._plan_file)

    def asked(self, what: str = "") -> list[str]:
        """What the adapter was asked so far: the lines that begin so."""
        try:
            lines = self.asked_file.read_text().splitlines()
        except FileNotFoundError:
            return []
        return [line for line in lines if line.startswith(what)]

    def __call__(self, *words: str, **variables: str | None) -> Ended:
        """Run to the end."""
        return ended(self.start(*words, **variables))

    def find(self, query: str, *words: str, **variables: str | None) -> Ended:
        """`ats find --json`, which has to answer."""
        found = self("find", "--json", *words, query, **variables)
        assert found.code == 0, found
        return found

    def start(self, *words: str, prefix: Sequence[str] = (), **variables: str | None) -> subprocess.Popen[bytes]:
        """Start it: both streams are pipes. A variable that is None is not there."""
        return subprocess.Popen(
            [*prefix, sys.executable, "-m", "ats_cli", *words],
            env=self.env(variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def env(self, variables: Mapping[str, str | None]) -> dict[str, str]:
        return {key: value for key, value in {**self.environ, **variables}.items() if value is not None}

    @property
    def cache(self) -> Path:
        return self.state / "corpus-cache.json"

    @property
    def log(self) -> Path:
        return self.state / "search-log.jsonl"

    def log_lines(self) -> list[dict[str, Any]]:
        """The log, every line of which has to be whole."""
        return [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]


def ended(process: subprocess.Popen[bytes]) -> Ended:
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()  # does nothing to one that has ended
    return Ended(process.returncode, out.decode(), err.decode())


@contextmanager
def stopped_holder(path: Path) -> Iterator[None]:
    """Within the block a process that was stopped holds the lock on a file."""
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from ats_core.lock import locked_path\n"
        "with locked_path(Path(sys.argv[1]), 5) as held:\n"
        "    print(held, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"True\n"
            yield
        finally:
            process.kill()


def temporary_files(folder: Path) -> list[Path]:
    """What a writer that was killed leaves behind."""
    return sorted(folder.rglob(".ats-*"))


def _publish(dists: Path) -> None:
    """The fault adapter as if it were installed: `faulty`, `faulty-bulk`, and `faulty` under another name."""
    info = dists / "ats_faulty-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ats-faulty\nVersion: 1.0\nSummary: Does as planned\n")
    (info / "entry_points.txt").write_text(
        "[ats.adapters]\n"
        "faulty = fault_adapter:Faulty\n"
        "faulty-bulk = fault_adapter:FaultyBulk\n"
        "faulty-other = fault_adapter:Faulty\n"
    )
    (dists / "sitecustomize.py").write_text(SHIFTED_CLOCK)
    shutil.copy(HERE / "fault_adapter.py", dists)
