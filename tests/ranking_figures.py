"""Measure every branch and both fusions on the public question sets, in process.

    hatch run python tests/ranking_figures.py              the table of docs/ranking.md, and the floors
    hatch run python tests/ranking_figures.py --bonus      what keyword's bonus in score fusion does to each set
    hatch run python tests/ranking_figures.py --jobs 2 agent-recall

MRR is over the first ten hits. Settings are one set of values for all sets. Exit code 1 if a floor is missed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import shared_data
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, Engine
from ats_core.testing import make_engine

# The package's attribute of this name is the function.
score = importlib.import_module("ats_core.fusion.score")

SETS = ("agent-recall", "vespa-rag-notes", "gitbugs-hadoop", "xquad-en", "cmrc2018-zh-trial")

FLOORS = {
    "agent-recall": (0.87, 0.92),
    "vespa-rag-notes": (0.975, 0.98),
    "gitbugs-hadoop": (0.52, 0.56),
    "xquad-en": (0.965, 0.97),
    "cmrc2018-zh-trial": (0.98, 0.975),
}
"""MRR that `find` must reach: without an embedder, and with the static one under score fusion."""

MOST_BELOW_THE_BEST_BRANCH = 0.01
LEXICAL, STATIC = "none", "local"


class Column(NamedTuple):
    """One way to ask: the engine's method, the embedder, the fusion."""

    title: str
    method: str
    embedder: str = LEXICAL
    fusion: str = "rrf"


COLUMNS = (
    Column("keyword", "keyword"),
    Column("sparse", "sparse"),
    Column("find rrf", "find"),
    Column("find score", "find", fusion="score"),
    Column("semantic, static", "semantic", STATIC),
    Column("hybrid, static", "hybrid", STATIC),
    Column("find rrf, static", "find", STATIC),
    Column("find score, static", "find", STATIC, "score"),
)


class Figures(NamedTuple):
    """Over the questions of one set: how often the first hit is right, how often one of the first five, and MRR@10."""

    hit_at_1: float
    recall_at_5: float
    mrr: float


def open_engine(name: str, state: Path, column: Column) -> Engine:
    """An engine over a set's corpus."""
    environ = {"ATS_MEMORY_FILE": str(shared_data.corpus_file(name))}
    return make_engine(
        MemoryAdapter(AdapterConfig(name="memory", environ=environ)),
        name="memory",
        state_dir=state,
        usage_disable=True,
        budget_ms=600_000,
        embedder=column.embedder,
        fusion=column.fusion,
    )


def measure(name: str, column: Column) -> Figures:
    """Ask all questions of a set in one way."""
    with tempfile.TemporaryDirectory() as state:
        engine = open_engine(name, Path(state), column)
        ranks = []
        for question in shared_data.questions(name):
            found = getattr(engine, column.method)(question.text, limit=10)
            ranks.append(shared_data.reciprocal_rank([hit.task.id for hit in found.hits], question.gold))
    count = len(ranks)
    return Figures(
        sum(rank == 1 for rank in ranks) / count, sum(rank >= 1 / 5 for rank in ranks) / count, sum(ranks) / count
    )


def _measured(job: tuple[str, Column, float]) -> tuple[str, str, Figures]:
    name, column, bonus = job
    score.BONUS = bonus
    return name, column.title, measure(name, column)


def measured(sets: list[str], columns: tuple[Column, ...], jobs: int, bonus: float) -> dict[tuple[str, str], Figures]:
    """The figures of each set and column."""
    work = [(name, column, bonus) for name in sets for column in columns]
    with Pool(jobs) as pool:
        return {(name, title): figures for name, title, figures in pool.imap_unordered(_measured, work)}


def table(figures: dict[tuple[str, str], Figures], sets: list[str], columns: tuple[Column, ...]) -> Iterator[str]:
    """Markdown: MRR, and hit@1 and recall@5 behind it."""
    yield "| set | " + " | ".join(column.title for column in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for name in sets:
        cells = (figures[name, column.title] for column in columns)
        yield f"| {name} | " + " | ".join(f"{f.mrr:.3f} ({f.hit_at_1:.2f}, {f.recall_at_5:.2f})" for f in cells) + " |"


def missed_floors(figures: dict[tuple[str, str], Figures], sets: list[str]) -> Iterator[str]:
    """What falls short of the floors, a line each."""
    for name in sets:
        lexical, static = figures[name, "find rrf"].mrr, figures[name, "find score, static"].mrr
        best = max(figures[name, title].mrr for title in ("keyword", "sparse", "semantic, static"))
        if lexical < FLOORS[name][0]:
            yield f"{name}: find without an embedder {lexical:.4f} < {FLOORS[name][0]}"
        if static < FLOORS[name][1]:
            yield f"{name}: find score with the static embedder {static:.4f} < {FLOORS[name][1]}"
        if static < best - MOST_BELOW_THE_BEST_BRANCH:
            yield f"{name}: find score, static {static:.4f} is over .01 below the best branch {best:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bonus", action="store_true", help="vary keyword's bonus in score fusion")
    chosen = parser.parse_args()
    if not shared_data.available():
        sys.exit(f"no question sets at {shared_data.DATA}; set ATS_SHARED to the folder that holds data/")
    if chosen.bonus:
        columns = COLUMNS[3:4] + COLUMNS[-1:]
        for bonus in (0.0, 0.1, 0.2, 0.4):
            print(f"\nbonus {bonus}")
            print("\n".join(table(measured(chosen.sets, columns, chosen.jobs, bonus), chosen.sets, columns)))
        return
    figures = measured(chosen.sets, COLUMNS, chosen.jobs, score.BONUS)
    print("\n".join(table(figures, chosen.sets, COLUMNS)))
    missed = list(missed_floors(figures, chosen.sets))
    print("\n".join(missed) or "all floors hold")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
