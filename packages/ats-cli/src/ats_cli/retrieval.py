"""The commands that ask a question: one call of the engine, one answer. `commands/find.py` and others name them."""

from typing import Annotated, Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of
from ats_cli.session import Session


def retrieval_app(
    name: str,
    *,
    help: str,  # noqa: A002 - typer's own word
    asks: Any = options.QUERY,
    flags: options.Group = options.BUDGET,
) -> typer.Typer:
    """The command `name`, which calls the engine's method of that name with its words. All its options are here.

    :param asks: the argument that the words belong to.
    :param flags: the options that are settings.
    """
    app = new_app()

    @app.command(name, cls=Command, help=help)
    @options.taking(options.SEARCH, options.LEAST, flags, options.LOOKS, options.RUN)
    def ask(ctx: typer.Context, words: Annotated[list[str], asks], **given: Any) -> None:
        session = session_of(ctx)
        query = options.joined_words(words)
        engine = session.open_engine(given["adapter"], options.chosen(given, flags))
        call = getattr(engine, name.replace("-", "_"))
        found = call(query, **options.chosen(given, options.SEARCH, options.LEAST))
        _show(session, found, given["min_confidence"], options.chosen(given, options.LOOKS))

    return app


def _show(session: Session, found: Any, least: str | None, looks: dict[str, bool]) -> None:
    """Write a result: as JSON, or as text with each warning on stderr."""
    if session.json:
        from ats_cli.shapes import result

        session.write_json(result(found, **looks))
        return
    from ats_cli.show.hits import result_lines

    for warning in found.warnings:
        session.warn(warning)
    session.write_lines(result_lines(found, least=least, **looks))
