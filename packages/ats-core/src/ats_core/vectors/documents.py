"""Embedding documents, where one text may be more than the embedder can take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError
from ats_core.vectors.embedder import Embedder
from ats_core.vectors.types import Vectors

_PROBE = "a note"
"""A text that any embedder that works can embed."""


def embed_documents(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> Vectors:
    """Unit vectors of some texts, shape (len(texts), d); a text that the embedder refuses has a row of zeros.

    A batch that fails is bisected down to the text that is to blame, provided that the embedder still embeds others.

    :raises EmbeddingError: the embedder itself fails, or time is up.
    """
    try:
        return embedder.embed(texts, "document", deadline)
    except EmbeddingError as error:
        if len(texts) == 1:
            return _once_more(embedder, texts, deadline)
        _dimension(embedder, deadline, error)
        middle = len(texts) // 2
        halves = [embed_documents(embedder, half, deadline) for half in (texts[:middle], texts[middle:])]
        return np.concatenate(halves)


def _once_more(embedder: Embedder, texts: Sequence[str], deadline: Deadline) -> Vectors:
    """A refusal marks a text for good, so it has to be given twice: a server that restarts refuses once."""
    try:
        return embedder.embed(texts, "document", deadline)
    except EmbeddingError as error:
        return np.zeros((1, _dimension(embedder, deadline, error)), dtype=np.float32)


def _dimension(embedder: Embedder, deadline: Deadline, error: EmbeddingError) -> int:
    """The dimension that a harmless text is given; if even that fails, the embedder is to blame and not the text."""
    if deadline.expired:
        raise error
    try:
        return int(embedder.embed([_PROBE], "document", deadline).shape[1])
    except EmbeddingError:
        raise error from None
