"""`ats tasks`."""

from typing import Annotated

import typer

from ats_cli import completing, options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def tasks(
    ctx: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="PROJECT...",
            help="An id, a name, or the unique beginning of one.",
            autocompletion=completing.projects,
        ),
    ],
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """List the tasks of one project, as the store has them now.

    \b
    Examples:
      ats tasks Inbox
      ats tasks Permanent Notes --json
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    found = engine.tasks(options.joined_words(words))
    if session.json:
        from ats_cli import shapes

        session.write_json(
            {
                "adapter": engine.adapter.name,
                "count": len(found),
                "tasks": [shapes.task(task, url=engine.url(task)) for task in found],
            }
        )
        return
    from ats_cli.show.hits import when
    from ats_cli.show.table import table

    rows = [(task.id, task.status, when(task.due_date or ""), task.title) for task in found]
    session.write_lines(table(["id", "status", "due", "title"], rows))
