"""`ats ticktick search`."""

from __future__ import annotations

from typing import Annotated

import typer
from ats_core import UsageError

from ats_adapter_ticktick.commands.kit import Json, command_app, write_json, write_rows
from ats_adapter_ticktick.corpus.search import search as ask
from ats_adapter_ticktick.links import task_url
from ats_adapter_ticktick.parts import Parts, call_deadline


def build(parts: Parts) -> typer.Typer:
    """The command over these parts."""
    app = command_app()

    @app.command()
    def search(
        words: Annotated[list[str], typer.Argument(metavar="QUERY...", help="Words; they need no quotes.")],
        json: Json = False,
    ) -> None:
        """Ask TickTick's own search, in its own order. It finds completed tasks too.

        To have it as a branch of every search, at the price of a request each: ats config set ticktick.native_search on

        \b
        Example:
          ats ticktick search renew passport
        """
        query = " ".join(words).strip()
        if not query:
            raise UsageError("the query is blank", hint="try: ats ticktick search passport")
        account = parts.account()
        found = ask(account.api(), query, account.seen.read(), call_deadline())
        if json:
            web_url = parts.options().web_url
            tasks = [
                {
                    "id": task.id,
                    "title": task.title,
                    "projectId": task.project_id,
                    "projectName": task.project_name,
                    "status": task.status,
                    "dueDate": task.due_date,
                    "tags": list(task.tags),
                    "url": task_url(web_url, task.project_id, task.id),
                }
                for task in found
            ]
            write_json({"query": query, "count": len(tasks), "tasks": tasks})
        elif found:
            write_rows([(task.id, task.status, task.project_name or "-", task.title) for task in found])

    return app
