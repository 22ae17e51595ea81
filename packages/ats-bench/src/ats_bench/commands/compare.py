"""`ats bench compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ats_bench.app import command_app

if TYPE_CHECKING:
    from ats_bench.comparing import Comparison

HELP = """
Compare two runs, question by question: the second against the first.

Says first what differs in their making. Runs over different corpora are refused unless --anyway is given.

\b
Example:
  ats bench compare before after
"""

MOST_MOVES = 10
"""Questions shown that got better, and that got worse, by each method; --json has all."""

app = command_app()


@app.command(help=HELP)
def compare(
    before: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the earlier run.")],
    after: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the later run.")],
    measure: Annotated[str, typer.Option("--measure", metavar="NAME", help="What is compared.")] = "mrr",
    anyway: Annotated[bool, typer.Option("--anyway", help="Compare also over different corpora.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
) -> None:
    from ats_bench.comparing import compare_runs
    from ats_bench.gating import known_measure
    from ats_bench.runs import read_run

    compared = compare_runs(read_run(before), read_run(after), measure=known_measure(measure), anyway=anyway)
    if as_json:
        from ats_bench.document import encode

        typer.echo(encode(_document(compared)), nl=False)
    else:
        typer.echo(_markdown(compared), nl=False)


def _document(compared: Comparison) -> dict[str, object]:
    from ats_bench.report.shape import contrast_shape

    return {
        "before": str(compared.before.run.folder),
        "after": str(compared.after.run.folder),
        "measure": compared.measure,
        "differences": compared.differences,
        "comparisons": [contrast_shape(contrast) for contrast in compared.contrasts],
        "moves": [
            {
                "method": move.method,
                "question": move.question.id,
                "text": move.question.question,
                "before": move.before,
                "after": move.after,
            }
            for move in compared.moves
        ],
    }


def _markdown(compared: Comparison) -> str:
    from ats_bench.metrics import MEASURES, TITLES
    from ats_bench.report.markdown import table
    from ats_bench.report.words import change, change_interval, figure, p_value, verdict_of

    title, column = TITLES[compared.measure], MEASURES.index(compared.measure)
    lines = [f"# {compared.after.run.folder} against {compared.before.run.folder}", ""]
    lines += [f"- {difference}" for difference in compared.differences] or [
        "Same questions, same corpus, same settings."
    ]
    lines += ["", f"By {title}, over the questions that both answered; p by randomisation test, corrected by Holm.", ""]
    rows = []
    for contrast in compared.contrasts:
        both = [scores.methods[contrast.method].values for scores in (compared.before, compared.after)]
        shared = [question for question in both[0] if question in both[1]]
        means = [
            sum(float(values[question][column]) for question in shared) / len(shared) if shared else None
            for values in both
        ]
        moved = "-" if contrast.difference is None else change(contrast.difference)
        p_shown = "-" if contrast.p_holm is None else p_value(contrast.p_holm)
        rows.append(
            [
                contrast.method,
                verdict_of(contrast),
                str(contrast.n),
                *map(figure, means),
                moved,
                change_interval(contrast.ci95),
                p_shown,
            ]
        )
    lines += table(["method", "outcome", "n", "before", "after", "change", "95 %", "p"], rows, words=2)
    for heading, sign in (("Worse", -1), ("Better", 1)):
        moves = sorted(
            (move for move in compared.moves if (move.after - move.before) * sign > 0),
            key=lambda move: -abs(move.after - move.before),
        )
        if moves:
            lines += ["", f"## {heading}: {len(moves)}", ""]
            shown = [
                [move.method, move.question.id, move.question.question, figure(move.before), figure(move.after)]
                for move in moves[:MOST_MOVES]
            ]
            lines += table(["method", "id", "question", "before", "after"], shown, words=3)
            if len(moves) > MOST_MOVES:
                lines += ["", f"{len(moves) - MOST_MOVES} more; --json has all."]
    return "\n".join(lines) + "\n"
