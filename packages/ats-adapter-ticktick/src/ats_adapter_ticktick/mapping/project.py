"""A list of the service, and the Inbox, which the service does not list."""

from __future__ import annotations

from ats_core import Project

from ats_adapter_ticktick.mapping.scalars import text

INBOX = "inbox"
"""The Inbox's alias in addresses, and what its real id begins with."""

INBOX_NAME = "Inbox"


def project_of(record: object) -> Project | None:
    """The project of a record, None for one without a usable id.

    Closed (archived) lists, groups and permissions stay in `raw`.
    """
    if not isinstance(record, dict):
        return None
    project_id = text(record.get("id"))
    if not project_id.strip():
        return None
    name = INBOX_NAME if is_inbox(project_id) else text(record.get("name"))
    kind = "notes" if text(record.get("kind")).upper() == "NOTE" else "tasks"
    return Project(id=project_id, name=name if name.strip() else project_id, kind=kind, raw=record)


def inbox_project(project_id: str = INBOX) -> Project:
    """The Inbox under the id that its tasks carry."""
    return Project(id=project_id, name=INBOX_NAME)


def is_inbox(project_id: str) -> bool:
    """Whether a project's id is the Inbox's: `inbox` and the account's number, or the alias."""
    return project_id.startswith(INBOX)
