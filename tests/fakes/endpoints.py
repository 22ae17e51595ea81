"""TickTick's endpoints as an object, without a wire: for tests of what is decided above them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ats_core import Deadline

Record = dict[str, Any]

CAP = 200
INBOX = "inbox42"


class StubApi:
    """`TickTickApi` over records at hand, with the service's caps.

    `calls` is what was asked, in order. `fail(name, error)`: the call of this name (`"projects"`, `"data p1"`,
    `"completed"`, ...) raises from now on.
    """

    def __init__(self, projects: Iterable[Record] = (), tasks: Iterable[Record] = ()) -> None:
        self.records = list(projects)
        self.tasks = list(tasks)
        self.gone: set[str] = set()
        self.calls: list[str] = []
        self._failures: dict[str, BaseException] = {}

    def fail(self, name: str, error: BaseException) -> None:
        self._failures[name] = error

    def projects(self, deadline: Deadline) -> list[Record]:
        self._called("projects")
        return self.records

    def open_tasks(self, deadline: Deadline) -> list[Record]:
        self._called("open tasks")
        return [task for task in self.tasks if task.get("status", 0) == 0][:CAP]

    def project_data(self, project_id: str, deadline: Deadline) -> Record | None:
        self._called(f"data {project_id}")
        real_id = INBOX if project_id == "inbox" else project_id
        record = next((record for record in self.records if record["id"] == real_id), None)
        if project_id in self.gone or (record is None and real_id != INBOX):
            return None
        tasks = [task for task in self.tasks if task.get("projectId") == real_id and task.get("status", 0) == 0]
        return {"tasks": tasks} | ({"project": record} if record else {})

    def completed(self, start: str, end: str, deadline: Deadline, project_ids: Sequence[str] = ()) -> list[Record]:
        self._called("completed")
        found = [
            task
            for task in self.tasks
            if task.get("status") == 2
            and start[:19] <= task["completedTime"][:19] <= end[:19]
            and (not project_ids or task["projectId"] in project_ids)
        ]
        return found[:CAP]

    def abandoned(self, deadline: Deadline) -> list[Record]:
        self._called("abandoned")
        return [task for task in self.tasks if task.get("status") == -1][:CAP]

    def search(self, keywords: str, deadline: Deadline, status: Sequence[int] = ()) -> list[Record]:
        self._called("search")
        return [task for task in self.tasks if keywords in task["title"]]

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self._failures:
            raise self._failures[name]


def record(task_id: str, project_id: str = INBOX, title: str = "A task", **fields: Any) -> Record:
    """A task's record as the service sends it, the fields that matter."""
    return {"id": task_id, "projectId": project_id, "title": title, "status": 0, **fields}


def many(count: int, project_id: str = INBOX, prefix: str = "t", **fields: Any) -> list[Record]:
    """So many records of one list."""
    return [record(f"{prefix}{number}", project_id, f"Task {number}", **fields) for number in range(count)]
