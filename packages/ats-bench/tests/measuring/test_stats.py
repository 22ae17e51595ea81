"""Intervals and tests: against closed forms, and against what they promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ats_bench.stats import bootstrap_interval, holm, randomisation_p


def test_the_interval_of_a_share_is_near_the_normal_one():
    values = np.array([[1.0]] * 60 + [[0.0]] * 40)
    low, high = bootstrap_interval(values)[:, 0]
    half = 1.96 * np.sqrt(0.6 * 0.4 / 100)
    assert low == pytest.approx(0.6 - half, abs=0.02)
    assert high == pytest.approx(0.6 + half, abs=0.02)


def test_the_same_seed_gives_the_same_interval_and_columns_do_not_disturb_each_other():
    values = np.random.default_rng(1).random((30, 3))
    assert (bootstrap_interval(values) == bootstrap_interval(values)).all()
    assert bootstrap_interval(values)[:, 1] == pytest.approx(bootstrap_interval(values[:, 1:2])[:, 0])
    assert (bootstrap_interval(values) != bootstrap_interval(values, seed=2)).any()


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        low, high = bootstrap_interval((random.random((60, 1)) < 0.7).astype(float), resamples=1000)[:, 0]
        covered += low <= 0.7 <= high
    assert 0.88 <= covered / 200 <= 0.99


def test_one_question_has_an_interval_without_width():
    assert bootstrap_interval(np.array([[0.5]]))[:, 0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("size", [1, 4, 9])
def test_few_differences_are_tested_exactly(size: int):
    differences = np.random.default_rng(size).normal(0.3, 1, size)
    seen = abs(differences.sum())
    patterns = [abs(np.dot(signs, differences)) for signs in itertools.product((-1, 1), repeat=size)]
    exact = np.mean([far >= seen - 1e-12 for far in patterns])
    assert randomisation_p(differences) == pytest.approx(exact)


def test_many_differences_are_drawn_and_agree_with_the_exact_test():
    differences = np.array([1.0] * 12 + [-1.0] * 4)
    exact = 2 * sum(_choose(16, heads) for heads in range(12, 17)) / 2**16
    assert randomisation_p(differences) == pytest.approx(exact, abs=0.01)
    assert randomisation_p(differences) == randomisation_p(differences)


def test_no_difference_is_p_1_and_unchanged_questions_do_not_matter():
    assert randomisation_p(np.zeros(5)) == 1
    differences = np.array([0.5, 0.5, -0.25, 0.5])
    assert randomisation_p(np.concatenate([differences, np.zeros(40)])) == randomisation_p(differences)


def test_chance_alone_is_rarely_called_a_difference():
    random = np.random.default_rng(5)
    ps = [randomisation_p(random.normal(0, 1, 25), resamples=400) for _ in range(200)]
    assert 0.01 <= np.mean([p < 0.05 for p in ps]) <= 0.1


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def _choose(of: int, taken: int) -> int:
    import math

    return math.comb(of, taken)
