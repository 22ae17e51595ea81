"""`ats doctor`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def doctor(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Look for what is wrong, and say what mends it.

    Versions, folders, every installed adapter, plugin and command (each loaded in a process of its own), the store
    that is asked, cache, index, vectors, embedder, usage log and settings. Takes 10 s at most. Secrets stay hidden.
    Exit code 1 where something does not work; what merely is not as it should be (!) is no failure.

    \b
    Examples:
      ats doctor
      ats doctor --adapter ticktick --json
    """
    from ats_cli.doctor.examine import examine

    session = session_of(ctx)
    with session.doing("looking at everything"):
        found = examine(session.environ, adapter)
    if session.json:
        session.write_json(found.document)
    else:
        from ats_cli.show.doctor import doctor_lines

        session.write_lines(doctor_lines(found.checks))
    if not found.ok:
        raise typer.Exit(1)
