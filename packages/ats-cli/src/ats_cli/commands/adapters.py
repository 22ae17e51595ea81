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
    from ats_core.errors import ConfigError
    from ats_core.hookspecs import REQUIRED
    from ats_core.opening import choose_adapter, open_adapter
    from ats_core.plugins.discovery import ADAPTERS, TABLE, Broken, Catalogue, Found
    from ats_core.settings import load_settings

    settings = load_settings(session.environ, {"adapter": chosen})
    catalogue = Catalogue.kept(settings.config_dir / TABLE)
    try:
        selected = choose_adapter(catalogue, settings.adapter).name
    except ConfigError as error:
        session.warn(error.message, error.hint)
        selected = None

    def capabilities(found: Found) -> list[str]:
        adapter, _ = open_adapter(catalogue.adapter(found.name), settings, session.environ)
        return [hook for hook in sorted(adapter.implemented) if hook not in REQUIRED and adapter.has(hook)]

    return [
        {
            "name": one.found.name,
            "distribution": one.found.distribution,
            "version": one.found.version,
            "selected": one.found.name == selected,
            "ok": one.error is None,
            "error": None if one.error is None else Broken.of(one.found, one.error).error,
            "capabilities": one.made or [],
        }
        for one in session.patience(settings).load_all(catalogue.group(ADAPTERS), capabilities)
    ]


def _row(one: dict[str, Any]) -> list[str]:
    return [
        "*" if one["selected"] else "",
        one["name"],
        f"{one['distribution']} {one['version']}",
        "ok" if one["ok"] else "broken",
        ", ".join(one["capabilities"]) if one["ok"] else one["error"],
    ]
