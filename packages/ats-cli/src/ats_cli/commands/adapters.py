"""`ats adapters`."""

from typing import Any

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of
from ats_cli.session import Session

app = new_app()


@app.command(cls=Command)
def adapters(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """List the installed adapters: where they come from, whether they load, what they can do.

    The one that is asked by default is marked with a star. Broken ones say why.

    \b
    Example:
      ats adapters --json
    """
    session = session_of(ctx)
    listed = _listed(session, adapter)
    if session.json:
        session.write_json({"adapters": listed})
        return
    from ats_cli.show.table import table

    heads = ["", "adapter", "distribution", "state", "can"]
    session.write_lines(table(heads, [_row(one) for one in listed]))


def _listed(session: Session, chosen: str | None) -> list[dict[str, Any]]:
    from ats_core.errors import AtsError, ConfigError
    from ats_core.hookspecs import REQUIRED
    from ats_core.opening import choose_adapter, open_adapter
    from ats_core.plugins.discovery import ADAPTERS, Catalogue
    from ats_core.settings import load_settings

    settings = load_settings(session.environ, {"adapter": chosen})
    catalogue = Catalogue.scan()
    try:
        selected = choose_adapter(catalogue, settings.adapter).name
    except ConfigError as error:
        session.warn(error.message, error.hint)
        selected = None
    listed = []
    for found in catalogue.group(ADAPTERS):
        capabilities: list[str] = []
        reason = None
        try:
            adapter, _ = open_adapter(catalogue.adapter(found.name), settings, session.environ)
            capabilities = [hook for hook in sorted(adapter.implemented) if hook not in REQUIRED and adapter.has(hook)]
        except AtsError as error:
            reason = error.message
        listed.append(
            {
                "name": found.name,
                "distribution": found.distribution,
                "version": found.version,
                "selected": found.name == selected,
                "ok": reason is None,
                "error": reason,
                "capabilities": capabilities,
            }
        )
    return listed


def _row(one: dict[str, Any]) -> list[str]:
    return [
        "*" if one["selected"] else "",
        one["name"],
        f"{one['distribution']} {one['version']}",
        "ok" if one["ok"] else "broken",
        ", ".join(one["capabilities"]) if one["ok"] else one["error"],
    ]
