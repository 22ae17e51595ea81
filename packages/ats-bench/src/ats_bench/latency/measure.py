"""Measures one size: makes the corpus, then has everything timed by processes of their own."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from ats_core.errors import AtsError

from ats_bench.latency.figures import Column
from ats_bench.latency.synthetic import MARKER, change_corpus, plain_question, questions, write_corpus

COMMAND = "ats_cli"
"""The module that is run as `ats`. It is never imported here."""

Say = Callable[[str], None]


class Cost(NamedTuple):
    ms: float
    mib: float


class Plan(NamedTuple):
    """What is measured at every size. `body_kb` is about what a task's body comes to."""

    embedders: Sequence[str]
    runs: int
    environ: Mapping[str, str]
    body_kb: int = 1

    def steps(self, sizes: int) -> int:
        """How many processes are timed."""
        whole = 3 + 2 * len(self.embedders)
        return sizes * (2 + ("local" in self.embedders) + len(self.embedders) + whole * (self.runs + 1))


class Place(NamedTuple):
    """The corpus of a size, and the environment in which ATS sees it and nothing else."""

    folder: Path
    plan: Plan

    @property
    def corpus(self) -> Path:
        return self.folder / "corpus.jsonl"

    def environ(self, embedder: str) -> dict[str, str]:
        own = {name: value for name, value in self.plan.environ.items() if not name.startswith("ATS_")}
        return own | {
            "ATS_CONFIG_DIR": str(self.folder / "state"),
            "ATS_ADAPTER": "memory",
            "ATS_MEMORY_FILE": str(self.corpus),
            "ATS_EMBEDDER": embedder,
            "ATS_PLUGINS": "",
        }

    def job(self, name: str, embedder: str, *argv: str) -> dict[str, Any]:
        """A command for the launcher: the words after `python`, which has no folder of ours on its path (-P)."""
        out = str(self.folder / f"{name}.out")
        return {"name": name, "argv": [sys.executable, "-P", *argv], "environ": self.environ(embedder), "out": out}

    def inside(self, step: str, embedder: str, *words: str) -> dict[str, Any]:
        return self.job(f"{step}.{embedder}", embedder, "-m", "ats_bench.latency.inside", step, *words)


def measure(size: int, folder: Path, plan: Plan, step: Callable[[], None], warn: Say) -> Column:
    """All figures of one size.

    :param folder: new; the corpus and the state of ATS stay in it.
    :param step: called after each process.
    :param warn: told what makes a figure doubtful.
    :raises AtsError: a process failed, or the change of the corpus was not found.
    """
    folder.mkdir(parents=True)
    place = Place(folder, plan)
    write_corpus(place.corpus, size, plan.body_kb)
    plain, asked = plain_question(place.corpus, size), questions(place.corpus, size)
    ask_file = folder / "questions.json"
    ask_file.write_text(json.dumps(asked), encoding="utf-8")
    values: dict[str, float] = {}
    detail: dict[str, Any] = {
        "bodyKb": plan.body_kb,
        "corpusBytes": place.corpus.stat().st_size,
        "question": plain.query,
    }

    def inside(name: str, embedder: str, *words: str) -> tuple[dict[str, Any], Cost]:
        job = place.inside(name, embedder, *words)
        ((_, cost),) = launch([job], 1, folder, step)
        answer: dict[str, Any] = json.loads(Path(job["out"]).read_text(encoding="utf-8"))
        if answer["degraded"]:
            warn(f"{size:,} tasks, {name}, {embedder}: degraded, so the figure is not the whole cost")
        return answer, cost

    built, cost = inside("build", "none", plain.query)
    values |= {"build.s": built["seconds"], "build.mib": cost.mib}
    if "local" in plan.embedders:
        values["embed.s"] = inside("embed", "local")[0]["seconds"]
    long = next(question.query for question in asked if question.kind == "long")
    samples = _whole(place, plain.query, long, step, warn)
    floor = median(cost.ms for cost in samples["floor"])
    for name, costs in samples.items():
        values[f"{name}.ms"] = median(cost.ms for cost in costs)
        values[f"{name}.x"] = values[f"{name}.ms"] / floor
        values[f"{name}.mib"] = max(cost.mib for cost in costs)
    detail["wholeProcessMs"] = {name: [cost.ms for cost in costs] for name, costs in samples.items()}
    detail["inProcessMs"] = {}
    for embedder in plan.embedders:
        rows = inside("ask", embedder, str(ask_file))[0]["rows"]
        values[f"engine.{embedder}.p50"], values[f"engine.{embedder}.p95"] = _p50_p95([ms for _, ms, _ in rows])
        detail["inProcessMs"][embedder] = _by_kind(rows)
    detail["changed"] = change_corpus(place.corpus, plan.body_kb)
    refreshed, cost = inside("refresh", "none", MARKER)
    if not refreshed["found"]:
        raise AtsError(f"{size:,} tasks: what changed in the store is not found after a refresh")
    values |= {"refresh.s": refreshed["seconds"], "refresh.mib": cost.mib}
    detail["findAfterRefreshMs"] = refreshed["findMs"]
    return Column(size, values, detail)


def launch(
    jobs: Sequence[Mapping[str, Any]], rounds: int, folder: Path, step: Callable[[], None]
) -> list[tuple[str, Cost]]:
    """Run commands in turn, round by round, each alone.

    :param folder: where they run, so that no module that lies about is imported in place of an installed one.
    :raises AtsError: one of them failed.
    """
    outs, costs = {job["name"]: job["out"] for job in jobs}, []
    with _launcher(folder, {"rounds": rounds, "commands": list(jobs)}) as lines:
        for line in lines:
            name, ms, mib, code = json.loads(line)
            if code:
                said = Path(f"{outs[name]}.err").read_text(encoding="utf-8", errors="replace").strip().splitlines()
                raise AtsError(f"{name} failed with exit code {code}: {said[-1] if said else 'it said nothing'}")
            costs.append((name, Cost(ms, mib)))
            step()
    if len(costs) != rounds * len(jobs):
        raise AtsError("the process that starts the others ended early")
    return costs


@contextlib.contextmanager
def _launcher(folder: Path, work: Mapping[str, Any]) -> Iterator[Iterator[str]]:
    program = str(Path(__file__).with_name("launcher.py"))
    started = subprocess.Popen(  # noqa: S603
        [sys.executable, "-I", "-S", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, text=True
    )
    with started as process:
        try:
            if process.stdin is None or process.stdout is None:
                raise AssertionError("both are pipes")
            process.stdin.write(json.dumps(work))
            process.stdin.close()
            yield process.stdout
        except BaseException:
            process.terminate()
            raise


def _whole(place: Place, plain: str, long: str, step: Callable[[], None], warn: Say) -> dict[str, list[Cost]]:
    """Whole processes, interleaved so that a slow moment of the machine meets all alike; the first round warms up."""
    jobs = [
        place.job("floor", "none", "-c", "import typer"),
        place.job("help", "none", "-m", COMMAND, "--help"),
        place.job("adapters", "none", "-m", COMMAND, "adapters"),
    ]
    for embedder in place.plan.embedders:
        for kind, query in (("find", plain), ("long", long)):
            jobs.append(place.job(f"{kind}.{embedder}", embedder, "-m", COMMAND, "find", "--json", query))
    samples: dict[str, list[Cost]] = defaultdict(list)
    for name, cost in launch(jobs, place.plan.runs + 1, place.folder, step)[len(jobs) :]:
        samples[name].append(cost)
    for job in jobs[3:]:
        answer = json.loads(Path(job["out"]).read_text(encoding="utf-8"))
        if answer["degraded"] or not answer["count"]:
            warn(f"{job['name']}: {answer['count']} hits, degraded: {answer['warnings']}")
    return samples


def _by_kind(rows: Sequence[Sequence[Any]]) -> dict[str, dict[str, float]]:
    kinds: dict[str, list[float]] = defaultdict(list)
    for kind, ms, _ in rows:
        kinds[kind].append(ms)
    return {kind: dict(zip(("p50", "p95"), _p50_p95(times), strict=True)) for kind, times in kinds.items()}


def _p50_p95(times: Sequence[float]) -> tuple[float, float]:
    low, high = np.quantile(times, (0.5, 0.95))
    return float(low), float(high)
