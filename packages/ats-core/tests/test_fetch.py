"""Fetching the whole corpus: in one call or project by project, with the failures named."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ats_core import (
    ConfigError,
    ContractError,
    Deadline,
    FailedProject,
    Fetched,
    LoginRequiredError,
    Project,
    RateLimitedError,
    StoreError,
    StoreTimeoutError,
    Task,
)
from ats_core.cache.fetch import WORKERS, fetch_corpus, fetch_projects, fetch_with_completed
from ats_core.plugins.adapter import Adapter

MakeStore = Callable[..., Any]
PROJECTS = [Project(id="p", name="Errands"), Project(id="q", name="Work"), Project(id="r", name="Home")]


def fetch(store: object, seconds: float = 20) -> tuple[Fetched, list[str]]:
    return fetch_corpus(Adapter("shop", store), Deadline(seconds))


def tasks_of(project_id: str) -> list[Task]:
    return [Task(id=f"{project_id}{number}", title=f"{project_id} {number}") for number in (1, 2)]


def failing_for(which: str, error: Exception) -> Callable[[str], list[Task]]:
    def list_tasks(project_id: str) -> list[Task]:
        if project_id == which:
            raise error
        return tasks_of(project_id)

    return list_tasks


def test_the_corpus_is_in_project_order_then_in_the_stores(make_store: MakeStore) -> None:
    first_may_end = threading.Event()

    def list_tasks(project_id: str) -> list[Task]:
        if project_id == "p":
            first_may_end.wait(20)  # the others are there before the first
        if project_id == "r":
            first_may_end.set()
        return tasks_of(project_id)[::-1]

    fetched, warnings = fetch(make_store(projects=PROJECTS, list_tasks_in_project=list_tasks))
    assert [task.id for task in fetched.tasks] == ["p2", "p1", "q2", "q1", "r2", "r1"]
    assert warnings == []


def test_a_task_is_given_the_project_it_was_listed_in_and_its_name(make_store: MakeStore) -> None:
    fetched, _ = fetch(make_store(projects=PROJECTS, list_tasks_in_project=tasks_of))
    assert {(task.project_id, task.project_name) for task in fetched.tasks} == {
        ("p", "Errands"),
        ("q", "Work"),
        ("r", "Home"),
    }
    assert list(fetched.projects) == PROJECTS


def test_no_more_projects_are_fetched_at_a_time_than_there_are_workers(make_store: MakeStore) -> None:
    lock, running, most = threading.Lock(), 0, 0
    all_busy = threading.Barrier(WORKERS)

    def list_tasks(project_id: str) -> list[Task]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        all_busy.wait(20)  # the count of projects is a multiple of the workers, so each round fills up
        with lock:
            running -= 1
        return []

    projects = [Project(id=str(number), name="") for number in range(WORKERS * 2)]
    fetch(make_store(projects=projects, list_tasks_in_project=list_tasks))
    assert most == WORKERS


BULK: dict[str, Callable[[Sequence[Task]], Any]] = {
    "a list": list,
    "a generator": lambda tasks: (task for task in tasks),
    "Fetched": lambda tasks: Fetched(tasks=list(tasks)),
    "Fetched with projects": lambda tasks: Fetched(tasks=list(tasks), projects=PROJECTS[:2]),
}


@pytest.mark.parametrize("form", BULK)
def test_bulk_and_project_by_project_give_the_same_corpus(make_store: MakeStore, form: str) -> None:
    walked, _ = fetch(make_store())
    store = make_store()
    store_tasks = store.tasks
    bulk = make_store(bulk_fetch=lambda: BULK[form](store_tasks))
    fetched, warnings = fetch(bulk)
    assert list(fetched.tasks) == list(walked.tasks)
    assert warnings == []
    assert "list_tasks_in_project" not in bulk.calls


def test_bulk_that_brings_names_or_projects_needs_no_listing(make_store: MakeStore) -> None:
    named = make_store(bulk_fetch=lambda: [Task(id="1", title="a", project_id="p", project_name="Errands")])
    with_projects = make_store(
        bulk_fetch=lambda: Fetched(tasks=[Task(id="1", title="a", project_id="p")], projects=PROJECTS)
    )
    for store in (named, with_projects):
        fetched, _ = fetch(store)
        assert fetched.tasks[0].project_name == "Errands"
        assert store.calls == []


def test_names_that_cannot_be_had_are_said_to_be_missing(make_store: MakeStore) -> None:
    store = make_store(bulk_fetch=lambda: [Task(id="1", title="a", project_id="p")])
    store.down = OSError("no listing")
    fetched, warnings = fetch(store)
    assert fetched.tasks[0].project_name == ""
    assert warnings == []
    assert fetched.failed == [
        FailedProject(id="", name="project names", error="shop: list_projects failed: OSError: no listing")
    ]


def test_of_duplicate_ids_the_first_stays_with_one_warning(make_store: MakeStore) -> None:
    tasks = [Task(id=name, title=f"{name} {number}") for number in range(2) for name in ("a", "b", "c", "d")]
    fetched, warnings = fetch(make_store(bulk_fetch=lambda: tasks))
    assert [task.title for task in fetched.tasks] == ["a 0", "b 0", "c 0", "d 0"]
    assert warnings == ["4 duplicate task ids, the first of each is kept: a, b, c, ..."]


def test_an_integer_id_and_its_decimal_string_are_duplicates(make_store: MakeStore) -> None:
    tasks = [Task(id=7, title="number"), Task(id="7", title="text")]  # type: ignore[arg-type]
    fetched, warnings = fetch(make_store(bulk_fetch=lambda: tasks))
    assert [task.title for task in fetched.tasks] == ["number"]
    assert len(warnings) == 1


def test_one_project_that_fails_is_named_and_the_others_stay(make_store: MakeStore) -> None:
    store = make_store(projects=PROJECTS, list_tasks_in_project=failing_for("q", OSError("no answer")))
    fetched, _ = fetch(store)
    assert [task.id for task in fetched.tasks] == ["p1", "p2", "r1", "r2"]
    assert list(fetched.failed) == [
        FailedProject(id="q", name="Work", error="shop: list_tasks_in_project failed: OSError: no answer")
    ]


def test_a_rate_limit_says_when_to_come_back(make_store: MakeStore) -> None:
    limited = RateLimitedError("rate limited", retry_after=2.0)
    fetched, _ = fetch(make_store(projects=PROJECTS, list_tasks_in_project=failing_for("q", limited)))
    assert list(fetched.failed) == [FailedProject(id="q", name="Work", error="rate limited", retry_after=2.0)]


def test_bulk_may_name_projects_that_failed(make_store: MakeStore) -> None:
    failed = FailedProject(id="inbox", name="Inbox", error="HTTP 500")
    fetched, _ = fetch(make_store(bulk_fetch=lambda: Fetched(tasks=[], failed=[failed])))
    assert list(fetched.failed) == [failed]


def test_all_projects_failing_is_a_failed_fetch(make_store: MakeStore) -> None:
    def fail() -> None:
        raise OSError("no answer")

    with pytest.raises(StoreError, match="shop: list_tasks_in_project failed: OSError: no answer"):
        fetch(make_store(list_tasks_in_project=fail))


def test_no_projects_are_an_empty_corpus(make_store: MakeStore) -> None:
    fetched, warnings = fetch(make_store(tasks=[], projects=[]))
    assert (list(fetched.tasks), list(fetched.failed), warnings) == ([], [], [])


def test_a_login_that_is_missing_passes_through_even_for_one_project(make_store: MakeStore) -> None:
    expired = LoginRequiredError("login expired", hint="run: ats auth login")
    with pytest.raises(LoginRequiredError) as caught:
        fetch(make_store(projects=PROJECTS, list_tasks_in_project=failing_for("q", expired)))
    assert caught.value is expired
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("error", [ConfigError("OLD_URL is wrong", hint="set OLD_URL"), LoginRequiredError("log in")])
def test_the_adapters_own_words_are_kept_with_their_hint_and_exit_code(make_store: MakeStore, error: Any) -> None:
    def fail() -> None:
        raise error

    for store in (make_store(bulk_fetch=fail), make_store(list_projects=fail)):
        with pytest.raises(type(error)) as caught:
            fetch(store)
        assert caught.value is error


def test_a_foreign_exception_of_bulk_is_a_store_error(make_store: MakeStore) -> None:
    def fail() -> None:
        raise ValueError("odd answer \udcff")

    with pytest.raises(StoreError) as caught:
        fetch(make_store(bulk_fetch=fail))
    assert caught.value.message == "shop: bulk_fetch failed: ValueError: odd answer \ufffd"


def test_a_contract_violation_names_hook_and_type(make_store: MakeStore) -> None:
    with pytest.raises(ContractError, match="shop: bulk_fetch broke its contract: a sequence was expected, not int"):
        fetch(make_store(bulk_fetch=lambda: 3))


@pytest.mark.parametrize("hook", ["bulk_fetch", "list_projects"])
def test_a_store_that_does_not_answer_is_given_up_on(make_store: MakeStore, hook: str) -> None:
    release = threading.Event()
    store = make_store(**{hook: lambda: release.wait(20) and []})
    with pytest.raises(StoreTimeoutError, match=rf"shop: {hook} timed out after \d+ ms") as caught:
        fetch(store, 0.05)
    assert "ATS_FETCH_TIMEOUT_MS" in (caught.value.hint or "")
    release.set()


def test_a_project_that_does_not_answer_is_named_and_the_others_stay(make_store: MakeStore) -> None:
    release = threading.Event()

    def list_tasks(project_id: str) -> list[Task]:
        if project_id == "q":
            release.wait(20)
        return tasks_of(project_id)

    fetched, _ = fetch(make_store(projects=PROJECTS, list_tasks_in_project=list_tasks), 0.5)
    release.set()
    assert [task.id for task in fetched.tasks] == ["p1", "p2", "r1", "r2"]
    (failed,) = fetched.failed
    assert failed.name == "Work"
    assert failed.error.startswith("timed out")


def test_the_deadline_is_handed_to_bulk(make_store: MakeStore) -> None:
    seen: list[Deadline] = []

    def bulk(deadline: Deadline) -> list[Task]:
        seen.append(deadline)
        return []

    fetch(make_store(bulk_fetch=bulk))
    assert 0 < seen[0].remaining() <= 20


def test_only_some_projects_can_be_fetched(make_store: MakeStore) -> None:
    store = make_store(projects=PROJECTS, list_tasks_in_project=failing_for("q", OSError("no")))
    tasks, failed = fetch_projects(Adapter("shop", store), PROJECTS[1:], Deadline(20))
    assert [task.id for task in tasks] == ["r1", "r2"]
    assert [project.id for project in failed] == ["q"]
    assert fetch_projects(Adapter("shop", store), [], Deadline(20)) == ([], [])


def test_completed_tasks_come_after_the_others_marked_done_and_named(make_store: MakeStore) -> None:
    asked: list[str] = []

    def list_completed(since: str) -> list[Task]:
        asked.append(since)
        return [
            Task(id="t1", title="known already", project_id="p"),
            Task(id="c1", title="done long ago", project_id="q"),
            Task(id="c1", title="twice", project_id="q"),
        ]

    fetched, warnings = fetch_with_completed(
        Adapter("shop", make_store(list_completed_tasks=list_completed)), Deadline(20)
    )
    assert [task.id for task in fetched.tasks][-1] == "c1"
    assert len(fetched.tasks) == 6
    assert (fetched.tasks[-1].status, fetched.tasks[-1].project_name) == ("done", "Work")
    assert fetched.tasks[0].title == "Renew passport"
    assert len(asked) == 1
    assert asked[0].endswith("Z")
    assert warnings == []


def test_completed_tasks_that_cannot_be_had_are_said_to_be_missing(make_store: MakeStore) -> None:
    def fail() -> None:
        raise OSError("not today")

    fetched, warnings = fetch_with_completed(Adapter("shop", make_store(list_completed_tasks=fail)), Deadline(20))
    assert len(fetched.tasks) == 5
    assert warnings == []
    assert fetched.failed == [
        FailedProject(id="", name="completed tasks", error="shop: list_completed_tasks failed: OSError: not today")
    ]


def test_what_the_adapter_wants_to_say_about_completed_tasks_is_among_the_warnings_of_the_same_fetch(
    make_store: MakeStore,
) -> None:
    said: list[str] = []

    def list_completed(since: str, deadline: Deadline) -> list[Task]:
        said.append("some are missing")
        return []

    store = make_store(projects=PROJECTS[:1], list_tasks_in_project=tasks_of, list_completed_tasks=list_completed)
    store.take_warnings = lambda: [said.pop()] if said else []
    _, warnings = fetch_with_completed(Adapter("shop", store), Deadline(20))
    assert warnings == ["some are missing"]


def test_what_the_adapter_wants_to_say_about_the_fetch_is_among_the_warnings(make_store: MakeStore) -> None:
    store = make_store()
    store.take_warnings = lambda: ["2 lines skipped"]
    assert fetch(store)[1] == ["2 lines skipped"]
