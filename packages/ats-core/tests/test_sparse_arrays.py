"""Arrays and pruning give the numbers and the order of the plain loop, bit for bit."""

from __future__ import annotations

import random

import pytest
from ats_core import Task
from ats_core.branches.ranked import Scope
from ats_core.branches.sparse import SparseScores
from ats_core.branches.sparse_arrays import ArraySparseScores, score_sparse
from ats_core.branches.sparse_pruned import PrunedSparseScores
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12).map(" ".join)


def index_of(texts: list[tuple[str, str]]) -> SearchIndex:
    tasks = [Task(id=str(at), title=title, content=content) for at, (title, content) in enumerate(texts)]
    return SearchIndex(index_tasks(tasks, Analyser("none")))


@given(
    st.lists(st.tuples(WORDS, WORDS), max_size=30), st.lists(st.sampled_from("abcdefghxy"), max_size=6), st.randoms()
)
def test_arrays_pruning_and_loop_agree_to_the_bit(
    texts: list[tuple[str, str]], terms: list[str], chance: random.Random
) -> None:
    index = index_of(texts)
    query = list(dict.fromkeys(terms))
    loop = SparseScores(query, index)
    scopes: list[Scope] = [None, bytes(chance.randrange(2) for _ in range(index.size))]
    for other in (ArraySparseScores(query, index), PrunedSparseScores(query, index)):
        for ordinal in range(index.size):
            assert other.score(ordinal).hex() == loop.score(ordinal).hex()
            assert other.coverage(ordinal).hex() == loop.coverage(ordinal).hex()
        for scope in scopes:
            for limit in (1, 2, 5, 100):
                assert other.top(limit, scope) == loop.top(limit, scope)


@pytest.mark.parametrize("seed", range(6))
def test_pruning_lets_go_of_no_task_that_is_among_the_best(seed: int) -> None:
    """Large enough that most tasks are let go of, with words from everywhere to rare."""
    chance = random.Random(seed)
    words = [f"w{rank}" for rank in range(60)]
    weights = [1 / (rank + 1) for rank in range(60)]

    def text(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randrange(most)))

    index = index_of([(text(6), text(40)) for _ in range(1500)])
    for _ in range(25):
        query = list(dict.fromkeys(chance.choices(words, k=chance.randrange(1, 12))))
        scope = bytes(chance.randrange(10) > 2 for _ in range(index.size)) if chance.randrange(2) else None
        limit = chance.choice((1, 3, 20))
        pruned = PrunedSparseScores(query, index)
        assert pruned.top(limit, scope) == SparseScores(query, index).top(limit, scope)


@pytest.mark.parametrize("few", [0, 1 << 40])
def test_a_task_at_hand_is_found_in_long_postings_either_way(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr("ats_core.branches.sparse_pruned.FEW", few)
    chance = random.Random(few)
    index = index_of([(chance.choice("abc"), " ".join(chance.choices("abcdefgh", k=9))) for _ in range(300)])
    for query in (["a"], ["a", "h"], list("abcdefgh")):
        assert PrunedSparseScores(query, index).top(5, None) == SparseScores(query, index).top(5, None)


def test_the_cheapest_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of([("tax", "")] * 9)
    assert isinstance(score_sparse(["tax"], index, 20), SparseScores)
    monkeypatch.setattr("ats_core.branches.sparse_arrays.WORTH_PRUNING", 9)
    assert isinstance(score_sparse(["tax"], index, 20), PrunedSparseScores)
    assert isinstance(score_sparse(["tax"], index, 1000), SparseScores)
    monkeypatch.setattr("ats_core.branches.sparse_arrays.MANY_ONCE_IMPORTED", 9)
    monkeypatch.setattr("ats_core.branches.sparse_arrays.MANY", 9)
    assert isinstance(score_sparse(["tax"], index, 20), ArraySparseScores)
