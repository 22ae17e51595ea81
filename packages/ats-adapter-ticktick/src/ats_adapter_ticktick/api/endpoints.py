"""The endpoints that the adapter uses, a method for each. Records are JSON objects as the service sent them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from ats_core import Deadline, NotFoundError, StoreError

from ats_adapter_ticktick.api.client import Client
from ats_adapter_ticktick.api.refusal import ServiceError
from ats_adapter_ticktick.mapping.project import INBOX
from ats_adapter_ticktick.mapping.task import ABANDONED, OPEN

Record = dict[str, Any]

CAP = 200
"""Rows that a query gives at most. It neither pages nor says that there are more."""


class TickTickApi:
    """Methods raise what `Client` raises, and StoreError where an answer has another form than it should."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._label = client.label

    def projects(self, deadline: Deadline) -> list[Record]:
        """All lists but the Inbox, archived ones included, in the service's order."""
        path = "/project"
        return self._rows(self._client.get(path, deadline), path)

    def project_data(self, project_id: str, deadline: Deadline) -> Record | None:
        """A list with its open tasks: `project` (not for the Inbox), `tasks`, `columns`; None: no such list.

        Every account has an Inbox: a 404 for that is an error, None one without tasks.
        """
        path = f"/project/{_part(project_id)}/data"
        try:
            answer = self._client.get(path, deadline)
        except ServiceError as error:
            if error.status == 404 and project_id != INBOX:
                return None
            raise
        return self._record(answer, path) or None

    def open_tasks(self, deadline: Deadline) -> list[Record]:
        """Open tasks of all lists, the Inbox included; at most `CAP`."""
        return self._query("filter", {"status": [OPEN]}, deadline)

    def abandoned(self, deadline: Deadline) -> list[Record]:
        """Tasks that are marked "won't do"; at most `CAP`."""
        return self._query("filter", {"status": [ABANDONED]}, deadline)

    def completed(self, start: str, end: str, deadline: Deadline, project_ids: Sequence[str] = ()) -> list[Record]:
        """Tasks completed from `start` to `end`, both included; at most `CAP`.

        :param start: an instant as in `2026-10-02T09:00:00+0000`.
        :param project_ids: none means all lists.
        """
        within = {"projectIds": list(project_ids)} if project_ids else {}
        return self._query("completed", {"startDate": start, "endDate": end} | within, deadline)

    def search(self, keywords: str, deadline: Deadline, status: Sequence[int] = ()) -> list[Record]:
        """What the service finds.

        :param status: none means tasks of any.
        """
        of_status = {"status": list(status)} if status else {}
        return self._query("search", {"keywords": keywords} | of_status, deadline)

    def task(self, project_id: str, task_id: str, deadline: Deadline) -> Record | None:
        """A task, completed or not; None: there is none. One that was deleted is still given."""
        path = _task_path(project_id, task_id)
        try:
            answer = self._client.get(path, deadline)
        except ServiceError as error:
            if error.status == 404:
                return None
            raise
        return None if answer is None else self._record(answer, path) or None

    def create(self, body: Record, deadline: Deadline) -> Record:
        """Create a task. Never sent twice, since that would make two."""
        path = "/task"
        answer = self._client.post(path, deadline, body, repeatable=False)
        if not isinstance(answer, dict):
            raise StoreError(
                f"{self._label} answered POST {path} with {_sort(answer)}",
                hint="the task may have been created; look before you try again",
            )
        return answer

    def update(self, task_id: str, body: Record, deadline: Deadline) -> Record | None:
        """Change the fields that `body` holds, null included.

        :return: the task as the service shows it now; None where it shows nothing.
        :raises NotFoundError: there is no such task.
        """
        path = f"/task/{_part(task_id)}"
        answer = self._write(path, body, deadline)
        return None if answer is None else self._record(answer, path)

    def complete(self, project_id: str, task_id: str, deadline: Deadline) -> None:
        """Complete a task, or one occurrence of a repeating one.

        :raises NotFoundError: there is no such task.
        """
        self._write(f"{_task_path(project_id, task_id)}/complete", None, deadline)

    def move(self, from_project: str, to_project: str, task_id: str, deadline: Deadline) -> None:
        """Move a task to another list.

        :raises NotFoundError: there is no such task.
        """
        step = {"fromProjectId": from_project, "toProjectId": to_project, "taskId": task_id}
        self._write("/task/move", [step], deadline)

    def inbox_members(self, deadline: Deadline) -> list[Record]:
        """Who sees the Inbox: `username`, `displayName`, and `self` for the account's owner."""
        path = "/project/inbox/members"
        return self._rows(self._client.get(path, deadline), path)

    def _query(self, name: str, body: Record, deadline: Deadline) -> list[Record]:
        path = f"/task/{name}"
        return self._rows(self._client.post(path, deadline, body), path)

    def _write(self, path: str, body: Any, deadline: Deadline) -> Any:
        try:
            answer = self._client.post(path, deadline, body)
        except ServiceError as error:
            if error.status == 404:
                raise NotFoundError(
                    f"{self._label} knows no such task", hint="it may have been deleted or moved"
                ) from error
            raise
        errors = answer.get("id2error") if isinstance(answer, dict) else None
        if errors:
            told = ", ".join(map(str, errors.values() if isinstance(errors, dict) else [errors]))
            raise StoreError(f"{self._label} answered POST {path} with an error: {told[:200]}")
        return answer

    def _rows(self, answer: Any, path: str) -> list[Record]:
        """The objects of a list; what else is in it has no place there."""
        if not isinstance(answer, list):
            raise StoreError(f"{self._label} answered {path} with {_sort(answer)} in place of a list")
        return [row for row in answer if isinstance(row, dict)]

    def _record(self, answer: Any, path: str) -> Record:
        if not isinstance(answer, dict):
            raise StoreError(f"{self._label} answered {path} with {_sort(answer)} in place of an object")
        return answer


def _sort(value: Any) -> str:
    names = {dict: "an object", list: "a list", type(None): "nothing", str: "a text", bool: "a truth value"}
    return names.get(type(value), "a number")


def _task_path(project_id: str, task_id: str) -> str:
    return f"/project/{_part(project_id)}/task/{_part(task_id)}"


def _part(name: str) -> str:
    """An id as one part of a path, whatever is in it.

    :raises NotFoundError: it is empty, and would make another address.
    """
    if not name:
        raise NotFoundError("there is no list and no task without an id")
    part = quote(name, safe="", errors="replace")
    return part.replace(".", "%2E") if part in (".", "..") else part
