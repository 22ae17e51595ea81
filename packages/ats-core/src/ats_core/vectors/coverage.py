"""Which tasks of a corpus have a vector, embedding those that lack one, and the cosine of each to a query."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np

from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError
from ats_core.index.build import embedded_text
from ats_core.index.reader import SearchIndex
from ats_core.vectors.documents import embed_documents
from ats_core.vectors.embedder import Embedder
from ats_core.vectors.store import Segment, VectorStore, as_keys, make_segment, merge, positions
from ats_core.vectors.types import Cosines, Vectors

BATCH = 64
"""Texts a call: what a deadline can cut off is at most one batch."""

SAVE_EVERY = 4096
"""Vectors that may be lost when the process is killed in the middle of a sync."""


class CorpusVectors:
    """The vectors of a corpus' tasks in one embedding space."""

    def __init__(self, store: VectorStore, index: SearchIndex) -> None:
        self._store = store
        self._index = index
        self._keys = as_keys(index.digests)
        self._embedding = Lock()
        stored, damaged = store.segments()
        self._warnings = [f"{len(damaged)} damaged vector files are ignored: {damaged[0]}"] if damaged else []
        self._segments = [(segment.rows, positions(segment, self._keys)) for segment in stored]
        known = np.zeros(len(self._keys), dtype=bool)
        for _, rows in self._segments:
            known |= rows >= 0
        self.known = known
        """One bool a task: whether it has been embedded (a text that the embedder could not place counts too)."""

    @property
    def covered(self) -> float:
        """The share of the corpus that has been embedded, 1 for an empty corpus."""
        return float(self.known.mean()) if len(self.known) else 1.0

    @property
    def unusable(self) -> int:
        """How many tasks have been embedded in vain: the embedder refused their text, or gave no usable vector."""
        return sum(int((~np.any(rows, axis=1))[at[at >= 0]].sum()) for rows, at in self._segments)

    def take_warnings(self) -> list[str]:
        """What people should know about the stored vectors, once."""
        taken, self._warnings = self._warnings, []
        return taken

    def compact(self) -> None:
        """Merge what is stored, and drop the vectors of texts that the corpus no longer has.

        :raises OSError: it could not be written; what was there is unharmed.
        """
        self._store.compact(self._keys)

    def row(self, ordinal: int) -> Vectors | None:
        """The stored unit vector of one task, None where it has none."""
        for rows, at in self._segments:
            if at[ordinal] >= 0:
                return np.asarray(rows[at[ordinal]])
        return None

    def cosines(self, query: Vectors) -> Cosines:
        """The cosine of each task to a unit vector, shape (N,); NaN where a task has no usable vector.

        :raises EmbeddingError: the stored vectors have another dimension.
        """
        result = np.full(len(self._keys), np.nan, dtype=np.float32)
        for rows, at in self._segments:
            _check_dimension(len(query), rows)
            here = at >= 0
            scores = rows @ query
            # Only a row that scores 0 can be all zeros: looking at every row would cost more than the product.
            zeros = np.flatnonzero(scores == 0)
            scores[zeros[~np.any(rows[zeros], axis=1)]] = np.nan
            result[here] = scores[at[here]]
        return result

    def embed_missing(
        self,
        embedder: Embedder,
        corpus: Corpus,
        deadline: Deadline,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Embed texts without a vector, in corpus order, until all have one or time is up, and keep what was done.

        A text that the embedder refuses counts as embedded, without a usable vector: it is asked again when it changes.
        Where the vectors cannot be written they serve this process all the same, with a warning.

        :param progress: called as `progress(done, total)` after each batch.
        :return: how many texts were embedded.
        :raises EmbeddingError: the embedder failed; what it did before is kept.
        """
        # One thread embeds, the others wait for what it did: a text is paid for once.
        if not self._embedding.acquire(timeout=deadline.remaining()):
            return 0
        try:
            return self._embed_missing(embedder, corpus, deadline, progress)
        finally:
            self._embedding.release()

    def _embed_missing(
        self, embedder: Embedder, corpus: Corpus, deadline: Deadline, progress: Callable[[int, int], None]
    ) -> int:
        missing = self._missing()
        fresh: list[Segment] = []
        done = 0
        try:
            for start in range(0, len(missing), BATCH):
                if deadline.expired:
                    break
                batch = missing[start : start + BATCH]
                texts = [embedded_text(corpus[ordinal]) for _, ordinal in batch]
                rows = embed_documents(embedder, texts, deadline)
                known = [segment.rows for segment in fresh] or [stored for stored, _ in self._segments]
                for other in known[:1]:
                    _check_dimension(rows.shape[1], other)
                fresh.append(make_segment([digest for digest, _ in batch], rows))
                done += len(batch)
                progress(done, len(missing))
                if len(fresh) * BATCH >= SAVE_EVERY:
                    self._keep(fresh)
                    fresh = []
        finally:
            self._keep(fresh)
        return done

    def _missing(self) -> list[tuple[bytes, int]]:
        """The texts without a vector: digest and one task that has it, in corpus order."""
        first: dict[bytes, int] = {}
        for ordinal in np.flatnonzero(~self.known).tolist():
            first.setdefault(self._index.digest(ordinal), ordinal)
        return list(first.items())

    def _keep(self, fresh: list[Segment]) -> None:
        if not fresh:
            return
        segment = merge(fresh)
        try:
            self._store.add(segment)
        except OSError as error:
            self._warnings.append(f"vectors could not be kept in {self._store.folder}: {error.strerror}")
        self._segments = [*self._segments, (segment.rows, positions(segment, self._keys))]
        self.known = self.known | (self._segments[-1][1] >= 0)


def _check_dimension(dimension: int, rows: Vectors) -> None:
    if rows.shape[1] != dimension:
        raise EmbeddingError(
            f"the embedder gives {dimension} dimensions, the stored vectors have {rows.shape[1]}",
            hint="its embedding_space must change with the model",
        )
