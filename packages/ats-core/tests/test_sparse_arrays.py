"""Arrays give the numbers of the plain loop, bit for bit."""

from __future__ import annotations

import random

import pytest
from ats_core import Task
from ats_core.branches.ranked import Scope
from ats_core.branches.sparse import SparseScores
from ats_core.branches.sparse_arrays import ArraySparseScores, score_sparse
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
def test_arrays_and_loop_agree_to_the_bit(
    texts: list[tuple[str, str]], terms: list[str], chance: random.Random
) -> None:
    index = index_of(texts)
    query = list(dict.fromkeys(terms))
    loop, arrays = SparseScores(query, index), ArraySparseScores(query, index)
    for ordinal in range(index.size):
        assert arrays.score(ordinal).hex() == loop.score(ordinal).hex()
        assert arrays.coverage(ordinal).hex() == loop.coverage(ordinal).hex()
    scopes: list[Scope] = [None, bytes(chance.randrange(2) for _ in range(index.size))]
    for scope in scopes:
        for limit in (1, 5, 100):
            assert arrays.top(limit, scope) == loop.top(limit, scope)


def test_few_postings_are_looped_over_and_many_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    index = index_of([("tax", "")] * 9)
    assert isinstance(score_sparse(["tax"], index), SparseScores)
    monkeypatch.setattr("ats_core.branches.sparse_arrays.MANY_ONCE_IMPORTED", 9)
    monkeypatch.setattr("ats_core.branches.sparse_arrays.MANY", 9)
    assert isinstance(score_sparse(["tax"], index), ArraySparseScores)
