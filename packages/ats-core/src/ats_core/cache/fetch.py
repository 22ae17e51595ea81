"""Fetching the whole corpus from an adapter: in one call where it can, else project by project."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import msgspec

from ats_core.deadline import Deadline
from ats_core.errors import AtsError, LoginRequiredError, RateLimitedError, StoreError, StoreTimeoutError
from ats_core.fanout import OK, STILL_RUNNING, TIMED_OUT, FanOut, Job, Outcome
from ats_core.models import FailedProject, Fetched, Project, Task
from ats_core.plugins.adapter import Adapter

T = TypeVar("T")

WORKERS = 8
"""Projects fetched at a time when there is no `bulk_fetch`."""

COMPLETED_DAYS = 90
"""How far back `--include-completed` reaches."""


def fetch_corpus(adapter: Adapter, deadline: Deadline, fanout: FanOut | None = None) -> tuple[Fetched, list[str]]:
    """All tasks in corpus order, ids unique, project names filled in; and warnings for people.

    Projects that failed are named in `Fetched.failed`; if all did, the fetch failed.

    :param fanout: the one of earlier fetches, so that a call that is stuck since then is not started again.
    :raises StoreError: nothing was fetched. A stuck store is given up on when the deadline is past.
    """
    fanout = fanout or FanOut()
    fetched = (_bulk if adapter.has("bulk_fetch") else _walk)(adapter, deadline, fanout)
    warnings = adapter.take_warnings()
    fetched = _with_project_names(adapter, fetched, deadline, fanout)
    tasks, repeated = distinct(fetched.tasks)
    if repeated:
        shown = ", ".join(repeated[:3]) + (", ..." if len(repeated) > 3 else "")
        warnings.append(f"{len(repeated)} duplicate task ids, the first of each is kept: {shown}")
    return msgspec.structs.replace(fetched, tasks=tasks), warnings


def fetch_with_completed(
    adapter: Adapter, deadline: Deadline, fanout: FanOut | None = None
) -> tuple[Fetched, list[str]]:
    """As `fetch_corpus`, and after it the completed tasks that the normal listing lacks.

    Where those alone cannot be had, `Fetched.failed` says so, and the rest is answered.
    """
    fanout = fanout or FanOut()
    fetched, warnings = fetch_corpus(adapter, deadline, fanout)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - COMPLETED_DAYS * 86_400))
    job = Job("list_completed_tasks", lambda until: adapter.list_completed_tasks(since, until))
    (outcome,) = fanout.run([job], deadline)
    warnings = [*warnings, *adapter.take_warnings()]
    if outcome.value is None:
        failed = [*fetched.failed, _missing("completed tasks", outcome)]
        return msgspec.structs.replace(fetched, failed=failed), warnings
    known = {task.id for task in fetched.tasks}
    names = {project.id: project.name for project in fetched.projects}
    completed = [
        msgspec.structs.replace(task, status="done", project_name=task.project_name or names.get(task.project_id, ""))
        for task in distinct(outcome.value)[0]
        if task.id not in known
    ]
    return msgspec.structs.replace(fetched, tasks=[*fetched.tasks, *completed]), warnings


def _bulk(adapter: Adapter, deadline: Deadline, fanout: FanOut) -> Fetched:
    (outcome,) = fanout.run([Job("bulk_fetch", adapter.bulk_fetch)], deadline)
    return _value(outcome, adapter)


def _walk(adapter: Adapter, deadline: Deadline, fanout: FanOut) -> Fetched:
    (listed,) = fanout.run([Job("list_projects", lambda _: adapter.list_projects())], deadline)
    projects = _value(listed, adapter)
    tasks, failed = fetch_projects(adapter, projects, deadline, fanout)
    return Fetched(tasks=tasks, failed=failed, projects=projects)


def fetch_projects(
    adapter: Adapter, projects: Sequence[Project], deadline: Deadline, fanout: FanOut | None = None
) -> tuple[list[Task], list[FailedProject]]:
    """The tasks of some projects, in their order, and the projects that failed.

    :raises StoreError: all of them failed, for the reason of the first.
    """
    jobs = [Job(project.id, _tasks_of(adapter, project)) for project in projects]
    outcomes = (fanout or FanOut()).run(jobs, deadline, workers=WORKERS)
    failed = []
    tasks: list[Task] = []
    for project, outcome in zip(projects, outcomes, strict=True):
        if outcome.status == OK:
            tasks += outcome.value or []
            continue
        if isinstance(outcome.exception, LoginRequiredError):
            raise outcome.exception
        wait = outcome.exception.retry_after if isinstance(outcome.exception, RateLimitedError) else None
        failed.append(
            FailedProject(id=project.id, name=project.name, error=outcome.error or "failed", retry_after=wait)
        )
    if failed and len(failed) == len(projects):
        _value(outcomes[0], adapter)
    return tasks, failed


def _tasks_of(adapter: Adapter, project: Project) -> Callable[[Deadline], list[Task]]:
    def run(_: Deadline) -> list[Task]:
        return [
            msgspec.structs.replace(
                task, project_id=task.project_id or project.id, project_name=task.project_name or project.name
            )
            for task in adapter.list_tasks_in_project(project.id)
        ]

    return run


def _value(outcome: Outcome[T], adapter: Adapter) -> T:
    if outcome.status == OK:
        return cast("T", outcome.value)
    if outcome.status in (TIMED_OUT, STILL_RUNNING):
        raise StoreTimeoutError(
            f"{adapter.label}: {outcome.name} {outcome.error}",
            hint="raise ATS_FETCH_TIMEOUT_MS, or try again",
        )
    if isinstance(outcome.exception, AtsError):
        raise outcome.exception
    raise StoreError(f"{adapter.label}: {outcome.name} failed: {outcome.error}") from outcome.exception


def _with_project_names(adapter: Adapter, fetched: Fetched, deadline: Deadline, fanout: FanOut) -> Fetched:
    failed = list(fetched.failed)
    projects = list(fetched.projects)
    if not projects and any(task.project_id and not task.project_name for task in fetched.tasks):
        (listed,) = fanout.run([Job("list_projects", lambda _: adapter.list_projects())], deadline)
        projects = listed.value or []
        if listed.status != OK:
            failed.append(_missing("project names", listed))
    if not projects:
        named = {task.project_id: task.project_name for task in fetched.tasks if task.project_id}
        projects = [Project(id=project_id, name=name) for project_id, name in named.items()]
    names = {project.id: project.name for project in projects}
    tasks = [
        task
        if task.project_name or task.project_id not in names
        else msgspec.structs.replace(task, project_name=names[task.project_id])
        for task in fetched.tasks
    ]
    return msgspec.structs.replace(fetched, tasks=tasks, projects=projects, failed=failed)


def _missing(what: str, outcome: Outcome[Any]) -> FailedProject:
    wait = outcome.exception.retry_after if isinstance(outcome.exception, RateLimitedError) else None
    return FailedProject(id="", name=what, error=outcome.error or "failed", retry_after=wait)


def distinct(tasks: Iterable[Task]) -> tuple[list[Task], list[str]]:
    """The first task of each id, and the ids of those that were repeated."""
    first: dict[str, Task] = {}
    repeated = []
    for task in tasks:
        if task.id in first:
            repeated.append(task.id)
        else:
            first[task.id] = task
    return list(first.values()), repeated
