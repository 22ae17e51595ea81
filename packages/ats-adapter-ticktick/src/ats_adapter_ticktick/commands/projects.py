"""`ats ticktick projects`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from ats_adapter_ticktick.commands.kit import Json, command_app, write_json, write_rows
from ats_adapter_ticktick.corpus.lists import is_closed
from ats_adapter_ticktick.corpus.read import list_projects
from ats_adapter_ticktick.parts import Parts, call_deadline

if TYPE_CHECKING:
    from ats_core import Project


def build(parts: Parts) -> typer.Typer:
    """The command over these parts."""
    app = command_app()

    @app.command()
    def projects(json: Json = False) -> None:
        """List the lists of the account, the Inbox first, with what TickTick says of each.

        \b
        Examples:
          ats ticktick projects
          ats ticktick projects --json
        """
        account = parts.account()
        found = list_projects(account.api(), account.seen.read(), call_deadline())
        if json:
            write_json({"count": len(found), "projects": [_shape(project) for project in found]})
        else:
            heads = ("id", "kind", "state", "name")
            write_rows([heads, *((one.id, one.kind, _state(one), one.name) for one in found)])

    return app


def _shape(project: Project) -> dict[str, Any]:
    raw = project.raw
    return {
        "id": project.id,
        "name": project.name,
        "kind": project.kind,
        "closed": is_closed(project),
        "groupId": raw.get("groupId"),
        "permission": raw.get("permission"),
        "viewMode": raw.get("viewMode"),
    }


def _state(project: Project) -> str:
    """What is unusual about a list."""
    permission = project.raw.get("permission")
    shared = f"{permission} only" if permission in ("read", "comment") else ""
    return ", ".join(filter(None, ["archived" if is_closed(project) else "", shared])) or "-"
