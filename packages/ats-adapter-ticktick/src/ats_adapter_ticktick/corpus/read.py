"""Single lists and tasks, as they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_core import NotFoundError, Project, Task
from ats_core.fanout import FanOut, Job

from ats_adapter_ticktick.corpus.lists import Lists
from ats_adapter_ticktick.corpus.outcomes import error_of
from ats_adapter_ticktick.corpus.rows import read_rows, rows_of
from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.mapping import is_inbox, project_of, task_of
from ats_adapter_ticktick.mapping.project import INBOX, inbox_project

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi


def list_projects(api: TickTickApi, known: Seen | None, deadline: Deadline) -> list[Project]:
    """The lists, the Inbox first. Its real id is asked for where nobody knows it yet: its tasks alone tell it.

    :raises StoreError: the lists could not be read. That the Inbox' id could not is no reason to fail.
    """

    def inbox(until: Deadline) -> list[Any]:
        return [row.record for row in rows_of(api.project_data(INBOX, until), INBOX)]

    jobs: list[Job[list[Any]]] = [Job("the lists", api.projects)]
    if known is None or known.inbox == INBOX:
        jobs.append(Job("the Inbox", inbox))
    listed, *others = FanOut().run(jobs, deadline)
    if listed.value is None:
        raise error_of(listed)
    lists = Lists.of(listed.value, known)
    for outcome in others:
        lists = lists._replace(inbox=lists.meeting(outcome.value or []).inbox)
    return list(lists.all)


def list_tasks(api: TickTickApi, project_id: str, deadline: Deadline) -> list[Task]:
    """The open tasks of a list, under the project id that was asked for; `[]` for an unknown one."""
    data = api.project_data(project_id, deadline)
    project = None if data is None else project_of(data.get("project"))
    if is_inbox(project_id):
        lists = Lists(inbox_project(project_id), ())
    else:
        lists = Lists(inbox_project(), () if project is None else (project,))
    tasks, _ = read_rows(rows_of(data, project_id), lists)
    return tasks


def get_task(api: TickTickApi, project_id: str, task_id: str, deadline: Deadline) -> Task | None:
    """A task, open or completed; None for an unknown or deleted one."""
    from ats_adapter_ticktick.writes import find_task

    try:
        record, place = find_task(api, project_id, task_id, deadline)
    except NotFoundError:
        return None
    return task_of(record, {place.id: place.name}, project_id=place.id)
