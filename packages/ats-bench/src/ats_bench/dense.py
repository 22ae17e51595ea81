"""Whether an engine has vectors, of which embedding space, and how to have them all before anything is measured."""

from __future__ import annotations

from collections.abc import Callable

from ats_core.dense_source import choose_embedder
from ats_core.engine import Engine
from ats_core.errors import AtsError
from ats_core.opening import open_plugins
from ats_core.plugins.discovery import Catalogue

BACKEND = "the adapter's own backend"


def embedding_space(engine: Engine) -> str | None:
    """The name of the space that dense retrieval works in; None: there are no vectors.

    :raises NoEmbedderError: `local` was chosen and its extra is not installed.
    """
    if engine.settings.embedder == "none":
        return None
    if engine.adapter.has("hybrid_backend"):
        return engine.adapter.embedding_space() if engine.adapter.has("embedding_space") else BACKEND
    plugins, _ = open_plugins(Catalogue.scan(), engine.settings.plugins)
    embedder = choose_embedder(engine.settings.embedder, engine.adapter, plugins)
    return None if embedder is None else embedder.space


def embed_all(engine: Engine, progress: Callable[[int, int], None]) -> list[str]:
    """Embed what has no vector yet, as `ats sync` does; what went wrong comes back as lines.

    An embedder that fails here makes answers that are marked as degraded; it does not stop the run.
    """
    try:
        return list(engine.state.sync(progress).warnings)
    except AtsError as error:
        return [f"not all tasks could be embedded: {error.message}"]
    except OSError as error:
        return [f"the vectors could not be kept: {error.strerror}"]
