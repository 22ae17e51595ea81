"""What a failed request to Qdrant means, for whoever searches or syncs."""

from __future__ import annotations

from ats_core import EmbeddingError

from ats_adapter_ticktick.hybrid.failure import HttpFailure
from ats_adapter_ticktick.hybrid.points import not_synced

KEY = "ATS_QDRANT_API_KEY"


def explained(failure: HttpFailure, place: str, space: str) -> EmbeddingError:
    """The error to raise. The whole story is in the message, since branches show no hints.

    :param place: the server, as `"Qdrant at <address>"`.
    :param space: the name of the embedding space, for messages.
    """
    detail = failure.detail.lower()
    if failure.status == 401:
        return EmbeddingError(f"{place} refuses the login; check {KEY}")
    if failure.status == 403:
        return EmbeddingError(f"{place} does not let this key do that; check {KEY}")
    if failure.status == 404 and failure.spoken:
        return not_synced(space, place)
    if failure.status in (404, 405):
        return EmbeddingError(
            f"{place} does not know this request: it is no Qdrant, or older than 1.11",
            hint="check ATS_QDRANT_URL",
        )
    if failure.status in (400, 422) and ("dimension" in detail or "vector name" in detail):
        return EmbeddingError(
            f"{place} holds vectors of another form under the name of {space}; it needs a new `ats sync`",
            hint="if that does not help, delete the collection in Qdrant",
        )
    return EmbeddingError(failure.message)
