"""`ats get`."""

from typing import Annotated

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def get(
    ctx: typer.Context,
    words: options.Reference,
    extract: Annotated[
        str | None,
        typer.Option(
            "--extract", metavar="raw|json|yaml", help="The store's own record, JSON in the body, or its front matter."
        ),
    ] = None,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Show one task, whole. A title needs no quotes.

    \b
    Examples:
      ats get t42
      ats get Renew passport --json
      ats get t42 --extract yaml
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    task = engine.get(options.joined_words(words))
    if extract is not None:
        from ats_cli.extract import extract as extracted

        text, value = extracted(task, extract)
        if session.json:
            session.write_json({"id": task.id, "extract": extract, "value": value})
        else:
            from ats_cli.show.inert import inert

            session.write(inert(text) + "\n")
        return
    url = engine.url(task)
    if session.json:
        from ats_cli import shapes

        session.write_json(shapes.task(task, url=url) | {"content": task.content})
        return
    from ats_cli.show.task import task_lines

    session.write_lines(task_lines(task, url))
