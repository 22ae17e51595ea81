"""Options and arguments that several commands share, and the groups in which commands take them."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Annotated, Any, TypeAlias

import typer

from ats_cli import completing

QUERY = typer.Argument(metavar="QUERY...", help="What you remember; - reads it from stdin.", show_default=False)
REFERENCE = typer.Argument(
    metavar="ID_OR_TITLE...", help="An id, the unique beginning of one, or an exact title.", show_default=False
)

Reference = Annotated[list[str], REFERENCE]
Adapter = Annotated[
    str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.", autocompletion=completing.adapters)
]
Json = Annotated[bool, typer.Option("--json", help="Write one JSON document, errors included.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be sent, and send nothing.")]
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
Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="NAME",
        help="Only this project: id, name, or the beginning of one.",
        autocompletion=completing.projects,
    ),
]
Tags = Annotated[list[str], typer.Option("--tag", metavar="TAG", help="Only with this tag; again: with that one too.")]
Status = Annotated[
    str | None, typer.Option("--status", metavar="open|done|any", help="Only tasks of this status.  [default: open]")
]
IncludeCompleted = Annotated[bool, typer.Option("--include-completed", help="The same as --status any.")]
DueBefore = Annotated[
    str | None,
    typer.Option(
        "--due-before", metavar="DATE", help="Due before DATE: 2026-12-31, today, tomorrow, or 7d, 2w from now."
    ),
]
DueAfter = Annotated[
    str | None,
    typer.Option("--due-after", metavar="DATE", help="Due at DATE or later: the same, or -7d, which was a week ago."),
]
ModifiedAfter = Annotated[
    str | None,
    typer.Option(
        "--modified-after", metavar="DATE", help="Modified at DATE or later: 2026-12-31, today, or 7d, 2w ago."
    ),
]
MinConfidence = Annotated[
    str | None,
    typer.Option("--min-confidence", metavar="weak|moderate|strong", help="No hits rather than a less certain answer."),
]
Fusion = Annotated[
    str | None, typer.Option("--fusion", metavar="rrf|score", help="How branches are merged.  [default: rrf]")
]

Group: TypeAlias = dict[str, tuple[Any, Any]]
"""Parameters that belong together: by name, the type, which carries the option, and the default."""

SEARCH: Group = {
    "limit": (Limit, 5),
    "project": (Project, None),
    "tags": (Tags, []),
    "status": (Status, None),
    "include_completed": (IncludeCompleted, False),
    "due_before": (DueBefore, None),
    "due_after": (DueAfter, None),
    "modified_after": (ModifiedAfter, None),
    "candidates": (Candidates, 20),
    "fresh": (Fresh, False),
    "cached": (Cached, False),
}
"""What a call of the engine takes (`ats_core.call.Options`), and `LEAST`, which only an answer of hits can obey."""
LEAST: Group = {"min_confidence": (MinConfidence, None)}
BUDGET: Group = {"budget_ms": (BudgetMs, None)}
"""Settings that the call itself gives, by their keys; `FUSION` where branches are merged."""
FUSION: Group = {"fusion": (Fusion, None)}
LOOKS: Group = {"explain": (Explain, False), "content": (Content, False)}
Body = Annotated[str | None, typer.Option("--content", "-c", metavar="TEXT", help="The body; - reads it from stdin.")]
Place = Annotated[
    str | None,
    typer.Option(
        "--project", "-p", metavar="NAME", help="The project that it goes to.", autocompletion=completing.projects
    ),
]
Due = Annotated[
    str | None, typer.Option("--due", metavar="DATE", help="2026-12-31, a time, today, tomorrow, 7d or 2w; or none.")
]
TagsOf = Annotated[list[str], typer.Option("--tag", metavar="TAG", help="A tag; again: another one.")]
FIELDS: Group = {"content": (Body, None), "project": (Place, None), "tags": (TagsOf, []), "due": (Due, None)}
"""What a task is given when it is made, and can be given later; `CHANGES` is what it can only be given later."""
CHANGES: Group = {
    "title": (Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Another title.")], None),
    "no_tags": (Annotated[bool, typer.Option("--no-tags", help="Take all tags off.")], False),
    "status": (Annotated[str | None, typer.Option("--status", metavar="open|done", help="Close or open it.")], None),
}
PLAN: Group = {"dry_run": (DryRun, False)}
RUN: Group = {"json": (Json, False), "adapter": (Adapter, None)}


def taking(*groups: Group) -> Callable[[Any], Any]:
    """Let a command that ends with `**given: Any` take the options of these groups there."""

    def give(function: Any) -> Any:
        own = signature(function)
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
            for group in groups
            for name, (annotation, default) in group.items()
        ]
        function.__signature__ = own.replace(parameters=[*list(own.parameters.values())[:-1], *options])
        return function

    return give


def chosen(given: Mapping[str, Any], *groups: Group) -> dict[str, Any]:
    """What was given for the options of some groups."""
    return {name: given[name] for group in groups for name in group}


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
