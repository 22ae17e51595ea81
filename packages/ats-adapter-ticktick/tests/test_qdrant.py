"""Points in Qdrant: what is sent, what is filtered where, and what every kind of failure says."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from ats_adapter_ticktick.hybrid import qdrant
from ats_adapter_ticktick.hybrid.http import Http
from ats_adapter_ticktick.hybrid.points import Point, Stored, owner_key, point_id, text_digest
from ats_adapter_ticktick.hybrid.qdrant import QdrantPoints, collection_name
from ats_adapter_ticktick.hybrid.qdrant_server import QdrantServer
from ats_adapter_ticktick.hybrid.qdrant_sync import QdrantWriter
from ats_adapter_ticktick.hybrid.space import Space
from ats_core import Deadline, EmbeddingError, Secret, TaskScope
from fakes.qdrant import FakeQdrant

SPACE = Space("nomic-embed-text:latest", "d" * 64, 3, "p1")
NAME = collection_name(SPACE)
KEY = "qdrant-secret-key"


class Side:
    """A server with a reader and a writer of one owner."""

    def __init__(self, fake: FakeQdrant, adapter: str = "a", space: Space = SPACE, key: str | None = None) -> None:
        self.adapter = adapter
        secret = Secret(key) if key else None
        self.http = Http(fake.url, headers={"api-key": secret} if secret else None, label="Qdrant")
        owner = owner_key(adapter, "s")
        self.reader = QdrantPoints(self.http, space, owner)
        self.writer = QdrantWriter(QdrantServer(self.http, secret), space, owner)

    def point(self, task_id: str, vector: list[float], chunk: int = 0, project: str = "p", text: str = "") -> Point:
        text = text or f"{task_id}/{chunk}"
        key = point_id(self.adapter, "s", task_id, chunk)
        return Point(key, task_id, project, chunk, text_digest("", text), text, vector)

    def fill(self, *points: Point) -> None:
        self.writer.stored()
        self.writer.upsert(points)

    def near(self, limit: int = 10, scope: Any = None, floor: float = -1.0, seconds: float = 10.0) -> list[str]:
        found = self.reader.nearest([1, 0, 0], limit, scope, floor, Deadline(seconds))
        return [nearest.task_id for nearest in found]

    def close(self) -> None:
        self.writer.close()
        self.http.close()


@pytest.fixture
def fake() -> Iterator[FakeQdrant]:
    with FakeQdrant(strict=True) as server:
        yield server


@pytest.fixture
def side(fake: FakeQdrant) -> Iterator[Side]:
    made = Side(fake)
    yield made
    made.close()


def test_the_collection_is_named_for_people_and_for_the_whole_space() -> None:
    assert collection_name(SPACE).startswith("ats_nomic-embed-text_")
    odd = SPACE._replace(model='hf.co/Ünder/"weird": model?*' * 20)
    assert len(collection_name(odd)) < 255
    assert not set('<>:"/\\|?* ') & set(collection_name(odd))
    others = [SPACE, odd, SPACE._replace(digest="e" * 64), SPACE._replace(dimension=4), SPACE._replace(scheme="p2")]
    assert len({collection_name(space) for space in others}) == 5


def test_the_collection_is_cosine_of_the_right_size_with_indexes_before_points(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]))
    vectors = fake.collections[NAME].config.told["params"]["vectors"]
    assert (vectors["size"], vectors["distance"]) == (3, "Cosine")
    assert fake.collections[NAME].indexes == {"owner": "keyword", "task": "keyword", "project": "keyword"}
    lines = [request.line for request in fake.requests]
    assert lines.index(f"PUT /collections/{NAME}/points") > max(
        at for at, line in enumerate(lines) if line == f"PUT /collections/{NAME}/index"
    )
    side.writer.stored()
    assert fake.count(f"PUT /collections/{NAME}") == 1
    assert fake.count(f"PUT /collections/{NAME}/index") == 3


def test_shards_and_replicas_are_passed_on(fake: FakeQdrant) -> None:
    http = Http(fake.url, label="Qdrant")
    writer = QdrantWriter(QdrantServer(http, None), SPACE, "owner", shards=6, replicas=2)
    writer.stored()
    params = fake.collections[NAME].config.told["params"]
    assert (params["shard_number"], params["replication_factor"]) == (6, 2)
    writer.close()


def test_indexes_that_a_break_left_out_are_made_up_for(fake: FakeQdrant, side: Side) -> None:
    fake.fail(f"PUT /collections/{NAME}/index", after=1)
    with pytest.raises(EmbeddingError):
        side.writer.stored()
    side.writer.stored()
    assert set(fake.collections[NAME].indexes) == {"owner", "task", "project"}


def test_the_payload_carries_everything_by_which_a_point_is_found_again(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("task/ä", [3, 4, 0], 2, "inbox1", "the passage"))
    (point,) = fake.collections[NAME].points.values()
    assert point.payload == {
        "owner": owner_key("a", "s"),
        "task": "task/ä",
        "project": "inbox1",
        "chunk": 2,
        "digest": text_digest("", "the passage"),
        "text": "the passage",
    }
    assert side.writer.stored() == {point_id("a", "s", "task/ä", 2): Stored("inbox1", text_digest("", "the passage"))}


def test_the_best_piece_counts_and_is_the_passage(side: Side) -> None:
    side.fill(
        side.point("a", [1, 1, 0], 0, text="beginning"),
        side.point("a", [2, 0.1, 0], 1, text="the end"),
        side.point("b", [0, 1, 0]),
        side.point("c", [-3, 0, 0]),
    )
    found = side.reader.nearest([5, 0, 0], 10, None, 0.0 - 1e-6, Deadline(5))
    assert [(nearest.task_id, nearest.text) for nearest in found] == [("a", "the end"), ("b", "b/0")]
    assert found[0].cosine == pytest.approx(2 / math.hypot(2, 0.1), abs=1e-6)
    assert side.near() == ["a", "b", "c"]
    assert side.near(floor=0.5) == ["a"]


def test_equals_go_by_task_id(side: Side) -> None:
    side.fill(*(side.point(task_id, [1, 0, 0]) for task_id in ("d", "b", "c", "a")))
    assert side.near() == ["a", "b", "c", "d"]
    assert side.near(limit=0) == []


@pytest.mark.parametrize("task_id", ["65f0c0ffee0123456789abcd", "inbox1_7", "task/ä", '"42"', "42"])
def test_any_task_id_comes_back_as_it_was(side: Side, task_id: str) -> None:
    side.fill(side.point(task_id, [1, 0, 0]), side.point("other", [0, 1, 0]))
    assert side.near(scope=TaskScope({task_id})) == [task_id]
    assert side.reader.vectors_of(task_id, Deadline(5)) == [[1, 0, 0]]


def test_two_owners_share_a_collection_and_see_nothing_of_each_other(fake: FakeQdrant, side: Side) -> None:
    other = Side(fake, "b")
    side.fill(side.point("42", [1, 0, 0], text="mine"), side.point("1", [1, 1, 0]))
    other.fill(other.point("42", [1, 1, 0], text="theirs"))
    assert list(fake.collections) == [NAME]
    assert len(fake.collections[NAME].points) == 3
    assert (side.near(), other.near()) == (["42", "1"], ["42"])
    assert [side.reader.count(Deadline(5)), other.reader.count(Deadline(5))] == [2, 1]
    assert len(other.writer.stored()) == 1
    assert other.reader.vectors_of("1", Deadline(5)) == []
    side.writer.discard()
    assert other.near() == ["42"]
    assert side.near() == []
    other.writer.discard()
    assert fake.collections == {}
    other.writer.discard()
    other.close()


def test_points_are_removed_and_known_vectors_read(side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]), side.point("b", [0, 2, 0]))
    digest = text_digest("", "b/0")
    known = side.writer.known({digest: point_id("a", "s", "b", 0), text_digest("", "new"): None})
    assert known == {digest: [0, 1, 0]}
    assert side.writer.known({text_digest("", "new"): None}) == {}
    side.writer.delete([point_id("a", "s", "a", 0)])
    side.writer.delete([])
    assert side.near() == ["b"]


def test_a_point_that_changed_meanwhile_is_not_what_was_asked_for(side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0], text="now"))
    assert side.writer.known({text_digest("", "before"): point_id("a", "s", "a", 0)}) == {}


def test_stored_points_are_read_page_by_page(monkeypatch: pytest.MonkeyPatch, fake: FakeQdrant, side: Side) -> None:
    monkeypatch.setattr("ats_adapter_ticktick.hybrid.qdrant_sync._PAGE", 10)
    side.fill(*(side.point(f"t{number}", [1, number, 0]) for number in range(25)))
    assert len(side.writer.stored()) == 25
    side.writer.delete(list(side.writer.stored()))
    assert fake.collections[NAME].points == {}


# Scope


def narrowed(fake: FakeQdrant) -> list[Any]:
    """What the last query asked the server to filter by, the owner aside."""
    asked = [request for request in fake.requests if request.line.endswith("/query/groups")]
    return [condition for condition in asked[-1].body["filter"]["must"] if condition["key"] != "owner"]


def test_a_scope_of_projects_is_filtered_by_project(fake: FakeQdrant, side: Side) -> None:
    side.fill(*(side.point(f"t{number}", [1, number / 100, 0], project=f"p{number % 50}") for number in range(100)))
    scope = TaskScope({"t7", "t57"}, projects={"p7"})
    assert side.near(limit=2, scope=scope) == ["t7", "t57"]
    assert narrowed(fake) == [{"key": "project", "match": {"any": ["p7"]}}]
    assert fake.count(".*/query/groups") == 1


def test_tasks_that_left_the_project_since_the_sync_take_no_place(fake: FakeQdrant, side: Side) -> None:
    side.fill(*(side.point(f"t{number:02}", [1, number / 100, 0]) for number in range(40)))
    assert side.near(limit=3, scope=TaskScope({"t35", "t36", "t37"}, projects={"p"})) == ["t35", "t36", "t37"]


def test_a_scope_of_tasks_is_filtered_by_task(fake: FakeQdrant, side: Side) -> None:
    side.fill(*(side.point(f"t{number}", [1, number / 100, 0]) for number in range(100)))
    assert side.near(limit=2, scope=frozenset({"t98", "t99", "elsewhere"})) == ["t98", "t99"]
    assert narrowed(fake) == [{"key": "task", "match": {"any": ["elsewhere", "t98", "t99"]}}]
    assert fake.count(".*/query/groups") == 1


def test_a_scope_that_is_too_large_to_be_sent_is_applied_here_and_not_starved(
    monkeypatch: pytest.MonkeyPatch, fake: FakeQdrant, side: Side
) -> None:
    monkeypatch.setattr(qdrant, "MOST_TASKS", 3)
    side.fill(*(side.point(f"t{number:02}", [1, number / 100, 0]) for number in range(90)))
    scope = TaskScope({f"t{number}" for number in range(80, 90)})
    assert side.near(limit=3, scope=scope) == ["t80", "t81", "t82"]
    assert narrowed(fake) == []
    fake.forget()
    assert side.near(limit=30, scope=scope) == sorted(scope)
    assert fake.count(".*/query/groups") <= 3, "it ends where the server has no more"


def test_over_fetching_has_an_end(monkeypatch: pytest.MonkeyPatch, fake: FakeQdrant, side: Side) -> None:
    monkeypatch.setattr(qdrant, "MOST_TASKS", 0)
    monkeypatch.setattr(qdrant, "_MOST_GROUPS", 16)
    side.fill(*(side.point(f"t{number:02}", [1, number / 100, 0]) for number in range(90)))
    assert side.near(limit=2, scope=TaskScope({"t89"})) == []
    assert [request.body["limit"] for request in fake.requests if "groups" in request.line] == [4, 8, 16]


def test_an_empty_scope_asks_nobody(fake: FakeQdrant, side: Side) -> None:
    assert side.near(scope=TaskScope()) == []
    assert fake.requests == []


# Large writes


def test_forty_mebibytes_go_in_batches_below_eight(fake: FakeQdrant) -> None:
    fake.largest_body = 8 << 20
    space = SPACE._replace(dimension=4096)
    side, name = Side(fake, space=space), collection_name(space)
    random.seed(1)
    row = [random.uniform(-1, 1) for _ in range(4096)]
    side.fill(*(side.point(f"t{number}", row, text=f'税 \n\t"{number}') for number in range(600)))
    sizes = [len(request.raw) for request in fake.requests if request.line == f"PUT /collections/{name}/points"]
    assert sum(sizes) > 40 << 20
    assert max(sizes) < 8 << 20
    assert side.reader.count(Deadline(30)) == 600
    assert all(request.query["wait"] == "true" for request in fake.requests if request.path.endswith("/points"))
    side.close()


def test_texts_count_towards_the_size_of_a_batch(fake: FakeQdrant, side: Side) -> None:
    fake.largest_body = 8 << 20
    side.fill(*(side.point(f"t{number}", [1, 0, 0], text='税"\n\x07' * 40_000) for number in range(60)))
    assert side.reader.count(Deadline(30)) == 60


# Failures


def test_a_missing_collection_is_not_synced_yet(side: Side) -> None:
    calls = (side.near, lambda: side.reader.count(Deadline(5)), lambda: side.reader.vectors_of("a", Deadline(5)))
    for call in calls:
        with pytest.raises(EmbeddingError, match=r"not synced yet to Qdrant at http://127.0.0.1:\d+; run `ats sync`"):
            call()


def test_a_server_that_is_no_qdrant_is_not_called_unsynced(fake: FakeQdrant, side: Side) -> None:
    fake.fail(".*", status=404, body=b"<html>not found", times=None)
    with pytest.raises(EmbeddingError, match="no Qdrant"):
        side.near()
    with pytest.raises(EmbeddingError, match="no Qdrant"):
        side.writer.stored()


@pytest.mark.parametrize("key", [None, KEY])
def test_a_key_that_is_missing_or_wrong_is_named_and_never_shown(key: str | None) -> None:
    with FakeQdrant("another-key") as fake:
        side = Side(fake, key=key)
        for call in (side.near, side.writer.stored):
            with pytest.raises(EmbeddingError, match="ATS_QDRANT_API_KEY") as caught:
                call()
            assert KEY not in f"{caught.value!r} {caught.value.hint} {side.writer!r} {side.http!r}"
        side.close()


def test_a_key_that_may_only_read_searches_and_says_so_when_it_writes() -> None:
    with FakeQdrant("master", read_only_api_key=KEY) as fake:
        master, side = Side(fake, key="master"), Side(fake, key=KEY)
        master.fill(master.point("a", [1, 0, 0]))
        assert side.near() == ["a"]
        with pytest.raises(EmbeddingError, match="ATS_QDRANT_API_KEY"):
            side.writer.upsert([side.point("b", [1, 0, 0])])
        master.close()
        side.close()


def test_a_server_error_names_the_host_and_what_it_said(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]))
    fake.fail(".*", status=500, body={"status": {"error": "Service internal error: out of disk"}}, times=None)
    for call in (side.near, side.writer.stored):
        with pytest.raises(EmbeddingError, match=r"Qdrant at http://127.0.0.1:\d+ .*500: .*out of disk"):
            call()


def test_an_overloaded_server_says_when_to_come_back(fake: FakeQdrant, side: Side) -> None:
    fake.fail(".*", status=429, headers={"Retry-After": "7"}, body={"status": {"error": "too many"}}, times=None)
    with pytest.raises(EmbeddingError, match="7 s"):
        side.writer.stored()
    with pytest.raises(EmbeddingError, match="429"):
        side.near()
    fake.heal()
    fake.fail(".*", status=429, headers={"Retry-After": "soon"}, times=None)
    with pytest.raises(EmbeddingError, match="Qdrant at"):
        side.writer.stored()


def test_a_slow_server_costs_the_deadline_and_no_more(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]))
    fake.latency = 30
    with pytest.raises(EmbeddingError, match="did not answer in time"):
        side.near(seconds=0.3)


def test_a_slow_server_ends_a_sync_in_words(monkeypatch: pytest.MonkeyPatch, fake: FakeQdrant, side: Side) -> None:
    monkeypatch.setattr("ats_adapter_ticktick.hybrid.qdrant_server.CALL_SECONDS", 1)
    fake.latency = 30
    with pytest.raises(EmbeddingError, match=r"Qdrant at http://127.0.0.1:\d+ did not answer within 1 s"):
        side.writer.stored()


def test_a_server_that_is_gone_is_named(fake: FakeQdrant, side: Side) -> None:
    url = fake.url
    fake.close()
    for call in (side.near, side.writer.stored):
        with pytest.raises(EmbeddingError, match=f"Qdrant at {url} cannot be reached"):
            call()


def test_a_connection_that_is_dropped_is_an_embedding_error(fake: FakeQdrant, side: Side) -> None:
    fake.fail(".*", drop=True, times=None)
    for call in (side.near, side.writer.stored):
        with pytest.raises(EmbeddingError, match="Qdrant at"):
            call()


@pytest.mark.parametrize(
    "body", [b"<html>", {"result": {"groups": "x"}}, {"result": None}, [], {"result": {"groups": [{}]}}]
)
def test_nonsense_is_an_embedding_error(fake: FakeQdrant, side: Side, body: Any) -> None:
    fake.fail(".*", status=200, body=body, times=None)
    for call in (side.near, side.writer.stored):
        with pytest.raises(EmbeddingError, match="Qdrant at"):
            call()


def test_vectors_of_another_length_need_a_sync(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]))
    with pytest.raises(EmbeddingError, match=r"ats sync") as caught:
        side.reader.nearest([1, 0], 3, None, 0.0, Deadline(5))
    assert "expected dim" not in caught.value.message


def test_a_collection_of_that_name_that_is_not_ours_is_left_alone(fake: FakeQdrant, side: Side) -> None:
    side.fill(side.point("a", [1, 0, 0]))
    fake.collections[NAME].config.told["params"]["vectors"]["size"] = 5
    with pytest.raises(EmbeddingError, match="another form"):
        side.writer.stored()
    assert len(fake.collections[NAME].points) == 1


# The client


def test_an_address_keeps_its_port_and_path(fake: FakeQdrant) -> None:
    from ats_adapter_ticktick.hybrid.qdrant_server import _connect

    for url in ("https://q.example:443", "https://q.example:6333/db/one", "http://[::1]:80", "http://127.0.0.1:6333"):
        client = _connect(url, Secret(KEY))
        assert client._client.rest_uri == url  # type: ignore[attr-defined]
        client.close()


def test_loopback_is_never_spoken_to_through_a_proxy(monkeypatch: pytest.MonkeyPatch, side: Side) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    side.fill(side.point("a", [1, 0, 0]))
    assert side.near() == ["a"]


def test_a_proxy_that_cannot_be_used_is_an_embedding_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://anna:password@127.0.0.1:9")
    writer = QdrantWriter(QdrantServer(Http("https://q.example:443", label="Qdrant"), None), SPACE, "owner")
    with pytest.raises(EmbeddingError, match=r"Qdrant at https://q.example:443") as caught:
        writer.stored()
    assert "password" not in caught.value.message


def test_reading_imports_neither_the_client_nor_numpy() -> None:
    program = (
        "import sys, ats_adapter_ticktick.hybrid.qdrant, ats_adapter_ticktick.hybrid.backend, "
        "ats_adapter_ticktick.hybrid.places; "
        "print(*{'qdrant_client', 'numpy', 'httpx', 'grpc', 'pydantic', 'ssl'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == ""
