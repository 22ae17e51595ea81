"""`ats bench add`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def add(
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="The question, as you would ask it.", show_default=False)
    ],
    *,
    gold: Annotated[
        list[str] | None,
        typer.Option("--gold", metavar="ID", help="A task that answers it, by id or title; repeatable."),
    ] = None,
    no_answer: Annotated[bool, typer.Option("--no-answer", help="No task answers it.")] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="T", help="A kind of question; repeatable.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="The question file.  [default: your own]")
    ] = None,
    adapter: Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")] = None,
) -> None:
    """Append one question of your own to a question file.

    \b
    Examples:
      ats bench add "how do I undo a deployment" --gold rel-rollback --tag paraphrase
      ats bench add "yoga class times" --no-answer
    """
    import os

    from ats_bench.library import load_library
    from ats_bench.places import own_questions
    from ats_bench.questions import append_question
    from ats_bench.quiet import warn
    from ats_bench.written import check_words, find_gold, refuse_repeated, written

    check_words(question, gold or (), no_answer=no_answer)
    path = file or own_questions(os.environ)
    tasks = find_gold(gold, load_library(os.environ, adapter)) if gold else []
    made = written(question, tasks, tag or ())
    refuse_repeated(made, path)
    append_question(path, made)
    for task in tasks:
        if task.status == "done":
            warn(f"warning: {task.id} is done, and no search finds it unless it is told to")
    answer = "; ".join(f"{task.id} ({task.title})" for task in tasks) or "no answer"
    warn(f"{path}: {made.id} appended, gold: {answer}")
