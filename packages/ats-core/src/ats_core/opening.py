"""What stands behind an engine: which adapter, which plugins, who embeds, whose tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ats_core.digest import blake2b
from ats_core.errors import AtsError, ConfigError
from ats_core.fanout import describe
from ats_core.hookspecs import PLUGIN_HOOKS, AdapterConfig
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.plugins.discovery import ADAPTERS, PLUGINS, Broken, Catalogue, Found, broken, load
from ats_core.plugins.patience import Patience
from ats_core.plugins.registration import RegistrationError
from ats_core.settings import Settings, read_json_object


def choose_adapter(catalogue: Catalogue, name: str | None) -> Found:
    """The adapter that was named, else the only one installed, else `memory`.

    :raises ConfigError: several are installed and none is named; the hint lists them.
    :raises UnknownAdapterError: nobody offers it.
    """
    installed = sorted({found.name for found in catalogue.group(ADAPTERS)})
    if name is None and not installed:
        raise ConfigError("no adapter is installed", hint="try: pip install ats-adapter-memory")
    if name is None and len(installed) > 1 and "memory" not in installed:
        raise ConfigError(
            f"several adapters are installed: {', '.join(installed)}",
            hint=f"choose one: ats config use {installed[0]}",
        )
    return catalogue.adapter(name or ("memory" if "memory" in installed else installed[0]))


def open_adapter(found: Found, settings: Settings, environ: Mapping[str, str]) -> tuple[Adapter, AdapterConfig]:
    """Load, make and register the adapter; no network is touched.

    :raises BrokenPluginError: one of these steps failed.
    :raises ConfigError: its settings file is damaged, or a setting of its own is wrong.
    """
    config = AdapterConfig(
        name=found.name,
        settings=read_json_object(settings.config_dir / f"{found.name}.json"),
        environ=environ,
        state_dir=settings.config_dir / found.name,
    )
    factory = load(found)
    try:
        return Adapter(found.name, factory(config), label=found.name), config
    except RegistrationError as error:
        raise broken(found, f"cannot be registered: {error}") from error
    except (AtsError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise broken(found, f"cannot be made: {describe(error)}") from error


def open_plugins(
    catalogue: Catalogue, names: Sequence[str] | None, patience: Patience | None = None
) -> tuple[list[Plugin], list[Broken]]:
    """Load the plugins that work beside any adapter, in order of name; those that are broken come back as values.

    :param names: only these; None for all.
    :param patience: how long one may take, and who need not be tried.
    :raises ConfigError: one that is named is not installed.
    """
    seen: list[object] = []

    def make(found: Found) -> Plugin | None:
        loaded = load(found)
        if any(loaded is other for other in seen):
            return None  # the same object found twice
        plugin = _make_plugin(found, loaded)
        seen.append(loaded)
        return plugin

    chosen = [found for found in catalogue.group(PLUGINS) if names is None or found.name in names]
    outcomes = (patience or Patience()).load_all(chosen, make)
    plugins = [outcome.made for outcome in outcomes if outcome.made is not None]
    faults = [Broken.of(outcome.found, outcome.error) for outcome in outcomes if outcome.error is not None]
    installed = {found.name for found in catalogue.group(PLUGINS)}
    unknown = [name for name in names or () if name not in installed]
    if unknown:
        raise ConfigError(
            f"plugin {unknown[0]!r} is not installed",
            hint=f"ATS_PLUGINS may name: {', '.join(sorted(installed)) or 'none is installed'}",
        )
    return plugins, faults


def open_plugin(found: Found) -> Plugin:
    """Load and register one plugin.

    :raises BrokenPluginError: that failed.
    """
    return _make_plugin(found, load(found))


def _make_plugin(found: Found, loaded: Any) -> Plugin:
    try:
        plugin = Plugin(found.name, loaded() if isinstance(loaded, type) else loaded, label=found.name)
        forbidden = sorted(plugin.implemented - set(PLUGIN_HOOKS))
        if forbidden:
            raise RegistrationError(f"only an adapter may implement {', '.join(forbidden)}")
    except RegistrationError as error:
        raise broken(found, f"cannot be registered: {error}") from error
    except (AtsError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise broken(found, f"cannot be made: {describe(error)}") from error
    return plugin


def cache_scope(adapter: Adapter, config: AdapterConfig) -> str:
    """Whose tasks these are: what the adapter says, else a hash of its settings and its own variables."""
    if "cache_scope" in adapter.implemented and (scope := adapter.cache_scope()) is not None:
        return scope
    own = {setting.env for setting in adapter.settings()} if "settings" in adapter.implemented else set()
    prefix = f"ATS_{adapter.name.upper().replace('-', '_')}_"
    # ascii(): a variable may hold bytes that are no text, and two such must not fall together.
    variables = {name: ascii(value) for name, value in config.environ.items() if name in own or name.startswith(prefix)}
    fields = msgspec.json.encode([config.settings, variables], order="sorted", enc_hook=str)
    return f"settings:{blake2b(fields, digest_size=16).hexdigest()}"
