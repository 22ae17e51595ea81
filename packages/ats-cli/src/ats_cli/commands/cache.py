"""`ats cache status | sync | clear`."""

import time
from typing import Annotated

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app("Show, refetch and remove what is kept on disk.")


@app.command(cls=Command)
def status(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Show what is kept, and what the next search will do.

    First the corpus of the adapter that is asked and its vectors, then the copies of other adapters and accounts.

    \b
    Examples:
      ats cache status
      ats cache status --json
    """
    session = session_of(ctx)
    found = session.open_engine(adapter).state.status()
    if session.json:
        from ats_cli import shapes

        session.write_json(shapes.cache(found, time.time()))
        return
    from ats_cli.show.cache import cache_lines

    session.write_lines(cache_lines(found, time.time()))


@app.command(cls=Command)
def sync(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Fetch the corpus again, whatever the age of the copy.

    To embed it as well: ats sync.

    \b
    Example:
      ats cache sync
    """
    session = session_of(ctx)
    engine = session.open_engine(adapter)
    started = time.monotonic()
    refreshed = engine.state.refresh()
    elapsed_ms = (time.monotonic() - started) * 1000
    report, warnings = refreshed.report, refreshed.warnings
    if report.from_cache and report.stale:
        from ats_core.errors import StoreError

        reason = "; ".join(warnings) or "the corpus could not be fetched"
        raise StoreError(reason, hint="the older copy stays; to ask the store itself: ats projects")
    if session.json:
        from ats_cli import shapes

        session.write_json({"elapsedMs": elapsed_ms, "corpus": shapes.corpus(report), "warnings": list(warnings)})
        return
    from ats_cli.show.hits import corpus
    from ats_cli.show.inert import one_line

    for warning in warnings:
        session.warn(warning)
    session.write(one_line(f"{corpus(report)}, fetched in {elapsed_ms / 1000:.1f} s") + "\n")


@app.command(cls=Command)
def clear(
    ctx: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Remove the copies of all adapters and accounts, and all vectors.")
    ] = False,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Remove the cached corpus; the next search fetches it again.

    \b
    Examples:
      ats cache clear
      ats cache clear --all
    """
    session = session_of(ctx)
    state = session.open_engine(adapter).state
    try:
        removed = state.clear(everything=everything)
    except OSError as error:
        from ats_core.errors import AtsError

        raise AtsError(f"{error.filename} cannot be removed: {error.strerror}", hint="remove it by hand") from error
    if session.json:
        session.write_json({"removed": [str(path) for path in removed], "vectors": everything})
        return
    from ats_cli.show.inert import one_line

    said = [f"removed {path}" for path in removed] or ["there was no copy to remove"]
    said += ["removed the vectors of all adapters and accounts"] if everything else []
    session.write("".join(f"{one_line(line)}\n" for line in said))
