"""Filters: each alone, together, and before every cut."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from ats_core import Branch, Candidate, Engine, FindResult, NotFoundError, Project, Task, UsageError

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]
Report = Callable[[FindResult, str], Any]

NOW = datetime.now().astimezone()


def ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def day(days: int) -> str:
    return (NOW.date() + timedelta(days=days)).isoformat()


PROJECTS = (
    Project(id="p1", name="🏠 Home"),
    Project(id="p2", name="Work"),
    Project(id="p3", name="Work / Archive"),
    Project(id="p4", name="Café plans"),
    Project(id="p5", name="Reading"),
    Project(id="p6", name="reading"),
    Project(id="Work", name="An id that is a name"),
    Project(id="p7", name="Empty"),
)
TASKS = (
    Task(id="a", title="word a", project_id="p1", tags=("Errands", "ai_work"), due_date=day(3), modified_time=ago(1)),
    Task(id="b", title="word b", project_id="p1", tags=("#AI_Work",), due_date=ago(-3), modified_time=ago(10)),
    Task(id="c", title="word c", project_id="p2", tags=("Café",), due_date=day(-2), modified_time=ago(30)),
    Task(id="d", title="word d", project_id="p3", due_date=day(0), status="done", modified_time=ago(2)),
    Task(id="e", title="word e", project_id="p4", due_date="someday", modified_time="nonsense"),
    Task(id="f", title="word f", project_id="p5"),
)


@pytest.fixture
def engine(make_store: MakeStore, open_engine: OpenEngine) -> Engine:
    return open_engine(make_store(TASKS, PROJECTS))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "abcef"),
        ({"project": "p1"}, "ab"),
        ({"project": "🏠 Home"}, "ab"),
        ({"project": "home"}, "ab"),
        ({"project": "HO"}, "ab"),
        ({"project": "📁 Home"}, "ab"),
        ({"project": "p2"}, "c"),
        ({"project": "cafe"}, "e"),
        ({"project": "  Café plans "}, "e"),
        ({"project": "p7"}, ""),
        ({"tags": ["ai_work"]}, "ab"),
        ({"tags": ["AI_Work"]}, "ab"),
        ({"tags": ["#ai_WORK "]}, "ab"),
        ({"tags": ["errands"]}, "a"),
        ({"tags": ["errands", "ai_work"]}, "a"),
        ({"tags": ["errands", "cafe"]}, ""),
        ({"tags": ["cafe\u0301"]}, "c"),
        ({"tags": ["errand"]}, ""),
        ({"tags": ["ai"]}, ""),
        ({"status": "open"}, "abcef"),
        ({"status": "done"}, "d"),
        ({"status": "any"}, "abcdef"),
        ({"include_completed": True}, "abcdef"),
        ({"status": "done", "include_completed": True}, "d"),
        ({"due_before": "today"}, "c"),
        ({"due_before": "today", "status": "any"}, "c"),
        ({"due_before": "tomorrow", "status": "any"}, "cd"),
        ({"due_after": "today"}, "ab"),
        ({"due_after": "today", "status": "any"}, "abd"),
        ({"due_before": "7d"}, "abc"),
        ({"due_after": "7d"}, ""),
        ({"due_after": "-7d"}, "abc"),
        ({"due_after": "yesterday", "due_before": "1w"}, "ab"),
        ({"due_before": "9999-12-31"}, "abc"),
        ({"modified_after": "7d"}, "a"),
        ({"modified_after": "2w"}, "ab"),
        ({"modified_after": "2w", "status": "any"}, "abd"),
        ({"modified_after": ago(20)}, "ab"),
        ({"modified_after": "1900-01-01"}, "abc"),
        ({"project": "home", "tags": ["ai_work"], "due_before": "7d", "modified_after": "5d"}, "a"),
        ({"project": "p3", "status": "done", "due_before": "tomorrow", "due_after": "today"}, "d"),
        ({"project": "p3"}, ""),
    ],
)  # fmt: skip
def test_a_filter_leaves_what_it_says(engine: Engine, ids: Ids, options: dict[str, Any], expected: str) -> None:
    for find in (engine.find, engine.sparse, engine.keyword, engine.hybrid, engine.notes_find):
        result = find("word", limit=20, **options)
        assert "".join(sorted(ids(result))) == expected, find
        assert not result.degraded
        assert result.confidence.verdict == "none" if not expected else result.hits


@pytest.mark.parametrize("fusion", ["rrf", "score"])
def test_a_scope_of_two_among_a_thousand_is_filled(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, fusion: str
) -> None:
    many = [Task(id=f"n{at}", title="passport renewal", content="passport " * 5, project_id="p1") for at in range(1000)]
    few = [
        Task(id=f"w{at}", title=f"long note {at}", content="words " * 99 + "passport", project_id="p2") for at in (1, 2)
    ]
    engine = open_engine(make_embedding_store([*many[:500], *few, *many[500:]], PROJECTS), fusion=fusion)
    assert not set(ids(engine.find("passport renewal"))) & {"w1", "w2"}
    result = engine.find("passport renewal", project="p2")
    assert sorted(ids(result)) == ["w1", "w2"]
    assert report(result, "hybrid").count == 2
    for find in (engine.hybrid, engine.sparse, engine.semantic):
        assert sorted(ids(find("passport renewal", project="p2"))) == ["w1", "w2"]
    assert sorted(ids(engine.keyword("passport", project="p2"))) == ["w1", "w2"]
    assert sorted(ids(engine.notes_find("long note", project="p2"))) == ["w1", "w2"]


def test_rarity_is_that_of_the_whole_corpus(make_store: MakeStore, open_engine: OpenEngine) -> None:
    tasks = [Task(id=f"t{at}", title=f"word {at % 7} {at}", project_id=f"p{1 + at % 2}") for at in range(40)]
    engine = open_engine(make_store(tasks, PROJECTS))

    def scores(**filters: Any) -> dict[str, float]:
        return {hit.task.id: hit.score for hit in engine.sparse("word 3", limit=40, **filters).hits}

    whole, part = scores(), scores(project="p2")
    assert len(part) == 20
    assert part.items() < whole.items()


def test_what_others_answer_is_filtered_afterwards_and_counted(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report
) -> None:
    strangers = [
        Task(id="x", title="far", project_id="p1", tags=("AI_WORK",), due_date=day(3), modified_time=ago(1)),
        Task(id="y", title="far", project_id="p1", tags=("ai_work",), status="done"),
        Task(id="z", title="far", project_id="p2"),
    ]
    carried = [Candidate(id=task.id, task=task) for task in strangers]
    known = [Candidate(id=task.id) for task in TASKS]
    store = make_store(
        TASKS,
        PROJECTS,
        search_by_query=lambda: [*known, *carried, Candidate(id="nowhere"), Candidate(id="c")],
        branches=lambda: [Branch("mine", lambda *_: carried + known)],
    )
    engine = open_engine(store)

    def answered(**options: Any) -> tuple[str, int, int]:
        result = engine.find("far", limit=20, **options)
        return "".join(sorted(ids(result))), *(report(result, name).dropped for name in ("native", "mine"))

    assert answered() == ("abcefxz", 3, 2)
    assert answered(status="any") == ("abcdefxyz", 1, 0)
    assert answered(status="done") == ("dy", 8, 7)
    assert answered(project="home") == ("abx", 7, 6)
    assert answered(tags=["#ai_work"], status="any") == ("abxy", 6, 5)
    assert answered(due_after="today", due_before="5d") == ("abx", 7, 6)
    assert answered(modified_after="7d") == ("ax", 8, 7)
    assert answered(project="p7") == ("", 10, 9)


def test_a_backend_receives_the_scope_and_is_held_to_it(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report
) -> None:
    asked: list[object] = []

    class Backend:
        def search(self, query: str, limit: int, mode: str, scope: frozenset[str] | None, deadline: object) -> Any:
            asked.append(scope)
            return [Candidate(id=task.id) for task in TASKS]

    engine = open_engine(make_store(TASKS, PROJECTS, hybrid_backend=Backend))
    result = engine.find("papers", project="home")
    assert sorted(ids(result)) == ["a", "b"]
    assert report(result, "hybrid").dropped == 4
    engine.semantic("papers", tags=["errands"])
    engine.find("papers", status="any")
    assert asked == [frozenset("ab"), frozenset("a"), None]


# Projects


@pytest.mark.parametrize(
    ("reference", "listed"),
    [("reading", ["p5 (Reading)", "p6 (reading)"]), ("re", ["p5 (Reading)", "p6 (reading)"]), ("p", None)],
)
def test_a_project_that_several_fit_is_a_usage_error_that_lists_them(
    engine: Engine, reference: str, listed: Sequence[str] | None
) -> None:
    with pytest.raises((UsageError, NotFoundError)) as caught:
        engine.find("word", project=reference)
    if listed is None:
        assert isinstance(caught.value, NotFoundError)  # no id is told by its beginning, and no name begins with it
    else:
        assert isinstance(caught.value, UsageError)
        assert caught.value.exit_code == 2
        assert all(candidate in caught.value.message for candidate in listed)


def test_an_id_goes_before_a_name_and_a_name_before_the_beginning_of_one(engine: Engine, ids: Ids) -> None:
    assert ids(engine.find("word", project="Work")) == []  # the project of this id, not the one of this name
    assert ids(engine.find("word", project="work")) == ["c"]  # not ambiguous with "Work / Archive"
    assert ids(engine.find("word", project="work /", status="any")) == ["d"]


@pytest.mark.parametrize("reference", ["Nowhere", "", "  ", "🚀"])
def test_an_unknown_project_is_told_with_those_that_there_are(engine: Engine, reference: str) -> None:
    with pytest.raises(NotFoundError, match="no project") as caught:
        engine.find("word", project=reference)
    assert "Home" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"status": "closed"}, "status is 'closed', expected open, done, any"),
        ({"due_before": "soon"}, "due-before is 'soon', expected a date"),
        ({"due_after": "2026-02-30"}, "due-after is '2026-02-30', expected a date"),
        ({"modified_after": "7m"}, "modified-after is '7m', expected a date"),
    ],
)
def test_a_filter_that_cannot_be_read_is_a_usage_error(engine: Engine, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        engine.find("word", **options)
    assert caught.value.exit_code == 2


def test_a_filter_on_an_empty_corpus_leaves_nothing(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    engine = open_engine(make_store([], PROJECTS))
    assert ids(engine.find("word", project="home", tags=["x"], due_before="7d")) == []


def test_filters_that_leave_nothing_say_so(engine: Engine) -> None:
    found = engine.find("word", tags=["nope"])
    assert not found.hits
    assert found.warnings == ("the filters leave none of 6 tasks: status open, tag nope",)
    assert not engine.find("word", tags=["errands"]).warnings
