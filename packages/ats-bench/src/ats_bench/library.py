"""The user's tasks as the bench reads them: through the engine, and without a trace in the usage log.

A mounted command answers on `sys.stdout`, so whatever an adapter prints while it works is led to stderr meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ats_bench.quiet import quiet, warn

if TYPE_CHECKING:
    from ats_core.cache.opened import OpenedCorpus


def load_library(environ: Mapping[str, str], adapter: str | None) -> OpenedCorpus:
    """All tasks of the adapter, done ones included, from the cache where it is fresh.

    What is amiss with them, or that they are only the demo's, is told on stderr.

    :raises ConfigError: a setting is wrong, or the adapter cannot be loaded.
    :raises StoreError: there is no corpus.
    """
    from ats_core.engine import Engine

    with quiet():
        # What the bench looks up is nobody's question: it must not turn up in `from-usage`.
        engine = Engine.open(environ, adapter, {"usage_disable": True})
        loaded = engine.corpus(include_completed=True)
    for trouble in (*engine.broken, *loaded.warnings):
        warn(f"warning: {trouble}")
    if loaded.report.demo:
        warn("this is the demo corpus, no tasks of yours (set ATS_MEMORY_FILE, or choose an adapter)")
    return loaded.opened
