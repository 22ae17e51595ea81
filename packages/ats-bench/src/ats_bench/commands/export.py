"""`ats bench export`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def export(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder that is new or empty.")],
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="The folder of a run.  [default: the newest]")
    ] = None,
    trec: Annotated[bool, typer.Option("--trec", help="As qrels and run files of TREC.")] = False,
) -> None:
    """Write a run in the formats of the field, for trec_eval, ir-measures or ranx.

    qrels.txt holds the gold, METHOD.run the answers of each method. A question without an answer has no line in a run
    file: count it as 0 (trec_eval -c). Blanks in ids are written as %20.

    \b
    Examples:
      ats bench export my-run --trec --out trec/
    """
    import os
    import sys

    from ats_core.errors import UsageError

    from ats_bench.inert import one_line
    from ats_bench.places import newest_run
    from ats_bench.quiet import warn
    from ats_bench.runs import read_run
    from ats_bench.trec import export_trec

    if not trec:
        raise UsageError("no format is named", hint="add --trec")
    read = read_run(run or newest_run(os.environ))
    for count, what in (
        (read.damaged, "damaged lines of the run are left out"),
        (read.missing, "answers are missing: the run was interrupted"),
        (sum(row.degraded for row in read.rows.values()), "answers were degraded, and are written like the others"),
    ):
        if count:
            warn(f"warning: {count} {what}")
    exported = export_trec(read, out)
    if exported.others:
        warn(f"{exported.others} questions have no gold that a search may show, and are in no qrels")
    sys.stdout.writelines(f"{one_line(str(file))}\n" for file in exported.files)
