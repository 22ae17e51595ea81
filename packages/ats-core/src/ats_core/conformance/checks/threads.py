"""Hooks may be called from several threads at once, and give the answers that they give one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import methodcaller
from threading import Barrier
from typing import Any, NamedTuple

from ats_core.conformance.agreement import persisting
from ats_core.conformance.asking import local_calls
from ats_core.conformance.results import THREADS, Check, Finding, Rule
from ats_core.conformance.subject import FETCH_SECONDS, Subject
from ats_core.conformance.watched import Watched
from ats_core.deadline import Deadline
from ats_core.errors import AtsError
from ats_core.fanout import FanOut, Job, describe
from ats_core.models import Fetched, Project, Task

SAFE = Rule(
    "threads",
    "Core may call hooks from several threads at once: each call gets the answer that it gets alone.",
    "keep what belongs to one call in local variables, and guard what is shared with a lock",
)

WORKERS = 4
"""As many at a time: enough to collide, and few for a store that counts requests."""


class _Question(NamedTuple):
    name: str
    ask: Callable[[Watched], Any]


def threads_get_the_same_answers(subject: Subject) -> Iterator[Finding]:
    """Several threads ask a fresh adapter at once, each one question ahead of the other: one hook, other arguments."""
    questions = _questions(subject)

    def compare() -> Iterator[Finding]:
        alone = subject.make()
        expected = [_gist(question.ask(alone)) for question in questions]
        adapter, barrier = subject.make(), Barrier(WORKERS)

        def work_from(first: int) -> Callable[[Deadline], list[tuple[int, Any]]]:
            def work(until: Deadline) -> list[tuple[int, Any]]:
                barrier.wait(timeout=until.remaining())
                order = [(first + step) % len(questions) for step in range(len(questions))]
                return [(number, _answer(questions[number], adapter)) for number in order]

            return work

        jobs = [Job(f"thread {number}", work_from(number)) for number in range(WORKERS)]
        for outcome in FanOut().run(jobs, Deadline(subject.seconds / 2)):
            if outcome.value is None:
                yield SAFE.broken(f"{WORKERS} threads at once: {outcome.error}")
                return
            for number, answer in outcome.value:
                if answer != expected[number]:
                    what = describe(answer) if isinstance(answer, Exception) else "another answer than one thread alone"
                    yield SAFE.broken(f"{questions[number].name}, called by {WORKERS} threads at once: {what}")
                    return

    yield from persisting(subject, compare)


def _questions(subject: Subject) -> Sequence[_Question]:
    """What reads quickly: the required hooks for different projects and tasks, and the cheap capabilities."""
    pairs = [(project_id, task.id) for project_id, task in subject.some_tasks(8)]
    asked: list[tuple[Any, ...]] = [("list_projects",)]
    asked += [("list_tasks_in_project", project_id) for project_id in dict.fromkeys(place for place, _ in pairs)]
    asked += [(hook, *pair) for pair in pairs for hook in ("get_task", "url_for")]
    if subject.adapter.has("bulk_fetch"):
        asked.append(("bulk_fetch", Deadline(FETCH_SECONDS)))
    local = ("revision", "cache_scope", "embedding_space", "settings")
    asked += [(call.name,) for call in local_calls(subject) if call.name in local and subject.adapter.has(call.name)]
    return [_Question(name, methodcaller(name, *arguments)) for name, *arguments in asked]


def _answer(question: _Question, adapter: Watched) -> Any:
    try:
        return _gist(question.ask(adapter))
    except AtsError as error:
        return error


def _gist(value: Any) -> Any:
    """What two answers are compared by."""
    if isinstance(value, Fetched):
        return _gist(value.tasks)
    if isinstance(value, (list, tuple)):
        return [_gist(item) for item in value]
    if isinstance(value, Project):
        return (value.id, value.name)
    if isinstance(value, Task):
        return (value.id, value.title, value.content, value.tags, value.due_date, value.status)
    return value


CHECKS = (Check(THREADS, threads_get_the_same_answers, (SAFE,)),)
