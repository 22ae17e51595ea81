"""`ats sync`."""

from collections.abc import Mapping
from typing import Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app()


@app.command(cls=Command)
def sync(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Fetch the corpus again, and embed every text of it that has no vector yet.

    Ctrl-C stops it: what was embedded is kept, and the next call goes on from there.

    \b
    Examples:
      ats sync
      ats sync --json
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    try:
        with session.doing("embedding") as progress:
            synced = engine.state.sync(progress)
    except KeyboardInterrupt:
        session.complain("interrupted; what was embedded is kept, and ats sync goes on from there")
        raise
    except OSError as error:
        from ats_core.errors import AtsError

        where = f": {error.filename}" if error.strerror and error.filename else ""
        raise AtsError(
            f"the sync could not be finished: {error.strerror or error}{where}",
            hint="what was embedded is kept; mend that and run ats sync again",
        ) from error
    if session.json:
        session.write_json(
            {"adapter": engine.adapter.name, "counts": dict(synced.counts), "warnings": list(synced.warnings)}
        )
        return
    for warning in synced.warnings:
        session.warn(warning)
    from ats_cli.show.inert import one_line

    session.write(one_line(_summary(synced.counts)) + "\n")


def _summary(counts: Mapping[str, Any]) -> str:
    """The counts as a sentence; those of a backend, whose names are its own, as a list."""
    if set(counts) != {"tasks", "embedded", "missing", "unusable"}:
        return ", ".join(f"{name}: {count}" for name, count in counts.items()) or "done"
    from ats_cli.show.units import counted

    having = counts["tasks"] - counts["missing"] - counts["unusable"]
    parts = [f"{counts['embedded']} embedded now", f"{having} {'has a vector' if having == 1 else 'have vectors'}"]
    if counts["unusable"]:
        parts.append(f"{counts['unusable']} could not be embedded")
    if counts["missing"]:
        parts.append(f"{counts['missing']} to do, run ats sync again")
    return f"{counted(counts['tasks'], 'task')}: {', '.join(parts)}"
