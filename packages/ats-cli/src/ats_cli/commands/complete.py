"""`ats complete`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def complete(
    ctx: typer.Context,
    words: options.Reference,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Mark a task as done.

    \b
    Example:
      ats complete Renew passport
    """
    from ats_core.models import TaskPatch

    from ats_cli.writing import show_plan, show_written

    session = session_of(ctx)
    engine = session.open_engine(adapter)
    reference = options.joined_words(words)
    patch = TaskPatch(status="done")
    if dry_run:
        show_plan(session, "complete", patch, engine.resolve(reference))
        return
    show_written(session, engine, "completed", engine.update(reference, patch))
