"""Reads tasks of the memory adapter's form into an account, so that a corpus can be searched through the service."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from .dates import moment, written

if TYPE_CHECKING:
    from .account import Account


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file, one a line."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def load(account: Account, records: Iterable[Mapping[str, Any]]) -> None:
    """Adds each record as a task, keeping its id; its project is made where it is new, none means the inbox."""
    for record in records:
        project_id = str(record.get("projectId") or "inbox")
        if not account.has_list(project_id):
            account.add_project(str(record.get("projectName") or project_id), id=project_id)
        account.add_task(project_id, **_fields(account, record))


def _fields(account: Account, record: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: record.get(name) or "" for name in ("title", "content")}
    if record.get("id"):
        fields["id"] = str(record["id"])
    if record.get("tags"):
        fields["tags"] = list(record["tags"])
    modified = moment(record.get("modifiedTime"))
    if modified:
        fields["modifiedTime"] = fields["createdTime"] = written(modified)
    if record.get("status") == "done":
        fields |= {"status": 2, "completedTime": written(modified or account.now())}
    return fields | _due(account, str(record.get("dueDate") or ""))


def _due(account: Account, value: str) -> dict[str, Any]:
    """A bare date is a whole day where the user lives."""
    due = moment(value)
    if due:
        return {"startDate": written(due), "dueDate": written(due)}
    try:
        day = written(datetime.fromisoformat(value).replace(tzinfo=ZoneInfo(account.time_zone)))
    except ValueError:
        return {}
    return {"startDate": day, "dueDate": day, "isAllDay": True}
