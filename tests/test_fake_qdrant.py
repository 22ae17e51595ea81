"""The fake Qdrant answers as Qdrant's client does in process, and refuses in Qdrant's own words."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid5

import httpx
import pytest
from fakes.qdrant import FakeQdrant, scores
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse
from qdrant_client.models import (
    Batch,
    Distance,
    FieldCondition,
    Filter,
    FilterSelector,
    HasIdCondition,
    IsEmptyCondition,
    IsNullCondition,
    MatchAny,
    MatchExcept,
    MatchValue,
    MinShould,
    NearestQuery,
    PayloadField,
    PayloadSchemaType,
    PayloadSelectorExclude,
    PointIdsList,
    PointStruct,
    Range,
    VectorParams,
)

TASKS = "tasks"
DIMENSION = 8
IDS = [*range(20), *(str(uuid5(UUID(int=0), f"task {number}")) for number in range(40))]


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with FakeQdrant() as server:
        yield server


@pytest.fixture
def rest(qdrant: FakeQdrant) -> Iterator[QdrantClient]:
    client = QdrantClient(url=qdrant.url, check_compatibility=False)
    yield client
    client.close()


@pytest.fixture
def memory() -> Iterator[QdrantClient]:
    client = QdrantClient(":memory:")
    yield client
    client.close()


@pytest.fixture
def http(qdrant: FakeQdrant) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=qdrant.url, trust_env=False) as client:
        yield client


@pytest.fixture
def four(http: httpx.Client) -> str:
    """The address of a collection of four dimensions with two points, 1 and 2."""
    http.put("/collections/four", json={"vectors": {"size": 4, "distance": "Cosine"}}).raise_for_status()
    points = [
        {"id": 1, "vector": [1, 0, 0, 0], "payload": {"project_id": "p1"}},
        {"id": 2, "vector": [0, 3, 4, 0], "payload": {"project_id": "p2"}},
    ]
    http.put("/collections/four/points?wait=true", json={"points": points}).raise_for_status()
    return "/collections/four"


def error(response: httpx.Response) -> str:
    assert set(response.json()) == {"status", "time"}
    return str(response.json()["status"]["error"])


# As the client answers in process


class Both:
    """Does everything twice, over REST and in process, and wants one answer."""

    def __init__(self, rest: QdrantClient, memory: QdrantClient) -> None:
        self._clients = (rest, memory)

    def __call__(self, do: Callable[[QdrantClient], Any]) -> Any:
        over_rest, in_process = (do(client) for client in self._clients)
        assert alike(over_rest, in_process), f"{over_rest}\n{in_process}"
        return over_rest

    def refuse(self, do: Callable[[QdrantClient], Any]) -> str:
        rest, memory = self._clients
        with pytest.raises((ValueError, UnexpectedResponse)) as in_process:
            do(memory)
        with pytest.raises(UnexpectedResponse) as over_rest:
            do(rest)
        content = over_rest.value.content.decode()
        assert f"{in_process.value}".removesuffix(" for vector ''").removeprefix("Wrong input: ") in content
        return content


@pytest.fixture
def both(rest: QdrantClient, memory: QdrantClient) -> Both:
    both = Both(rest, memory)
    both(lambda client: client.create_collection(TASKS, VectorParams(size=DIMENSION, distance=Distance.COSINE)))
    return both


def alike(left: Any, right: Any) -> bool:
    """Equal in every part, of one kind, and floats to 5 decimals."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float):
        return math.isclose(left, right, rel_tol=1e-5, abs_tol=1e-5)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(alike(left[key], right[key]) for key in left)
    return bool(left == right)


def plain(point: Any) -> tuple[Any, ...]:
    return point.id, getattr(point, "score", None), point.vector, point.payload


class Chance:
    """Random points and questions, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def vector(self) -> list[float]:
        length = self._random.choice([0.01, 1, 100])
        return [length * self._random.gauss() for _ in range(DIMENSION)]

    def ids(self) -> list[Any]:
        return self._random.sample(IDS, self._random.randint(1, 15))

    def points(self) -> list[PointStruct]:
        return [PointStruct(id=one, vector=self.vector(), payload=self.payload()) for one in self.ids()]

    def payload(self) -> dict[str, Any] | None:
        everything = {
            "project_id": self._random.choice(["p1", "p2", "p3", None]),
            "tags": self._random.choice([[], ["a"], ["a", "b"], "b", None, ["c", 1], ["a", None], ["a", "a"]]),
            "chunk": self._random.choice([0, 1, 2, 1.0, True, "1"]),
            "meta": self._random.choice([{"a": 1}, {"a": {"b": "x"}}, [{"a": 1}, {"a": 2}]]),
        }
        kept = {key: value for key, value in everything.items() if self._random.random() < 0.8}
        return kept or None

    def condition(self, depth: int) -> Any:
        key = self._random.choice(["project_id", "tags", "chunk", "meta.a", "meta[].a", "meta[1].a", "meta.a.b", "no"])
        values: Any = self._random.choice([["p1", "p2"], ["a"], ["x", "p3"]])
        any_of: Callable[[list[Any]], Any] = self._random.choice
        number = self._random.randint(0, 2)
        choices: list[Callable[[], Any]] = [
            lambda: FieldCondition(key=key, match=MatchValue(value=any_of([*values, number, True]))),
            lambda: FieldCondition(key=key, match=MatchAny(any=any_of([values, [number]]))),
            lambda: FieldCondition(key=key, match=MatchExcept(**{"except": any_of([values, [number]])})),
            lambda: FieldCondition(key=key, range=Range(gte=number, lt=2)),
            lambda: FieldCondition(key=key, is_empty=self._random.random() < 0.5),
            lambda: HasIdCondition(has_id=self.ids()),
            lambda: IsEmptyCondition(is_empty=PayloadField(key=key)),
            lambda: IsNullCondition(is_null=PayloadField(key=key)),
            lambda: self.filter(depth + 1) or Filter(),
        ]
        return self._random.choice(choices if depth < 2 else choices[:-1])()

    def filter(self, depth: int = 0) -> Filter | None:
        if depth == 0 and self._random.random() < 0.2:
            return None
        clauses: dict[str, Any] = {}
        for name in self._random.sample(["must", "must_not", "should", "min_should"], self._random.randint(0, 2)):
            conditions = [self.condition(depth) for _ in range(self._random.randint(0, 3))]
            clauses[name] = MinShould(conditions=conditions, min_count=1) if name == "min_should" else conditions
        return Filter(**clauses)

    def options(self) -> dict[str, Any]:
        payload = self._random.choice([True, False, ["project_id", "no"], PayloadSelectorExclude(exclude=["tags"])])
        return {"with_payload": payload, "with_vectors": self._random.random() < 0.5}

    def asked(self) -> dict[str, Any]:
        threshold = self._random.choice([None, -0.2, 0.0, 0.3, 0.6])
        return {"query_filter": self.filter(), "score_threshold": threshold, **self.options()}

    def step(self) -> Callable[[QdrantClient], Any]:
        """One thing to do with a client, which gives something comparable."""
        kind = self._random.choice(["upsert", "query", "query", "groups", "scroll", "count", "retrieve", "delete"])
        made: Callable[[QdrantClient], Any] = getattr(self, f"_{kind}")()
        return made

    def _upsert(self) -> Callable[[QdrantClient], Any]:
        points = self.points()
        columns: dict[str, Any] = {
            "ids": [point.id for point in points],
            "vectors": [point.vector for point in points],
            "payloads": [point.payload for point in points],
        }
        together = points if self._random.random() < 0.7 else Batch(**columns)
        return lambda client: client.upsert(TASKS, together).status

    def _query(self) -> Callable[[QdrantClient], Any]:
        asked = self.asked() | {"limit": self._random.randint(1, 30), "offset": self._random.choice([None, 0, 3])}
        vector = self.vector()
        query = self._random.choice([vector, NearestQuery(nearest=vector), None])
        if query is None:
            asked["score_threshold"] = None
        return lambda client: [plain(point) for point in client.query_points(TASKS, query, **asked).points]

    def _groups(self) -> Callable[[QdrantClient], Any]:
        asked = self.asked() | {"limit": self._random.randint(1, 4), "group_size": self._random.randint(1, 4)}
        asked |= {"group_by": self._random.choice(["project_id", "tags", "chunk"]), "query": self.vector()}

        def groups(client: QdrantClient) -> Any:
            found = client.query_points_groups(TASKS, **asked).groups
            return [(group.id, [plain(point) for point in group.hits]) for group in found]

        return groups

    def _scroll(self) -> Callable[[QdrantClient], Any]:
        options = {"scroll_filter": self.filter(), "limit": self._random.randint(1, 20), **self.options()}

        def scroll(client: QdrantClient) -> Any:
            pages: list[Any] = []
            offset: Any = None
            while not pages or offset is not None:
                points, offset = client.scroll(TASKS, offset=offset, **options)
                pages.append([plain(point) for point in points])
            return pages

        return scroll

    def _count(self) -> Callable[[QdrantClient], Any]:
        chosen = self.filter()
        return lambda client: client.count(TASKS, chosen).count

    def _retrieve(self) -> Callable[[QdrantClient], Any]:
        ids, options = self.ids(), self.options()
        return lambda client: [plain(point) for point in client.retrieve(TASKS, ids, **options)]

    def _delete(self) -> Callable[[QdrantClient], Any]:
        ids = self._random.sample(IDS, 2)
        narrow = Filter(must=[HasIdCondition(has_id=self.ids()), FieldCondition(key="chunk", range=Range(gte=1))])
        selector: Any = self._random.choice([PointIdsList(points=ids), FilterSelector(filter=narrow)])
        return lambda client: client.delete(TASKS, selector).status


@pytest.mark.parametrize("seed", range(8))
def test_does_what_the_client_does_in_process(both, seed):
    chance = Chance(seed)
    points = [PointStruct(id=one, vector=chance.vector(), payload=chance.payload()) for one in IDS]
    both(lambda client: client.upsert(TASKS, points).status)
    for _ in range(80):
        both(chance.step())
    both(lambda client: client.get_collection(TASKS).points_count)


def test_dot_products_are_those_of_the_client_too(rest, memory):
    both, chance = Both(rest, memory), Chance(1)
    both(lambda client: client.create_collection(TASKS, VectorParams(size=DIMENSION, distance=Distance.DOT)))
    points, query = chance.points(), chance.vector()
    both(lambda client: client.upsert(TASKS, points).status)
    both(lambda client: [plain(point) for point in client.query_points(TASKS, query, with_vectors=True).points])


def test_named_vectors_are_those_of_the_client_too(rest, memory):
    both, chance = Both(rest, memory), Chance(2)
    spaces = {name: VectorParams(size=DIMENSION, distance=Distance.COSINE) for name in ("title", "body")}
    both(lambda client: client.create_collection(TASKS, spaces))
    points = [PointStruct(id=one, vector={"title": chance.vector(), "body": chance.vector()}) for one in range(9)]
    points.append(PointStruct(id=9, vector={"body": chance.vector()}))
    query = chance.vector()
    both(lambda client: client.upsert(TASKS, points).status)
    found = both(lambda client: [p.id for p in client.query_points(TASKS, query, using="title").points])
    assert len(found) == 9
    (record,) = rest.retrieve(TASKS, [9], with_vectors=True)
    assert list(record.vector) == ["body"]


def test_a_point_is_asked_for_its_neighbours_as_in_process(both):
    points = Chance(3).points()
    both(lambda client: client.upsert(TASKS, points).status)
    found = both(lambda client: [plain(point) for point in client.query_points(TASKS, points[0].id).points])
    assert points[0].id not in [row[0] for row in found]


def test_a_zero_vector_has_a_cosine_of_zero_as_in_process(both):
    both(lambda client: client.upsert(TASKS, [PointStruct(id=1, vector=[0.0] * DIMENSION)]).status)
    (found,) = both(lambda client: [plain(point) for point in client.query_points(TASKS, [1.0] * DIMENSION).points])
    assert found[1] == 0


def test_a_threshold_leaves_out_what_just_reaches_it_as_in_process(both):
    axis = [1.0] + [0.0] * (DIMENSION - 1)
    both(lambda client: client.upsert(TASKS, [PointStruct(id=1, vector=axis)]).status)

    def found(client: QdrantClient, threshold: float) -> list[Any]:
        return [point.id for point in client.query_points(TASKS, axis, score_threshold=threshold).points]

    assert both(lambda client: found(client, 1.0)) == []
    assert both(lambda client: found(client, 0.999)) == [1]


def test_collections_come_and_go_as_in_process(both):
    assert both(lambda client: client.collection_exists(TASKS)) is True
    assert both(lambda client: [row.name for row in client.get_collections().collections]) == [TASKS]
    assert both(lambda client: client.get_collection(TASKS).config.params.vectors).size == DIMENSION
    assert both(lambda client: client.delete_collection(TASKS)) is True
    assert both(lambda client: client.delete_collection(TASKS)) is False
    assert both(lambda client: client.collection_exists(TASKS)) is False


def test_what_the_client_refuses_in_process_is_refused(both):
    right = PointStruct(id=1, vector=[1.0] * DIMENSION)
    wrong = PointStruct(id=2, vector=[1.0])
    said = both.refuse(lambda client: client.upsert(TASKS, [right, wrong]))
    assert "Wrong input: Vector dimension error: expected dim: 8, got 1" in said
    assert both(lambda client: client.count(TASKS).count) == 0
    both.refuse(lambda client: client.upsert(TASKS, []))
    both.refuse(lambda client: client.delete(TASKS, PointIdsList(points=[])))


def test_upload_points_of_the_client_arrive(rest, qdrant):
    rest.create_collection(TASKS, VectorParams(size=DIMENSION, distance=Distance.COSINE))
    chance = Chance(4)
    points = [PointStruct(id=one, vector=chance.vector(), payload={"n": one}) for one in range(100)]
    rest.upload_points(TASKS, points, batch_size=32, wait=True)
    assert rest.count(TASKS).count == 100
    assert qdrant.collections[TASKS].points[7].payload == {"n": 7}
    assert qdrant.count("PUT /collections/tasks/points") == 4


# As the server answers


def test_the_collection_says_how_it_was_made(rest):
    rest.create_collection(
        TASKS,
        VectorParams(size=4, distance=Distance.COSINE),
        shard_number=3,
        replication_factor=2,
        metadata={"model": "m"},
    )
    rest.create_payload_index(TASKS, "project_id", PayloadSchemaType.KEYWORD)
    rest.upsert(TASKS, [PointStruct(id=1, vector=[1.0, 0.0, 0.0, 0.0], payload={"project_id": "p1"})])
    told = rest.get_collection(TASKS)
    assert (told.status, told.points_count) == ("green", 1)
    assert (told.config.params.shard_number, told.config.params.replication_factor) == (3, 2)
    assert told.config.metadata == {"model": "m"}
    assert told.payload_schema["project_id"].data_type == PayloadSchemaType.KEYWORD
    assert told.payload_schema["project_id"].points == 1
    rest.delete_payload_index(TASKS, "project_id")
    assert rest.get_collection(TASKS).payload_schema == {}


def test_it_says_its_version(rest, qdrant):
    assert rest.info().version == qdrant.version


def test_ties_come_in_the_order_of_ids(http, four):
    ids = [30, 9, "00000000-0000-0000-0000-00000000000a", 100, "00000000-0000-0000-0000-000000000002"]
    points = [{"id": one, "vector": [0.3, 0.1, 0.2, 0.9]} for one in ids]
    http.put(f"{four}/points?wait=true", json={"points": points})
    asked = {"query": [0.3, 0.1, 0.2, 0.9], "limit": 5}
    found = http.post(f"{four}/points/query", json=asked).json()["result"]["points"]
    assert [point["id"] for point in found] == [9, 30, 100, *sorted(one for one in ids if isinstance(one, str))]
    assert len({point["score"] for point in found}) == 1


def test_scores_are_the_same_without_numpy(monkeypatch):
    chance = Chance(5)
    rows = [scores.vector(chance.vector(), normalised=True) for _ in range(50)]
    query = scores.vector(chance.vector(), normalised=True)
    fast = scores.products(scores.block(rows), query)
    monkeypatch.setattr(scores, "numpy", None)
    slow = scores.products(scores.block(rows), query)
    assert slow == pytest.approx(fast, abs=1e-6)
    assert len(set(slow)) == 50


def test_cosine_vectors_are_read_back_with_length_one(http, four):
    (point,) = http.post(f"{four}/points", json={"ids": [2], "with_vector": True}).json()["result"]
    assert point["vector"] == pytest.approx([0, 0.6, 0.8, 0])


def test_without_being_asked_a_query_brings_no_payload_and_a_scroll_does(http, four):
    found = http.post(f"{four}/points/query", json={"query": [1, 0, 0, 0]}).json()["result"]["points"]
    scrolled = http.post(f"{four}/points/scroll", json={}).json()["result"]
    assert set(found[0]) == {"id", "version", "score"}
    assert scrolled["points"][0] == {"id": 1, "payload": {"project_id": "p1"}}
    assert scrolled["next_page_offset"] is None


def test_without_being_asked_it_brings_ten_points_or_groups_of_three(http, four):
    points = [{"id": one, "vector": [1, one, 0, 0], "payload": {"group": one % 11}} for one in range(60)]
    http.put(f"{four}/points?wait=true", json={"points": points})
    asked = {"query": [1, 1, 0, 0]}
    assert len(http.post(f"{four}/points/query", json=asked).json()["result"]["points"]) == 10
    assert len(http.post(f"{four}/points/scroll", json={}).json()["result"]["points"]) == 10
    grouped = http.post(f"{four}/points/query/groups", json=asked | {"group_by": "group"}).json()["result"]["groups"]
    assert [len(group["hits"]) for group in grouped] == [3] * 10


@pytest.mark.parametrize("bad", ["task-1", "42", "65f0c0ffee0123456789abcd", -1, 1.5, 2**64])
def test_ids_that_are_neither_numbers_nor_uuids_are_refused(http, four, bad):
    response = http.put(f"{four}/points?wait=true", json={"points": [{"id": bad, "vector": [1, 0, 0, 0]}]})
    assert response.status_code == 400
    assert error(response) == (
        f"Format error in JSON body: value {bad} is not a valid point ID, "
        "valid values are either an unsigned integer or a UUID"
    )


def test_one_uuid_is_one_point_however_it_is_written(http, four):
    plain = "936da01f-9abd-4d9d-80c7-02af85c822a8"
    for one in (plain, plain.upper(), plain.replace("-", ""), f"urn:uuid:{plain}"):
        http.put(f"{four}/points?wait=true", json={"points": [{"id": one, "vector": [1, 0, 0, 0]}]}).raise_for_status()
    (point,) = http.post(f"{four}/points", json={"ids": [plain.upper()]}).json()["result"]
    assert point["id"] == plain


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("PUT", "/points", {"points": [{"id": 1, "vector": [1]}]}),
        ("PUT", "/index", {"field_name": "a", "field_schema": "keyword"}),
        ("POST", "/points", {"ids": [1]}),
        ("POST", "/points/query", {"query": [1]}),
        ("POST", "/points/query/groups", {"query": [1], "group_by": "a"}),
        ("POST", "/points/scroll", {}),
        ("POST", "/points/count", {}),
        ("POST", "/points/delete", {"points": [1]}),
    ],
)
def test_a_collection_that_does_not_exist_is_404(http, method, path, body):
    response = http.request(method, f"/collections/no{path}", json=body)
    assert response.status_code == 404
    assert error(response) == "Not found: Collection `no` doesn't exist!"


def test_a_vector_of_another_dimension_is_400_in_a_write_and_in_a_query(http, four):
    written = http.put(f"{four}/points?wait=true", json={"points": [{"id": 1, "vector": [1, 0]}]})
    asked = http.post(f"{four}/points/query", json={"query": [1, 0]})
    assert [written.status_code, asked.status_code] == [400, 400]
    assert error(written) == error(asked) == "Wrong input: Vector dimension error: expected dim: 4, got 2"


def test_a_collection_that_exists_is_409(http, four):
    response = http.put(four, json={"vectors": {"size": 4, "distance": "Cosine"}})
    assert (response.status_code, error(response)) == (409, "Wrong input: Collection `four` already exists!")


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/points/query", {"query": [1, 0, 0, 0], "limit": 0}, "[limit: value 0 invalid, must be 1 or larger]"),
        ("/points/query/groups", {"query": [1, 0, 0, 0], "group_by": "a", "group_size": 0}, "[group_size: value 0"),
        ("/points/scroll", {"limit": 0}, "[limit: value 0 invalid, must be 1 or larger]"),
    ],
)
def test_a_limit_of_zero_is_422(http, four, path, body, said):
    response = http.post(four + path, json=body)
    assert response.status_code == 422
    assert said in error(response)


@pytest.mark.parametrize("name", ["a:b", "a%2Fb", "a%3Fb", "x" * 256])
def test_a_collection_cannot_be_called_that(http, qdrant, name):
    response = http.put(f"/collections/{name}", json={"vectors": {"size": 4, "distance": "Cosine"}})
    assert response.status_code == 422
    assert error(response).startswith("Validation error in path parameters: [name: ")
    assert not qdrant.collections


@pytest.mark.parametrize("vector", ["[NaN, 0, 0, 0]", "[1, 0, 0, Infinity]", '["1", 0, 0, 0]', "[true, 0, 0, 0]"])
def test_numbers_that_json_does_not_have_are_refused(http, four, vector):
    headers = {"Content-Type": "application/json"}
    body = f'{{"points": [{{"id": 3, "vector": {vector}}}]}}'
    response = http.put(f"{four}/points?wait=true", content=body, headers=headers)
    assert response.status_code == 400
    assert error(response).startswith("Format error in JSON body: ")


def test_a_body_that_is_no_json_is_refused(http, four):
    headers = {"Content-Type": "application/json"}
    assert "Format error" in error(http.post(f"{four}/points/count", content=b"{", headers=headers))
    assert error(http.post(f"{four}/points/count", content=b"{}")) == "Content type error"


@pytest.mark.parametrize(
    "chosen",
    [
        {"must": [{"key": "a", "match": {"value": "x"}, "has_id": [1]}]},
        {"most": []},
        {"must": [{"key": "a", "match": {}}]},
        {"must": ["a"]},
        {"must": [{"has_id": ["task-1"]}]},
    ],
)
def test_a_filter_that_is_none_is_refused(http, four, chosen):
    response = http.post(f"{four}/points/count", json={"filter": chosen})
    assert response.status_code in (400, 501)
    assert error(response)


def test_what_the_fake_does_not_know_is_501_and_never_a_wrong_answer(http, four):
    unknown = [
        http.post(f"{four}/points/query", json={"prefetch": [{"query": [1, 0, 0, 0]}], "query": {"fusion": "rrf"}}),
        http.post(f"{four}/points/query", json={"query": [1, 0, 0, 0], "score_treshold": 0.3}),
        http.post(f"{four}/points/count", json={"filter": {"must": [{"key": "a", "match": {"text": "x"}}]}}),
        http.put("/collections/sparse", json={"sparse_vectors": {"text": {}}}),
        http.post(f"{four}/points/payload", json={"payload": {}, "points": [1]}),
        http.get("/telemetry"),
    ]
    assert [response.status_code for response in unknown] == [501] * len(unknown)


def test_a_write_that_nobody_waits_for_is_seen_one_request_later(http, four):
    body = {"points": [{"id": 3, "vector": [0, 0, 0, 1]}]}
    answer = http.put(f"{four}/points", json=body).json()["result"]
    counts = [http.post(f"{four}/points/count", json={}).json()["result"]["count"] for _ in range(2)]
    assert answer["status"] == "acknowledged"
    assert counts == [2, 3]


def test_a_write_that_somebody_waits_for_comes_after_those_before_it(http, four):
    http.put(f"{four}/points", json={"points": [{"id": 3, "vector": [0, 0, 0, 1]}]})
    http.post(f"{four}/points/delete?wait=true", json={"points": [3]})
    assert http.post(f"{four}/points/count", json={}).json()["result"]["count"] == 2


def test_a_wrong_dimension_is_lost_in_silence_where_nobody_waits(http, four):
    response = http.put(f"{four}/points", json={"points": [{"id": 3, "vector": [0, 1]}]})
    assert response.status_code == 200
    counts = [http.post(f"{four}/points/count", json={}).json()["result"]["count"] for _ in range(2)]
    assert counts == [2, 2]


def test_a_body_over_32_mib_is_refused_and_nothing_is_written(http, four, qdrant):
    many = {"points": [{"id": 3, "vector": [0, 0, 0, 1], "payload": {"text": "x" * (32 * 1024 * 1024)}}]}
    response = http.put(f"{four}/points?wait=true", json=many)
    size = len(qdrant.requests[-1].raw)
    assert response.status_code == 400
    assert error(response) == (
        f"Payload error: JSON payload ({size} bytes) is larger than allowed (limit: 33554432 bytes)."
    )
    assert 3 not in qdrant.collections["four"].points
    qdrant.too_large = 413
    qdrant.largest_body = 10
    assert http.post(f"{four}/points/count", json={"exact": True}).status_code == 413


def test_an_api_key_is_asked_for_in_text(request):
    with FakeQdrant("right", read_only_api_key="reader") as server:
        get = httpx.Client(base_url=server.url, trust_env=False)
        request.addfinalizer(get.close)
        none = get.get("/collections")
        wrong = get.get("/collections", headers={"api-key": "wrong"})
        assert (none.status_code, none.text) == (401, "Must provide an API key or an Authorization bearer token")
        assert (wrong.status_code, wrong.text) == (401, "Invalid API key or JWT")
        assert none.headers["content-type"].startswith("text/plain")
        assert get.get("/").status_code == 200
        assert get.get("/healthz").text == "healthz check passed"
        for headers in ({"api-key": "right"}, {"Authorization": "Bearer right"}, {"api-key": "reader"}):
            assert get.get("/collections", headers=headers).status_code == 200


def test_a_key_that_may_only_read_is_403_in_a_write():
    body = {"vectors": {"size": 4, "distance": "Cosine"}}
    with FakeQdrant("right", read_only_api_key="reader") as server:
        put = httpx.Client(base_url=server.url, trust_env=False)
        with put:
            assert put.put("/collections/c", json=body, headers={"api-key": "right"}).status_code == 200
            reading = {"api-key": "reader"}
            assert put.post("/collections/c/points/count", json={}, headers=reading).status_code == 200
            denied = put.post("/collections/c/points/delete", json={"points": [1]}, headers=reading)
    assert (denied.status_code, error(denied)) == (403, "Forbidden: Global manage access is required")


def test_the_client_sends_its_api_key():
    with FakeQdrant("right") as server:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Api key is used with an insecure connection", UserWarning)
            client = QdrantClient(url=server.url, api_key="right", check_compatibility=False)
        assert client.get_collections().collections == []
        client.close()


def test_strict_mode_wants_an_index_on_what_is_filtered(http, four, qdrant):
    with FakeQdrant(strict=True) as server, httpx.Client(base_url=server.url, trust_env=False) as strict:
        strict.put("/collections/c", json={"vectors": {"size": 4, "distance": "Cosine"}})
        nested = {"must": [{"should": [{"key": "project_id", "match": {"value": "p1"}}, {"has_id": [1]}]}]}
        refused = strict.post("/collections/c/points/count", json={"filter": nested})
        index = {"field_name": "project_id", "field_schema": {"type": "keyword", "is_tenant": True}}
        strict.put("/collections/c/index?wait=true", json=index)
        assert strict.post("/collections/c/points/count", json={"filter": nested}).status_code == 200
    assert refused.status_code == 400
    assert error(refused).startswith('Bad request: Index required but not found for "project_id" of one of')


def test_failures_latency_and_requests_are_those_of_every_fake(http, four, qdrant):
    qdrant.fail(r"POST /collections/four/points/query", status=503, body={"status": {"error": "busy"}})
    asked = {"query": [1, 0, 0, 0], "limit": 1}
    statuses = [http.post(f"{four}/points/query", json=asked).status_code for _ in range(2)]
    assert statuses == [503, 200]
    assert qdrant.requests[-1].body == asked


def test_points_taken_away_by_hand_are_gone(http, four, qdrant):
    asked = {"query": [1, 0, 0, 0]}
    assert len(http.post(f"{four}/points/query", json=asked).json()["result"]["points"]) == 2
    del qdrant.collections["four"].points[1]
    assert [point["id"] for point in http.post(f"{four}/points/query", json=asked).json()["result"]["points"]] == [2]


def test_serves_from_the_command_line(pytestconfig):
    command = [sys.executable, "-m", "tests.fakes.qdrant", "--port", "0", "--api-key", "k"]
    with subprocess.Popen(command, cwd=pytestconfig.rootpath, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        variable, _, url = process.stdout.readline().strip().partition("=")
        assert variable == "export ATS_QDRANT_URL"
        assert process.stdout.readline() == "export ATS_QDRANT_API_KEY=k\n"
        response = httpx.get(f"{url}/collections", headers={"api-key": "k"}, trust_env=False)
        process.terminate()
    assert json.loads(response.text)["result"] == {"collections": []}
    assert process.returncode == 0
