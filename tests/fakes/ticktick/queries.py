"""The service's searches over an account's tasks: filter, completed, search, undone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from .account import Account
from .dates import moment
from .fields import Record, listed

CAP = 200
OPEN, COMPLETED = 0, 2
UNDONE_DAYS = timedelta(days=14)


def filtered(account: Account, body: Record) -> list[Record]:
    """Tasks that meet all conditions, open ones by default: at most 200, and no sign of the others.

    The dates are compared with the task's start. All of `tag` must match. Lists come one after the other, so that a
    cut loses whole lists. The alias `inbox` means nothing here.
    """
    status = listed(body.get("status")) or [OPEN]
    priority, kind = listed(body.get("priority")), listed(body.get("kind"))
    found = [
        task
        for task in _in_projects(account, body)
        if task.get("status") in status
        and (not priority or task.get("priority") in priority)
        and (not kind or task.get("kind") in kind)
        and _tagged(task, body.get("tag"))
        and _within(task.get("startDate"), body.get("startDate"), body.get("endDate"))
    ]
    return sorted(found, key=lambda task: str(task.get("projectId")))[:CAP]


def completed(account: Account, body: Record) -> list[Record]:
    """Completed tasks, the last first: at most 200, and no sign of the others. Both ends of the range count."""
    found = [
        task
        for task in _in_projects(account, body)
        if task.get("status") == COMPLETED
        and _within(task.get("completedTime"), body.get("startDate"), body.get("endDate"))
    ]
    return sorted(found, key=lambda task: str(task.get("completedTime")), reverse=True)[:CAP]


def searched(account: Account, body: Record) -> list[Record]:
    """Tasks with `keywords` as part of title or content, in any letter case. No keywords, no tasks."""
    keywords = str(body.get("keywords") or "").strip().casefold()
    if not keywords:
        return []
    status = listed(body.get("status"))
    return [
        task
        for task in _in_projects(account, body)
        if keywords in f"{task.get('title')}\n{task.get('content')}".casefold()
        and (not status or task.get("status") in status)
        and _tagged(task, body.get("tags"))
        and _within(task.get("dueDate"), body.get("dueFrom"), body.get("dueTo"))
    ]


def undone(account: Account, body: Record) -> list[Record]:
    """Open tasks due in a range of at most 14 days; a longer one, or none, finds nothing."""
    first, last = moment(body.get("startDate")), moment(body.get("endDate"))
    if first is None or last is None or last - first > UNDONE_DAYS:
        return []
    wanted = listed(body.get("taskIds"))
    projects = [account.real_id(str(project_id)) for project_id in listed(body.get("projectIds"))]
    return [
        task
        for task in account.alive()
        if task.get("status") == OPEN
        and (not wanted or task["id"] in wanted)
        and (not projects or task.get("projectId") in projects)
        and _between(moment(task.get("dueDate")), first, last)
    ]


def _in_projects(account: Account, body: Record) -> Iterable[Record]:
    wanted = listed(body.get("projectIds"))
    if not wanted:
        return account.alive()
    return (task for task in account.alive() if task.get("projectId") in wanted)


def _tagged(task: Record, wanted: Any) -> bool:
    tags = {str(tag).casefold() for tag in listed(task.get("tags"))}
    return all(str(tag).casefold() in tags for tag in listed(wanted))


def _within(value: Any, first: Any, last: Any) -> bool:
    """Whether a date lies in a range, its ends included; an end that is absent or malformed is open."""
    start, end = moment(first), moment(last)
    return (start is None and end is None) or _between(moment(value), start, end)


def _between(at: datetime | None, start: datetime | None, end: datetime | None) -> bool:
    return at is not None and (start is None or start <= at) and (end is None or at <= end)
