"""`ats open`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command("open", cls=Command)
def open_(
    ctx: typer.Context,
    words: options.Reference,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Open a task in the browser, or in the app that its address belongs to.

    \b
    Example:
      ats open Renew passport
    """
    import webbrowser

    from ats_core.errors import AtsError

    from ats_cli.address import address_of

    session = session_of(ctx)
    task, address = address_of(session.open_engine(adapter), options.joined_words(words), tool="open")
    if not webbrowser.open(address):
        raise AtsError(f"no browser could be opened for {address}", hint="open it by hand")
    if session.json:
        session.write_json({"id": task.id, "title": task.title, "url": address})
    else:
        session.write(f"opened {address}\n")
