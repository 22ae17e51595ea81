"""Points in Qdrant as a sync writes them, through qdrant-client. Importing this takes 0.8 s: for a sync only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from ats_core import Deadline, EmbeddingError
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import UnexpectedResponse

from ats_adapter_ticktick.hybrid.points import Point, Stored
from ats_adapter_ticktick.hybrid.qdrant import (
    CHUNK,
    DIGEST,
    OWNER,
    PROJECT,
    TASK,
    TEXT,
    QdrantPoints,
    collection_name,
)
from ats_adapter_ticktick.hybrid.qdrant_server import QdrantServer

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.space import Space

BATCH_BYTES = 7 << 20
"""As we encode it; what is sent stays below 8 MiB. Qdrant's own limit is 32, and a proxy's in front of it may be 8."""

_BATCH_POINTS = 1024
_PAGE = 1000


class QdrantWriter:
    """One owner's points in the collection of one space, which is made where it is missing. A `PointWriter`.

    :param shards, replicas: of a new collection, None for the server's own choice.
    """

    def __init__(
        self, server: QdrantServer, space: Space, owner: str, *, shards: int | None = None, replicas: int | None = None
    ) -> None:
        self._server = server
        self._space = space
        self._owner = owner
        self._collection = collection_name(space)
        self._reader = QdrantPoints(server.http, space, owner)
        self._shards = shards
        self._replicas = replicas

    def stored(self) -> dict[str, Stored]:
        with self._client() as client:
            self._prepare(client)
        found: dict[str, Stored] = {}
        offset: Any = None
        while True:
            with self._client() as client:
                records, offset = client.scroll(
                    self._collection, _of(self._owner), limit=_PAGE, offset=offset, with_payload=[PROJECT, DIGEST]
                )
            for record in records:
                payload = record.payload or {}
                found[str(record.id)] = Stored(str(payload.get(PROJECT)), str(payload.get(DIGEST)))
            if offset is None:
                return found

    def known(self, digests: Mapping[str, str | None]) -> dict[str, Sequence[float]]:
        ids = [point for point in digests.values() if point is not None]
        if not ids:
            return {}
        with self._client() as client:
            records = client.retrieve(self._collection, ids, with_payload=[DIGEST], with_vectors=True)
        vectors = {str((record.payload or {}).get(DIGEST)): record.vector for record in records}
        return {digest: _flat(vector) for digest, vector in vectors.items() if digest in digests and vector}

    def upsert(self, points: Sequence[Point]) -> None:
        for batch in _batches(points, self._owner):
            with self._client() as client:
                client.upsert(self._collection, batch, wait=True)

    def delete(self, ids: Collection[str]) -> None:
        remaining = iter(ids)
        while batch := list(islice(remaining, _PAGE)):
            with self._client() as client:
                client.delete(self._collection, models.PointIdsList(points=list(batch)), wait=True)

    def finish(self) -> None:
        """Nothing: the server tidies up by itself."""

    def discard(self) -> None:
        """Remove all points of this owner, and the collection if nothing is left in it."""
        with self._client() as client:
            if not client.collection_exists(self._collection):
                return
            client.delete(self._collection, models.FilterSelector(filter=_of(self._owner)), wait=True)
            if client.count(self._collection, exact=True).count == 0:
                client.delete_collection(self._collection)

    def close(self) -> None:
        self._server.close()

    def count(self, deadline: Deadline) -> int:
        return self._reader.count(deadline)

    def _prepare(self, client: QdrantClient) -> None:
        """Make the collection and its indexes, or make sure of those that are there: a break may have come between."""
        if not client.collection_exists(self._collection):
            vectors = models.VectorParams(size=self._space.dimension, distance=models.Distance.COSINE)
            try:
                client.create_collection(
                    self._collection, vectors, shard_number=self._shards, replication_factor=self._replicas
                )
            except UnexpectedResponse as error:
                if error.status_code != 409:  # somebody else has just made it
                    raise
        info = client.get_collection(self._collection)
        params = info.config.params.vectors
        if not isinstance(params, models.VectorParams) or params.size != self._space.dimension:
            raise EmbeddingError(
                f"the collection {self._collection} of {self._server.place} holds vectors of another form",
                hint="it was not made by ats; delete it and run `ats sync` again",
            )
        for field in (OWNER, TASK, PROJECT):
            if field not in info.payload_schema:
                client.create_payload_index(self._collection, field, models.PayloadSchemaType.KEYWORD, wait=True)

    def _client(self) -> AbstractContextManager[QdrantClient]:
        return self._server.client(self._space.name)


def _of(owner: str) -> models.Filter:
    return models.Filter(must=[models.FieldCondition(key=OWNER, match=models.MatchValue(value=owner))])


def _flat(vector: Any) -> list[float]:
    """A collection of ours has one vector a point, without a name."""
    return list(vector)


def _batches(points: Sequence[Point], owner: str) -> Iterator[list[models.PointStruct]]:
    batch: list[models.PointStruct] = []
    size = 0
    for point in points:
        payload = {
            OWNER: owner,
            TASK: point.task_id,
            PROJECT: point.project_id,
            CHUNK: point.chunk,
            DIGEST: point.digest,
            TEXT: point.text,
        }
        vector = list(point.vector)
        length = len(msgspec.json.encode((point.id, vector, payload))) + 100
        if batch and (size + length > BATCH_BYTES or len(batch) == _BATCH_POINTS):
            yield batch
            batch, size = [], 0
        batch.append(models.PointStruct(id=point.id, vector=vector, payload=payload))
        size += length
    if batch:
        yield batch
