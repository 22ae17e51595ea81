"""A fetch that failed in part: what is kept of the projects that failed, and when they are asked again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from ats_core.models import FailedProject, Project, Task

RETRY_AFTER = 30.0
"""Seconds until a failed project is asked again, where the store did not say."""


def retry_at(failed: Sequence[FailedProject], now: float) -> float | None:
    """When the failed projects are to be asked again, in seconds since the epoch; None where none failed."""
    if not failed:
        return None
    return now + max(RETRY_AFTER if project.retry_after is None else project.retry_after for project in failed)


def is_whole_wanted(failed: Sequence[FailedProject]) -> bool:
    """Whether something is missing that no project can be asked for."""
    return any(not project.id for project in failed)


def with_kept(
    tasks: Sequence[Task],
    failed: Sequence[FailedProject],
    projects: Sequence[Project],
    older: Iterable[Task],
    older_as_of: float,
) -> tuple[list[Task], list[FailedProject]]:
    """Give failed projects the tasks that an older copy has of them, in corpus order.

    :param older: the older copy's tasks, of any project.
    :param older_as_of: when they were fetched, for a project that does not say so itself.
    :return: the tasks; and the failed projects, each with the number of tasks kept and their time.
    """
    ids = {project.id for project in failed} - {""}
    fetched = {task.id for task in tasks}
    kept = [task for task in older if task.project_id in ids and task.id not in fetched]
    counts: dict[str, int] = {}
    for task in kept:
        counts[task.project_id] = counts.get(task.project_id, 0) + 1
    noted = [
        msgspec.structs.replace(
            project,
            kept=counts.get(project.id, 0),
            as_of=(project.as_of or older_as_of) if counts.get(project.id) else None,
        )
        for project in failed
    ]
    return (in_project_order([*tasks, *kept], projects) if kept else list(tasks)), noted


def in_project_order(tasks: Iterable[Task], projects: Sequence[Project]) -> list[Task]:
    """Tasks in project order, within a project as they come; those of unknown projects last."""
    place = {project.id: at for at, project in enumerate(projects)}
    return sorted(tasks, key=lambda task: place.get(task.project_id, len(place)))
