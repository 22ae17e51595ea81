"""For tests and experiments: an engine over an adapter that is at hand, leaving nothing behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ats_core.engine import Engine
from ats_core.hookspecs import AdapterConfig
from ats_core.opening import cache_scope
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.settings import load_settings


def make_engine(
    adapter: object,
    *,
    name: str = "test",
    plugins: Sequence[object] = (),
    state_dir: Path | None = None,
    **settings: Any,
) -> Engine:
    """An engine over an object with hook implementations, without entry points.

    :param state_dir: where cache, vectors and log go; None: nothing is written, so nothing is cached either.
    :param settings: by key (see `ats_core.settings.OPTIONS`), e.g. `budget_ms=200`.
    """
    defaults: dict[str, Any] = {}
    if state_dir is None:
        state_dir = Path(os.devnull, "ats")  # a place where not even root can make a folder
        defaults = {"corpus_cache_disable": True, "usage_disable": True}
    resolved = load_settings({"ATS_CONFIG_DIR": str(state_dir)}, defaults | settings)
    opened = Adapter(name, adapter)
    return Engine(
        opened,
        resolved,
        scope=cache_scope(opened, AdapterConfig(name=name)),
        plugins=[Plugin(type(plugin).__name__, plugin) for plugin in plugins],
    )
