"""The lower-level calls, and finding one task by what a person would call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ats_core import (
    AllBranchesFailedError,
    Branch,
    Candidate,
    Engine,
    FindResult,
    NotFoundError,
    Project,
    StoreError,
    Task,
    UsageError,
)

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]

MODES = {
    "hybrid": ("hybrid", "hybrid"),
    "semantic": ("semantic", "dense"),
    "sparse": ("sparse", "sparse"),
    "keyword": ("keyword", "keyword"),
    "notes_find": ("notes_find", "notes_find"),
}


@pytest.mark.parametrize("call", MODES)
def test_each_call_is_one_branch_with_its_own_ranking_and_scores(
    make_embedding_store: MakeStore, open_engine: OpenEngine, call: str
) -> None:
    result = getattr(open_engine(make_embedding_store()), call)("renew passport", limit=3)
    mode, branch = MODES[call]
    assert (result.mode, result.fusion, result.limit) == (mode, "none", 3)
    assert [(report.name, report.status) for report in result.branches] == [(branch, "ok")]
    assert result.hits[0].task.id == "t1"
    assert [hit.sources for hit in result.hits] == [(branch,)] * len(result.hits)
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert [hit.explain[0].rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert all(hit.explain[0].score == hit.score for hit in result.hits)


def test_hybrid_without_vectors_is_sparse(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    engine = open_engine(make_store())
    result = engine.hybrid("passport")
    assert [branch.name for branch in result.branches] == ["sparse"]
    assert ids(result) == ids(engine.sparse("passport"))


def test_keyword_finds_parts_of_words_and_sparse_does_not(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    engine = open_engine(make_store())
    assert ids(engine.keyword("asspor")) == ["t1", "t4"]
    assert ids(engine.sparse("asspor")) == []
    assert engine.sparse("asspor").confidence.verdict == "none"


def test_a_call_whose_branch_fails_has_no_answer(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    def fail() -> None:
        raise ConnectionError("refused")

    with pytest.raises(
        AllBranchesFailedError, match=r"no branch answered: dense: .*ConnectionError: refused"
    ) as caught:
        open_engine(make_embedding_store(embeddings=fail)).semantic("passport")
    assert caught.value.exit_code == 4


def test_notes_find_ranks_titles_of_notes(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    tasks = [
        Task(id="1", title="Deploy", project_id="tasks"),
        Task(id="2", title="How we deploy on Fridays", project_id="notes"),
        Task(id="3", title="Deploy", project_id="notes"),
        Task(id="4", title="Deploy checklist", project_id="notes"),
        Task(id="5", title="Fridays: never deploy", content="deploy", project_id="notes"),
        Task(id="6", title="Other", content="deploy", project_id="notes"),
        Task(id="7", title="Deploy once more", project_id="notes", status="done"),
    ]
    projects = [Project(id="tasks", name="Tasks"), Project(id="notes", name="Notes", kind="NOTE")]
    engine = open_engine(make_store(tasks, projects))
    result = engine.notes_find("deploy")
    assert [(hit.task.id, hit.score) for hit in result.hits] == [("3", 100), ("4", 60), ("2", 30), ("5", 30)]
    assert ids(engine.notes_find("fridays deploy")) == ["2", "5"]


def test_notes_find_looks_everywhere_where_the_store_does_not_tell_notes_from_tasks(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    assert ids(open_engine(make_store()).notes_find("passport photos")) == ["t4"]


def test_notes_find_is_the_adapters_own_where_it_has_one(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    own = Branch("notes_find", lambda *_: [Candidate(id="t3")])
    assert ids(open_engine(make_store(branches=lambda: [own])).notes_find("passport photos")) == ["t3"]


def test_done_tasks_are_left_out_of_every_call(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    engine = open_engine(make_embedding_store())
    for call in MODES:
        assert "t5" not in ids(getattr(engine, call)("old visa form", limit=20))
        assert "t5" in ids(getattr(engine, call)("old visa form", limit=20, include_completed=True))


@pytest.mark.parametrize("call", [*MODES, "similar"])
def test_a_blank_query_is_a_usage_error_everywhere(
    make_embedding_store: MakeStore, open_engine: OpenEngine, call: str
) -> None:
    with pytest.raises(UsageError):
        getattr(open_engine(make_embedding_store()), call)(" ")


# One task


@pytest.fixture
def engine(make_store: MakeStore, open_engine: OpenEngine) -> Engine:
    tasks = [
        Task(id="abc123", title="Renew passport", project_id="p"),
        Task(id="abd999", title="Café visit", project_id="p"),
        Task(id="x1", title="Twice", project_id="p"),
        Task(id="x2", title="twice ", project_id="q"),
        Task(id="abc", title="Short id", project_id="q", status="done"),
    ]
    return open_engine(make_store(tasks))


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("abc123", "abc123"),
        ("abc", "abc"),
        ("abc1", "abc123"),
        ("abd", "abd999"),
        ("renew PASSPORT", "abc123"),
        (" Cafe\u0301 visit ", "abd999"),
        ("cafe visit", "abd999"),
        ("short id", "abc"),
    ],
)
def test_get_takes_an_id_the_beginning_of_one_or_a_title(engine: Engine, reference: str, found: str) -> None:
    assert engine.get(reference).id == found


@pytest.mark.parametrize(
    ("reference", "listed"),
    [
        ("ab", "'ab' fits 3 tasks: abc (Short id); abc123 (Renew passport); abd999 (Café visit)"),
        ("Twice", "'Twice' fits 2 tasks: x1 (Twice); x2 (twice )"),
        ("x", "'x' fits 2 tasks: x1 (Twice); x2 (twice )"),
    ],
)
def test_what_fits_several_tasks_lists_them(engine: Engine, reference: str, listed: str) -> None:
    with pytest.raises(UsageError) as caught:
        engine.get(reference)
    assert caught.value.message == listed
    assert caught.value.hint == "give a whole id"


def test_a_long_list_of_what_fits_is_cut(make_store: MakeStore, open_engine: OpenEngine) -> None:
    tasks = [Task(id=f"t{number:02}", title="same", project_id="p") for number in range(14)]
    with pytest.raises(UsageError, match=r"fits 14 tasks: .*t09 \(same\); and 4 more$"):
        open_engine(make_store(tasks)).get("same")


def test_an_unknown_reference_tells_the_three_nearest_titles(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    engine = open_engine(make_embedding_store())
    for call in (engine.get, engine.similar):
        with pytest.raises(NotFoundError) as caught:
            call("Pasport fotos")
        assert caught.value.nearest[0] == "Passport photos"
        assert len(caught.value.nearest) == 3
        assert caught.value.hint == f"nearest titles: {'; '.join(caught.value.nearest)}"
        assert caught.value.exit_code == 1


def test_in_an_empty_corpus_nothing_is_near(make_store: MakeStore, open_engine: OpenEngine) -> None:
    with pytest.raises(NotFoundError) as caught:
        open_engine(make_store([])).get("anything")
    assert (caught.value.nearest, caught.value.hint) == ((), "the corpus is empty")


def test_a_blank_reference_is_a_usage_error(engine: Engine) -> None:
    with pytest.raises(UsageError):
        engine.get(" ")


def test_an_ambiguous_seed_of_similar_lists_what_fits(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    with pytest.raises(UsageError, match="'t' fits 5 tasks"):
        open_engine(make_embedding_store()).similar("t")


def test_the_address_of_a_task(make_store: MakeStore, open_engine: OpenEngine) -> None:
    engine = open_engine(make_store())
    assert engine.url(engine.get("t1")) == "test://p/t1"
    broken = open_engine(make_store(url_for=lambda: 1 / 0))
    assert broken.url(broken.get("t1")) is None


# Projects


def test_projects_and_their_tasks_are_read_from_the_store(make_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_store()
    engine = open_engine(store)
    assert [project.name for project in engine.projects()] == ["Errands", "Work"]
    for reference in ("q", "work", " WORK ", "wo"):
        assert [task.id for task in engine.tasks(reference)] == ["t3", "t4", "t5"]
    store.tasks.append(Task(id="t6", title="new", project_id="q"))
    assert engine.tasks("q")[-1].id == "t6"


def test_a_project_that_is_unknown_or_not_the_only_one_is_told(make_store: MakeStore, open_engine: OpenEngine) -> None:
    projects = [Project(id="1", name="Work"), Project(id="2", name="Workshop"), Project(id="3", name="WORK")]
    engine = open_engine(make_store(projects=projects))
    with pytest.raises(NotFoundError, match="no project 'Home'") as caught:
        engine.tasks("Home")
    assert caught.value.hint == "projects: Work, Workshop, WORK"
    with pytest.raises(UsageError, match=r"'work' fits 2 projects: 1 \(Work\); 3 \(WORK\)"):
        engine.tasks("work")
    with pytest.raises(NotFoundError):
        engine.tasks(" ")
    assert engine.tasks("works") == []


def test_a_store_that_is_down_says_so(make_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_store()
    store.down = OSError("no network")
    with pytest.raises(StoreError, match="test: list_projects failed: OSError: no network"):
        open_engine(store).projects()


def test_the_corpus_is_given_as_it_is_searched_and_leaves_no_line_in_the_log(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    done = Task(id="c1", title="Old", project_id="p")
    engine = open_engine(make_store(list_completed_tasks=lambda since: [done]))
    assert engine.corpus().opened.corpus.get("c1") is None
    assert engine.corpus().report.size == len(engine.corpus().opened.corpus)
    completed = engine.corpus(include_completed=True).opened.corpus.get("c1")
    assert completed is not None
    assert completed.status == "done"
    assert not engine.settings.usage_log.exists()
