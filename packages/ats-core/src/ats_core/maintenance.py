"""What an engine keeps on disk: shown, refreshed, brought up to date and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ats_core.cache.inventory import CopyStatus, copies, remove_copy
from ats_core.cache.store import CorpusStore
from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.dense_source import VECTORS, DenseSource
from ats_core.errors import AtsError, StoreError
from ats_core.fanout import describe
from ats_core.hookspecs import HybridBackend
from ats_core.models import CorpusReport, Model
from ats_core.retrieval.dense import OwnDense
from ats_core.settings import Settings
from ats_core.vectors.inventory import SpaceStatus, remove_vectors, spaces

SYNC_SECONDS = 86_400.0
"""A sync has no budget; the deadline that its embedder is given is a day."""


class CacheStatus(Model, frozen=True, kw_only=True):
    """The cache as it is.

    `path` is the copy of this adapter and account (None: the cache is disabled), `outlook` what the next search will
    do. `copies` are those of all adapters and accounts, `vectors` this one's by embedding space.
    """

    adapter: str
    scope: str
    path: Path | None
    outlook: str
    copies: tuple[CopyStatus, ...]
    vectors: tuple[SpaceStatus, ...]


class Refreshed(Model, frozen=True, kw_only=True):
    """A corpus after a refetch; where that failed it is an older copy, `report.stale`, and the warnings say why."""

    report: CorpusReport
    warnings: tuple[str, ...]


class Synced(Model, frozen=True, kw_only=True):
    """What a sync did: `tasks`, `embedded` (by this call), `missing` (still), `unusable` (the embedder refused their
    text); or a backend's own counts. `warnings` say what did not go as it should."""

    counts: Mapping[str, Any]
    warnings: tuple[str, ...]


class Maintenance:
    """The state of one adapter and account; `scope` names the account.

    The first of the stores is what is searched by default; where completed tasks are fetched apart, the second holds
    them too.
    """

    def __init__(self, settings: Settings, scope: str, stores: Sequence[CorpusStore], dense: DenseSource) -> None:
        self._settings = settings
        self._scope = scope
        self._store = stores[0]
        self._stores = stores
        self._dense = dense

    def status(self) -> CacheStatus:
        """What is kept, and what the next search will do. Changes nothing."""
        disabled = self._settings.corpus_cache_disable
        return CacheStatus(
            adapter=self._store.adapter_name,
            scope=self._scope,
            path=self._store.path,
            outlook=self._store.outlook(),
            copies=() if disabled else tuple(copies(self._settings.corpus_cache)),
            vectors=tuple(spaces(self._dense.folder)),
        )

    def refresh(self) -> Refreshed:
        """Refetch the corpus now, whatever its age."""
        loaded = self._store.load(fresh=True)
        return Refreshed(report=loaded.report, warnings=loaded.warnings)

    def sync(self, progress: Callable[[int, int], None] = lambda done, total: None) -> Synced:
        """Refetch the corpus and embed every text of it that has no vector yet.

        :param progress: called as `progress(done, total)` after each batch.
        :raises NoEmbedderError: nothing here computes vectors.
        :raises EmbeddingError: the embedder failed; what it did before is kept.
        :raises OSError: the vectors could not be compacted; they are unharmed.
        """
        loaded = self._store.load(fresh=True)
        opened = loaded.opened
        source = self._dense.need(opened)
        if not isinstance(source, OwnDense):
            return Synced(counts=_backend_sync(source, opened.corpus, progress), warnings=loaded.warnings)
        vectors = source.vectors()
        embedded = vectors.embed_missing(source.embedder, opened.corpus, Deadline(SYNC_SECONDS), progress)
        if len(self._stores) == 1:  # else the vectors of texts that this corpus lacks may be completed tasks'
            vectors.compact()
        counts = {
            "tasks": len(opened.corpus),
            "embedded": embedded,
            "missing": len(vectors.known) - int(vectors.known.sum()),
            "unusable": vectors.unusable,
        }
        return Synced(counts=counts, warnings=(*loaded.warnings, *vectors.take_warnings()))

    def clear(self, *, everything: bool = False) -> list[Path]:
        """Remove this account's copies of the corpus; or all copies of all accounts, and all vectors.

        :return: the files of the copies that were removed.
        :raises OSError: one of them cannot be removed.
        """
        own = [store.path for store in self._stores if store.path is not None]
        victims = [status.path for status in copies(self._settings.corpus_cache)] if everything else own
        removed = [path for path in victims if remove_copy(path)]
        if everything:
            remove_vectors(self._settings.config_dir / VECTORS)
        return removed


def _backend_sync(backend: HybridBackend, corpus: Corpus, progress: Callable[[int, int], None]) -> Mapping[str, Any]:
    try:
        return dict(backend.sync(corpus, progress))
    except (AtsError, OSError):
        raise
    except Exception as error:
        raise StoreError(f"the hybrid backend failed to sync: {describe(error)}") from error
