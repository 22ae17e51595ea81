"""One user's lists and tasks: what is stored, and how a test puts it there."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from .corpus import load
from .dates import written
from .fields import Record

INBOX = "inbox"


class Account:
    """A user. Records are plain dicts with the API's names, live: change them, and the next answer shows it.

    `tasks` holds deleted tasks too, as the service does; `deleted` has their ids. `projects` has no inbox.
    """

    def __init__(
        self, uid: str, username: str, time_zone: str, clock: Callable[[], float], new_id: Callable[[], str]
    ) -> None:
        self.uid = uid
        self.username = username
        self.time_zone = time_zone
        self.inbox = INBOX + uid
        self.projects: dict[str, Record] = {}
        self.tasks: dict[str, Record] = {}
        self.deleted: set[str] = set()
        self.columns: dict[str, list[Record]] = {}
        self.groups: list[Record] = []
        self.tags: list[Record] = []
        self.new_id = new_id
        self._clock = clock
        self._edits = 0

    def add_project(self, name: str, **fields: Any) -> str:
        """A new list, with further fields exactly as given (`id` too); one that is None is left out. Its id."""
        order = -1099511627776 * (len(self.projects) + 1)
        defaults = {"id": self.new_id(), "name": name, "sortOrder": order, "viewMode": "list", "kind": "TASK"}
        record = _without_none(defaults | fields)
        self.projects[record["id"]] = record
        return str(record["id"])

    def add_task(self, project_id: str = INBOX, *, title: Any = "A task", **fields: Any) -> str:
        """A new task in this list (`"inbox"` is the inbox), with fields exactly as given, odd ones too. Its id.

        A field that is None is left out, defaults as well; to have a null in the answers, change the record. A due
        date is the start date too, unless that is given.
        """
        fields = copy.deepcopy(fields)
        if "dueDate" in fields:
            fields.setdefault("startDate", fields["dueDate"])
        record = _without_none(self.blank(self.real_id(project_id)) | {"title": title} | fields)
        for item in record["items"] if isinstance(record.get("items"), list) else []:
            if isinstance(item, dict):
                item.setdefault("id", self.new_id())
        self.tasks[record["id"]] = record
        return str(record["id"])

    def edit_task(self, task_id: str, **fields: Any) -> None:
        """What the user does in an app: fields exactly as given, and a new `modifiedTime` and `etag`."""
        self.tasks[task_id].update(fields)
        self.touch(self.tasks[task_id])

    def delete_task(self, task_id: str) -> None:
        """Out of every list; it can still be read by its id."""
        self.deleted.add(task_id)

    def load(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Adds tasks of the memory adapter's form, keeping their ids and projects."""
        load(self, records)

    def blank(self, project_id: str) -> Record:
        """A task's record with the service's defaults, not yet stored."""
        record = {
            "id": self.new_id(),
            "projectId": project_id,
            "sortOrder": -1099511627776 * (len(self.tasks) + 1),
            "title": "",
            "content": "",
            "timeZone": self.time_zone,
            "isAllDay": False,
            "priority": 0,
            "status": 0,
            "kind": "TEXT",
            "createdTime": written(self.now()),
        }
        self.touch(record)
        return record

    def touch(self, record: Record) -> None:
        """Marks the record as changed now."""
        self._edits += 1
        record["modifiedTime"] = written(self.now())
        record["etag"] = hashlib.blake2b(f"{record['id']} {self._edits}".encode(), digest_size=4).hexdigest()

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock(), UTC)

    def real_id(self, project_id: Any) -> Any:
        """The inbox's own id for its alias, anything else as it is."""
        return self.inbox if project_id == INBOX else project_id

    def has_list(self, project_id: str) -> bool:
        """True for the inbox, by either id, and for the projects."""
        return project_id in self.projects or self.real_id(project_id) == self.inbox

    def alive(self) -> Iterator[Record]:
        """The tasks that are not deleted, open and completed, oldest first."""
        tasks = list(self.tasks.items())  # a test may add some meanwhile
        return (record for task_id, record in tasks if task_id not in self.deleted)

    def find(self, project_id: str, task_id: str) -> Record | None:
        """The task, also a deleted one; None where it is not in this list."""
        record = self.tasks.get(task_id)
        return record if record and self.real_id(record.get("projectId")) == self.real_id(project_id) else None


def _without_none(fields: Record) -> Record:
    return {name: value for name, value in fields.items() if value is not None}
