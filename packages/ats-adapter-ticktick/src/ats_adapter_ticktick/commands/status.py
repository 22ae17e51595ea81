"""`ats ticktick status`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import typer
from ats_core import AtsError, Engine, LoginRequiredError

from ats_adapter_ticktick.commands.kit import Json, command_app, quiet, write_json, write_rows
from ats_adapter_ticktick.commands.status_rows import rows
from ats_adapter_ticktick.corpus.lists import is_closed
from ats_adapter_ticktick.corpus.read import list_projects
from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.notes import WikiProject
from ats_adapter_ticktick.parts import Parts, call_deadline

if TYPE_CHECKING:
    from ats_core import Project

    from ats_adapter_ticktick.parts import Account

Report = dict[str, Any]


def build(parts: Parts) -> typer.Typer:
    """The command over these parts."""
    app = command_app()

    @app.command()
    def status(json: Json = False) -> None:
        """Show account, lists, rate limit, and what dense retrieval stands on.

        Exit code 3 without a login, 1 where TickTick cannot be reached; that Ollama or Qdrant is down is no failure.

        \b
        Examples:
          ats ticktick status
          ats ticktick status --json
        """
        report, failure = report_of(parts)
        if json:
            write_json(report)
        else:
            write_rows(rows(report))
        if failure is not None:
            raise failure

    return app


def report_of(parts: Parts) -> tuple[Report, AtsError | None]:
    """Everything, as JSON; and why the service could not be asked, if it could not.

    :raises LoginRequiredError: there is no login, or the service refuses it.
    """
    deadline = call_deadline()
    login = parts.credentials().status()
    if not login.ok:
        raise LoginRequiredError(login.message, hint="run `ats auth login`")
    account, options = parts.account(), parts.options()
    seen = account.seen.read()
    failure = None
    projects: list[Project] = [] if seen is None else list(seen.projects)
    try:
        projects = list_projects(account.api(), seen, deadline)
    except LoginRequiredError:
        raise
    except AtsError as error:
        failure = error
    are_known = failure is None or seen is not None
    return {
        "account": {
            "scope": account.scope,
            "name": login.account,
            "message": login.message,
            "expiresAt": login.expires_at,
        },
        "region": options.region,
        "apiUrl": options.api_url,
        "reachable": failure is None,
        "error": None if failure is None else failure.message,
        "projects": _projects(projects) if are_known else None,
        "tasks": _tasks(parts),
        "cut": _cut(account),
        "rateLimit": {"available": account.pacer().remaining()},
        "notes": _notes(options.wiki_project, projects) if are_known else None,
        "nativeSearch": options.native_search,
        "dense": _dense(account),
    }, failure


def _projects(projects: list[Project]) -> Report:
    return {
        "count": len(projects),
        "archived": sum(map(is_closed, projects)),
        "notes": sum(project.kind == "notes" for project in projects),
    }


def _tasks(parts: Parts) -> Report:
    """The cached tasks, and what the next search will do."""
    with quiet():
        engine = Engine.open(parts.config.environ, parts.config.name, {"usage_disable": True})
        cache = engine.state.status()
    own = next((copy.header for copy in cache.copies if copy.path == cache.path and copy.header is not None), None)
    if own is None or (own.adapter, own.scope) != (cache.adapter, cache.scope):
        return {"cached": None, "ageMs": None, "outlook": cache.outlook, "failed": []}
    return {
        "cached": own.count,
        "ageMs": max(0.0, (time.time() - own.fetched_at) * 1000),
        "outlook": cache.outlook,
        "failed": [{"id": one.id, "name": one.name, "error": one.error} for one in own.failed],
    }


def _cut(account: Account) -> Report:
    """What the last fetch found cut: all open tasks at once (`byList`: every list was read by itself instead), and what
    is missing of the completed ones."""
    seen = account.seen.read() or Seen()
    return {"byList": seen.by_list, "completed": list(seen.cut)}


def _notes(wanted: str, projects: list[Project]) -> Report:
    found = WikiProject(wanted).among({project.id: project.name for project in projects})
    return {
        "wanted": wanted,
        "projects": [{"id": one.id, "name": one.name} for one in projects if one.id in found],
    }


def _dense(account: Account) -> Report | None:
    """The hybrid backend's own report; None where dense retrieval is not set up."""
    try:
        with quiet():
            backend = account.backend()
            return None if backend is None else dict(backend.status())
    except AtsError as error:
        return {"ok": False, "error": error.message}
