"""Cases from the field that no other test holds, and what a hunt for faults found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ats_adapter_ticktick import TickTickAdapter
from ats_adapter_ticktick.hybrid.backend import Backend
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_core import Candidate, Corpus, Deadline, Task, TaskPatch
from fakes.ollama import FakeOllama
from fakes.ticktick import FakeTickTick

Open = Callable[..., TickTickAdapter]

HALF = "\ud83d"


def many(service: FakeTickTick, project_id: str, count: int = 250) -> None:
    """So many tasks that the filter's answer is cut."""
    for number in range(count):
        service.account("token-a").add_task(project_id, title=f"Errand {number}")


class TestInbox:
    """An account always has one: an answer that says otherwise is not believed where tasks are known to be in it."""

    def missing(self, open_adapter: Open, deadline: Deadline) -> list[tuple[str, str]]:
        return [(one.id, one.name) for one in open_adapter().bulk_fetch(deadline).failed]

    @pytest.mark.parametrize(("status", "body"), [(404, None), (404, {"errorCode": "not_found"}), (200, {})])
    def test_one_that_is_not_there_is_missing(
        self, service: FakeTickTick, open_adapter: Open, deadline: Deadline, status: int, body: object
    ):
        many(service, "w")
        service.fail("GET /project/inbox/data", status=status, body=body, times=None)
        assert self.missing(open_adapter, deadline) == [("inbox42", "Inbox")]

    def test_a_404_is_one_that_is_missing_though_no_task_of_it_is_known(
        self, service: FakeTickTick, open_adapter: Open, deadline: Deadline
    ):
        account = service.account("token-a")
        account.delete_task("t2")
        many(service, "w")
        service.fail("GET /project/inbox/data", status=404, times=None)
        assert self.missing(open_adapter, deadline) == [("inbox", "Inbox")]

    def test_an_empty_one_that_says_nothing_is_empty(
        self, service: FakeTickTick, open_adapter: Open, deadline: Deadline
    ):
        account = service.account("token-a")
        account.delete_task("t2")
        many(service, "w")
        service.fail("GET /project/inbox/data", status=200, body={}, times=None)
        assert self.missing(open_adapter, deadline) == []


class TestHalfASurrogatePair:
    """What some clients cut out of the middle of an emoji."""

    @pytest.fixture(autouse=True)
    def _half(self, service: FakeTickTick) -> None:
        account = service.account("token-a")
        account.projects["w"]["name"] = f"Work {HALF}"
        account.tasks["t1"] |= {"title": f"plan {HALF}", "tags": [HALF], "content": HALF}

    def test_in_the_name_of_a_list_costs_no_fetch(self, open_adapter: Open, deadline: Deadline):
        adapter = open_adapter()
        fetched = adapter.bulk_fetch(deadline)
        assert [project.name for project in fetched.projects] == ["Inbox", "Work \ufffd"]
        assert {task.id: task.project_name for task in fetched.tasks} == {"t1": "Work \ufffd", "t2": "Inbox"}
        assert [project.name for project in open_adapter().list_projects()] == ["Inbox", "Work \ufffd"]

    def test_in_a_title_is_left_as_it_is_by_a_change_of_something_else(self, service: FakeTickTick, open_adapter: Open):
        changed = open_adapter().update_task("w", "t1", TaskPatch(due_date="2026-12-24"))
        assert (changed.title, changed.due_date) == ("plan \ufffd", "2026-12-24")
        stored = service.account("token-a").tasks["t1"]
        assert (stored["title"], stored["tags"], stored["content"]) == (f"plan {HALF}", [HALF], HALF)


class Wavering(FakeOllama):
    """Gives a text a vector that is a little different in each batch, as arithmetic on many threads does."""

    def _tampered(self, vectors: list[list[float]]) -> list[list[float]]:
        return [[number + 1e-4 * len(vectors) for number in vector] for vector in vectors]


def test_vectors_that_differ_a_little_by_batch_are_neither_embedded_again_nor_lost(tmp_path: Path):
    tasks = [Task(id=f"t{number}", title=f"topic{number} thing", project_id="p") for number in range(40)]
    with Wavering({"nomic-embed-text": 64}) as ollama:
        given = {"OLLAMA_HOST": ollama.url, "ATS_EMBED_MODEL": "nomic-embed-text"}

        def synced(wanted: list[Task]) -> int:
            backend = Backend(HybridOptions.read({}, given), "ticktick", "anna", tmp_path)
            counts = backend.sync(Corpus.of(wanted), lambda done, total: None)
            return int(counts["embedded"])

        assert synced(tasks) == 40
        assert synced(tasks) == 0
        assert synced([*tasks[:39], Task(id="t39", title="another thing", project_id="p")]) == 1
        backend = Backend(HybridOptions.read({}, given), "ticktick", "anna", tmp_path)
        (first, *_) = backend.search("topic7 thing", 5, "dense", None, Deadline(20))
        assert isinstance(first, Candidate)
        assert first.id == "t7"
