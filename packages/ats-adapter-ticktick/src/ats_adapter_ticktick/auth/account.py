"""Whose token it is: the service has no such question, so it is asked who the members of the inbox are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_core import AtsError, Deadline, Secret

from ats_adapter_ticktick.auth.service import service_of
from ats_adapter_ticktick.hybrid.one_line import one_line

if TYPE_CHECKING:
    from ats_adapter_ticktick.api.endpoints import TickTickApi
    from ats_adapter_ticktick.options import Options


def account_of(options: Options, access: Secret, deadline: Deadline) -> str | None:
    """The user's name, else the id of the inbox (`inbox115781412`), else None: not knowing it is no failure."""
    from ats_adapter_ticktick.api.client import Client
    from ats_adapter_ticktick.api.endpoints import TickTickApi
    from ats_adapter_ticktick.api.pace import Pacer

    client = Client(options.api_url, lambda _: access.value, Pacer(None), label=service_of(options.region))
    try:
        api = TickTickApi(client)
        return _by_members(api, deadline) or _by_inbox(api, deadline)
    finally:
        client.close()


def _by_members(api: TickTickApi, deadline: Deadline) -> str | None:
    try:
        members = api.inbox_members(deadline)
    except AtsError:
        return None
    return next(
        (name for member in members if member.get("self") is True if (name := _text(member.get("username")))), None
    )


def _by_inbox(api: TickTickApi, deadline: Deadline) -> str | None:
    """The real id of the inbox, which only its tasks know."""
    try:
        data = api.project_data("inbox", deadline) or {}
    except AtsError:
        return None
    tasks = data.get("tasks")
    ids = (_text(task.get("projectId")) for task in tasks if isinstance(task, dict)) if isinstance(tasks, list) else ()
    return next((inbox for inbox in ids if inbox.startswith("inbox") and inbox != "inbox"), None)


def _text(value: Any) -> str:
    return one_line(value) if isinstance(value, str) else ""
