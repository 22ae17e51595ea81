"""`ats bench compare` and `gate`: what differs, and what must fail."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import QUESTIONS, TASKS, Bench, Store

Write = Callable[..., Path]
Spoil = Callable[..., None]


@pytest.fixture
def worse(made: Path, spoil: Spoil, tmp_path: Path) -> Path:
    """The run `made`, where find lost its first hit everywhere: a retriever that is worse on purpose."""
    folder = tmp_path / "worse"
    shutil.copytree(made, folder)

    def lose_first(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"ids": row["ids"][1:], "scores": row["scores"][1:]} if row["method"] == "find" else row

    spoil(folder, lose_first)
    return folder


def test_a_run_compared_with_itself_differs_in_nothing(bench: Bench, made: Path):
    document = bench("compare", made, made, "--json").json
    assert document["differences"] == []
    assert document["moves"] == []
    assert {contrast["difference"] for contrast in document["comparisons"]} == {0.0}
    assert "no difference shown" in bench("compare", made, made).out


def test_what_got_worse_is_named(bench: Bench, made: Path, worse: Path):
    report = bench("compare", made, worse).out
    assert "## Worse: 4" in report
    assert "orchids every evening" in report
    assert "## Better: 4" in bench("compare", worse, made).out


def test_runs_of_different_corpora_are_refused_unless_meant(
    bench: Bench, made: Path, questions: Path, store: Store, tmp_path: Path
):
    store.tasks = list(TASKS[:4])
    (tmp_path / "state" / "corpus-cache.json").unlink()
    bench("run", "--questions", questions, "--methods", "find", "--out", tmp_path / "r")
    for words in (("compare", made, tmp_path / "r"), ("gate", tmp_path / "r", "--against", made)):
        refused = bench(*words)
        assert (refused.code, refused.out) == (2, "")
        assert refused.error.startswith("the runs asked different corpora: ")
        assert bench(*words, "--anyway").code == 0
    assert "corpus: " in bench("compare", made, tmp_path / "r", "--anyway").out


def test_it_says_what_differs_and_compares_the_questions_that_are_the_same(
    bench: Bench, made: Path, write: Write, tmp_path: Path
):
    other = write("other.jsonl", [QUESTIONS[0], QUESTIONS[1] | {"gold_task_ids": ["milk"]}])
    bench("run", "--questions", other, "--methods", "find,find:score", "--top", "3", "--out", tmp_path / "r")
    document = bench("compare", made, tmp_path / "r", "--json").json
    assert document["differences"] == [
        "questions: 1 are the same, 4 of the first run and 1 of the second are left out",
        "top: 10, then 3",
        "only in the first run: sparse, keyword",
        "only in the second run: find:score",
    ]
    assert [contrast["n"] for contrast in document["comparisons"]] == [1]


def test_runs_with_nothing_in_common(bench: Bench, made: Path, write: Write, questions: Path, tmp_path: Path):
    other = write("other.jsonl", [{"id": "z", "question": "fern", "gold_task_ids": ["fern"]}])
    bench("run", "--questions", other, "--methods", "find", "--out", tmp_path / "r")
    assert bench("compare", made, tmp_path / "r").error == "the runs have no question in common"
    bench("run", "--questions", questions, "--methods", "notes-find", "--out", tmp_path / "s")
    assert bench("compare", made, tmp_path / "s").error == "the runs have no method in common"


def test_a_gate_that_should_fail_fails(bench: Bench, made: Path, worse: Path):
    failed = bench("gate", worse, "--min", "find.mrr>=0.85", "--against", made, "--max-drop", "0.02")
    assert failed.code == 1
    lines = failed.out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("find.mrr>=0.85: it is 0.")
    assert lines[1].startswith("find.mrr dropped by ")


def test_a_gate_that_should_pass_passes(bench: Bench, made: Path, worse: Path):
    assert bench("gate", made, "--min", "find.mrr>=0.85", "--min", "keyword.hit@1>=0.5").out == "passed\n"
    assert bench("gate", made, "--against", worse).code == 0
    assert bench("gate", worse, "--against", made, "--max-drop", "1").code == 0


def test_a_drop_within_chance_fails_only_without_significant(bench: Bench, made: Path, worse: Path):
    """Four questions that all got worse: p is 2 / 2^4 at best, however large the drop."""
    words = ("gate", worse, "--against", made)
    assert bench(*words).code == 1
    assert bench(*words, "--significant").code == 0


def test_a_drop_outside_of_chance_fails_with_significant(bench: Bench, write: Write, spoil: Spoil, tmp_path: Path):
    words = ["evening", "water", "fern", "every", "but", "not", "daily", "evening now"]
    asked = [
        {"id": f"q{number}", "question": f"orchids {word}", "gold_task_ids": ["fern"]}
        for number, word in enumerate(words)
    ]
    bench("run", "--questions", write("many.jsonl", asked), "--methods", "find", "--out", tmp_path / "good")
    shutil.copytree(tmp_path / "good", tmp_path / "bad")
    spoil(tmp_path / "bad", lambda row: row | {"ids": [], "scores": []})
    failed = bench("gate", tmp_path / "bad", "--against", tmp_path / "good", "--max-drop", "0.02", "--significant")
    assert failed.code == 1
    assert "find.mrr dropped by 1.0000, more than 0.02 (n = 8, p = 0.008)" in failed.out


def test_a_gate_over_nothing_fails(bench: Bench, made: Path, spoil: Spoil):
    spoil(made, lambda row: row | {"degraded": True})
    failed = bench("gate", made, "--min", "find.mrr>=0")
    assert failed.code == 1
    assert "no question could be scored" in failed.out
    assert bench("gate", made, "--against", made).code == 1


def test_strict_also_fails_over_what_could_not_be_judged(bench: Bench, made: Path, spoil: Spoil):
    spoil(made, lambda row: row | {"degraded": row["question"] == "q1"})
    assert bench("gate", made, "--min", "find.mrr>=0.1").code == 0
    document = bench("gate", made, "--min", "find.mrr>=0.1", "--strict", "--json")
    assert document.code == 1
    assert document.json["passed"] is False
    assert len(document.json["failures"]) == 3


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--min", "find.mrr"],
        ["--min", "find.mrr>0.5"],
        ["--min", "find.mrr>=2"],
        ["--min", "find.mrr>=nan"],
        ["--min", "find.foo>=0.5"],
        ["--min", "other.mrr>=0.5"],
        ["--max-drop", "0.1"],
        ["--significant"],
        ["--against", "nowhere"],
    ],
)
def test_a_demand_that_makes_no_sense_is_one_line_and_exit_2(bench: Bench, made: Path, words: list[str]):
    ended = bench("gate", made, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.error
    assert "\n" not in ended.error


def test_a_method_may_have_a_colon_in_its_name():
    from ats_bench.gating import Floor, parse_floor

    assert parse_floor("find:score.nDCG@10 >= 0.5") == Floor("find:score", "ndcg@10", 0.5)
    assert parse_floor("find.mrr@10>=1").measure == "mrr"
