"""The command `ats` itself: a group that imports the one command that is called, and no other."""

from importlib import import_module
from typing import Annotated, Any

import typer
from ats_core.errors import UsageError
from typer.core import TyperGroup

from ats_cli.commands import COMMANDS, module_of
from ats_cli.kit import help_without_command, session_of

HELP = """
Find the task or note you half remember, in the stores you already keep.

\b
Examples:
  ats find how do I roll back a release
  ats find --json -n 3 insurance renewal
  ats get t42
"""
EPILOG = """
\b
Exit codes:
  0    answered; no hits is an answer too
  1    failed
  2    wrong usage or configuration
  3    login needed
  4    every branch failed
  130  interrupted

ats COMMAND --help tells more. An adapter may have commands of its own: ats ADAPTER --help.
"""


class LazyGroup(TyperGroup):
    """Resolves a name to our own command first, then to an entry point of `ats.commands`, then to an adapter."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in COMMANDS:
            return typer.main.get_command(import_module(module_of(cmd_name)).app)
        if ctx.resilient_parsing or cmd_name.startswith("-"):
            return None
        from ats_cli.mounts import mounted

        command = mounted(session_of(ctx), cmd_name)
        if command is None:
            raise _unknown(cmd_name)
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        from ats_cli.mounts import stubs

        sections = {"Commands": list(COMMANDS.items()), "Commands of other packages": stubs(session_of(ctx))}
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> None:
        # A mounted command's return value must not pass for an exit code: only `typer.Exit` gives one.
        super().invoke(ctx)


def root_command() -> Any:
    """The command to run. Given to `main(obj=Session(...))`."""
    app = typer.Typer(
        cls=LazyGroup,
        help=HELP,
        epilog=EPILOG,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_ats)
    return typer.main.get_command(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from ats_cli import __version__

        typer.echo(f"ats {__version__}")
        raise typer.Exit


def _ats(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    help_without_command(ctx)


def _unknown(name: str) -> UsageError:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, n=1)
    suggestion = f"did you mean {close[0]}?" if close else f"to search: ats find {name} ...; see: ats --help"
    return UsageError(f"no such command: {name}", hint=suggestion)
