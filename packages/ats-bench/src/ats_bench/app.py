"""The command group that is mounted as `ats bench`: it imports the one command that is called, and no other."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from ats_bench.commands import COMMANDS, module_of

HELP = """
Measure retrieval on your own notes, and believe the number.

\b
Examples:
  ats bench run --demo
  ats bench score
  ats bench run --questions mine.jsonl && ats bench gate --min "find.mrr>=0.85"
"""


class LazyGroup(TyperGroup):
    """Resolves a name by the table of commands, and imports its module only then."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return typer.main.get_command(import_module(module_of(cmd_name)).app)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    cls=LazyGroup,
    help=HELP,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _bench(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def command_app() -> typer.Typer:
    """A typer app for one command: plain help, no completion of its own."""
    return typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
