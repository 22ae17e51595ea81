"""What is timed within a process, each time a fresh one: `python -m ats_bench.latency.inside STEP`; JSON on stdout.

The environment says which corpus and which embedder. Imports are done before the clock starts, those that the engine
puts off until it needs them excepted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

from ats_core.engine import Engine


def build(query: str) -> dict[str, Any]:
    """The first find ever: reads the store's file, writes the cache, builds and writes the index, answers."""
    started = time.perf_counter()
    result = Engine.open().find(query)
    return {"seconds": time.perf_counter() - started, "degraded": result.degraded, "tasks": result.corpus.size}


def embed() -> dict[str, Any]:
    """All vectors, with the refetch that a sync begins with."""
    engine = Engine.open()
    started = time.perf_counter()
    counts = dict(engine.state.sync().counts)
    return {"seconds": time.perf_counter() - started, "degraded": bool(counts.get("missing"))}


def ask(path: str) -> dict[str, Any]:
    """Every question of a file once, over an open engine, after one of each kind to warm up."""
    with open(path, encoding="utf-8") as file:
        questions = json.load(file)
    engine = Engine.open()
    for _, query, project in {kind: (kind, query, project) for kind, query, project in questions}.values():
        engine.find(query, project=project)
    rows, degraded = [], 0
    for kind, query, project in questions:
        started = time.perf_counter()
        result = engine.find(query, project=project)
        rows.append([kind, (time.perf_counter() - started) * 1000, len(result.hits)])
        degraded += result.degraded
    return {"rows": rows, "degraded": degraded}


def refresh(marker: str) -> dict[str, Any]:
    """Refetch after the file has changed; then a find, which must know of the change."""
    engine = Engine.open()
    started = time.perf_counter()
    refreshed = engine.state.refresh()
    took = time.perf_counter() - started
    started = time.perf_counter()
    found = len(engine.find(marker).hits)
    then = (time.perf_counter() - started) * 1000
    return {"seconds": took, "findMs": then, "found": found, "degraded": refreshed.report.stale}


STEPS: dict[str, Callable[..., dict[str, Any]]] = {"build": build, "embed": embed, "ask": ask, "refresh": refresh}


if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](*sys.argv[2:])))
