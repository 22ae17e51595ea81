"""Question files: what is read, and what is named by its number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from ats_bench.questions import Question, append_question, read_questions
from ats_core.errors import UsageError

Write = Callable[..., Path]


def test_a_file_is_read_whole_whatever_one_line_of_it_is(write: Write):
    path = write(
        "q.jsonl",
        [
            {"id": "a", "question": "x", "gold_task_id": 42, "tags": ["t"], "origin": "generated"},
            '{"id": "b", "question": ',
            "[]",
            {"id": "c", "question": "  "},
            "",
            {"question": "y", "gold_task_ids": ["k", "k"], "gold_project_id": None},
            {"id": "a", "question": "again", "no_answer": True},
            {"id": "d", "question": "neither"},
            {"id": "e", "question": "both", "gold_task_ids": ["k"], "no_answer": True},
            {"id": "f", "question": "z", "gold_task_ids": "k"},
            {"id": "g", "question": "z", "no_answer": "yes"},
            {"id": "h", "question": "tasks \ud83d", "gold_task_ids": []},
        ],
    )
    questions, problems = read_questions(path)
    assert [question.id for question in questions] == ["a", "line-6", "d", "e", "h"]
    assert questions[0] == Question(id="a", question="x", gold_task_ids=("42",), tags=("t",), origin="generated")
    assert questions[1].gold_task_ids == ("k",)
    assert [question.eligible for question in questions] == [True, True, False, True, False]
    assert not questions[3].no_answer
    assert questions[4].question == "tasks \ufffd"
    assert [problem.partition(":")[0] for problem in problems] == [
        f"line {number}" for number in (2, 3, 4, 6, 7, 8, 9, 10, 11, 12)
    ]


def test_invalid_utf_8_and_a_byte_order_mark(tmp_path: Path):
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id":"a","question":"x","no_answer":true}\r\n{"id":"b","question":"\xff"}\n')
    questions, problems = read_questions(path)
    assert [question.id for question in questions] == ["a"]
    assert len(problems) == 1
    assert problems[0].startswith("line 2: ")


def test_a_file_that_is_none(tmp_path: Path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            read_questions(path)


def test_a_question_is_appended_as_a_line_of_its_own(tmp_path: Path):
    path = tmp_path / "new" / "q.jsonl"
    first = Question(id="a", question="x", gold_task_ids=("k",), tags=("t",))
    second = Question(id="b", question="é", no_answer=True, origin="written")
    append_question(path, first)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_question(path, second)
    assert read_questions(path) == ([first, second], [])
