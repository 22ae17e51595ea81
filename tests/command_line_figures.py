"""Measure hit@1 and MRR of `ats find` through the command line, one process a question, without an embedder.

    hatch run figures                       all sets below
    hatch run figures agent-recall

MRR is over the first ten hits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import NamedTuple

import shared_data

SETS = {"agent-recall": 1, "cmrc2018-zh-trial": 20}
"""Set, and that every n-th of its questions is asked."""


class Figures(NamedTuple):
    questions: int
    hit_at_1: float
    mrr: float


def measure(name: str, every: int) -> Figures:
    """Ask the questions of a set of its own corpus."""
    asked = shared_data.questions(name, every)
    with tempfile.TemporaryDirectory() as state:
        environ = {
            **{key: value for key, value in os.environ.items() if not key.startswith("ATS_")},
            "ATS_CONFIG_DIR": state,
            "ATS_MEMORY_FILE": str(shared_data.corpus_file(name)),
            "ATS_EMBEDDER": "none",
        }
        ranks = [shared_data.reciprocal_rank(_find(question.text, environ), question.gold) for question in asked]
    return Figures(len(asked), sum(rank == 1 for rank in ranks) / len(ranks), sum(ranks) / len(ranks))


def _find(question: str, environ: dict[str, str]) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "ats_cli",
        "find",
        "--json",
        "--limit",
        "10",
        "--adapter",
        "memory",
        "--",
        question,
    ]
    done = subprocess.run(command, env=environ, capture_output=True, check=True)
    return [task["id"] for task in json.loads(done.stdout)["tasks"]]


def main() -> None:
    if not shared_data.available():
        sys.exit(f"no question sets at {shared_data.DATA}; set ATS_SHARED to the folder that holds data/")
    for name in sys.argv[1:] or SETS:
        figures = measure(name, SETS.get(name, 1))
        print(f"{name}: {figures.questions} questions, hit@1 {figures.hit_at_1:.3f}, MRR {figures.mrr:.3f}")


if __name__ == "__main__":
    main()
