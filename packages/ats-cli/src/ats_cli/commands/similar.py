"""`ats similar`."""

from typing import Annotated

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of
from ats_cli.retrieval import show

app = new_app()


@app.command(cls=Command)
def similar(
    ctx: typer.Context,
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a task, or the beginning of one.")],
    *,
    limit: options.Limit = 5,
    budget_ms: options.BudgetMs = None,
    candidates: options.Candidates = 20,
    explain: options.Explain = False,
    content: options.Content = False,
    fresh: options.Fresh = False,
    cached: options.Cached = False,
    include_completed: options.IncludeCompleted = False,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Find the tasks most like a known one. Needs an adapter or a plugin that computes vectors.

    \b
    Example:
      ats similar t42 -n 10
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter, {"budget_ms": budget_ms})
    found = engine.similar(
        task_id,
        limit=limit,
        candidates=candidates,
        include_completed=include_completed,
        fresh=fresh,
        cached=cached,
    )
    show(session, found, content=content, explain=explain)
