"""A task of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_core import Task

from ats_adapter_ticktick.mapping.body import body
from ats_adapter_ticktick.mapping.dates import due_date, stamp
from ats_adapter_ticktick.mapping.project import INBOX_NAME, is_inbox
from ats_adapter_ticktick.mapping.scalars import number, text

if TYPE_CHECKING:
    from collections.abc import Mapping

OPEN, COMPLETED, ABANDONED = 0, 2, -1
"""The states of a task; both that are not open are "done"."""


def task_of(record: object, project_names: Mapping[str, str], *, project_id: str = "") -> Task | None:
    """The task of a record, None for one without a usable id.

    :param project_names: name by project id; the Inbox needs none.
    :param project_id: where the record was found, for one that does not say.

    `raw` is the record itself. A `completedTime` counts for nothing: a task that was opened again keeps it.
    """
    if not isinstance(record, dict):
        return None
    get = record.get
    task_id = text(get("id"))
    if not task_id.strip():
        return None
    project_id = text(get("projectId")) or project_id
    return Task(
        id=task_id,
        title=text(get("title")),
        content=body(record),
        project_id=project_id,
        project_name=INBOX_NAME if is_inbox(project_id) else project_names.get(project_id, ""),
        tags=tags_of(record),
        due_date=due_date(record) if get("dueDate") else None,
        modified_time=stamp(get("modifiedTime")),
        status="done" if is_done(record) else "open",
        raw=record,
    )


def tags_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The tags as they are shown; what is no text is no tag."""
    tags = record.get("tags")
    return tuple([tag for tag in tags if type(tag) is str and tag.strip()]) if isinstance(tags, list) else ()


def is_done(record: Mapping[str, Any]) -> bool:
    """Whether a task is completed, or abandoned ("won't do")."""
    return number(record.get("status")) in (COMPLETED, ABANDONED)
