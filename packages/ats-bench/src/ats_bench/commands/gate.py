"""`ats bench gate`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from ats_core.errors import UsageError

from ats_bench.app import command_app
from ats_bench.places import newest_run
from ats_bench.quiet import warn

HELP = """
Fail where a run falls short of what you demand: exit 1, with a line for each demand that is not met.

\b
Examples:
  ats bench gate --min "find.mrr>=0.85" --min "find.hit@1>=0.8"
  ats bench gate RUN --against EARLIER --max-drop 0.02
  ats bench gate RUN --against EARLIER --max-drop 0 --significant
"""

app = command_app()


@app.command(help=HELP)
def gate(
    *,
    run: Annotated[
        Path | None,
        typer.Argument(metavar="[RUN]", help="The folder of a run; default the newest.", show_default=False),
    ] = None,
    floors: Annotated[
        list[str] | None, typer.Option("--min", metavar="DEMAND", help="METHOD.MEASURE>=NUMBER; may be given often.")
    ] = None,
    against: Annotated[Path | None, typer.Option("--against", metavar="RUN", help="An earlier run.")] = None,
    max_drop: Annotated[
        float | None, typer.Option("--max-drop", metavar="X", help="How much each method may lose.  [default: 0]")
    ] = None,
    significant: Annotated[
        bool, typer.Option("--significant", help="A drop that may be chance does not count.")
    ] = False,
    measure: Annotated[str, typer.Option("--measure", metavar="NAME", help="What must not drop.")] = "mrr",
    anyway: Annotated[bool, typer.Option("--anyway", help="Compare also over different corpora.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail also where a question could not be judged.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
) -> None:
    from ats_bench.comparing import compare_runs
    from ats_bench.gating import below_floors, beyond_drop, known_measure, parse_floor, share
    from ats_bench.report.words import left_out
    from ats_bench.runs import read_run
    from ats_bench.scoring import score_run

    if not floors and against is None:
        raise UsageError("nothing is demanded", hint='give --min "find.mrr>=0.85", or --against RUN')
    if against is None and (max_drop is not None or significant):
        raise UsageError("--max-drop and --significant need an earlier run", hint="give --against RUN")
    demands = [parse_floor(text) for text in floors or ()]
    limit = share(max_drop or 0.0, "--max-drop")
    measure = known_measure(measure)
    made = read_run(run or newest_run(os.environ))
    scores = score_run(made, measure=measure)
    failures = list(below_floors(scores, demands))
    if against is not None:
        compared = compare_runs(read_run(against), made, measure=measure, anyway=anyway)
        for difference in compared.differences:
            warn(f"differs from {against}: {difference}")
        failures += beyond_drop(compared.contrasts, limit, significant=significant)
    spoilt = {
        name: ", ".join(left_out(method.coverage))
        for name, method in scores.methods.items()
        if not method.coverage.clean
    }
    if strict:
        failures += [f"{name}: not every question could be judged: {phrases}" for name, phrases in spoilt.items()]
    else:
        for name, phrases in spoilt.items():
            warn(f"{name}: not in the mean: {phrases}")
    if as_json:
        from ats_bench.document import encode

        typer.echo(encode({"run": str(made.folder), "passed": not failures, "failures": failures}), nl=False)
    else:
        for failure in failures or ["passed"]:
            typer.echo(failure)
    if failures:
        raise typer.Exit(1)
