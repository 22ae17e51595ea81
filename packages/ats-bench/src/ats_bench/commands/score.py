"""`ats bench score`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from ats_core.errors import AtsError

from ats_bench.app import command_app
from ats_bench.places import newest_run
from ats_bench.quiet import warn

HELP = """
Report how good the answers of a run are; default the newest run.

Means by method and by tag with 95 % intervals, each method compared with the first, and beside them what could not be
judged. Questions without an answer are scored apart.

\b
Examples:
  ats bench score
  ats bench score RUN --html report.html
  ats bench score --json --strict
"""

app = command_app()


@app.command(help=HELP)
def score(
    *,
    run: Annotated[
        Path | None, typer.Argument(metavar="[RUN]", help="The folder of a run.", show_default=False)
    ] = None,
    measure: Annotated[
        str, typer.Option("--measure", metavar="NAME", help="The measure by which methods are compared.")
    ] = "mrr",
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Seed of the intervals and tests.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page, too.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 where a question was unwinnable, ineligible, degraded or missing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
) -> None:
    from ats_bench.gating import known_measure
    from ats_bench.runs import read_run
    from ats_bench.scoring import score_run
    from ats_bench.stats import SEED

    measure = known_measure(measure)
    made = read_run(run or newest_run(os.environ))
    scores = score_run(made, measure=measure, seed=SEED if seed is None else abs(seed))
    if html is not None:
        from ats_core.atomic import write_atomically

        from ats_bench.report.html import page

        try:
            write_atomically(html, (page(scores).encode("utf-8", "replace"),))
        except OSError as error:
            raise AtsError(f"{html} cannot be written: {error.strerror}") from error
    if as_json:
        from ats_bench.document import encode
        from ats_bench.report.shape import document

        typer.echo(encode(document(scores)), nl=False)
    else:
        from ats_bench.report.markdown import markdown

        typer.echo(markdown(scores), nl=False)
    from ats_bench.report.words import left_out

    spoilt = {name: left_out(method.coverage) for name, method in scores.methods.items() if not method.coverage.clean}
    if strict and spoilt:
        name, phrases = next(iter(spoilt.items()))
        warn(f"not every question could be judged: {name}: {', '.join(phrases)}")
        raise typer.Exit(1)
