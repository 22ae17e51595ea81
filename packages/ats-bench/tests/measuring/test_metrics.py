"""The measures: by hand, and against `ir-measures` as the oracle."""

from __future__ import annotations

import math
import random

import pytest
from ats_bench.metrics import MEASURES, first_gold, measure


def values(ranked: list[str], gold: list[str]) -> dict[str, float]:
    return dict(zip(MEASURES, measure([ranked], [gold])[0].tolist(), strict=True))


def test_the_formulas_by_hand():
    got = values(["a", "x", "b", "y"], ["b", "a", "c"])
    assert got["hit@1"] == 1
    assert got["recall@5"] == 1
    assert got["precision@5"] == pytest.approx(2 / 5)
    assert got["mrr"] == 1
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert got["ndcg@10"] == pytest.approx((1 + 1 / math.log2(4)) / ideal)


def test_recall_at_5_is_whether_the_answer_is_in_sight():
    assert values(["x", "y", "z", "w", "a"], ["a", "b"])["recall@5"] == 1
    assert values(["x", "y", "z", "w", "v", "a"], ["a"])["recall@5"] == 0


def test_an_empty_ranking_is_worth_nothing():
    assert set(values([], ["a"]).values()) == {0.0}


def test_gold_listed_twice_and_an_id_ranked_twice_count_once():
    assert values(["x", "x", "a"], ["a", "a"]) == values(["x", "a"], ["a"])
    assert first_gold(["x", "x", "a"], {"a"}) == 2


def test_nothing_below_the_tenth_rank_counts():
    ranked = [f"x{number}" for number in range(10)]
    assert values([*ranked, "a"], ["a"])["mrr"] == 0


def test_a_question_without_gold_cannot_be_measured():
    with pytest.raises(ValueError, match="without gold"):
        measure([["a"]], [[]])


def test_ir_measures_agrees_on_200_random_runs():
    """Runs with ties, empty results, duplicate gold and duplicate ids.

    Tied scores go to the oracle as they are; trec_eval orders them by id, descending. RR@10 comes from another
    provider of `ir-measures`, which orders ties otherwise, so it is asked with the same order as scores.
    """
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import RR, P, Success, nDCG

    oracle = [Success @ 1, Success @ 5, P @ 5, RR @ 10, nDCG @ 10]
    tied = [measured for measured in oracle if measured != RR @ 10]
    draw = random.Random(7)
    for number in range(200):
        ids = [f"d{place:02}" for place in range(draw.randint(1, 30))]
        runs: dict[str, dict[str, float]] = {}
        golds: dict[str, list[str]] = {}
        rankings: dict[str, list[str]] = {}
        for question in (f"q{place}" for place in range(draw.randint(1, 6))):
            # Absent ids among the gold, some twice; scores from a few values, so that most are tied.
            gold = draw.choices([*ids, "absent1", "absent2"], k=draw.randint(1, 8))
            golds[question] = [*gold, *gold[:2]]
            ranked = draw.sample(ids, draw.choice([0, len(ids), draw.randint(0, len(ids))]))
            runs[question] = {task: float(draw.randint(0, 3)) for task in ranked}
            order = sorted(ranked, key=lambda task: (runs[question][task], task), reverse=True)
            rankings[question] = [*order, *order[:3]]
        qrels = [ir_measures.Qrel(question, task, 1) for question in golds for task in set(golds[question])]
        scored = [
            ir_measures.ScoredDoc(question, task, score) for question in runs for task, score in runs[question].items()
        ]
        ranked_only = [
            ir_measures.ScoredDoc(question, task, -float(rank))
            for question in rankings
            for rank, task in enumerate(dict.fromkeys(rankings[question]))
        ]
        expected = dict.fromkeys(((question, place) for question in golds for place in range(len(oracle))), 0.0)
        found_values = [
            *ir_measures.iter_calc(tied, qrels, scored),
            *ir_measures.iter_calc([RR @ 10], qrels, ranked_only),
        ]
        assert len(found_values) == len(expected)
        for found in found_values:
            expected[found.query_id, oracle.index(found.measure)] = found.value
        got = measure([rankings[question] for question in golds], [golds[question] for question in golds])
        for row, question in enumerate(golds):
            for place, name in enumerate(MEASURES):
                assert got[row, place] == pytest.approx(expected[question, place], abs=1e-9), (number, question, name)
