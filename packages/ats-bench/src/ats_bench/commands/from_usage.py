"""`ats bench from-usage`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def from_usage(
    *,
    days: Annotated[int, typer.Option("--days", metavar="N", min=1, max=36500, help="Today and the days before.")] = 90,
    minutes: Annotated[
        float, typer.Option("--within", metavar="MINUTES", min=0, help="How soon the task has to be opened.")
    ] = 5,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="Offer no more than N.")] = 100,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="ID", help="Append this candidate to --out; repeatable; all: every one."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
    log: Annotated[Path | None, typer.Option("--log", metavar="FILE", help="Read this log.")] = None,
    adapter: Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")] = None,
) -> None:
    """Turn queries of the usage log into candidate questions, for you to accept.

    A candidate is a query after which one task was opened (ats get, open, url), the same one whenever it was asked.
    They are printed as JSONL with the title of the task and "accepted": false; --out writes them to a new file
    instead. Questions with "accepted": false are never asked. With --accept, those that you name are appended to --out.

    \b
    Examples:
      ats bench from-usage
      ats bench from-usage --accept u-1f3a9c0d2b --out questions.jsonl
    """
    import os
    import sys
    from datetime import datetime

    from ats_core.errors import UsageError
    from ats_core.settings import load_settings

    from ats_bench.document import encode
    from ats_bench.library import load_library
    from ats_bench.new_file import refuse_existing, write_new
    from ats_bench.quiet import warn
    from ats_bench.usage.calls import Log, first_moment, need_log
    from ats_bench.usage.candidates import candidates
    from ats_bench.usage.offers import Answers
    from ats_bench.usage.offers import accept as append_accepted

    if accept and out is None:
        raise UsageError("--accept needs a file to append to", hint="add: --out questions.jsonl")
    if out is not None and not accept:
        refuse_existing(out)
    path = load_settings(os.environ).usage_log if log is None else need_log(log)
    calls = Log(path, first_moment(days, datetime.now().astimezone()).timestamp())
    answers = Answers(load_library(os.environ, adapter).corpus)
    found = candidates(calls, most, minutes, answers.takes)
    offered = answers.offers(found.offered)
    warn(
        f"{len(offered)} of {found.found} candidates; left out: {found.ambiguous} queries that led to several tasks,"
        f" {found.refused} openings of what is gone or was asked for by its name; {calls.skipped} bad lines skipped"
    )
    if offered:
        warn("their answers were found by the search in use, which favours it: keep what you would have judged so")
    if accept and out is not None:
        appended = append_accepted(offered, accept, out)
        warn(f"{len(appended)} appended to {out}")
        return
    lines = [encode(offer.record) for offer in offered]
    if out is None:
        sys.stdout.writelines(lines)
    else:
        write_new(out, lines)
        warn(f"{out}: set accepted to true, or delete the line")
