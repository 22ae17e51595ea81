"""An embedder or a backend that fails: the words still answer, the reason is named, and nothing wrong is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ats_core import EmbeddingError, Engine, FindResult
from ats_core.vectors.store import VectorStore
from reliability.harness import Ats

OpenEngine = Callable[..., Engine]


def hybrid_of(found: FindResult) -> Any:
    (report,) = [branch for branch in found.branches if branch.name == "hybrid"]
    return report


def stored_rows(ats: Ats, space: str = "s") -> Any:
    """Every vector that is kept, in files of the one account."""
    rows = []
    for folder in (ats.state / "vectors").glob("*"):
        for segment in VectorStore(folder, space).segments()[0]:
            rows += list(segment.rows)
    return rows


def assert_sparse_stands_in(found: FindResult, reason: str) -> None:
    assert found.hits[0].task.id == "t1"
    assert found.hits[0].sources == ("hybrid", "keyword"), "hybrid is the sparse ranking, and votes"
    assert found.degraded
    assert hybrid_of(found).status == "degraded"
    assert reason in hybrid_of(found).error
    assert any(reason in warning for warning in found.warnings)


FAULTS = {
    "down": "connection refused",
    "stalls": "dense timed out",
    "miscounts": "gave vectors of shape",
}


@pytest.mark.parametrize("how", FAULTS)
def test_where_the_embedder_fails_the_sparse_ranking_stands_in_and_nothing_is_kept(
    ats: Ats, open_engine: OpenEngine, how: str
) -> None:
    ats.plan(space="s", embed=how)
    assert_sparse_stands_in(open_engine(budget_ms=400).find("number1x"), FAULTS[how])
    assert stored_rows(ats) == []
    ats.plan(space="s")
    after = open_engine().find("number1x")
    assert not after.degraded
    assert len(stored_rows(ats)) == 5


def test_a_slow_embedder_keeps_what_it_did_and_the_next_search_goes_on(ats: Ats, open_engine: OpenEngine) -> None:
    ats.plan(tasks=6400, space="s", embed="slow")
    found = open_engine(budget_ms=400).find("number1x")
    assert_sparse_stands_in(found, "embedded; run `ats sync`")
    first = len(stored_rows(ats))
    assert 0 < first < 6400
    open_engine(budget_ms=400).find("number1x")
    assert len(stored_rows(ats)) > first


def test_dense_casts_no_vote_with_20_of_1000_tasks_embedded_and_says_so(ats: Ats, open_engine: OpenEngine) -> None:
    ats.plan(tasks=20, space="s")
    open_engine().state.sync()
    ats.plan(tasks=1000, space="s", embed="down")
    found = open_engine().find("number900x", fresh=True)
    assert found.hits[0].task.id == "t900"
    assert found.degraded
    assert all({part.source for share in hit.explain for part in share.within} <= {"sparse"} for hit in found.hits)
    ats.plan(tasks=1000, space="s", embed="stalls")
    stalled = open_engine(budget_ms=300).find("number900x")
    assert stalled.hits[0].task.id == "t900"
    ats.plan(tasks=1000, space="s", embed="till the end")
    for _ in range(5):  # it has 50 ms to say so, which a busy machine may not grant it
        said = open_engine(budget_ms=600).find("number900x")
        assert said.hits[0].task.id == "t900"
        if any("of 1000 embedded; run `ats sync`" in warning for warning in said.warnings):
            return
    pytest.fail(f"nothing is said of the missing vectors: {said.warnings}")


def test_a_row_that_is_no_number_costs_only_its_own_task_its_vector(ats: Ats, open_engine: OpenEngine) -> None:
    tasks = [{"id": f"t{n}", "title": f"task number{n}x"} for n in range(8)] + [{"id": "odd", "title": "ODD one"}]
    ats.plan(tasks=tasks, space="s", embed="nan")
    summary = open_engine().state.sync().counts
    assert (summary["embedded"], summary["unusable"]) == (9, 1)
    found = open_engine().find("number1x")
    assert not found.degraded
    semantic = [hit.task.id for hit in open_engine().semantic("task number1x", limit=20).hits]
    assert "odd" not in semantic
    assert len(semantic) == 8
    assert open_engine().find("odd one").hits[0].task.id == "odd", "its words find it"


def test_another_dimension_than_yesterday_is_told_and_never_mixed(ats: Ats, open_engine: OpenEngine) -> None:
    ats.plan(space="s", dimension=16)
    open_engine().state.sync()
    ats.plan(space="s", dimension=24, tasks=7)
    found = open_engine().find("number1x", fresh=True)
    assert_sparse_stands_in(found, "24 dimensions, the stored vectors have 16")
    assert {len(row) for row in stored_rows(ats)} == {16}
    with pytest.raises(EmbeddingError, match="24 dimensions"):
        open_engine().state.sync()
    assert {len(row) for row in stored_rows(ats)} == {16}


def test_another_space_of_the_same_dimension_never_meets_the_old_vectors(ats: Ats, open_engine: OpenEngine) -> None:
    ats.plan(space="s")
    open_engine().state.sync()
    ats.plan(space="s2", embed="down")
    assert_sparse_stands_in(open_engine().find("number1x"), "connection refused")
    ats.plan(space="s2")
    assert open_engine().state.sync().counts["embedded"] == 5


def test_one_text_that_is_refused_is_bisected_out_marked_and_not_asked_again(ats: Ats, open_engine: OpenEngine) -> None:
    tasks = [{"id": f"t{n}", "title": f"task number{n}x"} for n in range(19)] + [{"id": "r", "title": "REFUSED one"}]
    ats.plan(tasks=tasks, space="s", embed="refuses")
    assert open_engine().state.sync().counts == {"tasks": 20, "embedded": 20, "missing": 0, "unusable": 1}
    asked = len(ats.asked("embed document"))
    assert not open_engine().find("number1x").degraded
    assert open_engine().state.sync().counts["embedded"] == 0
    assert len(ats.asked("embed document")) == asked
    tasks[-1]["title"] = "accepted one"
    ats.plan(tasks=tasks, space="s", embed="refuses")
    assert open_engine().state.sync().counts == {"tasks": 20, "embedded": 1, "missing": 0, "unusable": 0}


def test_an_embedder_that_stumbles_marks_no_text_as_refused(ats: Ats, open_engine: OpenEngine) -> None:
    ats.plan(tasks=3, space="s", embed="stumbles")
    assert open_engine().state.sync().counts["unusable"] == 0
    assert len(stored_rows(ats)) == 3


@pytest.mark.parametrize(
    ("how", "reason"), [("raises", "the index is corrupt"), ("stalls", "hybrid backend timed out")]
)
def test_where_a_rich_backend_fails_sparse_takes_its_place(
    ats: Ats, open_engine: OpenEngine, how: str, reason: str
) -> None:
    ats.plan(backend=how)
    assert_sparse_stands_in(open_engine(budget_ms=400).find("number1x"), reason)
