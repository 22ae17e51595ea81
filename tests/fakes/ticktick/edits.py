"""What the service does to tasks on request: create, update, complete, delete, move, and the batch of the first two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .account import Account
from .dates import written
from .fields import IGNORED, Record, apply, changes, check_title, listed, text
from .refusal import Refused, invalid
from .repeat import advanced

BATCH = 50
COMPLETED = 2


def create(account: Account, body: Record) -> Record:
    """A new task, whatever `id` the body asks for; without a `projectId` it goes to the inbox.

    Nothing is refused but a blank title. Unknown: where a task goes whose `projectId` names no list. Here it keeps
    the id, so that no list shows it.
    """
    changed = changes(body)
    check_title(changed.get("title", ""))
    changed.pop("status", None)
    project_id = text(body.get("projectId"))
    record = account.blank(account.inbox if project_id in (IGNORED, "") else account.real_id(project_id))
    if changed.get("items"):
        changed.setdefault("kind", "CHECKLIST")
    apply(record, _with_item_ids(account, changed))
    account.tasks[record["id"]] = record
    return record


def update(account: Account, task_id: str, body: Record) -> Record | None:
    """The task after a partial update; None where there is no such task.

    Without the task's own `projectId` in the body nothing happens, and the answer does not show it. A deleted task is
    edited as any other.
    """
    record = account.tasks.get(task_id)
    if record is None:
        return None
    changed = changes(body)
    if account.find(str(body.get("projectId", "")), task_id) is None:
        return record
    _edit(account, record, changed)
    return record


def _edit(account: Account, record: Record, changed: Record) -> None:
    if changed.get("status", 0) != 0:
        changed["completedTime"] = written(account.now())
    apply(record, _with_item_ids(account, changed))
    account.touch(record)


def complete(account: Account, record: Record) -> None:
    """Closes the task; a repeating one stays open with its next dates and leaves a completed copy with a new id."""
    done = {"status": COMPLETED, "completedTime": written(account.now())}
    if not record.get("repeatFlag"):
        record.update(done)
        account.touch(record)
        return
    copy = {name: value for name, value in record.items() if name not in ("repeatFlag", "repeatFrom")}
    copy |= done | {"id": account.new_id()}
    account.touch(copy)
    account.tasks[copy["id"]] = copy
    record.update(advanced(record, account.now()))
    account.touch(record)


def complete_many(account: Account, project_id: str, task_ids: Sequence[Any]) -> list[str]:
    """Completes the first 50 of these; the ids of those that are in the list."""
    found = [account.find(project_id, str(task_id)) for task_id in task_ids[:BATCH]]
    tasks = [record for record in found if record is not None]
    for record in tasks:
        complete(account, record)
    return [record["id"] for record in tasks]


def move(account: Account, wanted: Any) -> list[Record]:
    """Id and etag of each task that was moved. Unknown: what is said of the others. Here they are passed over."""
    if not isinstance(wanted, list):
        raise invalid("an array is expected")
    moved = []
    for entry in wanted:
        if not isinstance(entry, dict):
            raise invalid("an array of objects is expected")
        record = account.find(str(entry.get("fromProjectId")), str(entry.get("taskId")))
        target = account.real_id(str(entry.get("toProjectId")))
        if record and account.has_list(target):
            record["projectId"] = target
            account.touch(record)
            moved.append({"id": record["id"], "etag": record["etag"]})
    return moved


def batch(account: Account, body: Record) -> Record:
    """Creates and updates; what went wrong stands in `id2error`, inside a 200."""
    answer: Record = {"id2etag": {}, "id2error": {}}
    added, updated = _entries(body, "add"), _entries(body, "update")
    for entry in added:
        error = "EXISTED" if str(entry.get("id")) in account.tasks else None
        _carry_out(answer, entry, error, lambda entry: create(account, entry))
    for entry in updated:
        error = _obstacle(account, str(entry.get("id")), entry)
        _carry_out(answer, entry, error, lambda entry: update(account, str(entry["id"]), entry))
    return answer


def _entries(body: Record, name: str) -> list[Record]:
    entries = listed(body.get(name))
    if len(entries) > BATCH or not all(isinstance(entry, dict) for entry in entries):
        raise invalid(f"{name} takes at most {BATCH} tasks")
    return entries


def _carry_out(answer: Record, entry: Record, error: str | None, act: Callable[[Record], Record | None]) -> None:
    try:
        record = None if error else act(entry)
    except Refused:
        record, error = None, "UNKNOWN"
    if record is None:
        answer["id2error"][str(entry.get("id", ""))] = error
    else:
        answer["id2etag"][record["id"]] = record["etag"]


def _obstacle(account: Account, task_id: str, entry: Record) -> str | None:
    """The error code of an update that cannot be carried out."""
    if task_id not in account.tasks:
        return "NOT_EXISTED"
    if task_id in account.deleted:
        return "DELETED"
    project_id = entry.get("projectId")
    if project_id is not None and account.find(str(project_id), task_id) is None:
        return "PROJECT_MOVE_ERROR"
    if account.projects.get(str(project_id), {}).get("permission", "write") != "write":
        return "NO_PROJECT_PERMISSION"
    return None


def _with_item_ids(account: Account, changed: Record) -> Record:
    for item in changed.get("items", ()):
        if not item.get("id"):
            item["id"] = account.new_id()
        item.setdefault("timeZone", account.time_zone)
        if item["status"] != 0:
            item.setdefault("completedTime", written(account.now()))
    return changed
