"""A run in the formats of TREC."""

from __future__ import annotations

from collections import defaultdict
from ctypes import c_float
from pathlib import Path
from typing import Any

import pytest
from ats_bench.metrics import measure
from ats_bench.questions import Question
from ats_bench.runs import CorpusMark, Header, QuestionsMark, Row, RowWriter, start_run
from ats_bench.trec import falling, run_lines, token
from hypothesis import given
from hypothesis import strategies as st

QUESTIONS = [
    Question(id="q 1", question="a", gold_task_ids=("t2", "lost")),
    Question(id="q2", question="b", gold_task_ids=("t 3",)),
    Question(id="q3", question="c", no_answer=True),
    Question(id="q4", question="d", gold_task_ids=("lost",)),
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir()
    header = Header(
        started="2026-12-01T00:00:00Z",
        adapter="test",
        corpus=CorpusMark(fingerprint="f", size=3),
        questions=QuestionsMark(path="q.jsonl", digest="d", count=4),
        methods=("find", "find:score"),
        top=10,
        gold={"t2": "open", "t 3": "open"},
    )
    start_run(folder, header, QUESTIONS)
    with RowWriter(folder) as writer:
        writer.append(Row(question="q 1", method="find", ids=("t1", "t2"), scores=(0.5, 0.25)))
        writer.append(Row(question="q2", method="find", ids=("t1", "t 3", "t1"), scores=(0.5, 0.5, 0.1)))
        writer.append(Row(question="q3", method="find", ids=("t1",), scores=(None,)))
        writer.append(Row(question="q2", method="find:score", ids=()))
    return folder


def test_gold_and_answers_are_written_one_file_a_method(bench: Any, run: Path, tmp_path: Path) -> None:
    ended = bench("export", run, "--trec", "--out", tmp_path / "trec")
    assert ended.code == 0
    assert [Path(line).name for line in ended.out.splitlines()] == ["qrels.txt", "find.run", "find-score.run"]
    assert (tmp_path / "trec" / "qrels.txt").read_text().splitlines() == ["q%201 0 t2 1", "q2 0 t%203 1"]
    assert (tmp_path / "trec" / "find.run").read_text().splitlines() == [
        "q%201 Q0 t1 1 0.5 find",
        "q%201 Q0 t2 2 0.25 find",
        "q2 Q0 t1 1 2 find",
        "q2 Q0 t%203 2 1 find",
        "q3 Q0 t1 1 1 find",
    ]
    assert (tmp_path / "trec" / "find-score.run").read_text() == ""
    assert "2 questions have no gold that a search may show" in ended.err


def test_a_folder_with_something_in_it_or_no_format_is_refused(bench: Any, run: Path, tmp_path: Path) -> None:
    assert bench("export", run, "--trec", "--out", tmp_path).code == 2
    assert bench("export", run, "--out", tmp_path / "x").error == "no format is named"
    assert bench("export", tmp_path / "none", "--trec", "--out", tmp_path / "x").code == 2
    assert not (tmp_path / "x").exists()


scores = st.one_of(st.none(), st.floats(), st.sampled_from([0.1, 0.1 + 1e-12, 0.3]))


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), scores), max_size=8))
def test_trec_eval_sees_the_order_that_was_measured(ranking: list[tuple[str, float | None]]) -> None:
    row = Row(question="q", method="m", ids=tuple(i for i, _ in ranking), scores=tuple(s for _, s in ranking))
    found = []
    for line in run_lines(row):
        question, _, task, rank, score, tag = line.split()
        found.append((c_float(float(score)).value, task, int(rank)))
        assert (question, tag) == ("q", "m")
    as_trec_eval = sorted(found, key=lambda item: item[:2], reverse=True)
    assert [task for _, task, _ in as_trec_eval] == list(dict.fromkeys(row.ids))
    assert [rank for _, _, rank in found] == list(range(1, len(found) + 1))


def test_scores_stay_where_they_can() -> None:
    assert falling([3.5, 2.0]) == [3.5, 2.0]
    assert list(falling([1.0 + 1e-12, 1.0])) == [2, 1]
    assert list(falling([1e300, 1e299])) == [2, 1]


@given(st.text(min_size=1), st.text(min_size=1))
def test_an_id_is_one_column_and_no_two_become_one(first: str, second: str) -> None:
    assert len(token(first).split()) == 1
    assert (token(first) == token(second)) == (first == second)


def test_other_tools_measure_what_score_measures(bench: Any, tmp_path: Path, run: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures")
    bench("export", run, "--trec", "--out", tmp_path / "trec")
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "trec" / "qrels.txt")))
    answers = list(ir_measures.read_trec_run(str(tmp_path / "trec" / "find.run")))
    theirs: dict[str, float] = defaultdict(float)
    for metric in ir_measures.iter_calc([ir_measures.RR @ 10], qrels, answers):
        theirs[metric.query_id] = metric.value
    ours = measure([("t1", "t2"), ("t1", "t 3")], [{"t2"}, {"t 3"}])[:, 3]
    assert [theirs["q%201"], theirs["q2"]] == pytest.approx(list(ours))
