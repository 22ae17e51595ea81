"""How long the slowest of forty cold calls takes, against a single one; and what a call costs.

    hatch run python tests/reliability/measure_cold_calls.py [CALLS [FETCH_SECONDS]]

Every call is a process that asks a question of its own; the fetch takes 0.5 s. A single call is the median of five.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from reliability.harness import Ats, ended


def main(calls: int = 40, fetch_seconds: float = 0.5) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ats = Ats(Path(folder))
        ats.find("number1x")  # compiles what is not compiled yet
        single, warm, processor = [], [], []
        for _ in range(5):
            cold(ats, calls, fetch_seconds)
            single.append(timed(ats, 1)[0])
            before = used()
            warm.append(timed(ats, 1)[0])
            processor.append(used() - before)
        for _ in range(3):
            cold(ats, calls, fetch_seconds)
            before, fetches = used(), len(ats.asked("fetch"))
            took = sorted(timed(ats, calls))
            seconds, fetches = used() - before, len(ats.asked("fetch")) - fetches
            print(
                f"single cold {median(single):.2f} s, warm {median(warm):.2f} s ({median(processor):.2f} s processor)"
                f" | of {calls} cold: slowest {took[-1]:.2f} s, median {median(took):.2f} s,"
                f" ratio {took[-1] / median(single):.2f}, fetches {fetches},"
                f" {seconds / calls:.3f} s processor a call, {os.cpu_count()} processors"
            )


def cold(ats: Ats, calls: int, fetch_seconds: float) -> None:
    for path in ats.state.glob("corpus-cache*"):
        path.unlink()
    ats.plan(tasks=calls, fetch_seconds=fetch_seconds)


def timed(ats: Ats, calls: int) -> list[float]:
    """Seconds from the start of all to the end of each; each has to give the right answer."""
    took = [0.0] * calls
    started = time.monotonic()

    def ask(number: int) -> None:
        result = ended(ats.start("find", "--json", f"number{number}x"))
        took[number] = time.monotonic() - started
        assert result.ids == [f"t{number}"], result

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def used() -> float:
    """Seconds of processor that children used so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((int, float), sys.argv[1:], strict=False)))
