"""The dense ranking over given cosines."""

from __future__ import annotations

import numpy as np
import pytest
from ats_core.branches.dense import dense
from ats_core.branches.ranked import Ranked, Scope
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

NAN = float("nan")


def ordinals(cosines: list[float], scope: Scope = None, limit: int = 20) -> list[int]:
    return [ranked.ordinal for ranked in dense(np.array(cosines, dtype=np.float32), scope, limit)]


def test_the_highest_cosine_comes_first_with_its_score() -> None:
    assert dense(np.array([0.25, -0.5, 0.75], dtype=np.float32), None, 20) == [
        Ranked(2, 0.75),
        Ranked(0, 0.25),
        Ranked(1, -0.5),
    ]


def test_scores_are_plain_numbers() -> None:
    (ranked,) = dense(np.array([0.5], dtype=np.float32), None, 1)
    assert type(ranked.ordinal) is int
    assert type(ranked.score) is float


def test_a_task_without_a_usable_vector_never_ranks() -> None:
    assert ordinals([NAN, 0.1, NAN, -1.0]) == [1, 3]
    assert ordinals([NAN, NAN], limit=1) == []
    assert ordinals([]) == []


def test_corpus_order_breaks_ties_at_the_cut_too() -> None:
    assert ordinals([0.5] * 50) == list(range(20))
    assert ordinals([0.5, 0.5, 0.9, 0.5, 0.9, 0.5], limit=3) == [2, 4, 0]
    assert ordinals([0.0, -0.0, 0.0], limit=2) == [0, 1]


def test_a_scope_is_respected_before_the_cut() -> None:
    cosines = [1.0] * 30 + [0.1, 0.2, NAN]
    assert ordinals(cosines, bytes([0] * 30 + [1, 1, 1]), limit=2) == [31, 30]
    assert ordinals(cosines, bytes(33)) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 100])
def test_the_limit_is_an_upper_bound(limit: int) -> None:
    assert ordinals([0.1, 0.4, 0.3], limit=limit) == [1, 2, 0][:limit]


values = st.one_of(st.just(NAN), st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]))


@at_any_pace
@given(st.lists(st.tuples(values, st.integers(0, 1)), max_size=40), st.integers(1, 10))
def test_the_ranking_is_that_of_a_plain_sort(tasks: list[tuple[float, int]], limit: int) -> None:
    cosines = [cosine for cosine, _ in tasks]
    scope = bytes(within for _, within in tasks)
    eligible = [at for at, (cosine, within) in enumerate(tasks) if within and cosine == cosine]
    assert ordinals(cosines, scope, limit) == sorted(eligible, key=lambda at: (-cosines[at], at))[:limit]
