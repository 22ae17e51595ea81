"""The backend as core sees it: searches, likeness, status, and the words for every server that is not there."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from operator import mul
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.hybrid.backend import Backend
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_adapter_ticktick.hybrid.state import SpaceState, StateFile
from ats_core import Candidate, ConfigError, Corpus, Deadline, EmbeddingError, Ranking, Task, TaskScope
from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant

MODEL = "nomic-embed-text"
KEY = "qdrant-secret-key"

TASKS = [
    Task(id="65f0c0ffee0123456789abcd", title="Renew the passport", content="Photo and form", project_id="home"),
    Task(id="inbox1_7", title="Buy oat milk and bread", project_id="inbox1"),
    Task(id="task/ä", title="Refactor the login token refresh", project_id="work"),
    Task(id='"42"', title="Passport office opening hours", project_id="work"),
    Task(id="42", title="認証システムのトークン更新", project_id="work"),
    Task(
        id="long",
        title="Minutes",
        content="The committee talked about the budget. " * 200 + "The zebra enclosure was approved. " * 60,
        project_id="work",
    ),
]


class World:
    def __init__(self, ollama: FakeOllama, qdrant: FakeQdrant | None, folder: Path) -> None:
        self.ollama = ollama
        self.qdrant = qdrant
        self.folder = folder

    def backend(self, folder: Path | None = None, **environ: str) -> Backend:
        given = {"OLLAMA_HOST": self.ollama.url, "ATS_EMBED_MODEL": MODEL}
        if self.qdrant is not None:
            given["ATS_QDRANT_URL"] = self.qdrant.url
        return Backend(HybridOptions.read({}, given | environ), "ticktick", "anna", folder or self.folder)

    def synced(self, **environ: str) -> Backend:
        backend = self.backend(None, **environ)
        backend.sync(Corpus.of(TASKS), lambda done, total: None)
        return backend


@pytest.fixture(params=["local", "qdrant"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with FakeOllama({MODEL: 256}) as ollama, FakeQdrant(strict=True) as qdrant:
        yield World(ollama, qdrant if request.param == "qdrant" else None, tmp_path)


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[World]:
    with FakeOllama({MODEL: 256}) as ollama, FakeQdrant(strict=True) as qdrant:
        yield World(ollama, qdrant, tmp_path)


def ids(ranking: Ranking) -> list[str]:
    return [one.id for one in ranking]


def find(backend: Backend, query: str, limit: int = 3, scope: TaskScope | None = None) -> list[Candidate]:
    found = backend.search(query, limit, "dense", scope, Deadline(20))
    return [one for one in found if isinstance(one, Candidate)]


def test_the_nearest_comes_first_with_its_cosine(world: World) -> None:
    backend = world.synced()
    found = find(backend, "renew passport")
    assert found[0].id == "65f0c0ffee0123456789abcd"
    assert ids(found)[1] == '"42"'
    scores = [one.score or 0.0 for one in found]
    assert scores == sorted(scores, reverse=True)
    assert 0.3 <= scores[-1] <= scores[0] <= 1
    assert ids(find(backend, "トークン更新"))[0] == "42"


def test_core_is_told_that_there_is_nothing_but_dense(world: World) -> None:
    backend = world.synced()
    assert backend.dense_only
    assert backend.search("passport", 2, "hybrid", None, Deadline(20)) == find(backend, "passport", 2)


def test_a_long_note_is_found_by_its_end_and_the_passage_shows_it(world: World) -> None:
    (best, *_) = find(world.synced(), "zebra enclosure approved")
    assert best.id == "long"
    assert best.passage is not None
    assert best.passage.endswith("The zebra enclosure was approved.")
    assert len(best.passage) < len(TASKS[-1].content) / 2


def test_the_floor_is_a_cosine_and_a_setting(world: World) -> None:
    world.synced()
    everything = find(world.backend(ATS_COSINE_FLOOR="-1"), "renew passport", 10)
    assert len(everything) == len(TASKS)
    floor = ((everything[1].score or 0) + (everything[2].score or 0)) / 2
    assert ids(find(world.backend(ATS_COSINE_FLOOR=str(floor)), "renew passport", 10)) == ids(everything[:2])
    assert find(world.backend(ATS_COSINE_FLOOR="1"), "renew passport", 10) == []


def test_a_scope_narrows_by_project_and_by_task(world: World) -> None:
    backend = world.synced(ATS_COSINE_FLOOR="-1")
    work = {task.id for task in TASKS if task.project_id == "work"}
    assert set(ids(find(backend, "passport", 10, TaskScope(work, projects={"work"})))) == work
    assert ids(find(backend, "passport", 10, TaskScope({"42"}))) == ["42"]
    assert find(backend, "passport", 10, TaskScope()) == []


def test_a_limit_is_kept(world: World) -> None:
    assert len(find(world.synced(ATS_COSINE_FLOOR="-1"), "passport", 2)) == 2


# Likeness


def test_similar_tasks_are_near_to_the_stored_vector_and_nothing_is_embedded(world: World) -> None:
    backend = world.synced(ATS_COSINE_FLOOR="-1")
    world.ollama.embedded.clear()
    found = backend.similar(TASKS[0], 2, None, Deadline(20))
    assert ids(found)[0] == '"42"'
    assert len(found) == 2
    assert world.ollama.embedded == []


def test_a_task_is_not_similar_to_itself_whatever_the_limit(world: World) -> None:
    backend = world.synced(ATS_COSINE_FLOOR="-1")
    for task in TASKS:
        assert task.id not in ids(backend.similar(task, 10, None, Deadline(20)))
        assert len(backend.similar(task, 1, None, Deadline(20))) == 1


def test_a_task_that_is_not_stored_is_embedded_on_the_spot(world: World) -> None:
    backend = world.synced()
    new = Task(id="new", title="Passport renewal form")
    assert ids(backend.similar(new, 1, None, Deadline(20))) == ["65f0c0ffee0123456789abcd"]
    with pytest.raises(EmbeddingError, match="no text"):
        backend.similar(Task(id="blank", title=" "), 1, None, Deadline(20))


# What is not there


def test_nothing_is_read_or_asked_before_the_first_call(world: World, tmp_path: Path) -> None:
    world.backend(tmp_path / "nowhere", OLLAMA_HOST="http://host:nonsense")
    assert world.ollama.requests == []
    assert not (tmp_path / "nowhere").exists()


def test_before_the_first_sync_it_says_what_to_do(world: World) -> None:
    backend = world.backend()
    with pytest.raises(EmbeddingError, match=r"not synced yet to .*; run `ats sync`"):
        find(backend, "passport")
    with pytest.raises(EmbeddingError, match="not synced yet"):
        backend.similar(TASKS[0], 3, None, Deadline(20))


def test_an_account_that_shares_a_collection_is_not_synced_by_the_others_sync(remote: World) -> None:
    remote.synced()
    options = HybridOptions.read({}, {"OLLAMA_HOST": remote.ollama.url, "ATS_QDRANT_URL": remote.qdrant.url})  # type: ignore[union-attr]
    with pytest.raises(EmbeddingError, match="not synced yet"):
        find(Backend(options, "ticktick", "bob", remote.folder), "passport")


def test_a_second_machine_searches_what_the_first_one_synced(remote: World, tmp_path: Path) -> None:
    remote.synced()
    other = remote.backend(tmp_path / "other")
    assert ids(find(other, "renew passport"))[0] == "65f0c0ffee0123456789abcd"
    assert other.sync(Corpus.of(TASKS), lambda done, total: None)["embedded"] == 0


def test_an_unfinished_sync_casts_no_vote_below_95_percent(world: World) -> None:
    backend = world.synced()
    states = StateFile(world.folder / "hybrid-state.json")
    (state,) = states.all()
    for settled, votes in ((94, False), (95, True), (100, True)):
        state.tasks, state.settled, state.finished = 100, settled, False
        states.put(state)
        if votes:
            assert find(backend, "passport")
        else:
            with pytest.raises(EmbeddingError, match=r"^94 of 100 embedded; run `ats sync`$"):
                find(backend, "passport")


def test_both_servers_down_is_said_at_once(tmp_path: Path) -> None:
    options = HybridOptions.read({}, {"OLLAMA_HOST": "127.0.0.1:9", "ATS_QDRANT_URL": "http://127.0.0.1:9"})
    backend = Backend(options, "ticktick", "anna", tmp_path)
    deadline = Deadline(60)
    for call in (lambda: backend.search("x", 3, "dense", None, deadline), lambda: backend.sync(Corpus.of([]), print)):
        with pytest.raises(EmbeddingError, match=r"Ollama at http://127\.0\.0\.1:9 cannot be reached"):
            call()
    assert deadline.remaining() > 50


def test_qdrant_down_is_said_at_once(remote: World) -> None:
    backend = remote.synced()
    assert remote.qdrant is not None
    url = remote.qdrant.url
    remote.qdrant.close()
    with pytest.raises(EmbeddingError, match=f"Qdrant at {url} cannot be reached"):
        find(backend, "passport")


def test_an_ollama_that_hangs_costs_the_deadline_and_is_asked_again_the_next_time(world: World) -> None:
    backend = world.synced()
    slow = world.ollama.fail("POST /api/embed", status=None, delay=30, times=1)
    with pytest.raises(EmbeddingError, match="Ollama"):
        backend.search("passport", 3, "dense", None, Deadline(0.3))
    assert slow.times == 0
    assert find(backend, "passport"), "it was loading its model: nobody remembers that against it"


def test_a_missing_model_says_how_to_get_it(world: World) -> None:
    backend = world.synced()
    world.ollama.remove(f"{MODEL}:latest")
    with pytest.raises(EmbeddingError, match=MODEL) as caught:
        find(backend, "passport")
    assert "ollama pull" in (caught.value.hint or "")


def test_the_name_with_and_without_its_tag_is_one_model(world: World) -> None:
    world.synced()
    assert find(world.backend(ATS_EMBED_MODEL=f"{MODEL}:latest"), "passport")


def test_a_cut_of_another_length_is_another_space(world: World) -> None:
    world.synced()
    with pytest.raises(EmbeddingError, match="not synced yet"):
        find(world.backend(ATS_EMBED_DIMENSIONS="128"), "passport")
    world.synced(ATS_EMBED_DIMENSIONS="128")
    assert find(world.backend(ATS_EMBED_DIMENSIONS="128"), "renew passport")[0].id == "65f0c0ffee0123456789abcd"


def test_an_address_that_is_none_is_a_configuration_error(tmp_path: Path) -> None:
    options = HybridOptions.read({}, {"OLLAMA_HOST": "http://host:nonsense", "ATS_QDRANT_URL": "http://x:y"})
    backend = Backend(options, "ticktick", "anna", tmp_path)
    with pytest.raises(ConfigError, match="OLLAMA_HOST"):
        find(backend, "passport")
    report = backend.status()
    assert "OLLAMA_HOST" in report["ollama"]["error"]
    assert "ATS_QDRANT_URL" in report["qdrant"]["error"]


def test_searches_from_many_threads_agree(world: World) -> None:
    backend = world.synced()
    expected = ids(find(backend, "renew passport"))
    answers: list[list[str]] = []
    threads = [threading.Thread(target=lambda: answers.append(ids(find(backend, "renew passport")))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 12


# Status


def test_the_status_of_a_healthy_backend(world: World) -> None:
    report = world.synced().status()
    assert report["ok"]
    assert report["ollama"]["ok"]
    assert (report["ollama"]["model"], report["ollama"]["version"]) == (MODEL, world.ollama.version)
    if world.qdrant is None:
        assert report["qdrant"] is None
    else:
        assert report["qdrant"] == {"url": world.qdrant.url, "ok": True, "version": world.qdrant.version}
    (space,) = report["spaces"]
    assert space["space"].startswith("ollama/nomic-embed-text:latest@")
    assert (space["current"], space["finished"], space["tasks"], space["embedded"]) == (True, True, 6, 6)
    assert space["vectors"] > 6
    assert space["synced_at"].endswith("+00:00")
    json.dumps(report, allow_nan=False)


def test_a_time_beyond_the_calendar_costs_the_status_only_that(world: World) -> None:
    backend = world.synced()
    states = StateFile(world.folder / "hybrid-state.json")
    (state,) = states.all()
    state.at = 1e300
    states.put(state)
    (space,) = backend.status()["spaces"]
    assert (space["synced_at"], space["finished"], space["embedded"]) == (None, True, 6)


def test_the_status_before_a_sync_is_not_ok(world: World) -> None:
    report = world.backend().status()
    assert (report["ok"], report["ollama"]["ok"], report["spaces"]) == (False, True, [])


def test_the_status_names_what_is_wrong_and_never_raises(remote: World) -> None:
    remote.synced()
    assert remote.qdrant is not None
    remote.qdrant.fail(".*", status=500, times=None)
    remote.ollama.remove(f"{MODEL}:latest")
    report = remote.backend().status()
    assert not report["ok"]
    assert report["ollama"]["version"] == remote.ollama.version
    assert "ollama pull" in report["ollama"]["hint"]
    assert "500" in report["qdrant"]["error"]
    assert "vectors" not in report["spaces"][0]
    backend = remote.backend()
    remote.qdrant.close()
    remote.ollama.close()
    report = backend.status()
    assert "cannot be reached" in report["ollama"]["error"]
    assert "cannot be reached" in report["qdrant"]["error"]


def test_the_status_of_servers_that_hang_comes_within_seconds(monkeypatch: pytest.MonkeyPatch, remote: World) -> None:
    remote.synced()
    assert remote.qdrant is not None
    monkeypatch.setattr("ats_adapter_ticktick.hybrid.health.SECONDS", 0.3)
    remote.ollama.latency = remote.qdrant.latency = 60
    deadline = Deadline(60)
    report = remote.backend().status()
    assert deadline.remaining() > 40
    assert not report["ollama"]["ok"]
    assert not report["qdrant"]["ok"]
    assert report["spaces"][0]["tasks"] == 6


def test_a_wrong_key_is_told_by_the_status_and_no_key_is_ever_shown(tmp_path: Path) -> None:
    with FakeOllama({MODEL: 64}) as ollama, FakeQdrant("another-key") as qdrant:
        environ = {
            "OLLAMA_HOST": ollama.url,
            "ATS_QDRANT_URL": qdrant.url,
            "ATS_QDRANT_API_KEY": KEY,
            "OLLAMA_API_KEY": "ollama-secret-key",
        }
        backend = Backend(HybridOptions.read({}, environ), "ticktick", "anna", tmp_path)
        report = backend.status()
        assert "ATS_QDRANT_API_KEY" in report["qdrant"]["error"]
        said = [repr(report), repr(backend), repr(vars(backend))]
        for call in (lambda: find(backend, "x"), lambda: backend.sync(Corpus.of(TASKS), print)):
            with pytest.raises(EmbeddingError, match="ATS_QDRANT_API_KEY") as caught:
                call()
            said += [f"{caught.value!r} {caught.value.hint}"]
        said += [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()]
        assert not [text for text in said if "secret-key" in text]


def test_a_collection_of_one_account_is_not_shown_to_another(world: World) -> None:
    world.synced()
    options = HybridOptions.read({}, {"OLLAMA_HOST": world.ollama.url})
    assert Backend(options, "ticktick", "bob", world.folder).status()["spaces"] == []


def test_the_state_file_is_private_and_holds_several_spaces(tmp_path: Path) -> None:
    states = StateFile(tmp_path / "deep" / "state.json")
    made: list[Any] = [
        SpaceState(owner=owner, place=place, model="m", digest="d", dimension=3, scheme="p")
        for owner in ("a", "b")
        for place in ("this machine", "http://q:6333")
    ]
    for state in made:
        states.put(state)
    assert states.all() == made
    made[0].settled = 7
    states.put(made[0])
    assert states.get(made[0]) == made[0]
    states.forget(made[1])
    assert len(states.all()) == 3
    assert (tmp_path / "deep" / "state.json").stat().st_mode & 0o077 == 0


def test_cosines_are_those_of_the_vectors(world: World) -> None:
    backend = world.synced(ATS_COSINE_FLOOR="-1")
    from fakes.ollama.vectors import embed, normalised

    identity = world.ollama.models[f"{MODEL}:latest"].identity
    query = normalised(embed("search_query: renew passport", 256, identity))
    document = normalised(embed("search_document: Renew the passport\nPhoto and form", 256, identity))
    assert find(backend, "renew passport")[0].score == pytest.approx(sum(map(mul, query, document)), abs=1e-5)


def test_a_search_by_qdrant_never_loads_numpy_or_the_client(remote: World) -> None:
    remote.synced()
    assert remote.qdrant is not None
    servers = {"OLLAMA_HOST": remote.ollama.url, "ATS_QDRANT_URL": remote.qdrant.url}
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from ats_adapter_ticktick.hybrid.backend import Backend\n"
        "from ats_adapter_ticktick.hybrid.options import HybridOptions\nfrom ats_core import Deadline\n"
        f"backend = Backend(HybridOptions.read({{}}, {servers}), 'ticktick', 'anna', Path({str(remote.folder)!r}))\n"
        "found = backend.search('passport', 3, 'dense', None, Deadline(20))\n"
        "print(len(found) > 0, *{'numpy', 'qdrant_client', 'pydantic', 'grpc', 'ollama', 'asyncio'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("True", "")
