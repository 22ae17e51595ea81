"""A backend that ranks by meaning alone: core fuses its answer with sparse, as it does its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ats_core import Candidate, Deadline, Engine, FindResult, Project, Task, TaskScope

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Report = Callable[[FindResult, str], Any]

TASKS = [
    Task(id="a", title="Renew the passport", project_id="home", content="At the town hall."),
    Task(id="b", title="Book flights", project_id="home", content="Before the summer.\n\n" + "Filler. " * 60 + "Visa."),
    Task(id="c", title="Passport photos", project_id="work"),
    Task(id="d", title="Old passport", project_id="work", status="done"),
]
PROJECTS = [Project(id="home", name="Home"), Project(id="work", name="Work")]


class DenseBackend:
    dense_only = True

    def __init__(self, *ranking: Any) -> None:
        self.ranking = list(ranking)
        self.modes: list[str] = []
        self.scopes: list[TaskScope | None] = []

    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Any:
        self.modes.append(mode)
        self.scopes.append(scope)
        return self.ranking


def test_its_answer_is_fused_with_cores_sparse_and_both_show_in_the_explanation(
    make_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    backend = DenseBackend(Candidate(id="b", score=0.9), Candidate(id="a", score=0.5), Candidate(id="gone", score=0.4))
    result = open_engine(make_store(TASKS, PROJECTS, hybrid_backend=lambda: backend)).find("passport")
    assert backend.modes == ["dense"]
    hybrid = report(result, "hybrid")
    assert (hybrid.status, hybrid.count, hybrid.dropped) == ("ok", 3, 1)
    within = {
        hit.task.id: [(part.source, part.rank, part.score) for part in hit.explain[0].within] for hit in result.hits
    }
    assert within["b"] == [("dense", 1, 0.9)]
    assert [(source, rank) for source, rank, _ in within["a"]] == [("dense", 2), ("sparse", 2)]
    assert [source for source, *_ in within["c"]] == ["sparse"]


def test_score_fusion_reads_its_cosines(make_store: MakeStore, open_engine: OpenEngine) -> None:
    backend = DenseBackend(Candidate(id="b", score=0.9), Candidate(id="a", score=0.1))
    engine = open_engine(make_store(TASKS, PROJECTS, hybrid_backend=lambda: backend), fusion="score", dense_weight=0.9)
    hit = engine.find("passport").hits[0]
    assert hit.task.id == "b"
    assert [part.contribution for part in hit.explain[0].within if part.source == "dense"] == [pytest.approx(0.9)]


def test_the_passage_that_earned_the_place_is_the_snippet_where_the_words_stand_nowhere(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    backend = DenseBackend(
        Candidate(id="b", score=0.9, passage="Filler. Visa."), Candidate(id="a", score=0.5, passage="hall.")
    )
    result = open_engine(make_store(TASKS, PROJECTS, hybrid_backend=lambda: backend)).find("entry permit")
    assert {hit.task.id: hit.snippet.text for hit in result.hits} == {"a": "hall.", "b": "Filler. Visa."}


def test_words_of_the_query_elsewhere_in_the_body_make_a_better_snippet_than_a_passage_without_any(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    backend = DenseBackend(Candidate(id="b", score=0.9, passage="Filler."))
    (hit,) = open_engine(make_store(TASKS, PROJECTS, hybrid_backend=lambda: backend)).find("summer").hits
    assert hit.snippet.text.startswith("Before the summer.")


@pytest.mark.parametrize(
    ("options", "ids", "projects"),
    [
        ({"project": "work"}, {"c"}, None),  # one of its tasks is done: the project is not the whole scope
        ({"project": "home"}, {"a", "b"}, None),
        ({"project": "work", "include_completed": True}, {"c", "d"}, {"work"}),
        ({"project": "work", "include_completed": True, "tags": ["x"]}, set(), None),
    ],
)
def test_the_scope_names_its_projects_where_it_is_all_that_they_hold(
    make_store: MakeStore, open_engine: OpenEngine, options: Any, ids: set[str], projects: set[str] | None
) -> None:
    backend = DenseBackend()
    open_engine(make_store(TASKS, PROJECTS, hybrid_backend=lambda: backend)).hybrid("passport", **options)
    (scope,) = backend.scopes
    assert scope is not None
    assert (set(scope), scope.projects) == (ids, projects)
