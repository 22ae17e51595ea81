"""`points/query` and `points/query/groups`: nearest points, best first, ties by id."""

from __future__ import annotations

from typing import Any

from .bodies import Fields, fields, natural, numbers, required
from .collection import Collection
from .ids import PointId, point_id
from .payload import flat_values
from .points import Point, told
from .refusal import beyond, not_found
from .scores import Vector, products, vector

_KNOWN = ("query", "using", "filter", "params", "score_threshold", "limit", "with_payload", "with_vector")

Scored = tuple[float, Point]


def query(collection: Collection, body: Any) -> Fields:
    request = fields(body, *_KNOWN, "offset")
    limit = natural(request, "limit", 10)
    offset = natural(request, "offset", 0, least=0)
    found = _found(collection, request)[offset : offset + limit]
    return {"points": [_scored(score, point, request) for score, point in found]}


def query_groups(collection: Collection, body: Any) -> Fields:
    """Groups by the value of a payload field, in the order of their best points.

    A point with several values is in several groups; one whose value is neither text nor integer is in none.
    """
    request = fields(body, *_KNOWN, "group_by", "group_size")
    limit = natural(request, "limit", 10)
    size = natural(request, "group_size", 3)
    field = required(request, "group_by")
    groups: dict[str | int, list[Scored]] = {}
    for score, point in _found(collection, request):
        values = flat_values(point.payload, field)
        if all(type(value) in (str, int) for value in values):
            for value in dict.fromkeys(values):
                groups.setdefault(value, []).append((score, point))
    return {
        "groups": [
            {"id": value, "hits": [_scored(score, point, request) for score, point in hits[:size]]}
            for value, hits in list(groups.items())[:limit]
        ]
    }


def _found(collection: Collection, request: Fields) -> list[Scored]:
    """Every point that passes, best first. Without a query they come by id, each with a score of 1."""
    using = request.get("using", "")
    space = collection.config.space(using)
    passes = collection.passes(request)
    if "query" not in request:
        return [(1.0, point) for point in collection.matching(request)]
    wanted, excluded = _wanted(collection, using, request["query"])
    space.check(list(wanted))
    points, rows = collection.rows(using)
    scored = zip(products(rows, wanted), points, strict=True)
    threshold = request.get("score_threshold", float("-inf"))
    kept = [(score, point) for score, point in scored if score > threshold and point.id != excluded and passes(point)]
    return sorted(kept, key=lambda found: -found[0])  # stable: ties stay in the order of ids


def _wanted(collection: Collection, using: str, asked: Any) -> tuple[Vector[float], PointId | None]:
    """The vector to be near to, and the point that it belongs to, which is no answer to itself."""
    if isinstance(asked, dict):
        asked = required(fields(asked, "nearest"), "nearest")
    if isinstance(asked, dict):
        raise beyond(f"a query by {sorted(asked)}")
    if isinstance(asked, list):
        return vector(numbers(asked), normalised=collection.config.space(using).cosine), None
    identifier = point_id(asked)
    if identifier not in collection.points:
        raise not_found(f"No point with id {identifier} found")
    return collection.points[identifier].vectors[using], identifier


def _scored(score: float, point: Point, request: Fields) -> Fields:
    return told(point, request) | {"version": point.version, "score": score}
