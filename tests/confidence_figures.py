"""Fit the thresholds of the confidence verdict on two question sets, and check them on three others.

    hatch run python tests/confidence_figures.py           the table: how often strong or moderate, by kind and set
    hatch run python tests/confidence_figures.py --fit     also the best thresholds on the two sets for choosing, and
                                                           the trade-off along MODERATE on all five

Kinds of question: `right`, the set's own questions whose first hit is right; `foreign`, the questions of the other four
sets; `removed`, the set's own questions with their gold tasks taken out of the corpus. Only `right` should be believed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import ats_core.engine
import shared_data
from ats_adapter_memory import MemoryAdapter
from ats_core import AdapterConfig, Deadline, Task
from ats_core.confidence import MODERATE, MOST_WORDS, STANDS_OUT, WORD_BONUS, Evidence, judge
from ats_core.testing import make_engine

FOR_CHOOSING = ("agent-recall", "xquad-en")
SETS = (*FOR_CHOOSING, "vespa-rag-notes", "gitbugs-hadoop", "cmrc2018-zh-trial")
KINDS = ("right", "foreign", "removed")
SETTINGS = (("none", "rrf"), ("local", "rrf"), ("local", "score"))
MOST_OWN, MOST_FOREIGN, MOST_REMOVED = 200, 50, 66
BOUNDS = {"right": "at least 85, no set below 75", "foreign": "at most 5", "removed": "at most 25"}


class Judged(NamedTuple):
    """What was measured on the best hit of one question; None where there was no hit."""

    embedder: str
    fusion: str
    corpus: str
    kind: str
    evidence: Evidence | None


def collect(job: tuple[str, str, str]) -> list[Judged]:
    """Ask all kinds of questions of one corpus in one setting."""
    name, embedder, fusion = job
    chance = random.Random(f"{name} 2026")
    everything = list(MemoryAdapter(_config(name)).bulk_fetch(Deadline(600)).tasks)
    with tempfile.TemporaryDirectory() as state:
        judged = []

        def ask(kind: str, tasks: list[Task], questions: list[shared_data.Question]) -> None:
            engine = make_engine(
                MemoryAdapter.of(tasks),
                state_dir=Path(state),
                usage_disable=True,
                budget_ms=600_000,
                embedder=embedder,
                fusion=fusion,
            )
            for question in questions:
                evidence, first = _evidence(engine, question.text)
                if kind != "right" or first in question.gold:
                    judged.append(Judged(embedder, fusion, name, kind, evidence))

        own = shared_data.questions(name)
        ask("right", everything, _some(chance, own, MOST_OWN))
        for other in SETS:
            if other != name:
                ask("foreign", everything, _some(chance, shared_data.questions(other), MOST_FOREIGN))
        for question in _some(chance, own, MOST_REMOVED):
            ask("removed", [task for task in everything if task.id not in question.gold], [question])
    return judged


def _evidence(engine: ats_core.engine.Engine, query: str) -> tuple[Evidence | None, str | None]:
    """What the engine measured on the best hit of a query, and that hit's id."""
    seen: list[Evidence] = []
    original = ats_core.engine.evidence_for

    def spy(*arguments: object) -> Evidence:
        seen.append(original(*arguments))  # type: ignore[arg-type]
        return seen[-1]

    ats_core.engine.evidence_for = spy  # type: ignore[assignment]
    try:
        hits = engine.find(query, limit=1).hits
    finally:
        ats_core.engine.evidence_for = original
    return (seen[0], hits[0].task.id) if hits else (None, None)


def _config(name: str) -> AdapterConfig:
    return AdapterConfig(name="memory", environ={"ATS_MEMORY_FILE": str(shared_data.corpus_file(name))})


def _some(chance: random.Random, questions: list[shared_data.Question], most: int) -> list[shared_data.Question]:
    return chance.sample(questions, min(most, len(questions)))


Believes = Callable[[Evidence], bool]


def believed(evidence: Evidence) -> bool:
    """Whether the verdict, as it is, is strong or moderate."""
    return judge(evidence, degraded=False).verdict in ("strong", "moderate")


def share(judged: list[Judged], believes: Believes, kind: str, corpus: str) -> float:
    """How many questions of a kind are believed, in per cent."""
    of_kind = [item.evidence for item in judged if item.kind == kind and item.corpus == corpus]
    return 100 * sum(evidence is not None and believes(evidence) for evidence in of_kind) / max(1, len(of_kind))


def table(judged: list[Judged]) -> Iterator[str]:
    """Markdown: the share believed, a row an embedder, fusion and kind."""
    yield "| embedder, fusion | kind | " + " | ".join(SETS) + " | mean | bound |"
    yield "|---" * (len(SETS) + 4) + "|"
    for embedder, fusion in SETTINGS:
        here = [item for item in judged if (item.embedder, item.fusion) == (embedder, fusion)]
        for kind in KINDS:
            shares = [share(here, believed, kind, corpus) for corpus in SETS]
            cells = " | ".join(f"{value:.0f}" for value in shares)
            yield f"| {embedder}, {fusion} | {kind} | {cells} | {sum(shares) / len(shares):.1f} | {BOUNDS[kind]} |"


def fit(judged: list[Judged]) -> Iterator[str]:
    """The thresholds that best tell right from foreign and removed on the sets for choosing, and their neighbours."""
    for_choosing = [item for item in judged if item.corpus in FOR_CHOOSING]
    scored = []
    for words, bonus, least in itertools.product((3, 4, 5, 6), (0.0, 0.1, 0.2, 0.3, 0.4), range(35, 100, 2)):
        believes = _rule(words, bonus, least / 100)
        means = {
            kind: sum(share(for_choosing, believes, kind, corpus) for corpus in FOR_CHOOSING) / len(FOR_CHOOSING)
            for kind in KINDS
        }
        scored.append((means["right"] - means["foreign"] - means["removed"], words, bonus, least / 100, means))
    scored.sort(key=lambda row: (-row[0], *row[1:4]))
    yield f"in force: MOST_WORDS {MOST_WORDS}, WORD_BONUS {WORD_BONUS}, MODERATE {MODERATE}"
    for gain, words, bonus, least, means in scored[:8]:
        rates = ", ".join(f"{kind} {value:.0f} %" for kind, value in means.items())
        yield f"{gain:5.1f}: MOST_WORDS {words}, WORD_BONUS {bonus}, MODERATE {least}: {rates}"


def trade_off(judged: list[Judged]) -> Iterator[str]:
    """Markdown: the means over all sets as MODERATE goes up, words and bonus as in force; right / foreign / removed."""
    yield "| MODERATE | " + " | ".join(", ".join(setting) for setting in SETTINGS) + " |"
    yield "|---" * (len(SETTINGS) + 1) + "|"
    for least in range(66, 88, 2):
        believes = _rule(MOST_WORDS, WORD_BONUS, least / 100)
        cells = []
        for setting in SETTINGS:
            here = [item for item in judged if (item.embedder, item.fusion) == setting]
            means = (sum(share(here, believes, kind, corpus) for corpus in SETS) / len(SETS) for kind in KINDS)
            cells.append(" / ".join(f"{mean:.0f}" for mean in means))
        yield f"| {least / 100:.2f} | " + " | ".join(cells) + " |"


def _rule(words: int, bonus: float, least: float) -> Believes:
    return lambda evidence: (
        evidence.exact
        or evidence.coverage + bonus * min(evidence.words, words) / words >= least
        or (evidence.stand_out or 0.0) >= STANDS_OUT
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    if not shared_data.available():
        sys.exit(f"no question sets at {shared_data.DATA}; set ATS_SHARED to the folder that holds data/")
    work = [(name, embedder, fusion) for name in SETS for embedder, fusion in SETTINGS]
    with Pool(chosen.jobs) as pool:
        judged = [item for part in pool.imap_unordered(collect, work, chunksize=1) for item in part]
    print("\n".join(table(judged)))
    if chosen.fit:
        print("\n".join(["", *fit(judged), "", *trade_off(judged)]))


if __name__ == "__main__":
    main()
