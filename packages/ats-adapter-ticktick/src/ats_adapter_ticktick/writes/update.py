"""A change to one task: the fields first, then the move, then the completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from ats_core import AtsError, StoreError, Task, TaskPatch
from msgspec import UNSET

from ats_adapter_ticktick.mapping.scalars import text
from ats_adapter_ticktick.mapping.task import OPEN, is_done, tags_of, task_of
from ats_adapter_ticktick.writes import values
from ats_adapter_ticktick.writes.content import content_fields
from ats_adapter_ticktick.writes.due import due_fields
from ats_adapter_ticktick.writes.existing import Found, Place, find_place, find_task, same_place
from ats_adapter_ticktick.writes.verify import check_kept, check_taken
from ats_adapter_ticktick.writes.zones import user_zone

if TYPE_CHECKING:
    from collections.abc import Callable

    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi
    from ats_adapter_ticktick.writes.zones import Zone

T = TypeVar("T")
Record = dict[str, Any]


def update_task(
    api: TickTickApi, project_id: str, task_id: str, patch: TaskPatch, deadline: Deadline, *, zone: Zone | None = None
) -> Task:
    """Change what `patch` sets and nothing else; a patch that changes nothing sends nothing.

    Three calls for fields (read, write, read back); a move and a completion are one more each, a move looks its target
    up as well, and fields are read back before a completion, which cannot be undone.

    Completing a repeating task finishes one occurrence: the task comes back open, with its next date. Clearing the due
    date of one ends the repeat.

    :param zone: the user's; this machine's without one.
    :raises UsageError: a field of the patch is wrong; nothing was sent.
    :raises NotFoundError: there is no such task, or no such list to move it to; nothing was sent.
    :raises StoreError: the service failed, or stored something else; the hint says what had been done before.
    """
    checked = _checked(patch)
    done = patch.status is not UNSET and values.completes(patch.status)
    found = find_task(api, project_id, task_id, deadline)
    fields = _changes(found.record, checked, zone or user_zone())
    target = found.place
    if patch.project_id is not UNSET and not same_place(patch.project_id, found.place.id):
        target = find_place(api, patch.project_id, deadline)
    return _Write(api, found, task_id, deadline).run(fields, target, done and not is_done(found.record))


class _Write:
    """The calls of one change, in order, with what has been done so far."""

    def __init__(self, api: TickTickApi, found: Found, task_id: str, deadline: Deadline) -> None:
        self._api = api
        self._before, self._place = found
        self._task_id = task_id
        self._deadline = deadline
        self._done: list[str] = []

    def run(self, fields: Record, target: Place, complete: bool) -> Task:
        stored = self._before
        if fields:
            self._send(fields)
        if fields and complete:
            stored = self._read_back(fields)
            fields = {}
        if target.id != self._place.id:
            self._move(target)
        if complete:
            self._step("completed", lambda: self._api.complete(self._place.id, self._task_id, self._deadline))
        if self._done:
            stored = self._read_back(fields, completed_from=stored if complete else None)
        task = task_of(stored, {self._place.id: self._place.name}, project_id=self._place.id)
        if task is None:
            raise StoreError("TickTick gave a task without an id")
        return task

    def _send(self, fields: Record) -> None:
        # A change without a title has been seen to be ignored with a 200; a blank title is refused.
        title = self._before.get("title")
        body = {"id": self._task_id, "projectId": self._place.id}
        if text(title).strip():
            body["title"] = title if isinstance(title, str) else text(title)
        self._step(
            "changed " + ", ".join(fields), lambda: self._api.update(self._task_id, body | fields, self._deadline)
        )

    def _move(self, target: Place) -> None:
        self._step(
            f"moved to {target.name}",
            lambda: self._api.move(self._place.id, target.id, self._task_id, self._deadline),
        )
        self._place = target

    def _read_back(self, fields: Record, completed_from: Record | None = None) -> Record:
        """The task as it is now. Raises StoreError where it is not as it should be."""
        stored = self._step("", lambda: self._api.task(self._place.id, self._task_id, self._deadline))
        if stored is None:
            raise StoreError("TickTick took the change, but does not show the task any more")
        check_taken(fields | {"projectId": self._place.id}, stored)
        if fields:
            check_kept(self._before, stored, fields, _spared(fields))
        if completed_from is not None and not is_done(stored) and not _has_advanced(completed_from, stored):
            raise StoreError("TickTick did not take status: the task is still open")
        return stored

    def _step(self, what: str, call: Callable[[], T]) -> T:
        """One call, after which the task is `what`; if it fails, the hint says what it is already."""
        try:
            answer = call()
        except AtsError as error:
            if self._done:
                error.hint = "; ".join(filter(None, [error.hint, "before that it was " + ", ".join(self._done)]))
            raise
        if what:
            self._done.append(what)
        return answer


def _checked(patch: TaskPatch) -> Record:
    """The fields that the patch sets, each of the right type, before the first call."""
    checks = {"title": values.title_of, "content": values.content_of, "tags": values.tags_of}
    checked: Record = {
        name: check(value) for name, check in checks.items() if (value := getattr(patch, name)) is not UNSET
    }
    if patch.due_date is not UNSET:
        due_fields(patch.due_date, {}, None)
        checked["due_date"] = patch.due_date
    if patch.project_id is not UNSET:
        values.project_id_of(patch.project_id)
    if patch.status is not UNSET:
        checked["open"] = not values.completes(patch.status)
    return checked


def _changes(record: Record, checked: Record, user: Zone | None) -> Record:
    """The service's fields that get a new value, and these alone."""
    fields: Record = {}
    if "title" in checked and checked["title"] != text(record.get("title")):
        fields["title"] = checked["title"]
    if "content" in checked:
        fields |= content_fields(checked["content"], record)
    if "tags" in checked and checked["tags"] != list(tags_of(record)):
        fields["tags"] = checked["tags"]
    if "due_date" in checked:
        fields |= due_fields(checked["due_date"], record, user)
    if checked.get("open") and is_done(record):
        fields["status"] = OPEN
    return fields


def _spared(fields: Record) -> tuple[str, ...]:
    """What a change takes away by itself: no repeat and no reminder without a date; a subtask moved alone is none."""
    return ("parentId", "repeatFlag", "reminders") if fields.get("dueDate", "") is None else ("parentId",)


def _has_advanced(before: Record, stored: Record) -> bool:
    """Whether a repeating task went on to its next date."""
    return bool(before.get("repeatFlag")) and before.get("dueDate") != stored.get("dueDate")
