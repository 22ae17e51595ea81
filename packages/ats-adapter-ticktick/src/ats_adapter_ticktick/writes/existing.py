"""What a write is about: the task as it is, and the list it is in or goes to.

A deleted task is still given by its address and takes edits with a 200, and a task that never was is an empty 200. So
an open task exists if its list's data hold it: one call, which gives the record and the list's name too. Only a task
that is not there is asked for by its address: a completed one is in no list, and what is open there was deleted or
moved. A completed task that was deleted cannot be told from one that was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core import NotFoundError

from ats_adapter_ticktick.mapping.project import INBOX, INBOX_NAME, is_inbox
from ats_adapter_ticktick.mapping.scalars import text
from ats_adapter_ticktick.mapping.task import is_done

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi

Record = dict[str, Any]


class Place(NamedTuple):
    """A list: the id that its tasks carry, and its name."""

    id: str
    name: str


class Found(NamedTuple):
    """A task's record as the service has it, and its list."""

    record: Record
    place: Place


def find_task(api: TickTickApi, project_id: str, task_id: str, deadline: Deadline) -> Found:
    """Read a task: one call for an open one, two for a completed one.

    :raises NotFoundError: there is no such list, or no such task in it.
    """
    name, tasks = _contents(api, project_id, deadline)
    for record in tasks:
        if text(record.get("id")) == task_id:
            return Found(record, Place(text(record.get("projectId")) or project_id, name))
    stored = api.task(project_id, task_id, deadline) if task_id else None
    if stored is None or not is_done(stored) or not same_place(project_id, text(stored.get("projectId"))):
        raise NotFoundError(f"no task {task_id!r} in project {name!r}", hint="it may have been deleted or moved")
    return Found(stored, Place(text(stored.get("projectId")) or project_id, name))


def find_place(api: TickTickApi, project_id: str, deadline: Deadline) -> Place:
    """The list that a task shall go to; one call. The service would take an id that it does not know.

    :raises NotFoundError: there is no such list.
    """
    if is_inbox(project_id):
        # Its real id is known from its tasks alone; an empty one goes by the alias.
        _, tasks = _contents(api, project_id, deadline)
        return Place(next(filter(None, (text(task.get("projectId")) for task in tasks)), project_id), INBOX_NAME)
    for row in api.projects(deadline):
        if text(row.get("id")) == project_id:
            return Place(project_id, text(row.get("name")))
    raise _unknown_project(project_id)


def same_place(wanted: str, stored: str) -> bool:
    """Whether a record is in the list that was asked for; one that does not say is taken to be."""
    return not stored or stored == wanted or (INBOX in (wanted, stored) and is_inbox(wanted) and is_inbox(stored))


def _contents(api: TickTickApi, project_id: str, deadline: Deadline) -> tuple[str, list[Record]]:
    """A list's name and its open tasks."""
    data = api.project_data(project_id, deadline) if project_id else None
    if data is None:
        if project_id != INBOX:
            raise _unknown_project(project_id)
        data = {}
    project, tasks = data.get("project"), data.get("tasks")
    name = text(project.get("name")) if isinstance(project, dict) else ""
    rows = [row for row in tasks if isinstance(row, dict)] if isinstance(tasks, list) else []
    return INBOX_NAME if is_inbox(project_id) else name or project_id, rows


def _unknown_project(project_id: str) -> NotFoundError:
    return NotFoundError(f"no project {project_id!r}", hint="`ats projects` lists them")
