"""`ats config show | use | set`."""

from typing import Annotated

import typer

from ats_cli import options
from ats_cli.kit import Command, new_app, session_of

app = new_app("Show and change the settings.")


@app.command(cls=Command)
def show(ctx: typer.Context, json: options.Json = False, adapter: options.Adapter = None) -> None:
    """Show every setting, its value and where it comes from. Secrets stay hidden.

    \b
    Example:
      ats config show --json
    """
    from ats_cli.configuration import adapter_settings, core_settings

    session = session_of(ctx)
    settings, core = core_settings(session.environ, adapter)
    name, own = adapter_settings(session, settings)
    if session.json:
        document = {
            "configDir": str(settings.config_dir),
            "settings": [shown._asdict() for shown in core],
            "adapter": {"name": name, "settings": [shown._asdict() for shown in own]},
        }
        session.write_json(document)
        return
    from ats_cli.show.lines import Span, line
    from ats_cli.show.table import table

    rows = [(shown.key, shown.origin, shown.text) for shown in core]
    rows += [(f"{name}.{shown.key}", shown.origin, shown.text) for shown in own]
    folder = line("", Span(f"settings are kept in {settings.config_dir}", "faint"))
    session.write_lines([*table(["key", "from", "value"], rows), folder])


@app.command(cls=Command)
def use(
    ctx: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="ADAPTER", help="The name of an installed adapter.", show_default=False)
    ] = None,
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Choose the adapter that is asked from now on.

    \b
    Example:
      ats config use memory
    """
    from ats_core.errors import UsageError

    from ats_cli.configuration import use_adapter

    session = session_of(ctx)
    if None not in (name, adapter) and name != adapter:
        raise UsageError(f"{name} or {adapter}?", hint="name one adapter")
    name = name or adapter
    if name is None:
        raise UsageError("the adapter is missing", hint="those that are installed: ats adapters")
    path = use_adapter(session, name)
    if session.json:
        session.write_json({"key": "adapter", "value": name, "file": str(path)})
    else:
        session.write(f"adapter {name} is asked from now on ({path})\n")


@app.command("set", cls=Command)
def set_(
    ctx: typer.Context,
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key of `config show`.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value; - reads it from stdin.")],
    json: options.Json = False,
    adapter: options.Adapter = None,
) -> None:
    """Change a setting. ADAPTER.KEY is a setting of an adapter's own, and so is KEY with --adapter.

    \b
    Examples:
      ats config set budget_ms 1500
      ats config set memory.file ~/tasks.json
    """
    from ats_cli.configuration import set_value

    session = session_of(ctx)
    whole_key = key if adapter is None else f"{adapter}.{key.removeprefix(f'{adapter}.')}"
    changed = set_value(session, whole_key, options.joined_words([value]))
    if session.json:
        session.write_json({"key": changed.key, "value": changed.value, "file": changed.origin})
    else:
        session.write(f"{changed.key} is now {changed.text} ({changed.origin})\n")
