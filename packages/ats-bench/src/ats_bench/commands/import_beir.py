"""`ats bench import-beir`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def import_beir(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="It holds corpus.jsonl, queries.jsonl and qrels/*.tsv.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="A folder that is new or empty.")],
    split: Annotated[
        list[str] | None,
        typer.Option("--split", metavar="NAME", help="Only these qrels; repeatable.  [default: all]"),
    ] = None,
) -> None:
    """Turn a BEIR folder into a corpus and a question file, so that any public set can be run.

    \b
    Examples:
      ats bench import-beir scifact/ --split test --out scifact-ats/
      ATS_MEMORY_FILE=scifact-ats/corpus.jsonl ats bench run --questions scifact-ats/questions.jsonl
    """
    import sys

    from ats_bench import beir
    from ats_bench.inert import one_line
    from ats_bench.quiet import warn

    imported = beir.import_beir(folder, out, split or ())
    for warning in imported.warnings:
        warn(f"warning: {warning}")
    warn(f"{imported.tasks} tasks, {imported.asked} questions; grades are not kept: a score above 0 is gold")
    sys.stdout.writelines(f"{one_line(str(file))}\n" for file in (imported.corpus, imported.questions))
