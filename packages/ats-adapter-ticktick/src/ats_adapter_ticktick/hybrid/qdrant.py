"""Points in Qdrant as a search reads them: plain REST, since importing qdrant-client takes 0.8 s, more than the search.

What writes them is in `qdrant_sync`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from ats_core import Deadline, EmbeddingError

from ats_adapter_ticktick.hybrid.failure import HttpFailure
from ats_adapter_ticktick.hybrid.points import Nearest, best_first
from ats_adapter_ticktick.hybrid.qdrant_errors import explained

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.http import Http
    from ats_adapter_ticktick.hybrid.space import Space

T = TypeVar("T")

OWNER, TASK, PROJECT, CHUNK, DIGEST, TEXT = "owner", "task", "project", "chunk", "digest", "text"
"""The fields of a point's payload; the first three are indexed."""

MOST_TASKS = 4096
"""A scope of more ids is not sent: it is applied to the answer, for the first `limit` of so many are soon found."""

_MOST_GROUPS = 8192
_MOST_PIECES = 1000


class _Payload(msgspec.Struct):
    task: str
    text: str = ""


class _Hit(msgspec.Struct):
    score: float
    payload: _Payload


class _Group(msgspec.Struct):
    hits: list[_Hit]


class _Groups(msgspec.Struct):
    groups: list[_Group]


class _Record(msgspec.Struct):
    vector: list[float]


class _Page(msgspec.Struct):
    points: list[_Record]


class _Count(msgspec.Struct):
    count: int


def collection_name(space: Space) -> str:
    """The collection that holds the vectors of a space, of all owners: for people a model, for us the whole space."""
    slug = re.sub(r"[^a-z0-9]+", "-", space.model.removesuffix(":latest").lower()).strip("-")[:40]
    return f"ats_{slug or 'model'}_{space.key}"


class QdrantPoints:
    """One owner's points in the collection of one space. A `PointReader`."""

    def __init__(self, http: Http, space: Space, owner: str) -> None:
        self._http = http
        self._space = space.name
        self._collection = f"/collections/{collection_name(space)}"
        self._owner = owner

    def nearest(
        self, vector: Sequence[float], limit: int, scope: AbstractSet[str] | None, floor: float, deadline: Deadline
    ) -> list[Nearest]:
        if limit < 1 or (scope is not None and not scope):
            return []
        narrow = _narrow(scope)
        asked, before = limit if narrow or scope is None else min(2 * limit, _MOST_GROUPS), -1
        while True:
            found = self._groups(vector, asked, narrow, floor, deadline)
            within = [nearest for nearest in found if scope is None or nearest.task_id in scope]
            # What a payload says of its project may be older than the scope, so that here too some may drop out.
            all_ours = (scope is None or bool(narrow)) and len(within) == len(found)
            if len(within) >= limit or all_ours or len(found) <= before or asked >= _MOST_GROUPS:
                return best_first(within, limit)
            asked, before = min(2 * asked, _MOST_GROUPS), len(found)

    def vectors_of(self, task_id: str, deadline: Deadline) -> list[list[float]]:
        conditions = [_is(OWNER, self._owner), _is(TASK, task_id)]
        page = self._ask(
            "/points/scroll",
            {"filter": {"must": conditions}, "limit": _MOST_PIECES, "with_payload": False, "with_vector": True},
            _Page,
            deadline,
        )
        return [record.vector for record in page.points]

    def count(self, deadline: Deadline) -> int:
        request = {"filter": {"must": [_is(OWNER, self._owner)]}, "exact": True}
        return self._ask("/points/count", request, _Count, deadline).count

    def _groups(
        self, vector: Sequence[float], limit: int, narrow: list[Any], floor: float, deadline: Deadline
    ) -> list[Nearest]:
        request: dict[str, Any] = {
            "query": vector,
            "group_by": TASK,
            "group_size": 1,
            "limit": limit,
            "filter": {"must": [_is(OWNER, self._owner), *narrow]},
            "with_payload": [TASK, TEXT],
        }
        if floor > -1:  # the server lets pass what is above
            request["score_threshold"] = floor
        groups = self._ask("/points/query/groups", request, _Groups, deadline).groups
        hits = [group.hits[0] for group in groups if group.hits]
        return [Nearest(hit.payload.task, hit.score, hit.payload.text) for hit in hits]

    def _ask(self, path: str, request: dict[str, Any], answer: type[T], deadline: Deadline) -> T:
        place = f"Qdrant at {self._http.base_url}"
        try:
            found = self._http.request("POST", self._collection + path, deadline, json=request)
        except HttpFailure as failure:
            raise explained(failure, place, self._space) from failure
        try:
            return msgspec.convert(found["result"] if isinstance(found, dict) else None, answer)
        except (msgspec.ValidationError, KeyError) as error:
            raise EmbeddingError(f"{place} answered with something that is no answer of Qdrant's") from error


def _narrow(scope: AbstractSet[str] | None) -> list[Any]:
    """The scope as conditions for the server; none where there is no scope, or one that is too large to be sent."""
    if scope is None:
        return []
    projects = getattr(scope, "projects", None)
    if projects is not None:
        return [_any_of(PROJECT, projects)]
    return [_any_of(TASK, scope)] if len(scope) <= MOST_TASKS else []


def _is(field: str, value: str) -> dict[str, Any]:
    return {"key": field, "match": {"value": value}}


def _any_of(field: str, values: AbstractSet[str]) -> dict[str, Any]:
    return {"key": field, "match": {"any": sorted(values)}}
