"""Reciprocal Rank Fusion against values worked out by hand, and its total order."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from itertools import pairwise, permutations

import pytest
from ats_core.fusion.fused import BranchRanking, Contest, Fused, Share
from ats_core.fusion.rrf import rrf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def by_id(task_id: str) -> tuple[bool, int]:
    """A tie-break that tells nothing apart, so that the id decides."""
    return True, 0


def fuse(*rankings: str | list[str], exact: str = "", order: str = "") -> list[Fused]:
    """Fuse rankings of ids (a string's letters) named A, B, ...; `order` is corpus order, `exact` the exact titles."""

    def tie_break(task_id: str) -> tuple[bool, int]:
        return task_id not in exact, order.index(task_id) if order else 0

    named = [BranchRanking("ABCDE"[at], list(ids)) for at, ids in enumerate(rankings)]
    return rrf(Contest(named, tie_break))


def ids(fused: list[Fused]) -> str:
    return "".join(hit.id for hit in fused)


def test_a_score_is_the_sum_of_one_over_sixty_plus_rank() -> None:
    first, second, third = fuse("abc", "ba", "b")
    assert (first.id, first.score) == ("b", math.fsum([1 / 62, 1 / 61, 1 / 61]))
    assert (second.id, second.score) == ("a", math.fsum([1 / 61, 1 / 62]))
    assert (third.id, third.score) == ("c", 1 / 63)


def test_an_id_counts_once_in_a_branch_and_the_ranks_below_close_up() -> None:
    first, second = fuse(["t1", "t1", "t2"], ["t2"])
    assert (first.id, first.score) == ("t2", 1 / 62 + 1 / 61)
    assert (second.id, second.score) == ("t1", 1 / 61)


def test_each_share_names_branch_rank_and_contribution_in_branch_order() -> None:
    (hit,) = [hit for hit in fuse("xa", "", "a") if hit.id == "a"]
    assert hit.shares == (Share("A", 2, 1 / 62), Share("C", 1, 1 / 61))


def test_k_can_be_another() -> None:
    (hit,) = rrf(Contest([BranchRanking("A", ["a"])], by_id), k=1)
    assert hit.score == 1 / 2


def test_nothing_fuses_to_nothing() -> None:
    assert fuse() == []
    assert fuse("", "") == []


@pytest.mark.parametrize(
    ("rankings", "exact", "order", "expected"),
    [
        pytest.param(["ab", "ba"], "b", "ab", "ba", id="an exact title wins over all that follows"),
        pytest.param(["ab", "ba"], "ab", "ba", "ab", id="two exact titles go on to the rules that follow"),
        pytest.param(["ab", "ba"], "", "ba", "ab", id="the earlier branch where the best rank was won"),
        pytest.param(["a", "b"], "", "ba", "ab", id="the earlier branch, one vote each"),
        pytest.param(["xa", "xb"], "", "xba", "xab", id="the earlier branch at a lower rank"),
    ],
)
def test_equal_scores_are_decided_in_this_order(rankings: list[str], exact: str, order: str, expected: str) -> None:
    fused = fuse(*rankings, exact=exact, order=order)
    assert ids(fused) == expected
    assert fused[-1].score == fused[-2].score


def test_between_equal_scores_the_better_single_rank_goes_before_branch_corpus_order_and_id() -> None:
    # With k = 0: 1/2 + 1/2 = 1/1, so `a` with two second places ties with `b`, first once, in the later branch.
    rankings = [BranchRanking("A", ["x", "a"]), BranchRanking("B", ["y", "a"]), BranchRanking("C", ["b"])]
    order = {"a": 0, "b": 1, "x": 2, "y": 3}
    fused = rrf(Contest(rankings, lambda task_id: (True, order[task_id])), k=0)
    assert {hit.score for hit in fused} == {1.0}
    assert ids(fused) == "xyba"


def test_an_exact_title_does_not_beat_a_better_score() -> None:
    assert ids(fuse("ab", exact="b")) == "ab"


branches = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=10), max_size=5)


@at_any_pace
@given(branches)
def test_the_order_of_branches_moves_no_score_by_a_bit(rankings: list[list[str]]) -> None:
    before = {hit.id: hit.score for hit in fuse(*rankings)}
    for shuffled in permutations(rankings):
        assert {hit.id: hit.score for hit in fuse(*shuffled)} == before


@at_any_pace
@given(branches, st.integers(0, 5))
def test_an_empty_branch_changes_nothing(rankings: list[list[str]], at: int) -> None:
    named = [BranchRanking(f"branch {place}", ranking) for place, ranking in enumerate(rankings)]
    with_empty = [*named[:at], BranchRanking("empty", []), *named[at:]]
    assert rrf(Contest(with_empty, by_id)) == rrf(Contest(named, by_id))


@at_any_pace
@given(branches)
def test_contributions_sum_to_the_score_and_every_id_appears_once(rankings: list[list[str]]) -> None:
    fused = fuse(*rankings)
    assert sorted(ids(fused)) == sorted({task_id for ranking in rankings for task_id in ranking})
    for hit in fused:
        assert math.fsum(share.contribution for share in hit.shares) == hit.score
        for share in hit.shares:
            assert list(dict.fromkeys(rankings["ABCDE".index(share.branch)]))[share.rank - 1] == hit.id


@at_any_pace
@given(branches)
def test_the_order_is_total(rankings: list[list[str]]) -> None:
    """No two ids share a rank in one branch, so what follows in the order (corpus order, id) is never reached."""
    fused = fuse(*rankings, order="abcdefgh", exact="ce")
    for upper, lower in pairwise(fused):
        assert upper.score >= lower.score
        if upper.score == lower.score:
            assert (upper.id not in "ce") <= (lower.id not in "ce")
            if (upper.id in "ce") == (lower.id in "ce"):
                best = [min((share.rank, share.branch) for share in hit.shares) for hit in (upper, lower)]
                assert best[0] < best[1]


_SCRIPT = """
import json, random
from ats_core import Task
from ats_core.branches.hybrid import hybrid
from ats_core.branches.keyword import keyword
from ats_core.branches.sparse import SparseScores
from ats_core.fusion.fused import BranchRanking, Contest
from ats_core.fusion.rrf import rrf
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser

rng = random.Random(7)
words = "alpha beta gamma delta epsilon C++ café 認証 to-do".split()
tasks = [Task(id=f"t{at}", title=rng.choice(words), content=" ".join(rng.choices(words, k=6))) for at in range(60)]
index = SearchIndex(index_tasks(tasks, Analyser()))
tie = lambda task_id: (True, index.ordinal(task_id))
answers = []
for query in ["alpha beta", "C++ café", "認証", "gamma to-do delta epsilon"]:
    by_keyword = keyword(query, index, None, 20)
    by_sparse = SparseScores(Analyser().query_terms(query), index).top(20, None)
    within = hybrid({"dense": by_sparse[::-1], "sparse": by_sparse}, index, tie, 20)
    rankings = [
        BranchRanking("hybrid", [candidate.id for candidate in within]),
        BranchRanking("keyword", [index.task_id(ranked.ordinal) for ranked in by_keyword]),
        BranchRanking("unordered", sorted(set(f"t{at}" for at in range(60)))[:20]),
    ]
    answers.append([[hit.id, hit.score.hex(), hit.shares] for hit in rrf(Contest(rankings, tie))])
print(json.dumps(answers))
"""


def test_every_process_and_hash_seed_gives_the_same_bytes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2", "31337")
    }
    assert len(outputs) == 1
    assert all(answer for answer in json.loads(outputs.pop()))
