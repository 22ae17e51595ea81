"""A new task. The service makes a second one if it is asked twice, so nothing here is ever repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_core import AtsError, StoreError, Task, TaskDraft

from ats_adapter_ticktick.mapping.project import INBOX, INBOX_NAME, is_inbox
from ats_adapter_ticktick.mapping.scalars import text
from ats_adapter_ticktick.mapping.task import task_of
from ats_adapter_ticktick.writes.due import due_fields
from ats_adapter_ticktick.writes.existing import Place, find_place
from ats_adapter_ticktick.writes.values import content_of, project_id_of, tags_of, title_of
from ats_adapter_ticktick.writes.verify import check_taken
from ats_adapter_ticktick.writes.zones import user_zone

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi
    from ats_adapter_ticktick.writes.zones import Zone


def create_task(api: TickTickApi, draft: TaskDraft, deadline: Deadline, *, zone: Zone | None = None) -> Task:
    """Create a task and read it back: two calls, and one before them that looks the list up, the Inbox's excepted.

    :param zone: the user's; this machine's without one.
    :raises UsageError: a field of the draft is wrong; nothing was sent.
    :raises NotFoundError: there is no such list; nothing was sent.
    :raises StoreError: the service failed, or stored something else; the message says whether the task exists.
    """
    body: dict[str, Any] = {"title": title_of(draft.title)}
    content, tags = content_of(draft.content), tags_of(draft.tags)
    if content:
        body["content"] = content
    if tags:
        body["tags"] = tags
    body |= due_fields(draft.due_date, {}, zone or user_zone())
    place = Place(INBOX, INBOX_NAME)
    project_id = None if draft.project_id is None else project_id_of(draft.project_id)
    if project_id is not None and not is_inbox(project_id):
        place = find_place(api, project_id, deadline)
        body["projectId"] = place.id
    created = api.create(body, deadline)
    stored = _read_back(api, created, place, deadline)
    check_taken(body | {"projectId": place.id}, stored, f"; the task was created, its id is {text(created.get('id'))}")
    task = task_of(stored, {place.id: place.name}, project_id=place.id)
    if task is None:
        raise StoreError("TickTick gave a task without an id")
    return task


def _read_back(api: TickTickApi, created: dict[str, Any], place: Place, deadline: Deadline) -> dict[str, Any]:
    task_id = text(created.get("id"))
    if not task_id:
        raise StoreError(
            "TickTick answered the create without an id", hint="the task may exist; look before you try again"
        )
    try:
        stored = api.task(text(created.get("projectId")) or place.id, task_id, deadline)
    except AtsError as error:
        # Whoever sees a plain failure tries again, and has the task twice.
        error.hint = "; ".join(filter(None, [error.hint, f"the task was created, its id is {task_id}"]))
        raise
    if stored is None:
        raise StoreError(f"TickTick created task {task_id}, but does not show it", hint="look before you try again")
    return stored
