"""Commands that other packages bring: entry points of `ats.commands`, and what an adapter's `commands` hook gives.

Help shows the former as stubs, made from metadata alone; either is imported when it is called by name, and not before.
"""

from typing import Any

import typer
from ats_core.errors import ConfigError, UsageError
from ats_core.fanout import describe
from ats_core.plugins.discovery import ADAPTERS, Catalogue, Found, broken, load
from ats_core.plugins.discovery import COMMANDS as MOUNTS

from ats_cli.commands import COMMANDS
from ats_cli.session import Session


def stubs(session: Session) -> list[tuple[str, str]]:
    """Name and help line of every mounted command; none of them is imported."""
    try:
        mounts = Catalogue.scan().group(MOUNTS)
    except Exception as error:  # noqa: BLE001 - somebody's damaged metadata must not take the help away
        session.warn(f"the installed packages cannot be listed: {type(error).__name__}: {error}")
        return []
    lines: dict[str, list[str]] = {}
    for found in mounts:
        if found.name not in COMMANDS:
            summary = f"{found.summary} ({found.distribution})" if found.summary else found.distribution
            lines.setdefault(found.name, []).append(summary)
    return [(name, "; or: ".join(summaries)) for name, summaries in lines.items()]


def mounted(session: Session, name: str) -> Any:
    """The command group that is mounted under a name, None where there is none.

    :raises ConfigError: it cannot be loaded, or two distributions claim the name.
    :raises UsageError: it is the name of an adapter that has no commands.
    """
    catalogue = Catalogue.scan()
    claims = [found for found in catalogue.group(MOUNTS) if found.name == name]
    if len(claims) > 1:
        claimants = " and ".join(f"{found.distribution} {found.version}" for found in claims)
        raise ConfigError(
            f"command {name!r} is claimed by {claimants}", hint=f"try: pip uninstall {claims[-1].distribution}"
        )
    with session.hushed():
        if claims:
            return as_group(load(claims[0]), claims[0])
        if any(found.name == name for found in catalogue.group(ADAPTERS)):
            return _commands_of(session, catalogue.adapter(name))
    return None


def _commands_of(session: Session, found: Found) -> Any:
    from ats_core.opening import open_adapter
    from ats_core.settings import load_settings

    adapter, _ = open_adapter(found, load_settings(session.environ), session.environ)
    app = adapter.commands() if "commands" in adapter.implemented else None
    if app is None:
        raise UsageError(
            f"adapter {found.name} has no commands of its own", hint=f"to ask it: ats find --adapter {found.name} ..."
        )
    return as_group(app, found)


def as_group(app: Any, found: Found) -> Any:
    """The command group of a typer app.

    :raises BrokenPluginError: it is none, or cannot be built.
    """
    if not isinstance(app, typer.Typer):
        raise broken(found, f"has commands that are no typer.Typer but {type(app).__name__}")
    # A group even where the app has one command, so that a second one changes nothing for those who call the first.
    parent = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
    try:
        parent.add_typer(app, name=found.name)
        group: Any = typer.main.get_command(parent)
    except Exception as error:
        raise broken(found, f"has commands that cannot be built: {describe(error)}") from error
    return group.commands[found.name]
