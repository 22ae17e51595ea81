"""`ats why`."""

from typing import Annotated, Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

QUERY_AND_REFERENCE = typer.Argument(
    metavar="QUERY... ID_OR_TITLE",
    help="What was asked, then the task as one word: its id, the beginning of it, or its exact title in quotes.",
    show_default=False,
)
FLAGS = options.BUDGET | options.FUSION

app = new_app()


@app.command(cls=Command)
@options.taking(options.SEARCH, FLAGS, options.RUN)
def why(ctx: typer.Context, words: Annotated[list[str], QUERY_AND_REFERENCE], **given: Any) -> None:
    """Tell why ats find does or does not show a task for a query.

    Its rank in every branch, what fusion made of that, the cut or the filter that dropped it, and the words that it
    has. Give the options of the search that you wonder about.

    \b
    Examples:
      ats why how do I roll back a release rel-rollback
      ats why insurance renewal "Renew the car insurance" -n 10
      ats why --json -p Home invoices t42
    """
    session = session_of(ctx)
    *query, reference = words
    if not query:
        from ats_core.errors import UsageError

        raise UsageError("the query or the id is missing", hint="the last word is the id: ats why QUERY... ID")
    asked = options.joined_words(query)
    engine = session.open_engine(given["adapter"], options.chosen(given, FLAGS))
    story = engine.why(asked, reference, **options.chosen(given, options.SEARCH))
    url = engine.url(story.task) if story.task else None
    if session.json:
        from ats_cli.shapes import why as shape

        session.write_json(shape(story, url=url))
        return
    from ats_cli.show.why import why_lines

    session.write_lines(why_lines(story))
