"""Where dense retrieval comes from: the adapter's backend, else an embedder with core's own vectors, else nowhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn

from ats_core.cache.opened import OpenedCorpus
from ats_core.cache.place import owner_key
from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, NoEmbedderError
from ats_core.hookspecs import HybridBackend
from ats_core.models import Ranking, Task, TaskScope
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.retrieval.dense import OwnDense
from ats_core.settings import Settings
from ats_core.vectors.embedder import Embedder

if TYPE_CHECKING:
    from ats_core.vectors.coverage import CorpusVectors


VECTORS = "vectors"
"""The folder of all vectors, within the state folder."""


STATIC_WEIGHT, MODEL_WEIGHT = 0.35, 0.5
"""The dense weight of the static embedder, and of any other, which understands more."""


class DenseSource:
    """Chooses for one adapter, once a question: what is there may change while a process lives.

    `scope` names the account, so that no account is served another's vectors.
    """

    def __init__(self, adapter: Adapter, plugins: Sequence[Plugin], settings: Settings, scope: str) -> None:
        self._adapter = adapter
        self._plugins = plugins
        self._all = (adapter, *plugins)
        self._choice = settings.embedder
        self._dense_weight = settings.dense_weight
        self._all_vectors = settings.config_dir / VECTORS
        self.folder = self._all_vectors / owner_key(adapter.name, scope)
        self._lock = Lock()
        self._vectors: tuple[OpenedCorpus, str, CorpusVectors] | None = None

    def choose(self, opened: OpenedCorpus) -> OwnDense | HybridBackend | None:
        """What answers dense questions over this corpus; None: nothing, and that is no degradation.

        :raises NoEmbedderError: `local` was chosen and its extra is not installed.
        """
        if self._choice == "none":
            return None
        backend = self._backend()
        if backend is not None:
            return backend
        embedder = choose_embedder(self._choice, self._adapter, self._plugins, self._all_vectors)
        if embedder is None:
            return None
        return OwnDense(embedder, lambda: self._vectors_of(opened, embedder.space))

    @property
    def weight(self) -> float:
        """What dense weighs in score fusion, sparse the rest: as set, else by how good the embedder is."""
        if self._dense_weight is not None:
            return self._dense_weight
        own = self._choice == "local" and not any("embeddings" in plugin.implemented for plugin in self._all)
        return STATIC_WEIGHT if own else MODEL_WEIGHT

    def need(self, opened: OpenedCorpus) -> OwnDense | HybridBackend:
        """As `choose`.

        :raises NoEmbedderError: there is nothing.
        """
        source = self.choose(opened)
        if source is None:
            raise NoEmbedderError(
                f"{self._adapter.label} has no embedder, and dense retrieval needs one",
                hint="try: pip install 'ats-core[local]' && ats config set embedder local",
            )
        return source

    def _backend(self) -> HybridBackend | None:
        if "hybrid_backend" not in self._adapter.implemented:
            return None
        try:
            return self._adapter.hybrid_backend()
        except AtsError as error:
            return _FailingBackend(error)

    def _vectors_of(self, opened: OpenedCorpus, space: str) -> CorpusVectors:
        from ats_core.vectors.coverage import CorpusVectors
        from ats_core.vectors.store import VectorStore

        with self._lock:
            known = self._vectors
            if known is None or known[0] is not opened or known[1] != space:
                known = self._vectors = (
                    opened,
                    space,
                    CorpusVectors(VectorStore(self.folder, space), opened.index),
                )
            return known[2]


def choose_embedder(
    choice: str, adapter: Adapter, plugins: Sequence[Plugin], state: Path | None = None
) -> Embedder | None:
    """Who computes vectors: the adapter, else the first plugin that does, else the static model if it was chosen.

    :param choice: the `embedder` setting.
    :param state: where the static model may keep what it reads first.
    :raises NoEmbedderError: `local` was chosen and its extra is not installed.
    """
    for plugin in (adapter, *plugins):
        embedder = _embedder_of(plugin)
        if embedder is not None:
            return embedder
    if choice != "local":
        return None
    from ats_core.vectors.static import static_embedder

    return static_embedder(state)


def _embedder_of(plugin: Plugin) -> Embedder | None:
    if "embeddings" not in plugin.implemented:
        return None
    try:
        space = plugin.embedding_space() if plugin.has("embedding_space") else None
    except AtsError as error:
        return Embedder(plugin.label, "unknown", _raiser(error))
    return None if space is None else Embedder(plugin.label, space, plugin.embeddings)


def _raiser(error: AtsError) -> Callable[..., NoReturn]:
    def fail(*_: Any) -> NoReturn:
        raise error

    return fail


class _FailingBackend:
    """A backend that is there but could not be had: every question says so, and none is lost."""

    def __init__(self, error: AtsError) -> None:
        self._error = error

    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        raise self._error

    def similar(self, task: Task, limit: int, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        raise self._error

    def sync(self, corpus: Corpus, progress: Callable[[int, int], None]) -> Mapping[str, Any]:
        raise self._error

    def status(self) -> Mapping[str, Any]:
        raise self._error
