"""The command with TickTick, Ollama and Qdrant, all on loopback: from the first sync to servers that are down."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant
from fakes.ticktick import Account, FakeTickTick
from running import Run

TOKEN, QDRANT_KEY = "tok-5f2c1a9e", "key-77aa"
TITLES = ("Renew passport", "Water the plants", "Car insurance", "Fix the dripping tap", "Rate limiting", "Sourdough")
DOWN = "http://127.0.0.1:9"


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as service:
        yield service


@pytest.fixture
def account(fake: FakeTickTick) -> Account:
    account = fake.account(TOKEN, uid="42", username="anna")
    home = account.add_project("Home")
    for number, title in enumerate(TITLES):
        account.add_task(home if number % 2 else "inbox", title=title, id=f"t{number}")
    return account


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    with FakeOllama({"nomic-embed-text": 64}) as server:
        yield server


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with FakeQdrant(QDRANT_KEY) as server:
        yield server


@pytest.fixture(params=["this machine", "Qdrant"])
def tick(
    request: pytest.FixtureRequest,
    ats: Run,
    fake: FakeTickTick,
    account: Account,
    ollama: FakeOllama,
    qdrant: FakeQdrant,
) -> Run:
    """Runs `ats` with vectors in either place."""
    own = {
        "ATS_ADAPTER": "ticktick",
        "ATS_TICKTICK_API_URL": fake.api_url,
        "ATS_TICKTICK_TOKEN": TOKEN,
        "OLLAMA_HOST": ollama.url,
        "ATS_EMBED_MODEL": "nomic-embed-text",
        "ATS_COSINE_FLOOR": "-1",
    }
    if request.param == "Qdrant":
        own |= {"ATS_QDRANT_URL": qdrant.url, "ATS_QDRANT_API_KEY": QDRANT_KEY}

    def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return ats(*words, **(own | variables))

    return run


def synced(tick: Run) -> dict[str, Any]:
    done = tick("sync", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["counts"]


def find(tick: Run, *words: str, **variables: str) -> dict[str, Any]:
    done = tick("find", "--json", "--explain", *words, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def hybrid(answer: dict[str, Any]) -> dict[str, Any]:
    return next(branch for branch in answer["branches"] if branch["name"] == "hybrid")


def test_each_task_is_embedded_once_and_an_edited_one_again(tick: Run, account: Account, ollama: FakeOllama):
    def embedded() -> list[str]:
        """The titles of the tasks that were embedded since the last time."""
        texts, ollama.embedded = ollama.embedded, []
        return sorted(title for text in texts for title in TITLES if title in text)

    synced(tick)
    assert embedded() == sorted(TITLES)
    synced(tick)
    assert embedded() == []
    account.edit_task("t2", content="Policy 88-1432, ends with the year")
    synced(tick)
    assert embedded() == [TITLES[2]]
    account.delete_task("t3")
    synced(tick)
    assert embedded() == []
    status = json.loads(tick("ticktick", "status", "--json").stdout)["dense"]
    assert [(space["tasks"], space["vectors"]) for space in status["spaces"]] == [(5, 5)]


def test_dense_and_sparse_take_part_and_say_so(tick: Run):
    synced(tick)
    answer = find(tick, "water plants")
    assert hybrid(answer)["status"] == "ok"
    assert not answer["degraded"]
    best = answer["tasks"][0]
    assert best["title"] == "Water the plants"
    (share,) = [one for one in best["explain"] if one["source"] == "hybrid"]
    assert {part["source"] for part in share["within"]} == {"dense", "sparse"}
    scored = find(tick, "--fusion", "score", "water plants")
    assert scored["tasks"][0]["title"] == "Water the plants"


def test_the_project_filter_holds_for_dense_too(tick: Run):
    synced(tick)
    answer = json.loads(tick("semantic", "--json", "-p", "Inbox", "water").stdout)
    assert {task["projectName"] for task in answer["tasks"]} == {"Inbox"}
    assert len(answer["tasks"]) == 3


def test_likeness_leaves_the_task_itself_out(tick: Run):
    synced(tick)
    answer = json.loads(tick("similar", "--json", "t1").stdout)
    assert answer["tasks"]
    assert "t1" not in {task["id"] for task in answer["tasks"]}


def test_before_the_first_sync_the_answer_is_the_lexical_one_and_says_what_to_do(tick: Run):
    answer = find(tick, "passport")
    assert answer["tasks"][0]["title"] == "Renew passport"
    assert hybrid(answer)["status"] == "degraded"
    assert "ats sync" in hybrid(answer)["error"]
    assert "404" not in hybrid(answer)["error"]


def test_with_both_down_the_answer_is_the_lexical_one_degraded(tick: Run):
    synced(tick)
    down = {"OLLAMA_HOST": DOWN, "ATS_QDRANT_URL": DOWN}
    answer = find(tick, "passport", **down)
    assert answer["tasks"][0]["title"] == "Renew passport"
    assert answer["degraded"]
    assert "Ollama" in hybrid(answer)["error"]
    lexical = find(tick, "passport", ATS_EMBEDDER="none")
    assert [task["id"] for task in answer["tasks"]] == [task["id"] for task in lexical["tasks"]]


def test_a_model_that_was_pulled_again_needs_a_new_sync_and_is_never_mixed(tick: Run, ollama: FakeOllama):
    synced(tick)
    ollama.repull("nomic-embed-text")
    answer = find(tick, "passport")
    assert hybrid(answer)["status"] == "degraded"
    assert "ats sync" in hybrid(answer)["error"]
    synced(tick)
    assert hybrid(find(tick, "passport"))["status"] == "ok"


def test_two_accounts_have_their_own_vectors(tick: Run, fake: FakeTickTick):
    fake.account("tok-b", uid="43").add_task(title="Renew passport of bob", id="b1")
    synced(tick)
    other = {"ATS_TICKTICK_TOKEN": "tok-b"}
    assert "ats sync" in hybrid(find(tick, "passport", **other))["error"]
    assert tick("sync", **other).returncode == 0
    answer = json.loads(tick("semantic", "--json", "passport", **other).stdout)
    assert [task["id"] for task in answer["tasks"]] == ["b1"]
    answer = json.loads(tick("semantic", "--json", "-n", "20", "passport").stdout)
    assert "b1" not in {task["id"] for task in answer["tasks"]}


def test_status_shows_vectors_by_space_and_no_key(tick: Run):
    synced(tick)
    done = tick("ticktick", "status")
    assert done.returncode == 0
    assert "nomic-embed-text" in done.stdout
    assert "6 of 6 tasks" in done.stdout
    assert QDRANT_KEY not in done.stdout + tick("ticktick", "status", "--json").stdout


def test_a_sync_that_was_done_is_used_by_those_who_set_nothing(tick: Run, ollama: FakeOllama, environ: dict[str, str]):
    """Vectors are there, so a search without any setting about them expects Ollama at its usual address."""
    synced(tick)
    answer = find(tick, "passport", OLLAMA_HOST="", ATS_EMBED_MODEL="", ATS_QDRANT_URL="")
    assert "hybrid" in {branch["name"] for branch in answer["branches"]}


def test_logout_removes_the_vectors_of_the_account(tick: Run, qdrant: FakeQdrant, environ: dict[str, str]):
    folder = Path(environ["ATS_CONFIG_DIR"], "ticktick")
    folder.mkdir(parents=True)
    (folder / "token.json").write_text(json.dumps({"access_token": TOKEN, "account": "anna"}))
    own = {"ATS_TICKTICK_TOKEN": ""}

    def kept() -> bool:
        vectors = [path for path in (folder / "vectors").rglob("*") if path.is_file() and path.stat().st_size]
        return bool(vectors) or any(collection.points for collection in qdrant.collections.values())

    assert tick("sync", **own).returncode == 0
    assert kept()
    done = tick("auth", "logout", **own)
    assert done.returncode == 0, done.stderr
    assert not kept()
