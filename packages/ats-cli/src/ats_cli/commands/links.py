"""`ats links`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def links(
    ctx: typer.Context,
    words: options.Reference,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """List what a task's text points to: addresses, and other tasks by address, [[title]] or id.

    \b
    Examples:
      ats links t42
      ats links Permanent notes on Rome --json
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    task, found = engine.links(options.joined_words(words))
    if session.json:
        from ats_cli import shapes

        session.write_json(
            {
                "id": task.id,
                "count": len(found),
                "links": [
                    {
                        "text": link.text,
                        "url": link.url,
                        "task": link.task and shapes.task(link.task, url=engine.url(link.task)),
                    }
                    for link in found
                ],
            }
        )
        return
    from ats_cli.show.table import table

    rows = [(link.text, link.task.id if link.task else "", link.task.title if link.task else "") for link in found]
    session.write_lines(table(["link", "task", "title"], rows))
