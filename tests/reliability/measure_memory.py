"""Peak memory of `ats find` over a large cache, and over many stored vectors.

    hatch run python tests/reliability/measure_memory.py [TASKS [VECTORS]]

100,000 tasks of 1 KB, found without vectors; and 20,000 tasks with vectors of the local embedder (256 dimensions). Each
figure is the maximum resident set of one process, as the kernel counts it.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from reliability.harness import Ats

WORDS = [
    f"{first}{second}" for first in ("ro", "ta", "mi", "ke", "lu", "no", "sa", "pe") for second in map(str, range(500))
]


def main(tasks: int = 100_000, vectors: int = 20_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ats = Ats(Path(folder))
        memory = {"ATS_ADAPTER": "memory", "ATS_MEMORY_FILE": str(corpus(Path(folder), tasks, 1000))}
        report("bare: ats --version", ats, "--version")
        report(f"{tasks} tasks of 1 KB, cold (fetched, cached, indexed)", ats, "find", "--json", "number77x", **memory)
        report(f"{tasks} tasks of 1 KB, cached", ats, "find", "--json", "number77x", **memory)
        report(
            f"{tasks} tasks of 1 KB, cached, without the index",
            ats,
            "find",
            "--json",
            "number77x",
            drop=".index",
            **memory,
        )
        memory |= {"ATS_MEMORY_FILE": str(corpus(Path(folder), vectors, 1000)), "ATS_EMBEDDER": "local"}
        report(f"ats sync of {vectors} tasks", ats, "sync", **memory)
        report(f"{vectors} tasks with stored vectors", ats, "find", "--json", "number77x", **memory)
        report("the same without vectors", ats, "find", "--json", "number77x", **{**memory, "ATS_EMBEDDER": "none"})


def corpus(folder: Path, tasks: int, size: int) -> Path:
    chance = random.Random(7)
    path = folder / f"corpus-{tasks}.jsonl"
    with path.open("w") as file:
        for number in range(tasks):
            text = " ".join(chance.choices(WORDS, k=size // 6))
            file.write(json.dumps({"id": f"t{number}", "title": f"task number{number}x", "content": text}) + "\n")
    return path


def report(what: str, ats: Ats, *words: str, drop: str = "", **variables: str) -> None:
    if drop:
        for path in ats.state.glob(f"*{drop}"):
            path.unlink()
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "ats_cli", *words],
        env=ats.env(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr and process.stderr.read()
    process.communicate()
    print(f"{what}: {usage.ru_maxrss / 1024:.0f} MB, {time.monotonic() - started:.2f} s", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
