"""`ats url`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def url(
    ctx: typer.Context,
    words: options.Reference,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Print the address of a task.

    \b
    Examples:
      ats url t42
      ats url Renew passport
    """
    from ats_cli.address import address_of

    session = session_of(ctx)
    task, address = address_of(session.open_engine(adapter), options.joined_words(words), tool="url")
    if session.json:
        session.write_json({"id": task.id, "title": task.title, "url": address})
    else:
        session.write(f"{address}\n")
