"""Questions of one's own, and what is said about a file of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ats_bench.questions import read_questions
from ats_core.errors import UsageError


def test_a_question_is_appended_with_the_tasks_that_answer_it(bench: Any, tmp_path: Path) -> None:
    file = tmp_path / "deep" / "q.jsonl"
    words = ["--gold", "pass", "--gold", "Water the plants", "--tag", "two", "--tag", "two", "--file", file]
    ended = bench("add", "  what to do this week ", *words)
    assert (ended.code, ended.out) == (0, "")
    assert "pass (Renew the old passport); plants (Water the plants)" in ended.err
    assert bench("add", "yoga", "--no-answer", "--file", file).code == 0
    (first, second), problems = read_questions(file)
    assert not problems
    assert (first.question, first.gold_task_ids, first.tags) == ("what to do this week", ("pass", "plants"), ("two",))
    assert (first.origin, first.gold_project_id) == ("written", None)
    assert (second.no_answer, second.gold_task_ids) == (True, ())


def test_without_a_file_it_goes_to_the_users_own(bench: Any, tmp_path: Path) -> None:
    bench("add", "where is my id", "--gold", "pass")
    (question,) = read_questions(tmp_path / "state" / "bench" / "questions.jsonl")[0]
    assert (question.question, question.gold_project_id) == ("where is my id", "errands")
    assert bench("check").out.endswith(": 1 question, 0 problems, 0 remarks\n")


def test_without_a_file_there_is_a_way_to_make_one(bench: Any, tmp_path: Path) -> None:
    ended = bench("check")
    assert (ended.code, "cannot be read: No such file or directory" in ended.error) == (2, True)
    with pytest.raises(UsageError) as raised:
        read_questions(tmp_path / "none.jsonl")
    assert raised.value.hint == "give a question file, or make one: ats bench init"


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["q"], 2, "the question has no gold"),
        ([" ", "--no-answer"], 2, "the question is blank"),
        (["q", "--gold", "pass", "--no-answer"], 2, "exclude each other"),
        (["q", "--gold", "pass", "--gold", "Renew the old passport"], 2, "is given twice"),
        (["q", "--gold", "passsport"], 1, "no task 'passsport'"),
        (["q", "--gold", "p"], 2, "fits 2 tasks"),
    ],
)
def test_what_is_no_question_is_refused_in_one_line(
    bench: Any, tmp_path: Path, words: list[str], code: int, error: str
) -> None:
    ended = bench("add", *words, "--file", tmp_path / "q.jsonl")
    assert ended.code == code
    assert error in ended.error
    assert "\n" not in ended.error
    assert not (tmp_path / "q.jsonl").exists()


def test_the_same_question_is_not_added_twice(bench: Any, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    bench("add", "Café hours", "--gold", "pass", "--file", file)
    ended = bench("add", "cafe HOURS ", "--no-answer", "--file", file)
    assert ended.code == 2
    assert "already" in ended.error


def test_gold_that_is_done_is_warned_about(bench: Any, tmp_path: Path) -> None:
    ended = bench("add", "books", "--gold", "gone", "--file", tmp_path / "q.jsonl")
    assert ended.code == 0
    assert "warning: gone is done" in ended.err


def test_each_kind_of_fault_is_found_and_named(bench: Any, write: Any) -> None:
    file = write(
        "q.jsonl",
        {"id": "a", "question": "passport", "gold_task_ids": ["pass"]},
        {"id": "b", "question": "PASSPORT", "gold_task_ids": ["pass"]},
        {"id": "b", "question": "again", "gold_task_ids": ["pass"]},
        {"id": "c", "question": "unknown", "gold_task_ids": ["nowhere"]},
        {"id": "d", "question": "neither"},
        {"id": "e", "question": "twice", "gold_task_ids": ["plants", "plants"]},
        {"id": "f", "question": "done", "gold_task_id": "gone"},
        {"id": "g", "question": "maybe", "gold_task_ids": ["pass"], "accepted": False},
        "{torn",
    )
    ended = bench("check", file)
    assert ended.code == 1
    problems = [line for line in ended.out.splitlines() if line.startswith("problem: ")]
    wanted = [
        "line 3: the id 'b' stands on line 2",
        "line 5: it has neither",
        "line 6: a gold id stands there twice",
        "line 8: a candidate that nobody accepted",
        "line 9: no JSON",
        "b: the same question as a",
        "c: gold 'nowhere' is not in the corpus",
        "f: gold 'gone' is done",
    ]
    assert len(problems) == len(wanted)
    for part in wanted:
        assert any(part in problem for problem in problems), part
    assert "remark: gold 'pass' is shared by 2 questions: a, b" in ended.out
    assert ended.out.endswith("q.jsonl: 6 questions, 8 problems, 1 remark\n")


def test_remarks_fail_only_where_that_is_asked_for(bench: Any, write: Any) -> None:
    file = write(
        "q.jsonl",
        {"id": "a", "question": "passport", "gold_task_ids": ["pass"]},
        {"id": "b", "question": "travel papers", "gold_task_ids": ["pass"]},
    )
    assert bench("check", file).code == 0
    ended = bench("check", file, "--strict", "--json")
    assert ended.code == 1
    assert ended.json == {
        "file": str(file),
        "ok": False,
        "questions": 2,
        "problems": [],
        "remarks": ["gold 'pass' is shared by 2 questions: a, b"],
    }


def test_generated_questions_about_one_task_are_one_remark(bench: Any, write: Any) -> None:
    made = [{"id": f"{n}", "question": f"q{n}", "gold_task_ids": ["pass"], "origin": "generated"} for n in range(5)]
    remarks = bench("check", write("q.jsonl", *made), "--json").json["remarks"]
    assert len(remarks) == 1
    assert "5 questions about 1 tasks are generated: they favour lexical branches" in remarks[0]


def test_a_file_without_questions_or_no_file_fails(bench: Any, write: Any, tmp_path: Path) -> None:
    ended = bench("check", write("q.jsonl"))
    assert (ended.code, ended.out.splitlines()[0]) == (1, "problem: there is no question in it")
    missing = bench("check", tmp_path / "none.jsonl")
    assert (missing.code, "cannot be read" in missing.error) == (2, True)


def test_what_the_adapter_prints_is_not_in_the_answer(bench: Any, write: Any) -> None:
    file = write("q.jsonl", {"id": "a", "question": "passport", "gold_task_ids": ["pass"]})
    ended = bench("check", file, "--json")
    assert ended.json["ok"] is True
    assert "fetching..." in ended.err
