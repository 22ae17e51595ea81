"""A collection: its points by id, and what is read from it without a query."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .bodies import Fields, fields, natural, required
from .config import Config
from .filters import compiled, needed_indexes
from .ids import PointId, order, point_id, point_ids
from .payload import values
from .points import Point, point, records, told
from .refusal import Refusal, bad_request, malformed
from .scores import block

_SCHEMAS = {"keyword", "integer", "float", "geo", "text", "bool", "datetime", "uuid"}


Change = Callable[[], object]
"""What a write does once it is its turn."""


class Collection:
    """`points` by id, `indexes` of the payload by field. `strict`: no filter on a field without an index."""

    def __init__(self, config: Config, strict: bool = False) -> None:
        self.config = config
        self.points: dict[PointId, Point] = {}
        self.indexes: dict[str, Any] = {}
        self._strict = strict
        self._operations = 0
        self._waiting: list[Change] = []
        self._seen: list[Point] = []
        self._order: list[Point] = []
        self._blocks: dict[str, tuple[list[Point], Any]] = {}

    # Writing

    def write(self, prepare: Callable[[Any], Change], body: Any, wait: bool) -> Fields:
        """Changes the points now, or, like Qdrant's queue, only after the next request where nobody waits.

        A body that is no request is refused at once; vectors that do not fit are then refused in silence.
        """
        self._operations += 1
        try:
            change = prepare(body)
        except Refusal as refusal:
            if wait or not refusal.text.startswith("Wrong input"):
                raise
        else:
            self._waiting.append(change)
        if wait:
            self.settle()
        return {"operation_id": self._operations, "status": "completed" if wait else "acknowledged"}

    def settle(self) -> None:
        """Does what was only acknowledged."""
        while self._waiting:
            self._waiting.pop(0)()

    def upsert(self, body: Any) -> Change:
        """Replaces whole points, or none where one of them is wrong."""
        points = [point(record, self.config, self._operations) for record in records(body)]
        if not points:
            raise bad_request("Empty update request")
        return lambda: self.points.update({point.id: point for point in points})

    def delete(self, body: Any) -> Change:
        selector = fields(body, "points", "filter")
        if "points" in selector:
            ids = point_ids(selector["points"])
            if not ids:
                raise bad_request("Empty update request")
            return lambda: _forget(self.points, ids)
        if "filter" in selector:
            self.passes(selector)
            return lambda: _forget(self.points, [point.id for point in self.matching(selector)])
        raise malformed("data did not match any variant of untagged enum PointsSelector")

    def create_index(self, body: Any) -> Change:
        given = fields(body, "field_name", "field_schema")
        field, schema = required(given, "field_name"), required(given, "field_schema")
        kind = schema.get("type") if isinstance(schema, dict) else schema
        if kind not in _SCHEMAS:
            raise malformed("data did not match any variant of untagged enum PayloadFieldSchema")
        return lambda: self.indexes.update({field: schema})

    def delete_index(self, field: str) -> Change:
        return lambda: _forget(self.indexes, [field])

    # Reading

    def matching(self, request: Fields) -> Iterator[Point]:
        """The points that pass `filter`, in the order of their ids."""
        passes = self.passes(request)
        return (point for point in self._ordered() if passes(point))

    def passes(self, request: Fields) -> Callable[[Point], bool]:
        spec = request.get("filter")
        test = compiled(spec)
        for field, kind in needed_indexes(spec) if self._strict else ():
            if field not in self.indexes:
                raise bad_request(
                    f'Index required but not found for "{field}" of one of the following types: [{kind}]. '
                    "Help: Create an index for this key or use a different filter."
                )
        return lambda point: test(point.id, point.payload)

    def rows(self, name: str) -> tuple[list[Point], Any]:
        """The points that have a vector of this name, in the order of their ids, and their vectors as a block."""
        ordered = self._ordered()
        if name not in self._blocks:
            points = [point for point in ordered if name in point.vectors]
            self._blocks[name] = points, block([point.vectors[name] for point in points])
        return self._blocks[name]

    def retrieve(self, body: Any) -> list[Fields]:
        request = fields(body, "ids", "with_payload", "with_vector")
        found = [self.points[one] for one in point_ids(required(request, "ids")) if one in self.points]
        return [told(point, {"with_payload": True} | request) for point in found]

    def scroll(self, body: Any) -> Fields:
        request = fields(body, "filter", "limit", "offset", "with_payload", "with_vector")
        limit = natural(request, "limit", 10)
        points = list(self.matching(request))
        if "offset" in request:
            first = order(point_id(request["offset"]))
            points = [point for point in points if order(point.id) >= first]
        page = [told(point, {"with_payload": True} | request) for point in points[:limit]]
        return {"points": page, "next_page_offset": points[limit].id if len(points) > limit else None}

    def count(self, body: Any) -> Fields:
        request = fields(body, "filter", "exact")
        return {"count": sum(1 for _ in self.matching(request))}

    def info(self) -> Fields:
        """The answer to `GET /collections/{name}`."""
        schema = {}
        for field, kind in self.indexes.items():
            params = {"params": kind} if isinstance(kind, dict) else {}
            indexed = sum(1 for point in self.points.values() if values(point.payload, field))
            data_type = kind["type"] if isinstance(kind, dict) else kind
            schema[field] = {"data_type": data_type, "points": indexed} | params
        return {
            "status": "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": 0,
            "points_count": len(self.points),
            "segments_count": 1,
            "config": self.config.told,
            "payload_schema": schema,
        }

    def _ordered(self) -> list[Point]:
        current = list(self.points.values())
        if current != self._seen:  # a test may have changed `points` with its own hands
            self._seen = current
            self._order = sorted(current, key=lambda point: order(point.id))
            self._blocks.clear()
        return self._order


def _forget(mapping: dict[Any, Any], keys: Iterable[Any]) -> None:
    for key in keys:
        mapping.pop(key, None)
