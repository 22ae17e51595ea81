"""Tasks that the kit makes, to write on them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar
from uuid import uuid4

from ats_core.conformance.results import Skipped
from ats_core.conformance.subject import Subject
from ats_core.conformance.watched import Watched
from ats_core.errors import AtsError, UsageError
from ats_core.fanout import describe
from ats_core.library import resolve_project
from ats_core.models import Task, TaskDraft, TaskPatch

T = TypeVar("T")

DUE = "2031-05-06"


@contextmanager
def written(subject: Subject, **fields: Any) -> Iterator[tuple[Watched, Task]]:
    """A task that was made for this check, and that is completed after it.

    :raises Skipped: none can be made, which is for the first check to say.
    :raises UsageError: the store cannot hold one of the fields.
    """
    made = create(subject, fields)
    try:
        yield subject.adapter, made
    finally:
        complete(subject, made)


@contextmanager
def fully_written(subject: Subject) -> Iterator[tuple[Watched, Task]]:
    """The same with as many fields as the store takes, as `get_task` gives it."""
    adapter = subject.need("update_task")
    fields: dict[str, Any] = {"content": "A body.", "tags": ("kit",), "due_date": DUE}
    made = None
    while made is None:
        try:
            made = create(subject, fields)
        except UsageError:
            if not fields:
                raise
            fields.popitem()
    place, task_id = made.project_id, made.id
    try:
        yield adapter, eventually(subject, lambda: adapter.get_task(place, task_id)) or made
    finally:
        complete(subject, made)


def project_of(subject: Subject) -> str | None:
    """The project to write to; None for the store's default one.

    :raises NotFoundError: there is none of the name that was given.
    """
    return None if subject.project is None else resolve_project(subject.projects(), subject.project).id


def create(subject: Subject, fields: dict[str, Any]) -> Task:
    """Make a task."""
    adapter = subject.need("create_task")
    title = f"ATS conformance kit {uuid4().hex[:8]}"
    draft = TaskDraft(title=title, project_id=project_of(subject), **fields)
    try:
        return adapter.create_task(draft)
    except UsageError:
        raise
    except AtsError as error:
        raise Skipped(f"no task can be made: {describe(error)}") from error
    finally:
        subject.forget()


def complete(subject: Subject, made: Task) -> None:
    """Leave as little behind as can be: there is no hook that deletes."""
    subject.forget()
    if "update_task" in subject.adapter.implemented:
        with suppress(AtsError):
            subject.adapter.update_task(made.project_id, made.id, TaskPatch(status="done"))


def holds(task: Task, field: str, value: Any) -> bool:
    """Whether a field has this value, in the store's own way of writing tags and dates."""
    stored = getattr(task, field)
    if field == "tags":
        return {tag.casefold() for tag in stored} == {tag.casefold() for tag in value}
    if field == "due_date":
        return stored is not None and stored.startswith(value)
    return bool(stored == value)


def eventually(subject: Subject, ask: Callable[[], T | None]) -> T | None:
    """What was asked for, as soon as it is there; None where it does not come: a store may show a write a bit later."""
    until = time.monotonic() + subject.grace
    while (found := ask()) is None and time.monotonic() < until:
        time.sleep(0.1)
    return found
