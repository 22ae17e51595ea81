"""What every command of ours is made with."""

from typing import Any

import typer
from typer.core import TyperCommand

from ats_cli.session import Session


class Command(TyperCommand):
    """A command that keeps standard output for its answer: once it runs, prints of others go to stderr."""

    def invoke(self, ctx: Any) -> Any:
        session_of(ctx).guard()
        return super().invoke(ctx)


def new_app(help: str | None = None) -> typer.Typer:  # noqa: A002 - typer's own word for it
    """A typer app without rich and without completion of its own.

    :param help: given for a group of commands; a single command brings its own.
    """
    app = typer.Typer(help=help, rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    if help is not None:
        app.callback(invoke_without_command=True)(help_without_command)
    return app


def help_without_command(ctx: typer.Context) -> None:
    """Print a group's help where it is called without a command."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def session_of(ctx: Any) -> Session:
    """The session of this run."""
    session: Session = ctx.obj
    return session
