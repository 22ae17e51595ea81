"""What is wrong with a question file, measured against the corpus that it asks about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from ats_core.corpus import Corpus
from ats_core.models import Model
from ats_core.text.fold import fold

from ats_bench.generate.questions import ORIGIN as GENERATED
from ats_bench.questions import Question

MOST_SHARED = 10
"""Shared golds that are named one by one."""


class Checked(Model, frozen=True, kw_only=True):
    """`problems` make figures wrong; `remarks` are what a reader of the figures should know."""

    questions: int
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


def check(questions: Sequence[Question], problems: Sequence[str], corpus: Corpus) -> Checked:
    """Check questions as `read_questions` gives them, with the problems that it saw.

    :param corpus: all tasks, done ones included.
    """
    found = [*problems, *_repeated(questions), *_missing(questions, corpus)]
    if not questions:
        found.append("there is no question in it")
    return Checked(questions=len(questions), problems=tuple(found), remarks=tuple(_remarks(questions)))


def _repeated(questions: Iterable[Question]) -> Iterable[str]:
    first: dict[str, str] = {}
    for question in questions:
        asked_by = first.setdefault(fold(question.question), question.id)
        if asked_by != question.id:
            yield f"{question.id}: the same question as {asked_by}"


def _missing(questions: Iterable[Question], corpus: Corpus) -> Iterable[str]:
    for question in questions:
        for gold in question.gold_task_ids:
            task = corpus.get(gold)
            if task is None:
                yield f"{question.id}: gold {gold!r} is not in the corpus"
            elif task.status == "done":
                yield f"{question.id}: gold {gold!r} is done, and no search finds it unless it is told to"


def _remarks(questions: Sequence[Question]) -> Iterable[str]:
    generated = {question.id for question in questions if question.origin == GENERATED}
    if generated:
        golds = {gold for question in questions if question.id in generated for gold in question.gold_task_ids}
        yield (
            f"{len(generated)} questions about {len(golds)} tasks are generated: they favour lexical branches, and"
            " those about one task succeed and fail together"
        )
    yield from _shared(questions, generated)


def _shared(questions: Iterable[Question], generated: Container[str]) -> Iterable[str]:
    """Golds of several questions: such questions succeed and fail together, and count for less than they seem to."""
    askers: dict[str, list[str]] = defaultdict(list)
    for question in questions:
        for gold in question.gold_task_ids:
            askers[gold].append(question.id)
    shared = [
        (gold, asking)
        for gold, asking in askers.items()
        if len(asking) > 1 and not all(question in generated for question in asking)
    ]
    shared.sort(key=lambda item: -len(item[1]))
    for gold, asking in shared[:MOST_SHARED]:
        more = f" and {len(asking) - MOST_SHARED} more" if len(asking) > MOST_SHARED else ""
        yield f"gold {gold!r} is shared by {len(asking)} questions: {', '.join(asking[:MOST_SHARED])}{more}"
    if len(shared) > MOST_SHARED:
        yield f"{len(shared) - MOST_SHARED} more golds are shared by several questions"
