"""`ats projects`."""

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def projects(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """List the projects, in the order of the store.

    \b
    Example:
      ats projects --json
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    found = engine.projects()
    if session.json:
        from ats_cli import shapes

        session.write_json(
            {
                "adapter": engine.adapter.name,
                "count": len(found),
                "projects": [shapes.project(project) for project in found],
            }
        )
        return
    from ats_cli.show.table import table

    session.write_lines(table(["id", "kind", "name"], [(one.id, one.kind, one.name) for one in found]))
