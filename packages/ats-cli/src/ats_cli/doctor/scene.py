"""What can be told without anybody's code: the settings, what is installed, which adapter is asked."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ats_core.errors import AtsError
from ats_core.fanout import describe
from ats_core.opening import choose_adapter
from ats_core.plugins.discovery import ADAPTERS, COMMANDS, PLUGINS, Catalogue, Found, unreadable
from ats_core.settings import Settings, config_dir

from ats_cli.configuration import Shown, core_settings
from ats_cli.doctor.check import Check, fine, problem

_RIGHT = "set it right, or unset it; see: ats config show"


class Scene(NamedTuple):
    """`folder` is that of configuration and state, `settings` are core's, `asked` is the adapter; each None where it
    cannot be had. `checks` say why."""

    environ: Mapping[str, str]
    folder: Path | None
    settings: Settings | None
    shown: list[Shown]
    found: list[Found]
    asked: Found | None
    checks: list[Check]

    @property
    def switched_off(self) -> frozenset[Found]:
        """The plugins that are not to be loaded."""
        names = None if self.settings is None else self.settings.plugins
        plugins = [found for found in self.found if found.group == PLUGINS]
        return frozenset(found for found in plugins if names is not None and found.name not in names)


def look(environ: Mapping[str, str], adapter: str | None) -> Scene:
    """Look around.

    :param adapter: the adapter to ask, before what environment and configuration say.
    """
    checks: list[Check] = []
    folder, settings = None, None
    shown: list[Shown] = []
    try:
        folder = config_dir(environ)
        settings, shown = core_settings(environ, adapter)
        checks.append(settings_check("settings", [(one.key, one.text, one.origin) for one in shown]))
    except AtsError as error:
        checks.append(problem("settings", error.message, error.hint or _RIGHT))
    catalogue, unread = _installed()
    checks += unread
    if settings is not None:
        checks += _unknown_plugins(catalogue, settings)
    asked = None
    try:
        asked = choose_adapter(catalogue, adapter or (settings.adapter if settings else None))
    except AtsError as error:
        checks.append(problem("adapter", error.message, error.hint or "see: ats adapters"))
    found = [one for group in (ADAPTERS, PLUGINS, COMMANDS) for one in catalogue.group(group)]
    return Scene(environ, folder, settings, shown, found, asked, checks)


def settings_check(name: str, rows: Iterable[tuple[str, str, str]]) -> Check:
    """The settings that somebody has set, and where.

    :param rows: key, value, origin.
    """
    said = [f"{key} {value} ({Path(origin).name})" for key, value, origin in rows if origin != "default"]
    return fine(name, ", ".join(said) or "none is set")


def _installed() -> tuple[Catalogue, list[Check]]:
    try:
        catalogue = Catalogue.scan()
        unread = unreadable()
    except Exception as error:  # noqa: BLE001 - somebody's damaged metadata
        message = f"the installed packages cannot be listed: {describe(error)}"
        return Catalogue([]), [problem("packages", message, "see: pip check")]
    return catalogue, [
        problem(f"package {name}", f"its entry points cannot be read: {why}", f"try: pip uninstall {name.split()[0]}")
        for name, why in unread
    ]


def _unknown_plugins(catalogue: Catalogue, settings: Settings) -> list[Check]:
    installed = {found.name for found in catalogue.group(PLUGINS)}
    origin = settings.origins["plugins"]
    return [
        problem(f"plugin {name}", f"it is named by {origin} and is not installed", "take it out, or install it")
        for name in settings.plugins or ()
        if name not in installed
    ]
