"""What comes in from an adapter: checked for type, cleaned once, foreign exceptions translated in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from ats_core import (
    Branch,
    Candidate,
    ContractError,
    Deadline,
    FailedProject,
    Fetched,
    Project,
    ReadOnlyAdapterError,
    Standing,
    StoreError,
    Task,
    TaskDraft,
    TaskPatch,
)
from ats_core.plugins.adapter import Adapter
from ats_core.plugins.boundary import as_candidate, as_fetched, as_project, as_task

MakeStore = Callable[..., Any]


def test_an_integer_id_becomes_its_decimal_string() -> None:
    task = as_task(Task(id=42, title="a", project_id=7))  # type: ignore[arg-type]
    assert (task.id, task.project_id) == ("42", "7")
    assert as_project(Project(id=7, name="P")).id == "7"  # type: ignore[arg-type]
    assert as_candidate(Candidate(id=42)).id == "42"  # type: ignore[arg-type]


def test_none_becomes_the_empty_value_of_its_field() -> None:
    empty: Any = None
    task = as_task(
        Task(id="1", title=empty, content=empty, project_id=empty, project_name=empty, tags=empty, status=empty)
    )
    assert task == Task(id="1", title="")
    assert as_project(Project(id="1", name=empty)).name == ""


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    bad, good = "plan \ud83d", "plan \ufffd"
    task = as_task(
        Task(id=bad, title=bad, content=bad, project_id=bad, project_name=bad, tags=(bad,), due_date=bad, raw={"a": 1})
    )
    assert task == Task(
        id=good,
        title=good,
        content=good,
        project_id=good,
        project_name=good,
        tags=(good,),
        due_date=good,
        raw={"a": 1},
    )
    assert as_project(Project(id=bad, name=bad)) == Project(id=good, name=good)
    failed = as_fetched(Fetched(tasks=[], failed=[FailedProject(id=bad, name=bad, error=bad)])).failed
    assert list(failed) == [FailedProject(id=good, name=good, error=good)]


def test_a_number_where_text_belongs_is_written_out() -> None:
    task = as_task(Task(id="1", title=2024, tags=(1, None)))  # type: ignore[arg-type]
    assert (task.title, task.tags) == ("2024", ("1", ""))


def test_an_unknown_status_is_open() -> None:
    assert as_task(Task(id="1", title="a", status="someday")).status == "open"


def test_a_raw_record_that_is_no_mapping_is_dropped() -> None:
    assert as_task(Task(id="1", title="a", raw=["x"])).raw == {}  # type: ignore[arg-type]


def test_the_id_of_a_failed_project_becomes_a_string() -> None:
    fetched = as_fetched(Fetched(tasks=[], failed=[FailedProject(id=5, retry_after=2.5)]))  # type: ignore[arg-type]
    assert list(fetched.failed) == [FailedProject(id="5", retry_after=2.5)]


def test_a_plain_task_stands_for_a_candidate_that_carries_it() -> None:
    assert as_candidate(Task(id="1", title="a")) == Candidate(id="1", task=Task(id="1", title="a"))


def test_an_inner_standing_may_be_a_pair() -> None:
    given = {"dense": (1, 0.5), "sparse": Standing(rank=2)}
    assert as_candidate(Candidate(id="1", within=given)).within == {
        "dense": Standing(rank=1, score=0.5),
        "sparse": Standing(rank=2),
    }


@pytest.mark.parametrize(
    "value",
    [
        "t1",
        {"id": "t1"},
        Candidate(id=None),  # type: ignore[arg-type]
        Candidate(id="1", score="high"),  # type: ignore[arg-type]
        Candidate(id="1", within={"dense": 3}),  # type: ignore[dict-item]
        Candidate(id="1", within={"dense": (1, 2, 3)}),  # type: ignore[dict-item]
        Candidate(id="1", task="t"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_candidate_is_refused(value: object) -> None:
    with pytest.raises(ContractError):
        as_candidate(value)


CALLS: dict[str, Callable[[Adapter], object]] = {
    "list_projects": lambda adapter: adapter.list_projects(),
    "list_tasks_in_project": lambda adapter: adapter.list_tasks_in_project("p"),
    "get_task": lambda adapter: adapter.get_task("p", "t1"),
    "url_for": lambda adapter: adapter.url_for("p", "t1"),
    "create_task": lambda adapter: adapter.create_task(TaskDraft(title="a")),
    "update_task": lambda adapter: adapter.update_task("p", "t1", TaskPatch()),
    "bulk_fetch": lambda adapter: adapter.bulk_fetch(Deadline(1)),
    "list_completed_tasks": lambda adapter: adapter.list_completed_tasks("2026-01-01T00:00:00Z", Deadline(1)),
    "revision": lambda adapter: adapter.revision(),
    "cache_scope": lambda adapter: adapter.cache_scope(),
    "auth_status": lambda adapter: adapter.auth_status(),
    "settings": lambda adapter: adapter.settings(),
    "branches": lambda adapter: adapter.branches(),
}


@pytest.mark.parametrize("hook", CALLS)
def test_a_wrong_type_is_a_contract_error_that_names_adapter_and_hook(make_store: MakeStore, hook: str) -> None:
    wrong = {"settings": 5, "branches": 5}.get(hook, object())
    adapter = Adapter("shop", make_store(**{hook: lambda: wrong}))
    with pytest.raises(ContractError) as caught:
        CALLS[hook](adapter)
    assert caught.value.message.startswith(f"shop: {hook} broke its contract: ")
    assert type(wrong).__name__ in caught.value.message


@pytest.mark.parametrize(
    ("hook", "wrong"),
    [
        ("list_projects", "projects"),
        ("list_projects", {"p": "P"}),
        ("list_projects", [{"id": "p"}]),
        ("list_projects", [Project(id=1.5, name="P")]),  # type: ignore[arg-type]
        ("list_tasks_in_project", None),
        ("list_tasks_in_project", [Task(id=None, title="a")]),  # type: ignore[arg-type]
        ("list_tasks_in_project", [Task(id=True, title="a")]),
        ("list_tasks_in_project", [Task(id="1", title="a", tags=5)]),  # type: ignore[arg-type]
        ("list_tasks_in_project", [Task(id="1", title="a", tags="work")]),  # type: ignore[arg-type]
        ("bulk_fetch", Fetched(tasks=[Project(id="p", name="P")])),  # type: ignore[list-item]
        ("bulk_fetch", Fetched(tasks=[], failed=["p"])),  # type: ignore[list-item]
        ("bulk_fetch", Fetched(tasks=[], failed=None)),  # type: ignore[arg-type]
        ("bulk_fetch", Fetched(tasks=[], failed=[FailedProject(id="p", retry_after="soon")])),  # type: ignore[arg-type]
        ("bulk_fetch", Fetched(tasks=[], projects=["p"])),  # type: ignore[list-item]
        ("create_task", None),
        ("url_for", None),
        ("url_for", b"x"),
        ("branches", [("name", print)]),
        ("branches", [Branch("name", None)]),  # type: ignore[arg-type]
        ("branches", [Branch(["name"], print)]),  # type: ignore[arg-type]
        ("settings", [("key", "env")]),
        ("auth_status", True),
    ],
)
def test_more_wrong_types(make_store: MakeStore, hook: str, wrong: object) -> None:
    with pytest.raises(ContractError, match=f"shop: {hook} broke its contract"):
        CALLS[hook](Adapter("shop", make_store(**{hook: lambda: wrong})))


@pytest.mark.parametrize("hook", CALLS)
def test_a_foreign_exception_becomes_a_store_error_with_its_cause(make_store: MakeStore, hook: str) -> None:
    def fail() -> None:
        raise OSError("the plug is out\nand more")

    adapter = Adapter("shop", make_store(**{hook: fail}))
    with pytest.raises(StoreError) as caught:
        CALLS[hook](adapter)
    assert caught.value.message == f"shop: {hook} failed: OSError: the plug is out"
    assert isinstance(caught.value.__cause__, OSError)


def test_a_generator_is_read_inside_the_boundary(make_store: MakeStore) -> None:
    def good() -> Iterator[Project]:
        yield Project(id="p", name="P")

    def bad() -> Iterator[Project]:
        yield Project(id="p", name="P")
        raise KeyError("half way")

    assert Adapter("shop", make_store(list_projects=good)).list_projects() == [Project(id="p", name="P")]
    with pytest.raises(StoreError, match="shop: list_projects failed: KeyError: 'half way'"):
        Adapter("shop", make_store(list_projects=bad)).list_projects()


def test_an_error_of_ours_passes_through_as_it_is(make_store: MakeStore) -> None:
    ours = StoreError("the shop is closed", hint="come back at nine")

    def fail() -> None:
        raise ours

    with pytest.raises(StoreError) as caught:
        Adapter("shop", make_store(get_task=fail)).get_task("p", "t1")
    assert caught.value is ours


def test_an_unknown_task_is_none(make_store: MakeStore) -> None:
    assert Adapter("shop", make_store()).get_task("p", "nope") is None


@pytest.mark.parametrize("hook", ["create_task", "update_task"])
def test_without_writes_an_adapter_is_read_only(make_store: MakeStore, hook: str) -> None:
    with pytest.raises(ReadOnlyAdapterError, match=f"shop is read-only: it does not implement {hook}"):
        CALLS[hook](Adapter("shop", make_store()))


def test_what_the_adapter_wants_people_to_know_is_taken_once_and_cleaned(make_store: MakeStore) -> None:
    store = make_store()
    said = ["one line skipped \udcff"]
    store.take_warnings = lambda: [said.pop()] if said else []
    adapter = Adapter("shop", store)
    assert adapter.take_warnings() == ["one line skipped \ufffd"]
    assert adapter.take_warnings() == []


def test_warnings_that_cannot_be_taken_are_a_warning(make_store: MakeStore) -> None:
    store = make_store()
    store.take_warnings = lambda: 1 / 0
    (warning,) = Adapter("shop", store).take_warnings()
    assert warning.startswith("shop: take_warnings failed: ZeroDivisionError")


def test_a_patch_tells_unset_from_none() -> None:
    assert TaskPatch().content is msgspec.UNSET
    assert TaskPatch(content=None).content is None


@pytest.mark.parametrize("standing", [("1", "0.5"), Standing(rank="1", score="0.5"), (1.0, 0.5)])  # type: ignore[arg-type]
def test_an_inner_standing_is_made_of_numbers_in_either_form(standing: Any) -> None:
    assert as_candidate(Candidate(id="a", within={"dense": standing})).within == {"dense": Standing(rank=1, score=0.5)}


@pytest.mark.parametrize("standing", [("first", 0.5), Standing(rank=1, score="high")])  # type: ignore[arg-type]
def test_an_inner_standing_that_is_no_number_is_refused(standing: Any) -> None:
    with pytest.raises(ContractError, match="a number was expected, not str"):
        as_candidate(Candidate(id="a", within={"dense": standing}))


@pytest.mark.parametrize("rank", [float("nan"), float("inf")])
def test_an_inner_rank_that_is_not_finite_is_refused(rank: Any) -> None:
    with pytest.raises(ContractError, match="a rank was expected"):
        as_candidate(Candidate(id="a", within={"dense": (rank, 0.5)}))


def test_a_hook_that_raises_system_exit_has_failed_and_ends_nothing(make_store: MakeStore) -> None:
    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(StoreError, match="shop: get_task failed: SystemExit: 3"):
        Adapter("shop", make_store(get_task=leave)).get_task("p", "t")
