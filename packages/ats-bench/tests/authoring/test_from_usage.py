"""Which queries of a log are offered as questions, and what becomes of those that a person accepts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ats_bench.questions import read_questions
from ats_bench.usage.calls import Call, timestamp
from ats_bench.usage.candidates import Candidate, candidates

START = 1_796_000_000.0


def call(tool: str, query: str, after: float, **fields: Any) -> Call:
    given: dict[str, Any] = {
        "at": START + after,
        "query_length": len(query),
        "results": 5,
        "top_id": query if tool in ("get", "open", "url") else "other",
        "error": "",
        "degraded": False,
        "duration_ms": 1.0,
        "pid": int(after),
    }
    return Call(tool=tool, query=query, **given | fields)


def offered(*calls: Call, minutes: float = 5) -> list[Candidate]:
    return candidates(calls, 100, minutes).offered


@pytest.mark.parametrize("tool", ["get", "open", "url"])
def test_a_query_and_the_task_that_was_opened_after_it(tool: str) -> None:
    (one,) = offered(call("find", "old passport", 0), call(tool, "pass", 20))
    assert (one.query, one.task_id, one.seen, one.direct, one.last_at) == ("old passport", "pass", 1, True, START + 20)


def test_a_task_may_be_opened_within_some_minutes_and_no_later() -> None:
    assert offered(call("find", "q", 0), call("get", "t", 300))
    assert not offered(call("find", "q", 0), call("get", "t", 301))
    assert offered(call("find", "q", 0), call("get", "t", 301), minutes=6)
    assert not offered(call("find", "q", 10), call("get", "t", 0)), "the clock went back"


def test_the_searches_before_asked_for_the_same_in_other_words() -> None:
    first, second = sorted(
        offered(call("keyword", "id document", 0), call("find", "passport", 30), call("open", "pass", 60)),
        key=lambda one: one.direct,
    )
    assert (first.query, first.direct, first.task_id) == ("id document", False, "pass")
    assert (second.query, second.direct) == ("passport", True)


def test_a_search_after_a_task_was_opened_begins_anew() -> None:
    calls = [call("find", "a", 0), call("get", "t1", 1), call("find", "b", 2), call("get", "t2", 3)]
    assert {(one.query, one.task_id) for one in offered(*calls)} == {("a", "t1"), ("b", "t2")}


def test_a_query_that_led_to_several_tasks_is_not_offered() -> None:
    several = [call("find", "a", 0), call("get", "t1", 1), call("get", "t2", 2)]
    assert candidates(several, 100) == ([], 0, 1, 0)
    again = [call("find", "a", 0), call("get", "t1", 1), call("find", "A", 100), call("get", "t2", 101)]
    assert not offered(*again)


def test_the_same_task_once_more_counts_once_and_another_day_counts_again() -> None:
    calls = [
        call("find", "a", 0),
        call("get", "t", 1),
        call("open", "t", 2),
        call("find", "Á ", 900),
        call("get", "t", 901),
    ]
    (one,) = offered(*calls)
    assert (one.query, one.seen) == ("a", 2)


@pytest.mark.parametrize(
    "search",
    [
        call("find", "q", 0, error="UsageError: no"),
        call("find", "  ", 0),
        call("find", "cut off", 0, query_length=5000),
        call("similar", "t9", 0),
    ],
)
def test_what_is_no_whole_question_is_not_offered(search: Call) -> None:
    assert not offered(search, call("get", "t", 1))


def test_a_task_that_was_not_found_answers_nothing() -> None:
    assert not offered(call("find", "q", 0), call("get", "t", 1, error="NotFoundError", top_id=""))


def test_the_most_often_seen_comes_first_then_the_latest() -> None:
    calls = []
    for n, query in enumerate(["once early", "twice", "once late", "twice"]):
        calls += [call("find", query, 1000 * n), call("get", "t", 1000 * n + 1)]
    assert [one.query for one in offered(*calls)] == ["twice", "once late", "once early"]
    assert [one.query for one in candidates(calls, 1).offered] == ["twice"]


def test_an_id_stays_as_the_log_grows() -> None:
    calls = [call("find", "a", 0), call("get", "t", 1)]
    (before,) = offered(*calls)
    more = [call("find", "b", 500), call("get", "t", 501), call("find", "A", 900), call("get", "t", 901)]
    assert before.id in {one.id for one in offered(*calls, *more)}


@pytest.fixture
def log(write: Any) -> Path:
    def line(tool: str, query: str, after: int, top_id: str | None = None) -> dict[str, Any]:
        return {"ts": timestamp(START + after), "tool": tool, "query": query, "resultCount": 1, "topId": top_id}

    path: Path = write(
        "log.jsonl",
        line("find", "photos for the id", 0),
        line("find", "passport", 5),
        line("get", "Renew the old passport", 9, "pass"),
        line("find", "renew the OLD passport", 1000),
        line("get", "pass", 1001, "pass"),
        line("find", "something deleted", 2000),
        line("get", "deleted", 2001, "deleted"),
        line("find", "fern", 3000),
        line("open", "plants", 3001, "plants"),
        "torn {",
    )
    return path


FAR = ("--days", 36500)


def test_candidates_are_printed_with_the_title_and_are_no_questions_yet(bench: Any, log: Path, write: Any) -> None:
    ended = bench("from-usage", "--log", log, *FAR)
    assert ended.code == 0
    by_question = {record["question"]: record for record in ended.records}
    assert set(by_question) == {"photos for the id", "passport", "fern"}, "no task that is gone, no task's very title"
    fern = by_question["fern"]
    assert (fern["gold_task_ids"], fern["title"], fern["accepted"]) == (["plants"], "Water the plants", False)
    assert (fern["origin"], fern["tags"]) == ("usage", ["usage"])
    assert by_question["photos for the id"]["tags"] == ["usage", "requery"]
    assert "3 of 3 candidates" in ended.err
    assert "1 bad lines" in ended.err
    assert "favours it" in ended.err
    questions, problems = read_questions(write("all.jsonl", *ended.out.splitlines()))
    assert not questions
    assert "nobody accepted" in problems[0]


def test_a_file_of_candidates_is_new_and_becomes_questions_by_hand(bench: Any, log: Path, tmp_path: Path) -> None:
    out = tmp_path / "candidates.jsonl"
    assert bench("from-usage", "--log", log, *FAR, "--out", out).code == 0
    out.write_text(out.read_text().replace('"accepted":false', '"accepted":true', 1))
    questions, problems = read_questions(out)
    assert (len(questions), len(problems)) == (1, 2)
    again = bench("from-usage", "--log", log, *FAR, "--out", out)
    assert (again.code, "nothing is overwritten" in again.error) == (2, True)


def test_accepted_candidates_are_appended_once(bench: Any, log: Path, tmp_path: Path) -> None:
    words = ["from-usage", "--log", log, *FAR]
    wanted = next(record["id"] for record in bench(*words).records if record["question"] == "fern")
    out = tmp_path / "mine.jsonl"
    out.write_text(json.dumps({"id": "q1", "question": "mine", "gold_task_ids": ["pass"]}))
    for _ in range(2):
        ended = bench(*words, "--accept", wanted, "--out", out)
        assert (ended.code, ended.out) == (0, "")
    questions, problems = read_questions(out)
    assert ([question.question for question in questions], problems) == (["mine", "fern"], [])
    assert questions[1].origin == "usage"
    bench(*words, "--accept", "all", "--out", out)
    assert len(read_questions(out)[0]) == 4


def test_accepting_needs_a_file_and_an_id_that_is_offered(bench: Any, log: Path, tmp_path: Path) -> None:
    assert bench("from-usage", "--log", log, "--accept", "all").code == 2
    ended = bench("from-usage", "--log", log, *FAR, "--accept", "u-0", "--out", tmp_path / "q.jsonl")
    assert (ended.code, ended.error) == (2, "no candidate 'u-0'")
    assert not (tmp_path / "q.jsonl").exists()


def test_a_log_without_candidates_is_an_answer(bench: Any, write: Any) -> None:
    ended = bench("from-usage", "--log", write("empty.jsonl"))
    assert (ended.code, ended.out) == (0, "")
    assert "ats: 0 of 0 candidates" in ended.err
