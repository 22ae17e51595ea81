"""Reading and writing the configuration files for `ats config`."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ats_core.atomic import write_atomically
from ats_core.errors import AtsError, ConfigError
from ats_core.hookspecs import Setting
from ats_core.opening import choose_adapter, open_adapter
from ats_core.plugins.discovery import Catalogue
from ats_core.settings import OPTIONS, Settings, check_value, config_dir, load_settings, read_json_object

from ats_cli.session import Session

HIDDEN = "(hidden)"
CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")


class Shown(NamedTuple):
    """A setting as it may be shown: a secret's value is `HIDDEN`, one that is not set is None."""

    key: str
    value: Any
    origin: str
    help: str = ""

    @property
    def text(self) -> str:
        """The value for people."""
        if self.value is None:
            return "-"
        return self.value if self.value and isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False)


def core_settings(environ: Mapping[str, str], adapter: str | None) -> tuple[Settings, list[Shown]]:
    """Every setting of core, resolved.

    :raises ConfigError: one of them is wrong.
    """
    settings = load_settings(environ, {"adapter": adapter})
    return settings, [
        Shown(option.key, _plain(getattr(settings, option.key)), settings.origins[option.key], option.help)
        for option in OPTIONS
    ]


def adapter_settings(session: Session, settings: Settings) -> tuple[str | None, list[Shown]]:
    """The adapter that is asked, and its own settings. One that cannot be loaded is a warning."""
    try:
        found = choose_adapter(Catalogue.scan(), settings.adapter)
        path = settings.config_dir / f"{found.name}.json"
        declared = _declared(found.name, settings, session.environ)
        stored = read_json_object(path)
    except AtsError as error:
        session.warn(error.message, error.hint)
        return settings.adapter, []
    return found.name, shown_settings(declared, session.environ, stored, path)


def shown_settings(
    declared: Sequence[Setting], environ: Mapping[str, str], stored: Mapping[str, Any], path: Path
) -> list[Shown]:
    """An adapter's settings as they may be shown: those that it declares, then what else is `stored` in its file."""
    known = {setting.key for setting in declared}
    shown = [_shown(setting, environ, stored, path) for setting in declared]
    # Nobody says whether a key that the adapter does not declare is a secret.
    return shown + [Shown(key, HIDDEN, str(path)) for key in sorted(stored) if key not in known]


def use_adapter(session: Session, name: str) -> Path:
    """Make an adapter the one that is asked.

    :raises UnknownAdapterError: it is not installed.
    """
    Catalogue.scan().adapter(name)
    path = _store(config_dir(session.environ) / "config.json", "adapter", name)
    _warn_if_overridden(session, "ATS_ADAPTER")
    return path


def set_value(session: Session, key: str, value: str) -> Shown:
    """Change one setting, of core or (`adapter.key`) of an adapter.

    :raises ConfigError: no such key, or not what is expected.
    """
    adapter, _, own_key = key.rpartition(".")
    if adapter:
        return _set_adapter_value(session, adapter, own_key, value)
    key = key.replace("-", "_")
    check_value(key, value)
    if key == "adapter":
        Catalogue.scan().adapter(value)
    option = next(option for option in OPTIONS if option.key == key)
    typed = option.read(value)
    # A relative path means something else in the next folder.
    stored = str(typed.absolute()) if isinstance(typed, Path) else _plain(typed)
    path = _store(config_dir(session.environ) / "config.json", key, stored)
    _warn_if_overridden(session, option.env)
    return Shown(key, stored, str(path))


def _set_adapter_value(session: Session, adapter: str, key: str, value: str) -> Shown:
    settings = load_settings(session.environ)
    declared = {setting.key: setting for setting in _declared(adapter, settings, session.environ)}
    if key not in declared:
        raise ConfigError(f"adapter {adapter} has no setting {key!r}", hint=f"it has: {', '.join(declared) or 'none'}")
    path = _store(settings.config_dir / f"{adapter}.json", key, value)
    setting = declared[key]
    if setting.env:
        _warn_if_overridden(session, setting.env)
    return Shown(f"{adapter}.{key}", HIDDEN if setting.secret else _masked(value), str(path))


def _declared(adapter: str, settings: Settings, environ: Mapping[str, str]) -> list[Setting]:
    opened, _ = open_adapter(Catalogue.scan().adapter(adapter), settings, environ)
    return opened.settings() if "settings" in opened.implemented else []


def _shown(setting: Setting, environ: Mapping[str, str], stored: Mapping[str, Any], path: Path) -> Shown:
    value, origin = None, "default"
    if setting.env and environ.get(setting.env):
        value, origin = environ[setting.env], setting.env
    elif stored.get(setting.key) is not None:
        value, origin = stored[setting.key], str(path)
    if value is not None:
        value = HIDDEN if setting.secret else _masked(_plain(value))
    return Shown(setting.key, value, origin, setting.help)


def _store(path: Path, key: str, value: Any) -> Path:
    """Set one key of a configuration file and leave the others alone. A link is followed, not replaced.

    :raises ConfigError: the file is damaged or cannot be written.
    """
    content = read_json_object(path) | {key: value}
    target = Path(os.path.realpath(path))
    try:
        write_atomically(target, [json.dumps(content, ensure_ascii=False, indent=2).encode(), b"\n"])
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}", hint="mend its permissions") from error
    return path


def _warn_if_overridden(session: Session, variable: str) -> None:
    if session.environ.get(variable):
        session.warn(f"{variable} in the environment overrides it")


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _masked(value: Any) -> Any:
    return CREDENTIALS.sub("***@", value) if isinstance(value, str) else value
