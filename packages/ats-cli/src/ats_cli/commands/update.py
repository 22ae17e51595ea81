"""`ats update`."""

from typing import Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
@options.taking(options.CHANGES, options.FIELDS, options.PLAN, options.RUN)
def update(ctx: typer.Context, words: options.Reference, **given: Any) -> None:
    """Change a task. What is not given stays as it is; tags take the place of those it has.

    \b
    Examples:
      ats update t42 --due tomorrow
      ats update Renew passport --due none --content ''
    """
    from ats_cli.writing import patch_of, show_plan, show_written

    session = session_of(ctx)
    engine = session.open_engine(given["adapter"])
    patch = patch_of(engine, **options.chosen(given, options.CHANGES, options.FIELDS))
    reference = options.joined_words(words)
    if given["dry_run"]:
        show_plan(session, "update", patch, engine.resolve(reference))
        return
    show_written(session, engine, "updated", engine.update(reference, patch))
