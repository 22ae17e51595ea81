"""A question file from a corpus: the sample, the forms, and what has to be said about both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any

import msgspec
from ats_core.models import Task
from ats_core.text.fold import fold

from ats_bench.generate.forms import FORMS, Known
from ats_bench.generate.sample import sample
from ats_bench.questions import Question

ORIGIN = "generated"
CAVEAT = "made of the task's own words: favours lexical branches (sparse, keyword) over semantic ones"


def generate(tasks: Sequence[Task], count: int, seed: int, forms: Iterable[str] = FORMS) -> list[Question]:
    """Known-item questions about `count` of the open tasks, in corpus order, for each task one of every form it allows.

    Words are weighed against the whole corpus. No two questions have the same words. The same corpus, count and seed
    give the same questions in every process.

    :param tasks: the corpus.
    """
    known = Known(tasks)
    open_tasks = [position for position, task in enumerate(tasks) if task.status != "done"]
    # S311 asks for a generator that nobody can foresee; this one has to be foreseen.
    chosen = sample([tasks[position] for position in open_tasks], count, Random(seed))  # noqa: S311
    questions: dict[str, Question] = {}
    for position in (open_tasks[at] for at in chosen):
        task = tasks[position]
        for form in forms:
            # A generator for each question: what one form draws does not change what another one makes.
            text = FORMS[form](task, position, known, Random(f"{seed}/{form}/{task.id}"))  # noqa: S311
            if text is not None:
                questions.setdefault(fold(text), _question(text, task, form))
    return list(questions.values())


def record(question: Question) -> dict[str, Any]:
    """The line of a question, with what has to be said about it."""
    fields = {name: value for name, value in msgspec.structs.asdict(question).items() if value}
    return {**fields, "note": CAVEAT}


def _question(text: str, task: Task, form: str) -> Question:
    digest = blake2b(f"{form}\0{text}\0{task.id}".encode(errors="replace"), digest_size=5).hexdigest()
    return Question(
        id=f"g-{digest}",
        question=text,
        gold_task_ids=(task.id,),
        tags=(ORIGIN, form),
        origin=ORIGIN,
        gold_project_id=task.project_id or None,
    )
