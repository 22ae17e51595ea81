"""The service's task records as tasks: subtasks with their parent's title, unreadable records counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from ats_core import Task

from ats_adapter_ticktick.corpus.lists import Lists
from ats_adapter_ticktick.mapping import is_inbox, task_of
from ats_adapter_ticktick.mapping.scalars import text


class Row(NamedTuple):
    """A record, and the list in whose answer it stood; `""` where the answer was none of a list."""

    record: Any
    found_in: str = ""


def rows_of(data: Mapping[str, Any] | None, project_id: str) -> list[Row]:
    """The rows of the answer for one list; None is the answer for no list."""
    tasks = (data or {}).get("tasks")
    return [Row(task, project_id) for task in tasks] if isinstance(tasks, list) else []


def read_rows(rows: Iterable[Row], lists: Lists) -> tuple[list[Task], int]:
    """The tasks in the order of their records, each id once, the first counts; and how many could not be read."""
    rows, names = list(rows), lists.names
    titles = {text(row.record.get("id")): text(row.record.get("title")) for row in rows if isinstance(row.record, dict)}
    tasks: dict[str, Task] = {}
    unreadable = 0
    for row in rows:
        task = task_of(_with_parent(row.record, titles), names, project_id=row.found_in)
        if task is None:
            unreadable += 1
            continue
        if is_inbox(task.project_id) and task.project_id != lists.inbox.id:
            task = msgspec.structs.replace(task, project_id=lists.inbox.id)  # a record may have the alias
        tasks.setdefault(task.id, task)
    return list(tasks.values()), unreadable


def unreadable_warning(count: int) -> list[str]:
    """What people are told about records that could not be read."""
    if not count:
        return []
    return [
        "1 task cannot be read, and is left out" if count == 1 else f"{count} tasks cannot be read, and are left out"
    ]


def _with_parent(record: Any, titles: Mapping[str, str]) -> Any:
    if not isinstance(record, dict) or not record.get("parentId"):
        return record
    parent_id = text(record["parentId"])
    known = {"title": titles[parent_id]} if parent_id in titles else {}
    return record | {"parent": {"id": parent_id} | known}
