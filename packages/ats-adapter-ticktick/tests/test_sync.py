"""A sync by any store: each text once, what is gone removed, whatever breaks in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.hybrid import exclusive as exclusive_module
from ats_adapter_ticktick.hybrid import sync as sync_module
from ats_adapter_ticktick.hybrid.backend import Backend
from ats_adapter_ticktick.hybrid.exclusive import exclusive
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_adapter_ticktick.hybrid.points import owner_key
from ats_adapter_ticktick.hybrid.state import StateFile
from ats_core import Candidate, Corpus, Deadline, EmbeddingError, Task
from ats_core.lock import try_lock
from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant

MODEL = "nomic-embed-text"


class World:
    """An Ollama, perhaps a Qdrant, and backends over them."""

    def __init__(self, ollama: FakeOllama, qdrant: FakeQdrant | None, folder: Path) -> None:
        self.ollama = ollama
        self.qdrant = qdrant
        self.folder = folder
        self.progress: list[tuple[int, int]] = []

    def backend(self, scope: str = "anna", adapter: str = "ticktick", **environ: str) -> Backend:
        given = {"OLLAMA_HOST": self.ollama.url, "ATS_EMBED_MODEL": MODEL} | environ
        if self.qdrant is not None:
            given["ATS_QDRANT_URL"] = self.qdrant.url
        return Backend(HybridOptions.read({}, given), adapter, scope, self.folder)

    def sync(self, tasks: list[Task], scope: str = "anna", **environ: str) -> dict[str, Any]:
        """A sync in a process of its own, as far as the backend can tell."""
        self.progress.clear()
        return dict(self.backend(scope, **environ).sync(Corpus.of(tasks), lambda *done: self.progress.append(done)))

    def embedded(self) -> list[str]:
        """The documents that were embedded since the last call."""
        texts = [text for text in self.ollama.embedded if text.startswith("search_document: ")]
        self.ollama.embedded.clear()
        return [text.removeprefix("search_document: ") for text in texts]

    def find(self, query: str, scope: str = "anna", limit: int = 5) -> list[str]:
        found = self.backend(scope).search(query, limit, "dense", None, Deadline(20))
        return [one.id for one in found if isinstance(one, Candidate)]

    def state(self) -> Any:
        (state,) = StateFile(self.folder / "hybrid-state.json").all()
        return state


@pytest.fixture(params=["local", "qdrant"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    with FakeOllama({MODEL: 64}) as ollama, FakeQdrant(strict=True) as qdrant:
        yield World(ollama, qdrant if request.param == "qdrant" else None, tmp_path)


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[World]:
    with FakeOllama({MODEL: 64}) as ollama, FakeQdrant(strict=True) as qdrant:
        yield World(ollama, qdrant, tmp_path)


def task(number: int, title: str = "", **fields: Any) -> Task:
    return Task(id=f"t{number}", title=title or f"task number {number}", **({"project_id": "p"} | fields))


def counts(tasks: int, embedded: int, unusable: int = 0) -> dict[str, int]:
    return {"tasks": tasks, "embedded": embedded, "missing": 0, "unusable": unusable}


def test_each_task_is_embedded_once_then_none_then_the_edited_one(world: World) -> None:
    tasks = [task(number) for number in range(2000)]
    assert world.sync(tasks) == counts(2000, 2000)
    assert sorted(world.embedded()) == sorted(one.title for one in tasks)
    assert world.progress[-1] == (2000, 2000)
    assert world.progress == sorted(world.progress)
    assert world.sync(tasks) == counts(2000, 0)
    assert world.ollama.embedded == []
    assert world.progress == []
    tasks[7] = task(7, "something else entirely")
    assert world.sync(tasks) == counts(2000, 1)
    assert world.embedded() == ["something else entirely"]
    assert world.find("something else entirely")[0] == "t7"


def test_texts_go_in_batches_of_thirty_two(world: World) -> None:
    world.sync([task(number) for number in range(70)])
    sizes = [len(request.body["input"]) for request in world.ollama.requests if request.path == "/api/embed"]
    assert [size for size in sizes if size > 1] == [32, 32, 6]


def test_equal_texts_are_embedded_once(world: World) -> None:
    assert world.sync([task(number, "Buy milk") for number in range(50)]) == counts(50, 50)
    assert world.embedded() == ["Buy milk"]
    assert world.find("Buy milk", limit=100) == sorted(f"t{number}" for number in range(50))


def test_what_is_gone_is_removed_and_fewer_pieces_too(world: World) -> None:
    long = task(1, "Minutes", content="The meeting agreed on nothing. " * 300)
    world.sync([long, task(2), task(3)])
    assert world.backend().status()["spaces"][0]["vectors"] > 5
    assert world.sync([task(1, "Minutes", content="Short now."), task(3)]) == counts(2, 1)
    assert world.backend().status()["spaces"][0]["vectors"] == 2
    assert "t2" not in world.find("task number 2")


def test_a_task_that_moves_or_is_made_anew_is_not_embedded_again(world: World) -> None:
    world.sync([task(1), task(2), task(3)])
    world.embedded()
    moved = [task(1, project_id="q"), Task(id="anew", title="task number 2", project_id="p"), task(3)]
    assert world.sync(moved) == counts(3, 0)
    assert world.ollama.embedded == []
    assert world.find("task number 2")[0] == "anew"
    if world.qdrant is not None:
        (collection,) = world.qdrant.collections.values()
        homes = {point.payload["task"]: point.payload["project"] for point in collection.points.values()}
        assert homes == {"t1": "q", "anew": "p", "t3": "p"}


def test_a_new_first_paragraph_does_not_embed_the_whole_note_again(world: World) -> None:
    body = "\n\n".join(f"Paragraph {number}: " + f"word{number} " * 230 for number in range(10))
    world.sync([task(1, "Note", content=body)])
    before = len(world.embedded())
    world.sync([task(1, "Note", content=f"New: {'x ' * 700}\n\n{body}")])
    assert 0 < len(world.embedded()) < before


def test_a_project_that_is_missed_as_a_whole_is_spared_once(world: World) -> None:
    here, there = [task(1), task(2)], [task(3, project_id="q"), task(4, project_id="q")]
    world.sync(here + there)
    world.embedded()
    world.sync(here)
    assert world.sync(here + there) == counts(4, 0), "it had only failed to load"
    world.sync(here)
    assert world.backend().status()["spaces"][0]["vectors"] == 4
    world.sync(here)
    assert world.backend().status()["spaces"][0]["vectors"] == 2


def test_one_text_that_the_model_refuses_costs_only_itself(world: World) -> None:
    world.ollama.poison("InputArea")
    tasks = [task(number) for number in range(20)]
    tasks[11] = task(11, "The InputArea widget")
    assert world.sync(tasks) == counts(20, 19, unusable=1)
    assert world.state().unusable == 1
    assert world.find("task number 5")[0] == "t5"
    world.ollama.requests.clear()
    assert world.sync(tasks) == counts(20, 0, unusable=1)
    assert world.ollama.count("POST /api/embed") == 0, "not asked again"
    tasks[11] = task(11, "The InputArea gadget")
    assert world.sync(tasks) == counts(20, 0, unusable=1)
    assert world.ollama.count("POST /api/embed") > 0, "asked again, since the text is another"
    tasks[11] = task(11, "The widget")
    assert world.sync(tasks) == counts(20, 1)
    assert world.state().refused == []


def test_a_text_that_is_refused_now_leaves_no_vector_of_what_it_was(world: World) -> None:
    world.sync([task(1), task(2)])
    world.ollama.poison("InputArea")
    assert world.sync([task(1), task(2, "InputArea")]) == counts(2, 0, unusable=1)
    assert world.backend().status()["spaces"][0]["vectors"] == 1


def test_a_task_without_text_is_settled_and_has_no_vector(world: World) -> None:
    assert world.sync([task(1), task(2, " ")]) == counts(2, 1, unusable=1)
    assert world.find("task number 1") == ["t1"]


def test_an_empty_corpus_is_no_error(world: World) -> None:
    assert world.sync([]) == counts(0, 0)
    assert world.find("anything") == []


def test_ollama_gone_between_two_batches_keeps_what_was_done(world: World) -> None:
    tasks = [task(number) for number in range(200)]
    world.ollama.fail("POST /api/embed", drop=True, times=None, after=4)  # the first is for the dimension
    with pytest.raises(EmbeddingError, match="Ollama at"):
        world.sync(tasks)
    assert world.embedded() == [one.title for one in tasks[:96]]
    world.ollama.heal()
    with pytest.raises(EmbeddingError, match="96 of 200 embedded; run `ats sync`"):
        world.find("task number 5")
    assert world.sync(tasks) == counts(200, 104)
    assert world.embedded() == [one.title for one in tasks[96:]]
    assert world.find("task number 5")[0] == "t5"


def test_ollama_gone_altogether_keeps_what_was_done(world: World) -> None:
    tasks = [task(number) for number in range(96)]
    done: list[int] = []

    def leave(count: int, total: int) -> None:
        done.append(count)
        if len(done) == 2:
            world.ollama.close()

    with pytest.raises(EmbeddingError, match="Ollama at"):
        world.backend().sync(Corpus.of(tasks), leave)
    world.ollama.start()
    world.embedded()
    assert world.sync(tasks) == counts(96, 32)


def test_ctrl_c_keeps_what_was_done(world: World) -> None:
    tasks = [task(number) for number in range(96)]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.backend().sync(Corpus.of(tasks), interrupt)
    assert world.sync(tasks) == counts(96, 64)


def test_qdrant_gone_in_the_middle_is_said_and_made_up_for(monkeypatch: pytest.MonkeyPatch, remote: World) -> None:
    monkeypatch.setattr(sync_module, "FLUSH_TEXTS", 32)
    tasks = [task(number) for number in range(96)]
    assert remote.qdrant is not None
    remote.qdrant.fail("PUT .*/points", status=503, after=1)
    with pytest.raises(EmbeddingError, match=r"Qdrant at .* 503"):
        remote.sync(tasks)
    assert remote.state().settled == 32
    assert remote.sync(tasks) == counts(96, 64)


def test_a_server_that_loses_points_is_found_out(remote: World) -> None:
    assert remote.qdrant is not None
    remote.qdrant.fail("PUT .*/points", status=200, body={"result": {"operation_id": 1, "status": "completed"}})
    with pytest.raises(EmbeddingError, match="0 vectors are stored where there should be 3"):
        remote.sync([task(1), task(2), task(3)])
    assert not remote.state().finished
    assert remote.sync([task(1), task(2), task(3)]) == counts(3, 3)


def test_weights_pulled_again_under_the_same_name_are_another_collection(world: World) -> None:
    tasks = [task(number) for number in range(40)]
    world.sync(tasks)
    world.sync(tasks, scope="bob")
    world.embedded()
    world.ollama.repull(MODEL)
    with pytest.raises(EmbeddingError, match="not synced yet"):
        world.find("task number 5")
    assert world.sync(tasks) == counts(40, 40)
    assert len(world.embedded()) == 40
    assert world.find("task number 5")[0] == "t5"
    places = {space["space"] for space in world.backend().status()["spaces"]}
    assert len(places) == 1, "the old vectors are removed"
    if world.qdrant is not None:
        owners = [
            {point.payload["owner"] for point in collection.points.values()}
            for collection in world.qdrant.collections.values()
        ]
        assert sorted(map(len, owners)) == [1, 1], "bob still has his in the old one"
        world.sync(tasks, scope="bob")
        assert len(world.qdrant.collections) == 1, "and when he has gone it is dropped"


def test_old_vectors_that_cannot_be_removed_now_are_removed_by_the_next_sync(remote: World) -> None:
    assert remote.qdrant is not None
    remote.sync([task(1), task(2)])
    remote.ollama.repull(MODEL)
    remote.qdrant.fail("POST .*/points/delete", status=500)
    assert remote.sync([task(1), task(2)]) == counts(2, 2)
    assert len(remote.qdrant.collections) == 2
    assert remote.sync([task(1), task(2)]) == counts(2, 0)
    assert len(remote.qdrant.collections) == 1


def test_forgetting_an_account_removes_it_from_both_places(remote: World) -> None:
    qdrant = remote.qdrant
    assert qdrant is not None
    remote.sync([task(1)])
    remote.qdrant = None
    remote.sync([task(1)])
    remote.sync([task(1)], scope="bob")
    remote.qdrant = qdrant
    remote.backend().forget()
    assert qdrant.collections == {}
    assert [state.owner for state in StateFile(remote.folder / "hybrid-state.json").all()] == [
        owner_key("ticktick", "bob")
    ]
    assert [path.name for path in (remote.folder / "vectors").iterdir()] == [owner_key("ticktick", "bob")]
    remote.backend().forget()


def test_another_model_of_the_same_length_is_never_mixed_in(world: World) -> None:
    tasks = [task(number) for number in range(40)]
    world.ollama.pull("other", 64)
    world.ollama.pull("third", 128)
    world.sync(tasks)
    for model in ("other", "third"):
        with pytest.raises(EmbeddingError, match="not synced yet"):
            world.backend(ATS_EMBED_MODEL=model).search("task number 5", 5, "dense", None, Deadline(20))
        assert world.sync(tasks, ATS_EMBED_MODEL=model) == counts(40, 40)
    assert world.find("task number 5")[0] == "t5", "who goes back finds the vectors of the first one there"
    assert world.sync(tasks) == counts(40, 0)


def test_a_model_that_is_replaced_in_the_middle_of_a_sync_is_not_mixed_in(world: World) -> None:
    tasks = [task(number) for number in range(96)]

    def replace(done: int, total: int) -> None:
        if done == 64:
            world.ollama.repull(MODEL)

    with pytest.raises(EmbeddingError, match="was replaced during the sync"):
        world.backend().sync(Corpus.of(tasks), replace)
    assert world.sync(tasks) == counts(96, 96)


def test_two_accounts_are_kept_apart(world: World) -> None:
    world.sync([task(1, "secret", content="of anna")])
    world.sync([task(1, "secret", content="of bob"), task(2, "other")], scope="bob")
    found = world.backend().search("secret", 5, "dense", None, Deadline(20))
    assert [one.passage for one in found if isinstance(one, Candidate)] == ["of anna"]
    world.backend().forget()
    with pytest.raises(EmbeddingError, match="not synced yet"):
        world.find("secret")
    assert world.find("secret of bob", scope="bob")[0] == "t1"


def test_vectors_are_kept_as_often_as_promised(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    monkeypatch.setattr(sync_module, "FLUSH_SECONDS", 0.0)
    seen: list[int] = []

    def look(done: int, total: int) -> None:
        seen.append(world.state().settled)

    world.backend().sync(Corpus.of([task(number) for number in range(96)]), look)
    assert seen == [0, 32, 64]


def test_a_state_that_is_lost_or_cannot_be_written_costs_nothing(world: World) -> None:
    world.sync([task(1), task(2)])
    path = world.folder / "hybrid-state.json"
    for damage in (b"", b"{}", bytes(4096), b'{"version": 9, "spaces": []}', b"\xff"):
        path.write_bytes(damage)
        assert world.find("task number 1")[0] == "t1"
        assert world.sync([task(1), task(2)]) == counts(2, 0)
    path.unlink()
    path.mkdir()
    assert world.sync([task(1), task(2)]) == counts(2, 0)
    assert world.find("task number 1")[0] == "t1"


# Two at once


def test_a_second_sync_says_who_is_at_it(tmp_path: Path) -> None:
    said = pytest.raises(EmbeddingError, match=rf"another sync is running \(process {os.getpid()}\)")
    with exclusive(tmp_path / "lock"), said, exclusive(tmp_path / "lock", patience=0.05):
        pass
    with exclusive(tmp_path / "lock", patience=0.05):
        pass
    assert (tmp_path / "lock").exists(), "nobody deletes a lock file"


def test_searches_go_on_during_a_sync_and_a_second_sync_does_not(monkeypatch: pytest.MonkeyPatch, world: World) -> None:
    world.sync([task(1), task(2)])
    with exclusive(world.folder / "hybrid.lock"):
        monkeypatch.setattr(exclusive_module, "exclusive", partial(exclusive, patience=0.05))
        assert world.find("task number 1")[0] == "t1"
        with pytest.raises(EmbeddingError, match="another sync is running"):
            world.sync([task(1), task(2)])


KILLED = """
import sys
from pathlib import Path
from ats_adapter_ticktick.hybrid.backend import Backend
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_core import Corpus, Task

names = ("OLLAMA_HOST", "ATS_QDRANT_URL")
backend = Backend(HybridOptions.read({}, dict(zip(names, sys.argv[2:]))), "ticktick", "anna", Path(sys.argv[1]))
tasks = [Task(id=f"t{number}", title=f"task number {number}", project_id="p") for number in range(600)]
backend.sync(Corpus.of(tasks), lambda done, total: print(done, flush=True))
"""


def test_a_sync_that_is_killed_is_resumed(world: World) -> None:
    servers = [world.ollama.url, world.qdrant.url if world.qdrant else ""]
    killed = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(world.folder), *servers], stdout=subprocess.PIPE, text=True
    )
    assert killed.stdout is not None
    while int(killed.stdout.readline()) < 288:
        pass
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    world.embedded()
    tasks = [task(number) for number in range(600)]
    done = world.sync(tasks)
    assert 0 < done["embedded"] <= 600 - 256
    assert len(world.embedded()) == done["embedded"]
    assert world.sync(tasks) == counts(600, 0)


def test_a_second_sync_waits_for_one_that_is_soon_done(tmp_path: Path) -> None:
    started, release = threading.Event(), threading.Event()

    def first() -> None:
        with exclusive(tmp_path / "lock"):
            started.set()
            release.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    started.wait(10)
    threading.Timer(0.05, release.set).start()
    with exclusive(tmp_path / "lock", patience=10):
        assert release.is_set()
    thread.join()


def test_a_sync_that_was_killed_holds_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    program = (
        "import sys, time, pathlib; from ats_adapter_ticktick.hybrid.exclusive import exclusive\n"
        "with exclusive(pathlib.Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    holder.stdout.readline()
    with path.open("r+b") as file:
        assert try_lock(file) is False
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with exclusive(path, patience=0.05):
        pass


def test_a_folder_that_takes_no_lock_file_stops_no_sync(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with exclusive(tmp_path / "file" / "lock"):
        pass
