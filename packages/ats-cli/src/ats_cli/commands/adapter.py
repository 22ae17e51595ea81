"""`ats adapter new | test`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_cli import completing, options
from ats_cli.kit import Command, new_app, session_of

app = new_app("Write a new adapter, and check one against the contract.")


@app.command(cls=Command)
def new(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What --adapter will take.")],
    kind: Annotated[
        str, typer.Option("--kind", metavar="file|http", help="Over a JSON file, or over a service on the web.")
    ] = "file",
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="PATH", help="The folder to make.  [default: ats-adapter-NAME]")
    ] = None,
    json: options.Json = False,
) -> None:
    """Write the package of a new adapter, whose tests pass: adapter, tests, README, CI.

    Nothing is overwritten. What to do with it is in docs/writing-an-adapter.md.

    \b
    Examples:
      ats adapter new jot
      ats adapter new my-tasks --kind http --dir ~/code/my-tasks
    """
    from ats_cli.scaffold import next_commands, shown, write_adapter

    session = session_of(ctx)
    made = write_adapter(name, kind, Path(f"ats-adapter-{name}") if folder is None else folder)
    following = next_commands(made)
    if session.json:
        document = {"name": made.name, "kind": made.kind, "folder": str(made.folder), "files": made.files}
        session.write_json(document | {"next": following})
        return
    steps = "".join(f"  {step}\n" for step in following)
    session.write(f"wrote {len(made.files)} files to {shown(made.folder)}\n\nnext:\n{steps}")


@app.command("test", cls=Command)
def check(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An installed adapter.", autocompletion=completing.adapters)
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Check the writes too: tasks are made, changed and completed.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", metavar="NAME", help="Where --write may write.  [default: the store's inbox]"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Check whether an adapter keeps the contract of docs/hooks.md, with the settings and the login that it has.

    Each failure says which sentence it breaks and how to mend it. Exit code 1 if there is one.

    \b
    Examples:
      ats adapter test memory
      ats adapter test ticktick --write --project Sandbox
    """
    from ats_cli.conformance import tested

    session = session_of(ctx)
    report = tested(session, name, write=write, project=project)
    if session.json:
        session.write_json(report.document())
    else:
        from ats_cli.show.conformance import conformance_lines

        session.write_lines(conformance_lines(report))
    if report.failed:
        raise typer.Exit(1)
