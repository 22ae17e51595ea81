"""Candidates as they are shown to the person who accepts them, and what becomes of those that were accepted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ats_core.corpus import Corpus
from ats_core.errors import UsageError
from ats_core.models import Task
from ats_core.text.fold import fold

from ats_bench.questions import Question, append_question, read_questions
from ats_bench.usage.calls import timestamp
from ats_bench.usage.candidates import Candidate, Link

ORIGIN = "usage"
REQUERY = "requery"
"""The tag of a query that was asked in other words before the task was opened."""

ALL = "all"


class Offer(NamedTuple):
    """A candidate whose task is there: what there is to accept."""

    candidate: Candidate
    task: Task

    @property
    def question(self) -> Question:
        """The question that it becomes."""
        tags = ("usage",) if self.candidate.direct else ("usage", REQUERY)
        return Question(
            id=self.candidate.id,
            question=self.candidate.query,
            gold_task_ids=(self.task.id,),
            tags=tags,
            origin=ORIGIN,
            gold_project_id=self.task.project_id or None,
        )

    @property
    def record(self) -> dict[str, Any]:
        """The line that shows it. No reader takes it for a question before `accepted` is true."""
        question = self.question
        return {
            "id": question.id,
            "question": question.question,
            "gold_task_ids": question.gold_task_ids,
            "gold_project_id": question.gold_project_id,
            "tags": question.tags,
            "origin": question.origin,
            "accepted": False,
            "title": self.task.title,
            "seen": self.candidate.seen,
            "last": timestamp(self.candidate.last_at),
        }


class Answers:
    """Which links of the log may become a question: their task is there, and was not asked for by its very name."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._titles: dict[str, str | None] = {}

    def takes(self, link: Link) -> bool:
        """Whether a link counts."""
        task_id = link.task_id
        if task_id not in self._titles:
            task = self._corpus.get(task_id)
            self._titles[task_id] = None if task is None else fold(task.title).strip()
        return self._titles[task_id] not in (None, link.key) and fold(task_id) != link.key

    def offers(self, candidates: Iterable[Candidate]) -> list[Offer]:
        """The candidates with their tasks."""
        found = ((candidate, self._corpus.get(candidate.task_id)) for candidate in candidates)
        return [Offer(candidate, task) for candidate, task in found if task is not None]


def accept(offered: Sequence[Offer], ids: Iterable[str], path: Path) -> list[Offer]:
    """Append the offers of these ids to a question file, but those that stand there already; give what was appended.

    :param ids: of candidates; `all` stands for every one.
    :raises UsageError: one of them is not offered, or the file cannot be read or written.
    """
    wanted = list(dict.fromkeys(ids))
    by_id = {offer.candidate.id: offer for offer in offered}
    unknown = [one for one in wanted if one != ALL and one not in by_id]
    if unknown:
        raise UsageError(f"no candidate {unknown[0]!r}", hint="to list them: ats bench from-usage")
    chosen = list(offered) if ALL in wanted else [by_id[one] for one in wanted]
    known = {question.id for question in read_questions(path)[0]} if path.exists() else set()
    new = [offer for offer in chosen if offer.candidate.id not in known]
    for offer in new:
        append_question(path, offer.question)
    return new
