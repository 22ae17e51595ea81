"""The addresses below `/open/v1`, and what each does with an account."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from ..message import Answer, Request
from . import edits, queries
from .account import Account
from .fields import IGNORED, Record, listed, shown, text, whole
from .refusal import NOT_FOUND, invalid

EMPTY = Answer()
"""200 and nothing else: not even a content type."""


class Route(NamedTuple):
    """`act(account, request, *parts of the path)` is a JSON value or a whole Answer. `writes` needs `tasks:write`."""

    method: str
    path: re.Pattern[str]
    act: Callable[..., Any]
    writes: bool


def matching(request: Request, prefix: str) -> tuple[Route, list[str]] | None:
    """The route of this request and the ids in its path."""
    path = urlsplit(request.target).path.removeprefix(prefix)
    for route in ROUTES:
        match = route.path.fullmatch(path) if route.method == request.method else None
        if match:
            return route, [unquote(part) for part in match.groups()]
    return None


def list_projects(account: Account, request: Request) -> Any:
    """Every project but the inbox; a page of them once `offset` or `limit` is given."""
    projects = [dict(project) for project in account.projects.values()]
    if not request.query.keys() & {"offset", "limit"}:
        return projects
    offset, limit = _number(request, "offset", 0), _number(request, "limit", 200)
    return projects[offset : offset + limit]


def get_project(account: Account, request: Request, project_id: str) -> Any:
    """A project. The inbox is none, by neither of its ids."""
    return dict(account.projects[project_id]) if project_id in account.projects else NOT_FOUND


def project_data(account: Account, request: Request, project_id: str) -> Any:
    """The open tasks of a list, with its `project` unless it is the inbox; `{}` where there is no such list."""
    if not account.has_list(project_id):
        return {}
    real_id = account.real_id(project_id)
    tasks = [task for task in account.alive() if account.real_id(task.get("projectId")) == real_id]
    still_open = [shown(task) for task in tasks if task.get("status") == queries.OPEN]
    data = {"tasks": still_open, "columns": account.columns.get(real_id, [])}
    return {"project": dict(account.projects[real_id])} | data if real_id in account.projects else data


def members(account: Account, request: Request, project_id: str) -> Any:
    if not account.has_list(project_id):
        return NOT_FOUND
    return [{"username": account.username, "displayName": account.username.title(), "self": True}]


def create_project(account: Account, request: Request) -> Any:
    fields = _project_fields(_body(request))
    if not str(fields.get("name", "")).strip():
        raise invalid("name must not be blank")
    return dict(account.projects[account.add_project(**fields)])


def update_project(account: Account, request: Request, project_id: str) -> Any:
    """A partial update, but a `sortOrder` that is left out becomes 0."""
    if project_id not in account.projects:
        return NOT_FOUND
    account.projects[project_id] |= {"sortOrder": 0} | _project_fields(_body(request))
    return dict(account.projects[project_id])


def delete_project(account: Account, request: Request, project_id: str) -> Any:
    if account.projects.pop(project_id, None) is None:
        return NOT_FOUND
    account.deleted.update(task["id"] for task in account.alive() if task.get("projectId") == project_id)
    return EMPTY


def get_task(account: Account, request: Request, project_id: str, task_id: str) -> Any:
    """A task, also a deleted one; an empty 200 where it is not in this list."""
    record = account.find(project_id, task_id)
    return EMPTY if record is None else shown(record)


def create_task(account: Account, request: Request) -> Any:
    return shown(edits.create(account, _body(request)))


def update_task(account: Account, request: Request, task_id: str) -> Any:
    record = edits.update(account, task_id, _body(request))
    return NOT_FOUND if record is None else shown(record)


def complete_task(account: Account, request: Request, project_id: str, task_id: str) -> Any:
    record = account.find(project_id, task_id)
    if record is None:
        return NOT_FOUND
    edits.complete(account, record)
    return EMPTY


def complete_tasks(account: Account, request: Request) -> Any:
    body = _body(request)
    return edits.complete_many(account, str(body.get("projectId") or "inbox"), listed(body.get("taskIds")))


def delete_task(account: Account, request: Request, project_id: str, task_id: str) -> Any:
    """Out of the lists, the whole series of a repeating one."""
    if account.find(project_id, task_id) is None:
        return NOT_FOUND
    account.delete_task(task_id)
    return EMPTY


def create_tag(account: Account, request: Request) -> Any:
    body = _body(request)
    tag = {"name": body.get("name"), "label": body.get("label"), "sortOrder": 0, "color": body.get("color"), "type": 1}
    account.tags.append(tag)
    return tag


def _query(search: Callable[[Account, Record], list[Record]]) -> Callable[[Account, Request], Any]:
    return lambda account, request: [shown(task) for task in search(account, _body(request))]


def _body(request: Request) -> Record:
    """The object in the body; a body that is empty or something else fails validation."""
    if not isinstance(request.body, dict):
        raise invalid("Required request body is missing")
    return request.body


def _number(request: Request, name: str, default: int) -> int:
    value = whole(request.query.get(name, default))
    return default if value is IGNORED else max(0, int(value))


def _project_fields(body: Record) -> Record:
    read: Record = {name: text(body[name]) for name in ("name", "color", "viewMode", "kind") if name in body}
    if "sortOrder" in body:
        read["sortOrder"] = whole(body["sortOrder"])
    return {name: value for name, value in read.items() if value is not IGNORED}


def _route(method: str, path: str, act: Callable[..., Any], *, writes: bool = False) -> Route:
    return Route(method, re.compile(path.replace("{}", "([^/]+)")), act, writes)


ROUTES = (
    _route("GET", "/project", list_projects),
    _route("POST", "/project", create_project, writes=True),
    _route("GET", "/project/group", lambda account, _: account.groups),
    _route("GET", "/project/{}", get_project),
    _route("POST", "/project/{}", update_project, writes=True),
    _route("DELETE", "/project/{}", delete_project, writes=True),
    _route("GET", "/project/{}/data", project_data),
    _route("GET", "/project/{}/members", members),
    _route("GET", "/project/{}/column", lambda account, _, project_id: account.columns.get(project_id, [])),
    _route("GET", "/tag", lambda account, _: account.tags),
    _route("POST", "/tag", create_tag, writes=True),
    _route("GET", "/project/{}/task/{}", get_task),
    _route("DELETE", "/project/{}/task/{}", delete_task, writes=True),
    _route("GET", "/project/{}/task/{}/comments", lambda *_: []),
    _route("POST", "/project/{}/task/{}/complete", complete_task, writes=True),
    _route("POST", "/task", create_task, writes=True),
    _route("POST", "/task/batch", lambda account, request: edits.batch(account, _body(request)), writes=True),
    _route("POST", "/task/completeTasks", complete_tasks, writes=True),
    _route("POST", "/task/move", lambda account, request: edits.move(account, request.body), writes=True),
    _route("POST", "/task/completed", _query(queries.completed)),
    _route("POST", "/task/filter", _query(queries.filtered)),
    _route("POST", "/task/search", _query(queries.searched)),
    _route("POST", "/task/undone", _query(queries.undone)),
    _route("POST", "/task/{}", update_task, writes=True),
    _route("GET", "/preference", lambda *_: invalid("Request method 'GET' not supported").answer),
    _route("POST", "/preference", lambda account, _: {"timeZone": account.time_zone}),
)
"""In order: the first that matches counts, so fixed words stand before ids."""
