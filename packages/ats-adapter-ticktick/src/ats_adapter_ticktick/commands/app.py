"""The command group that is mounted as `ats ticktick`: it imports the one command that is called, and no other."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from ats_adapter_ticktick.commands import COMMANDS

if TYPE_CHECKING:
    from ats_adapter_ticktick.parts import Parts

HELP = """
What only TickTick and Dida365 have.

\b
Examples:
  ats ticktick status
  ats ticktick export tasks.json && ATS_MEMORY_FILE=tasks.json ats find --adapter memory passport
"""


def make_app(parts: Parts) -> typer.Typer:
    """The group, whose commands work with these parts."""

    class LazyGroup(TyperGroup):
        """Resolves a name by the table of commands, and imports its module only then."""

        def list_commands(self, ctx: Any) -> list[str]:
            return list(COMMANDS)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in COMMANDS:
                return None
            module = import_module(f"ats_adapter_ticktick.commands.{cmd_name}")
            return typer.main.get_command(module.build(parts))

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
    app.callback(invoke_without_command=True)(_group)
    return app


def _group(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
