"""What is asked of others, each question in a process of its own (see `children`). Answers are plain JSON."""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from ats_core.deadline import Deadline
from ats_core.errors import AtsError
from ats_core.fanout import describe
from ats_core.opening import open_adapter, open_plugin, open_plugins
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.plugins.discovery import ADAPTERS, PLUGINS, Broken, Catalogue, Found, load
from ats_core.settings import Settings, config_dir, load_settings, read_json_object

Answer = dict[str, Any]

WORD = "word"
"""The word that is embedded to see whether somebody embeds."""

_ABOUT_ITSELF = ("branches", "embedding_space", "hybrid_backend", "cache_scope", "revision")
"""Hooks that answer without a network, so that all adapters may be asked for them."""


def answer(what: str, arguments: Mapping[str, Any]) -> Answer:
    """Run a probe. Whatever is raised is an answer too: `error`, `hint`, and the `type` of the error."""
    try:
        return PROBES[what](**arguments)
    except BaseException as error:  # noqa: BLE001 - that is what the process is for
        return {"error": describe(error), "hint": getattr(error, "hint", None), "type": type(error).__name__}


def load_entry_point(found: list[str]) -> Answer:
    """Load and register what an entry point names, as a command would."""
    point = Found(*found)
    try:
        if point.group == ADAPTERS:
            return _adapter(point)
        if point.group == PLUGINS:
            plugin = open_plugin(point)
            return {"hooks": sorted(plugin.implemented), "faults": _faults(plugin, plugin.implemented)}
        from ats_cli.mounts import as_group

        as_group(load(point), point)
    except AtsError as error:
        broken = Broken.of(point, error)
        return {"error": broken.error, "hint": broken.hint, "type": type(error).__name__}
    return {}


def login(adapter: str) -> Answer:
    """Whether the store takes us."""
    opened = _open(adapter)
    if "auth_status" not in opened.implemented:
        return {"needed": False}
    status = opened.auth_status()
    return {"needed": True, "ok": status.ok, "message": status.message, "expires": status.expires_at}


def store(adapter: str) -> Answer:
    """Whether the store answers."""
    return {"projects": len(_open(adapter).list_projects())}


def backend(adapter: str) -> Answer:
    """What the hybrid backend says of itself, None where there is none."""
    opened = _open(adapter)
    given = opened.hybrid_backend() if "hybrid_backend" in opened.implemented else None
    return {"status": None if given is None else msgspec.to_builtins(dict(given.status()), enc_hook=str)}


def embedder(adapter: str, seconds: float) -> Answer:
    """Embed one word, by whoever would embed it for a search."""
    from ats_core.dense_source import VECTORS, choose_embedder
    from ats_core.plugins.patience import Patience

    settings = _settings()
    if settings.embedder == "none":
        return {"none": "off: embedder is none"}
    opened = _open(adapter)
    if "hybrid_backend" in opened.implemented and opened.hybrid_backend() is not None:
        return {"none": "that of the hybrid backend"}
    plugins, _ = open_plugins(Catalogue.scan(), settings.plugins, Patience(seconds=seconds / 2))
    found = choose_embedder(settings.embedder, opened, plugins, settings.config_dir / VECTORS)
    if found is None:
        return {"none": "none: dense retrieval is off"}
    began = time.monotonic()
    vector = found.embed_query(WORD, Deadline(seconds / 2))
    return {
        "provider": found.provider,
        "space": found.space,
        "dimension": len(vector),
        "seconds": time.monotonic() - began,
    }


def kept(adapter: str) -> Answer:
    """Cache, index and vectors of this adapter and account."""
    from ats_core.engine import Engine

    from ats_cli.shapes import cache

    engine = Engine.open({**os.environ, "ATS_PLUGINS": ""}, adapter, {"usage_disable": True})
    return cache(engine.state.status(), time.time())


def configured(adapter: str) -> Answer:
    """The adapter's settings, as they may be shown."""
    from ats_cli.configuration import shown_settings

    opened, settings = _open(adapter), _settings()
    declared = opened.settings() if "settings" in opened.implemented else []
    path = settings.config_dir / f"{adapter}.json"
    shown = shown_settings(declared, os.environ, read_json_object(path), path)
    return {"settings": [one._asdict() for one in shown]}


def _settings() -> Settings:
    """As they are; where one is wrong, which is a check of its own, the defaults."""
    try:
        return load_settings(os.environ)
    except AtsError:
        defaults = load_settings({"ATS_CONFIG_DIR": os.path.join(os.devnull, "ats")})
        return msgspec.structs.replace(defaults, config_dir=config_dir(os.environ))


def _open(adapter: str) -> Adapter:
    return open_adapter(Catalogue.scan().adapter(adapter), _settings(), os.environ)[0]


def _adapter(point: Found) -> Answer:
    adapter, _ = open_adapter(point, _settings(), os.environ)
    declared = adapter.settings() if "settings" in adapter.implemented else []
    commands = adapter.commands() if "commands" in adapter.implemented else None
    if commands is not None:
        from ats_cli.mounts import as_group

        as_group(commands, point)
    return {
        "hooks": sorted(adapter.implemented),
        "faults": _faults(adapter, adapter.implemented),
        "commands": commands is not None,
        "demo": adapter.demo,
        "secrets": [[setting.key, setting.env] for setting in declared if setting.secret],
    }


def _faults(plugin: Plugin, hooks: frozenset[str]) -> list[str]:
    """What hooks that say something about the plugin itself answer amiss."""
    faults = []
    for hook in sorted(hooks.intersection(_ABOUT_ITSELF)):
        try:
            if plugin.has(hook):
                getattr(plugin, hook)()
        except AtsError as error:
            faults.append(describe(error))
    return faults


PROBES: Mapping[str, Callable[..., Answer]] = {
    "load": load_entry_point,
    "login": login,
    "store": store,
    "backend": backend,
    "embedder": embedder,
    "kept": kept,
    "configured": configured,
}
