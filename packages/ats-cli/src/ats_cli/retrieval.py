"""The commands that ask a question: one call of the engine, one answer. `commands/find.py` and others name them."""

from typing import Annotated, Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of
from ats_cli.session import Session


def retrieval_app(name: str, *, help: str, asks: Any = options.QUERY) -> typer.Typer:  # noqa: A002 - typer's own word
    """The command `name`, which calls the engine's method of that name with its words. All its options are here.

    :param asks: the argument that the words belong to.
    """
    app = new_app()

    @app.command(name, cls=Command, help=help)
    def ask(
        ctx: typer.Context,
        words: Annotated[list[str], asks],
        *,
        limit: options.Limit = 5,
        budget_ms: options.BudgetMs = None,
        candidates: options.Candidates = 20,
        explain: options.Explain = False,
        content: options.Content = False,
        fresh: options.Fresh = False,
        cached: options.Cached = False,
        include_completed: options.IncludeCompleted = False,
        json: options.Json = False,
        adapter: options.Adapter = None,
    ) -> None:
        session = session_of(ctx)
        query = options.joined_words(words)
        engine = session.open_engine(adapter, {"budget_ms": budget_ms})
        found = getattr(engine, name.replace("-", "_"))(
            query,
            limit=limit,
            candidates=candidates,
            include_completed=include_completed,
            fresh=fresh,
            cached=cached,
        )
        _show(session, found, content=content, explain=explain)

    return app


def _show(session: Session, found: Any, *, content: bool, explain: bool) -> None:
    """Write a result: as JSON, or as text with each warning on stderr."""
    if session.json:
        from ats_cli.shapes import result

        session.write_json(result(found, content=content, explain=explain))
        return
    from ats_cli.show.hits import result_lines

    for warning in found.warnings:
        session.warn(warning)
    session.write_lines(result_lines(found, content=content, explain=explain))
