"""The hybrid branch as a pure fusion of its parts."""

from __future__ import annotations

import math

from ats_core import Candidate, Standing, Task
from ats_core.branches.hybrid import hybrid
from ats_core.branches.ranked import Ranked
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser

INDEX = SearchIndex(index_tasks([Task(id=f"t{at}", title=f"task {at}") for at in range(50)], Analyser()))


def in_corpus_order(task_id: str) -> tuple[bool, int]:
    return True, int(task_id[1:])


def fuse(dense: list[Ranked] | None, sparse: list[Ranked], limit: int = 20) -> list[Candidate]:
    parts = {"sparse": sparse} if dense is None else {"dense": dense, "sparse": sparse}
    return hybrid(parts, INDEX, in_corpus_order, limit)


def test_parts_are_fused_by_rrf_and_every_candidate_says_where_each_part_had_it() -> None:
    both, dense_only, sparse_only = fuse([Ranked(5, 0.9), Ranked(3, 0.8)], [Ranked(3, 7.5), Ranked(4, 2.0)])
    assert both == Candidate(
        id="t3",
        score=math.fsum([1 / 62, 1 / 61]),
        within={"dense": Standing(rank=2, score=0.8), "sparse": Standing(rank=1, score=7.5)},
    )
    assert dense_only == Candidate(id="t5", score=1 / 61, within={"dense": Standing(rank=1, score=0.9)})
    assert sparse_only == Candidate(id="t4", score=1 / 62, within={"sparse": Standing(rank=2, score=2.0)})


def test_of_equal_scores_the_one_that_dense_placed_comes_first() -> None:
    assert [candidate.id for candidate in fuse([Ranked(9, 0.1)], [Ranked(1, 99.0)])] == ["t9", "t1"]
    assert [candidate.id for candidate in fuse([Ranked(9, 0.1), Ranked(1, 0)], [Ranked(1, 1), Ranked(9, 1)])] == [
        "t9",
        "t1",
    ]


def test_without_dense_hybrid_is_the_sparse_ranking() -> None:
    sparse = [Ranked(at, 50.0 - at) for at in (7, 2, 30)]
    candidates = fuse(None, sparse)
    assert [candidate.id for candidate in candidates] == ["t7", "t2", "t30"]
    assert [candidate.score for candidate in candidates] == [1 / 61, 1 / 62, 1 / 63]
    assert [candidate.within for candidate in candidates] == [
        {"sparse": Standing(rank=rank, score=ranked.score)} for rank, ranked in enumerate(sparse, 1)
    ]
    empty_vote = fuse([], sparse)
    assert empty_vote == candidates


def test_the_fused_ranking_is_cut_at_the_limit_after_fusion() -> None:
    dense = [Ranked(at, 1.0) for at in range(20)]
    sparse = [Ranked(at, 1.0) for at in range(19, 39)]
    candidates = fuse(dense, sparse, limit=3)
    assert [candidate.id for candidate in candidates] == ["t19", "t0", "t1"]
    assert len(fuse(dense, sparse, limit=20)) == 20


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([], []) == []
    assert hybrid({}, INDEX, in_corpus_order, 20) == []
