"""`ats create`."""

from typing import Annotated, Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
@options.taking(options.FIELDS, options.PLAN, options.RUN)
def create(
    ctx: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="TITLE...", help="The title; - reads it from stdin, and the body below its first line."),
    ],
    **given: Any,
) -> None:
    """Create a task. The next search finds it.

    \b
    Examples:
      ats create Renew passport --due 2w --tag home
      pbpaste | ats create - --project Notes
    """
    from ats_cli.writing import draft_of, show_plan, show_written, title_and_body

    session = session_of(ctx)
    title, body = title_and_body(words, given["content"])
    engine = session.open_engine(given["adapter"])
    draft = draft_of(engine, title, body, **options.chosen(given, options.FIELDS))
    if given["dry_run"]:
        show_plan(session, "create", draft)
        return
    try:
        created = engine.create(draft)
    except KeyboardInterrupt:
        session.complain("interrupted; the task may have been created: look before you try again")
        raise
    show_written(session, engine, "created", created)
