"""`why`: the story of one task and one query, in numbers that agree with `find`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from ats_core import Branch, Candidate, Engine, Task, UsageError
from ats_core.testing import make_engine

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
LogLines = Callable[[], list[dict[str, Any]]]

MANY = [Task(id=f"t{at:02}", title=f"passport number {at}", project_id="p") for at in range(40)]
NEAR_MISS = Task(id="note", title="drawer", content="the old passport lies here, and much else " * 5, project_id="p")
STRANGER = Task(id="milk", title="Buy milk", project_id="p")
TASKS = [*MANY, NEAR_MISS, STRANGER]


@pytest.fixture(params=["rrf", "score"])
def fusion(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_hit_is_explained_in_the_numbers_of_find(
    make_embedding_store: MakeStore, open_engine: OpenEngine, fusion: str
) -> None:
    engine = open_engine(make_embedding_store(search_by_query=lambda: [Candidate(id="t3", score=4.0)]), fusion=fusion)
    result = engine.find("renew passport")
    for place, hit in enumerate(result.hits, 1):
        story = engine.why("renew passport", hit.task.id)
        assert (story.outcome, story.place, story.score, story.task) == ("shown", place, hit.score, hit.task)
        assert story.fused == len(engine.find("renew passport", limit=20).hits)
        assert (story.query, story.reference, story.limit) == ("renew passport", hit.task.id, 5)
        assert [branch.name for branch in story.branches] == ["hybrid", "keyword", "native"]
        ranks = {part.source: part.rank for part in hit.explain}
        for branch in story.branches:
            assert branch.rank == ranks.get(branch.name)
            assert branch.voted == (branch.rank is not None)
            assert (branch.status, branch.cut) == ("ok", 20)
    assert {branch.name: branch.score for branch in engine.why("renew passport", "t3").branches}["native"] == 4.0


@pytest.mark.parametrize("candidates", [3, 5])
def test_ranks_are_those_of_the_search_and_beyond_the_cut_for_what_it_did_not_see(
    make_embedding_store: MakeStore, open_engine: OpenEngine, fusion: str, candidates: int
) -> None:
    tasks = [Task(id=f"t{at:02}", title=f"word {'ab' * at}{'z' * (at * 7 % 11)}", project_id="p") for at in range(20)]
    engine = open_engine(make_embedding_store(tasks), fusion=fusion)
    shown = {hit.task.id: hit for hit in engine.find("word zab", limit=3, candidates=candidates).hits}
    ranks = []
    for task in tasks:
        story = engine.why("word zab", task.id, limit=3, candidates=candidates)
        assert (story.outcome == "shown") == (task.id in shown)
        hybrid = story.branches[0]
        assert hybrid.rank is not None
        assert hybrid.voted == (hybrid.rank <= candidates)
        ranks.append(hybrid.rank)
        if task.id in shown:
            assert story.score == shown[task.id].score
            assert shown[task.id].explain[0].rank in (hybrid.rank, None)
    assert sorted(ranks) == list(range(1, 21))


def test_a_near_miss_is_below_the_limit(make_store: MakeStore, open_engine: OpenEngine, fusion: str) -> None:
    engine = open_engine(make_store(MANY[:15]), fusion=fusion)
    story = engine.why("passport", "t09")
    assert (story.outcome, story.place, story.limit, story.fused) == ("below the limit", 10, 5, 15)
    assert [(branch.name, branch.rank, branch.voted) for branch in story.branches] == [
        ("sparse", 10, True),
        ("keyword", 10, True),
    ]
    assert engine.why("passport", "t09", limit=10).outcome == "shown"
    assert engine.find("passport", limit=10).hits[-1].task.id == "t09"


def test_a_task_that_no_branch_gave_is_told_where_each_cut_it_off(
    make_store: MakeStore, open_engine: OpenEngine, fusion: str
) -> None:
    engine = open_engine(make_store(TASKS), fusion=fusion)
    story = engine.why("passport", "note")
    assert (story.outcome, story.place, story.score, story.fused) == ("no candidate", None, None, 20)
    assert [(branch.name, branch.rank, branch.voted, branch.cut) for branch in story.branches] == [
        ("sparse", 41, False, 20),
        ("keyword", 41, False, 20),
    ]
    assert story.covered == 1.0
    more = engine.why("passport", "note", candidates=50)
    assert (more.outcome, more.place) == ("below the limit", 41)


def test_a_task_without_any_of_the_words_says_so(make_store: MakeStore, open_engine: OpenEngine) -> None:
    story = open_engine(make_store(TASKS)).why("passport zebra", "milk")
    assert (story.outcome, story.covered) == ("no candidate", 0.0)
    assert all(branch.rank is None and branch.score is None and not branch.voted for branch in story.branches)
    size = len(TASKS)
    idf = {tasks: math.log(1 + (size - tasks + 0.5) / (tasks + 0.5)) for tasks in (41, 0)}
    assert [(term.term, term.tasks, term.held) for term in story.terms] == [
        ("passport", 41, False),
        ("zebra", 0, False),
    ]
    assert [term.idf for term in story.terms] == [idf[41], idf[0]]
    half = open_engine(make_store(TASKS)).why("passport zebra", "note")
    assert [term.held for term in half.terms] == [True, False]
    assert half.covered == pytest.approx(idf[41] / (idf[41] + idf[0]), abs=1e-12)


def test_a_task_outside_of_the_filters_names_them_all(make_store: MakeStore, open_engine: OpenEngine) -> None:
    engine = open_engine(make_store())
    story = engine.why("passport", "t5")
    assert (story.outcome, story.filters, story.place) == ("filtered", ("status open",), None)
    story = engine.why("passport", "t1", project="work", tags=["Home"], due_before="7d", status="any")
    assert story.outcome == "filtered"
    assert story.filters == ("project Work", "tag Home", "due before 7d")
    assert story.covered == 1.0
    assert engine.why("passport", "t5", include_completed=True).outcome == "shown"


def test_an_id_that_is_not_in_the_corpus_gets_the_age_a_hint_and_the_nearest_titles(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    story = open_engine(make_store()).why("passport", "pasport photo")
    assert (story.outcome, story.task, story.branches, story.place) == ("not in the corpus", None, (), None)
    assert story.corpus.size == 5
    assert "--fresh" in (story.hint or "")
    assert "min old" in (story.hint or "")
    assert "nearest titles: Passport photos" in (story.hint or "")
    assert "nearest" not in (make_engine(make_store([])).why("passport", "t9").hint or "")


def test_a_hit_that_came_with_its_task_from_outside_of_the_corpus_is_a_hit(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    far = Task(id="far", title="An old passport", project_id="gone")
    engine = open_engine(make_store(search_by_query=lambda: [Candidate(id="far", task=far, score=2.0)]))
    places = [hit.task.id for hit in engine.find("passport").hits]
    story = engine.why("passport", "far")
    assert (story.outcome, story.place, story.task) == ("shown", places.index("far") + 1, far)
    assert [(branch.name, branch.rank) for branch in story.branches] == [
        ("sparse", None),
        ("keyword", None),
        ("native", 1),
    ]
    assert not any(term.held for term in story.terms)


def test_a_task_is_found_by_title_and_by_the_beginning_of_its_id(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    engine = open_engine(make_store(TASKS))
    for reference in ("note", "no", "DRAWER"):
        story = engine.why("passport", reference)
        assert story.task is not None
        assert (story.task.id, story.reference) == ("note", reference)
    with pytest.raises(UsageError, match="fits 40 tasks"):
        engine.why("passport", "t")
    with pytest.raises(UsageError, match="the query is blank"):
        engine.why(" ", "note")


def test_a_branch_that_fails_is_told_and_the_rest_explained(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("out of paper")

    def down(*_: object) -> Any:
        raise OSError("no server")

    store = make_embedding_store(branches=lambda: [Branch("mine", fail)])
    store.vector = down
    story = open_engine(store).why("passport", "t1")
    hybrid, keyword, mine = story.branches
    assert (story.outcome, keyword.status) == ("shown", "ok")
    assert (hybrid.status, hybrid.voted) == ("degraded", True)
    assert "no server" in (hybrid.error or "")
    assert (mine.status, mine.rank, mine.voted) == ("failed", None, False)
    assert "out of paper" in (mine.error or "")


def test_a_pinned_task_is_placed_where_find_places_it(
    make_store: MakeStore, open_engine: OpenEngine, fusion: str
) -> None:
    engine = open_engine(make_store([*TASKS, Task(id="passport", title="about an id", project_id="p")]), fusion=fusion)
    story = engine.why("passport", "passport")
    assert engine.find("passport").hits[0].task.id == "passport"
    assert (story.outcome, story.place) == ("shown", 1)
    assert {branch.name: branch.rank for branch in story.branches} == {"sparse": None, "keyword": None, "id": 1}


def test_it_is_not_logged(make_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines) -> None:
    engine = open_engine(make_store())
    engine.find("passport")
    engine.why("passport", "t1")
    engine.why("passport", "nowhere")
    assert [line["tool"] for line in log_lines()] == ["find"]
