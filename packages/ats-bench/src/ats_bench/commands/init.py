"""`ats bench init`."""

from pathlib import Path
from typing import Annotated

import typer

from ats_bench.app import command_app

app = command_app()


@app.command()
def init(
    *,
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, help="Ask about so many tasks.")] = 50,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another seed draws other tasks and words.")] = 0,
    form: Annotated[
        list[str] | None, typer.Option("--form", metavar="FORM", help="Only questions of this form; repeatable.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The question file, a new one.  [default: your own]")
    ] = None,
    adapter: Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")] = None,
) -> None:
    """Make a question file from your own tasks, without a model.

    Draws tasks from every project and age, and asks for each as if it were half remembered: rare-words of the body,
    the title-part that is left with words dropped, title-reordered, title-typo, tag-and-word. Such questions are made
    of a task's own words and favour lexical branches: compare them by tag, and add questions of your own.

    \b
    Examples:
      ats bench init --count 100 --out generated.jsonl
      ats bench init --form title-typo --form rare-words --seed 7
    """
    import os

    from ats_core.errors import AtsError, UsageError

    from ats_bench.document import encode
    from ats_bench.generate.forms import FORMS
    from ats_bench.generate.questions import CAVEAT, generate, record
    from ats_bench.library import load_library
    from ats_bench.new_file import refuse_existing, write_new
    from ats_bench.places import own_questions
    from ats_bench.quiet import warn

    unknown = [name for name in form or () if name not in FORMS]
    if unknown:
        raise UsageError(f"no form {unknown[0]!r}", hint=f"known forms: {', '.join(FORMS)}")
    path = out or own_questions(os.environ)
    refuse_existing(path)
    corpus = load_library(os.environ, adapter).corpus
    questions = generate(list(corpus), count, seed, form or FORMS)
    if not questions:
        raise AtsError(f"no question can be made of {len(corpus)} tasks", hint="ask in your own words: ats bench add")
    write_new(path, (encode(record(question)) for question in questions))
    tasks = {question.gold_task_ids for question in questions}
    warn(f"{path}: {len(questions)} questions about {len(tasks)} tasks, {CAVEAT}")
    warn("questions about one task are not independent of each other: read the figures by tag")
