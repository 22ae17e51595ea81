"""A question that a person writes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from ats_core.cache.opened import OpenedCorpus
from ats_core.errors import UsageError
from ats_core.library import resolve_task
from ats_core.models import Task
from ats_core.text.fold import clean, fold

from ats_bench.questions import Question, read_questions

ORIGIN = "written"


def check_words(question: str, gold: Sequence[str], *, no_answer: bool) -> None:
    """Refuse what cannot become a question, before any task is looked up.

    :raises UsageError: it is blank, or has neither gold nor no answer, or both.
    """
    if not clean(question).strip():
        raise UsageError("the question is blank")
    if not gold and not no_answer:
        raise UsageError("the question has no gold", hint="add --gold ID, or --no-answer where no task answers it")
    if gold and no_answer:
        raise UsageError("--gold and --no-answer exclude each other", hint="give one of them")


def find_gold(references: Sequence[str], opened: OpenedCorpus) -> list[Task]:
    """The tasks that are meant, each by its id, the unique beginning of one, or its exact title.

    :raises NotFoundError: there is no such task.
    :raises UsageError: several fit, or two references mean the same task.
    """
    tasks: dict[str, Task] = {}
    for reference in references:
        task = resolve_task(opened, reference)
        if task.id in tasks:
            raise UsageError(f"gold {reference!r} is given twice")
        tasks[task.id] = task
    return list(tasks.values())


def written(question: str, gold: Sequence[Task], tags: Sequence[str]) -> Question:
    """The question; without gold it is one that no task answers. Its id is made of its words."""
    text = clean(question).strip()
    projects = {task.project_id for task in gold}
    return Question(
        id=f"q-{blake2b(fold(text).encode(), digest_size=5).hexdigest()}",
        question=text,
        gold_task_ids=tuple(task.id for task in gold),
        no_answer=not gold,
        tags=tuple(dict.fromkeys(stripped for tag in tags if (stripped := clean(tag).strip()))),
        origin=ORIGIN,
        gold_project_id=(projects.pop() or None) if len(projects) == 1 else None,
    )


def refuse_repeated(question: Question, path: Path) -> None:
    """Refuse a question that stands in the file already, however it is written there.

    :raises UsageError: it does, or the file cannot be read.
    """
    if not path.exists():
        return
    for other in read_questions(path)[0]:
        if other.id == question.id or fold(other.question) == fold(question.question):
            raise UsageError(f"the question stands in {path} already, as {other.id}")
