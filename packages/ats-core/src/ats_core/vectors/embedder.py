"""An embedder as core uses it: whoever provides the vectors, what comes out has been checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError
from ats_core.fanout import describe

if TYPE_CHECKING:  # numpy costs 60 ms: whoever embeds imports it, not whoever asks whether there is an embedder
    from ats_core.vectors.types import Vectors


class Embedder(NamedTuple):
    """Texts to vectors. `space` names the embedding space, `provider` whoever computes, for messages.

    `compute(texts, kind, deadline)` is the raw call; use `embed`.
    """

    provider: str
    space: str
    compute: Callable[[Sequence[str], str, Deadline], Any]

    def embed(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Vectors:
        """Unit vectors, float32, shape (len(texts), d); a row without a usable vector is all zeros.

        :param kind: `"query"` or `"document"`.
        :raises EmbeddingError: it raised, or gave another count of rows or something that is no matrix of numbers.
        """
        import numpy as np

        try:
            raw = self.compute(texts, kind, deadline)
        except EmbeddingError:
            raise
        except Exception as error:
            raise EmbeddingError(f"{self.provider} failed: {describe(error)}") from error
        try:
            with np.errstate(all="ignore"):  # what float32 cannot hold becomes infinite, and so unusable
                rows = np.asarray(raw, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise EmbeddingError(f"{self.provider} gave vectors that are no matrix of numbers") from error
        if rows.ndim != 2 or rows.shape[1] == 0 or len(rows) != len(texts):
            raise EmbeddingError(f"{self.provider} gave vectors of shape {rows.shape} for {len(texts)} texts")
        return unit(rows)

    def embed_query(self, query: str, deadline: Deadline) -> Vectors:
        """The unit vector of a query, shape (d,).

        :raises EmbeddingError: as `embed`, and where the vector is zero or not finite.
        """
        vector: Vectors = self.embed([query], "query", deadline)[0]
        if not vector.any():
            raise EmbeddingError(f"{self.provider} gave a zero or non-finite vector for the query")
        return vector


def unit(rows: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero or non-finite row becomes zero, for such a vector never ranks."""
    import numpy as np

    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 0)
        scaled: Vectors = np.where(usable, rows / np.where(usable, lengths, 1), 0).astype(np.float32)
    return scaled
