"""The public question sets that figures are measured on. They lie beside the checkout and are no part of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("ATS_SHARED", ROOT.parent / "shared")) / "data"


class Question(NamedTuple):
    """A question and the ids of the tasks that answer it."""

    text: str
    gold: frozenset[str]


def available() -> bool:
    return DATA.is_dir()


def corpus_file(name: str) -> Path:
    return DATA / name / "corpus.jsonl"


def questions(name: str, every: int = 1) -> list[Question]:
    """The questions of a set, or every n-th of them, beginning with the first."""
    return list(_questions(name))[::every]


def _questions(name: str) -> Iterator[Question]:
    for line in (DATA / name / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        fields = json.loads(line)
        yield Question(fields["question"], frozenset(fields["gold_task_ids"]))


def reciprocal_rank(ranked: list[str], gold: frozenset[str]) -> float:
    """1 / rank of the first gold item, 0 where there is none."""
    return next((1 / rank for rank, task_id in enumerate(ranked, 1) if task_id in gold), 0.0)
