"""Options and arguments that several commands share."""

from typing import Annotated

import typer

QUERY = typer.Argument(metavar="QUERY...", help="What you remember; - reads it from stdin.", show_default=False)
REFERENCE = typer.Argument(
    metavar="ID_OR_TITLE...", help="An id, the unique beginning of one, or an exact title.", show_default=False
)

Reference = Annotated[list[str], REFERENCE]
Adapter = Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON document, errors included.")]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Show at most N hits.")]
BudgetMs = Annotated[
    int | None,
    typer.Option("--budget-ms", metavar="MS", help="Time for the branches.  [default: 3000]"),
]
Candidates = Annotated[int, typer.Option("--candidates", metavar="N", help="Candidates that a branch may give.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show how each score came about.")]
Content = Annotated[bool, typer.Option("--content", help="Show whole bodies.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Fetch the corpus again first.")]
Cached = Annotated[bool, typer.Option("--cached", help="Use any cached corpus, fetch nothing.")]
IncludeCompleted = Annotated[bool, typer.Option("--include-completed", help="Search done tasks too.")]


def joined_words(words: list[str]) -> str:
    """The words of an argument that need not be quoted; the single word `-` stands for what stdin holds.

    :raises UsageError: stdin was asked for and is closed.
    """
    import sys

    if words != ["-"]:
        return " ".join(words)
    if sys.stdin is None:
        from ats_core.errors import UsageError

        raise UsageError("stdin is closed, and - reads from it", hint="pipe it: echo words | ats find -")
    return sys.stdin.buffer.read().decode("utf-8-sig", "replace").strip()
