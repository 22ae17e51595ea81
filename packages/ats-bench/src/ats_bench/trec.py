"""A run in the formats of TREC: a qrels file, and for each method a run file, as `trec_eval` and `ir-measures` read.

    qrels:  question 0 task 1
    run:    question Q0 task rank score method

`trec_eval` orders by score, as a 32-bit float, and equal scores by id. So that it sees the order that we measured, a
question's scores are written as they are only where they fall strictly; else the number of tasks from this one on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from ctypes import c_float
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import NamedTuple

from ats_bench.new_file import refuse_occupied, write_new
from ats_bench.runs import Row, Run
from ats_bench.scoring import winnable_gold

QRELS = "qrels.txt"

_UNSAFE = re.compile(r"[^\S ]|[ %]|[\x00-\x1f]")
_NO_FILE_NAME = re.compile(r"[^\w.-]+", re.ASCII)


class Exported(NamedTuple):
    """What was written; `judged` questions are in the qrels, `others` have no gold that a search may show."""

    files: list[Path]
    judged: int
    others: int


def export_trec(run: Run, folder: Path) -> Exported:
    """Write `qrels.txt` and a `<method>.run` for each method into a folder that is new or empty.

    The qrels hold what `score` measures against: gold that the corpus has and that is not done.

    :raises UsageError: the folder is not empty, or cannot be written to.
    """
    refuse_occupied(folder)
    golds = winnable_gold(run)
    qrels = (f"{token(question)} 0 {token(gold)} 1\n" for question in golds for gold in sorted(golds[question]))
    files = [folder / QRELS]
    write_new(files[0], qrels)
    for method in run.header.methods:
        files.append(folder / f"{_NO_FILE_NAME.sub('-', method)}.run")
        rows = [run.rows[question.id, method] for question in run.questions if (question.id, method) in run.rows]
        write_new(files[-1], (line for row in rows for line in run_lines(row)))
    return Exported(files, len(golds), len(run.questions) - len(golds))


def run_lines(row: Row) -> Iterator[str]:
    """The lines of one answer, best first; an id that it holds twice counts at its best rank."""
    best: dict[str, float | None] = {}
    for task_id, score in zip_longest(row.ids, row.scores[: len(row.ids)]):
        best.setdefault(task_id, score)
    scores = falling(list(best.values()))
    for rank, (task_id, score) in enumerate(zip(best, scores, strict=True), start=1):
        yield f"{token(row.question)} Q0 {token(task_id)} {rank} {score!r} {token(row.method)}\n"


def falling(scores: Sequence[float | None]) -> Sequence[float | int]:
    """The scores if they fall strictly also as 32-bit floats; else n, n - 1, ... 1."""
    given = [score for score in scores if score is not None and math.isfinite(score)]
    short = [c_float(score).value for score in given]
    if len(given) == len(scores) and all(before > after for before, after in pairwise(short)):
        return given
    return range(len(scores), 0, -1)


def token(text: str) -> str:
    """An id without blanks, which would end a column: they, control characters and `%` become `%20` and the like."""
    return _UNSAFE.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), text) or "%"
