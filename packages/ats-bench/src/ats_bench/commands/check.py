"""`ats bench check`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def check(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The question file.  [default: your own]")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Take remarks for problems.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
    adapter: Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")] = None,
) -> None:
    """Validate a question file against the corpus; exit code 1 if there is a problem.

    Problems: lines that are no questions, an id or question that stands there twice, gold that is not in the corpus,
    is done or is listed twice, neither gold nor no_answer. A remark: gold that several questions share.
    """
    import os
    import sys

    import msgspec

    from ats_bench.checking import check as check_questions
    from ats_bench.document import encode
    from ats_bench.inert import one_line
    from ats_bench.library import load_library
    from ats_bench.places import own_questions
    from ats_bench.questions import read_questions
    from ats_bench.report.words import counted

    path = file or own_questions(os.environ)
    checked = check_questions(*read_questions(path), load_library(os.environ, adapter).corpus)
    failed = bool(checked.problems or (strict and checked.remarks))
    if json:
        sys.stdout.write(encode({"file": str(path), "ok": not failed, **msgspec.to_builtins(checked)}))
    else:
        rows = [("problem", line) for line in checked.problems] + [("remark", line) for line in checked.remarks]
        sys.stdout.writelines(f"{kind}: {one_line(line)}\n" for kind, line in rows)
        numbers = {"question": checked.questions, "problem": len(checked.problems), "remark": len(checked.remarks)}
        counts = ", ".join(counted(number, noun) for noun, number in numbers.items())
        sys.stdout.write(f"{one_line(str(path))}: {counts}\n")
    if failed:
        raise typer.Exit(1)
