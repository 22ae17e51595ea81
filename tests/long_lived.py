"""An engine that lives long: many finds over a few tasks, which another process replaces now and then.

    hatch run python tests/long_lived.py [FINDS] (Linux: it reads /proc)

Prints what the process held after a quarter of the finds and after all of them, as JSON: resident memory in MiB,
threads, open files and maps. It fails where it held more at the end, or where a replaced corpus was not picked up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from ats_core import Engine

REPLACED = 8
"""How often another process replaces the corpus."""

QUESTIONS = ["passport", "renew the passport", "how do I roll back a release", "税金", "tax", "c++", "nothing like it"]
SLACK_MIB = 2.0
"""Memory that the allocator may hold more of without a leak: one kilobyte lost a find would be ten times as much."""


class Held(NamedTuple):
    mib: float
    threads: int
    files: int
    maps: int

    @classmethod
    def now(cls) -> Held:
        own = Path("/proc/self")
        pages = int((own / "statm").read_text().split()[1])
        return cls(
            mib=pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
            threads=threading.active_count(),
            files=len(os.listdir(own / "fd")),
            maps=sum("corpus-cache" in line for line in (own / "maps").read_text().splitlines()),
        )


def write_tasks(path: Path, number: int) -> None:
    tasks = [{"id": f"t{at}", "title": f"note {at}", "content": "renew the passport, pay the tax"} for at in range(20)]
    tasks.append({"id": f"v{number}", "title": f"version{number}", "content": "税金を払う"})
    beside = path.with_suffix(".new")
    beside.write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    os.replace(beside, path)


def main(finds: int = 10_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tasks.jsonl")
        environ = {key: value for key, value in os.environ.items() if not key.startswith("ATS_")} | {
            "ATS_CONFIG_DIR": str(Path(folder, "state")),
            "ATS_ADAPTER": "memory",
            "ATS_MEMORY_FILE": str(file),
        }
        write_tasks(file, 0)
        engine = Engine.open(environ)
        early, number = None, 0
        for done in range(finds):
            if done % (finds // REPLACED) == finds // REPLACED - 1:
                number += 1
                write_tasks(file, number)
                other = [sys.executable, "-m", "ats_cli", "find", "--json", f"version{number}"]
                subprocess.run(other, env=environ, check=True, stdout=subprocess.DEVNULL)
                found = engine.find(f"version{number}").hits
                if [hit.task.id for hit in found] != [f"v{number}"]:
                    raise SystemExit(f"version {number} is not found by the engine that lives on")
            engine.find(QUESTIONS[done % len(QUESTIONS)])
            if done == finds // 4:
                early = Held.now()
        late = Held.now()
        if early is None:
            raise SystemExit("too few finds to tell")
        print(json.dumps({"finds": finds, "early": early._asdict(), "late": late._asdict()}))
        if late.mib > early.mib + SLACK_MIB or late[1:] != early[1:]:
            raise SystemExit("the engine holds more than it did")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
