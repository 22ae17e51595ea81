"""Measure what ten broken distributions cost somebody who did not ask for them.

    python tests/broken_plugins_figures.py [RUNS]

Medians of whole processes, by the clock and of the processor, with and without them in turn, so that whatever else the
machine does falls on both. They are to be within 15 %. The first search beside a plugin that hangs waits for it
(`ats_core.plugins.patience`); it is made before the clock starts, and its time is printed apart.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import NamedTuple

from broken_distributions import install

COMMANDS = {
    "ats --help": ["--help"],
    "ats find": ["find", "--json", "how do I roll back a release"],
    "ats adapters": ["adapters", "--json"],
}
RUNS = 40


class Took(NamedTuple):
    """Seconds by the clock, and of the processor."""

    clock: float
    processor: float


def run(words: list[str], environ: dict[str, str]) -> Took:
    """One process."""
    began, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "ats_cli", *words], env=environ, capture_output=True, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(time.perf_counter() - began, used)


def environment(folder: Path, *paths: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")}
    path = os.pathsep.join(filter(None, [*paths, kept.get("PYTHONPATH")]))
    return {**kept, "ATS_CONFIG_DIR": str(folder), "PYTHONPATH": path}


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        install(place / "dists")
        (place / "nothing").mkdir()
        without = environment(place / "without", str(place / "nothing"))
        beside = environment(place / "beside", str(place / "dists"))
        time.sleep(2.1)  # a folder that has just changed is scanned each time
        print(f"first search beside them: {run(COMMANDS['ats find'], beside).clock:.1f} s")
        for name, words in COMMANDS.items():
            for environ in (without, beside):
                run(words, environ)
            pairs = [(run(words, without), run(words, beside)) for _ in range(runs)]
            for what in Took._fields:
                alone = median(getattr(one, what) for one, _ in pairs) * 1000
                together = median(getattr(other, what) for _, other in pairs) * 1000
                ratio = together / alone
                print(f"{name}, {what}: {alone:.0f} ms without, {together:.0f} ms beside them, ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
