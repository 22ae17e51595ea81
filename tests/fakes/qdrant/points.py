"""Points: as they are stored, as requests bring them and as answers tell them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .bodies import Fields, fields, numbers, required
from .config import Config
from .ids import PointId, point_id
from .payload import Payload, selected
from .refusal import malformed
from .scores import Vector, vector


class Point(NamedTuple):
    """`vectors` by name, "" for the one without a name; unit vectors where the distance is cosine."""

    id: PointId
    payload: Payload
    vectors: dict[str, Vector[float]]
    version: int


def point(record: Any, config: Config, version: int) -> Point:
    """A point of an upsert.

    :raises Refusal: 400, its id, payload or vectors are wrong.
    """
    given = fields(record, "id", "vector", "payload")
    identifier = point_id(required(given, "id"))
    named = required(given, "vector")
    payload = given.get("payload", {})
    if not isinstance(payload, dict):
        raise malformed("invalid type for `payload`, expected a map")
    vectors = {}
    for name, row in (named if isinstance(named, dict) else {"": named}).items():
        space = config.space(name)
        vectors[name] = vector(space.check(numbers(row)), normalised=space.cosine)
    return Point(identifier, payload, vectors, version)


def told(point: Point, request: Fields) -> Fields:
    """A point as answers have it, with the parts that were asked for."""
    record: Fields = {"id": point.id}
    payload = selected(point.payload, request.get("with_payload", False))
    if payload is not None:
        record["payload"] = payload
    wanted = request.get("with_vector", False)
    if wanted is not False:
        names = point.vectors.keys() if wanted is True else [name for name in wanted if name in point.vectors]
        named = {name: point.vectors[name].tolist() for name in names}
        record["vector"] = named[""] if list(named) == [""] else named
    return record


def records(body: Any) -> list[Any]:
    """The points of an upsert: a list of them, or columns."""
    if "batch" not in fields(body, "points", "batch"):
        points = required(body, "points")
        if not isinstance(points, list):
            raise malformed("invalid type for `points`, expected a sequence")
        return points
    batch = fields(body["batch"], "ids", "vectors", "payloads")
    ids, columns = required(batch, "ids"), required(batch, "vectors")
    columns = columns if isinstance(columns, dict) else {"": columns}
    payloads = batch.get("payloads", [None] * len(ids))
    if any(len(column) != len(ids) for column in [payloads, *columns.values()]):
        raise malformed("number of ids, vectors and payloads must be equal")
    vectors = [{name: column[row] for name, column in columns.items()} for row in range(len(ids))]
    return [
        {"id": identifier, "vector": named, "payload": payload}
        for identifier, named, payload in zip(ids, vectors, payloads, strict=True)
    ]
