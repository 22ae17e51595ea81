"""`ats why`: the story of one task and one query."""

import re
from typing import Any

import pytest

KEYS = {
    "query", "reference", "outcome", "limit", "corpus", "task", "place", "score", "fused", "covered", "filters",
    "branches", "terms", "hint",
}  # fmt: skip
ASKED = ["how", "do", "I", "roll", "back", "a", "zebra"]


def told(ats: Any, *arguments: str, **environ: str) -> Any:
    ended = ats("why", "--json", *arguments, **environ)
    assert (ended.code, ended.err) == (0, "")
    assert set(ended.json) == KEYS
    return ended.json


def test_a_hit_as_a_document(ats: Any) -> None:
    story = told(ats, *ASKED, "t1")
    assert (story["query"], story["reference"], story["outcome"]) == ("how do I roll back a zebra", "t1", "shown")
    assert (story["place"], story["limit"], story["filters"], story["hint"]) == (1, 5, [], None)
    assert 0 < story["covered"] < 1
    assert set(story["task"]) == {
        "id", "title", "projectId", "projectName", "tags", "dueDate", "modifiedTime", "status", "url",
    }  # fmt: skip
    assert (story["task"]["id"], story["task"]["url"]) == ("t1", "toy://p1/t1")
    assert story["corpus"]["adapter"] == "toy"
    sparse, keyword = story["branches"]
    assert set(sparse) == {"name", "status", "rank", "score", "cut", "voted", "error"}
    assert (sparse["name"], sparse["rank"], sparse["cut"], sparse["voted"]) == ("sparse", 1, 20, True)
    assert (keyword["rank"], keyword["voted"]) == (None, False)
    assert all(set(term) == {"term", "idf", "tasks", "held"} for term in story["terms"])
    assert {term["term"]: (term["tasks"], term["held"]) for term in story["terms"]} == {
        "roll": (1, True), "back": (1, True), "zebra": (0, False),
    }  # fmt: skip
    found = ats("find", *ASKED, "--json").json["tasks"][0]
    assert found["score"] == story["score"]


def test_a_hit_as_text(ats: Any) -> None:
    ended = ats("why", *ASKED, "t1")
    assert (ended.code, ended.err) == (0, "")
    first, outcome, blank, *table = ended.out.splitlines()
    assert first == "t1  Roll back a release  [Ops]  due 2026-03-14 09:00 +0000  #runbook #on call"
    assert re.fullmatch(r"shown: place 1 of 1, score 0\.01639 \(limit 5\)", outcome)
    assert blank == ""
    assert re.fullmatch(r"branch +rank +own score +candidate\?", table[0])
    assert re.fullmatch(r"sparse +1 +[\d.]+ +yes", table[1])
    assert re.fullmatch(r"keyword +- +- +does not rank it", table[2])
    assert table[4] == "has: roll (in 1 task), back (in 1 task); lacks: zebra (in no task)"
    assert re.fullmatch(r"covers \d\d% of what the query says", table[5])
    assert table[7].startswith("5 tasks of toy")


def test_below_the_limit(ats: Any) -> None:
    story = told(ats, "release", "t2", "-n", "1")
    assert (story["outcome"], story["limit"]) == ("below the limit", 1)
    text = ats("why", "release", "t2", "-n", "1").out
    assert re.search(rf"^below the limit: place {story['place']} of 4, score 0\.\d+ \(limit 1\)$", text, re.M)


def test_beyond_the_candidates(ats: Any) -> None:
    lowest = ats("find", "release", "--json", "-n", "4").json["tasks"][-1]["id"]
    cut = ["-n", "1", "--candidates", "1"]
    story = told(ats, "release", lowest, *cut)
    assert (story["outcome"], story["place"], story["score"]) == ("no candidate", None, None)
    text = ats("why", "release", lowest, *cut).out
    assert "\nno candidate: no branch has it high enough\n" in text
    assert re.search(r"^sparse +[234] +[\d.]+ +no: beyond the 1 candidate$", text, re.M)


def test_a_task_that_no_branch_ranks(ats: Any) -> None:
    text = ats("why", "release", "t3").out
    assert "\nno candidate: no branch ranks it\n" in text
    assert "\nlacks: releas (in 4 tasks)\ncovers 0% of what the query says\n" in text


def test_a_branch_that_failed_says_so(ats: Any) -> None:
    text = ats("why", "release", "t3", TOY="fails").out
    assert "\nno candidate: no branch that answered ranks it\n" in text
    assert re.search(r"^failing +- +- +failed: .*no luck", text, re.M)
    text = ats("why", "release", "t1", "--adapter", "toy-dense").out
    assert re.search(r"^hybrid +\d +\S+ +yes \(degraded: .*the embedder is down.*\)$", text, re.M)


def test_a_filter_is_named(ats: Any) -> None:
    filters = ["-p", "Ops", "--tag", "none such"]
    story = told(ats, "passport", "t3", *filters)
    assert (story["outcome"], story["filters"]) == ("filtered", ["project Ops", "tag none such"])
    text = ats("why", "passport", "t3", *filters).out
    assert "\nfiltered: left out by project Ops, tag none such\n" in text
    assert "\nhas: passport (in 1 task)\n" in text
    assert "candidate?" not in text, "no branch was asked about it"


def test_a_task_that_is_done(ats: Any) -> None:
    assert told(ats, "release", "d1", TOY="done")["filters"] == ["status open"]
    assert told(ats, "release", "d1", "--status", "any", TOY="done")["outcome"] == "shown"


def test_a_task_that_is_not_there(ats: Any) -> None:
    story = told(ats, "renew", "Renew pasport")
    assert (story["outcome"], story["task"], story["branches"], story["terms"]) == ("not in the corpus", None, [], [])
    text = ats("why", "renew", "Renew pasport").out
    lines = text.splitlines()
    assert lines[0] == "Renew pasport"
    assert lines[1].startswith("not in the corpus: ")
    assert "--fresh refetches it" in lines[2]
    assert "Renew passport" in lines[2]


def test_the_last_word_is_the_task(ats: Any) -> None:
    assert told(ats, "who rolls back", "Roll back a release")["task"]["id"] == "t1"
    assert told(ats, "roll", "-n", "3", "lon")["task"]["id"] == "long", "the beginning of an id"
    assert told(ats, "--", "-20%", "sale", "t1")["query"] == "-20% sale"
    ended = ats("why", "--json", "-", "t1", stdin="roll\nback\n")
    assert (ended.json["query"], ended.json["reference"]) == ("roll\nback", "t1")


@pytest.mark.parametrize("words", [[], ["t1"], [" ", "t1"], ["roll", " "], ["-20%", "t1"]])
def test_half_a_question_is_a_usage_error(ats: Any, words: list[str]) -> None:
    ended = ats("why", *words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)


def test_fusion_changes_the_score(ats: Any) -> None:
    assert told(ats, "release", "t1", "--fusion", "score")["score"] > 10 * told(ats, "release", "t1")["score"]


@pytest.mark.parametrize("columns", [60, 100])
def test_a_terminal_gets_lines_that_fit_and_nothing_live(ats: Any, columns: int) -> None:
    text = ats.on_terminal(columns, "why", "red release", "t4", NO_COLOR="1")
    assert all(len(line) <= columns for line in text.split("\n"))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_it_is_not_logged(ats: Any) -> None:
    told(ats, "release", "t1")
    assert not list(ats.config.glob("search-log*"))


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_stuck_branch_does_not_hold_the_process(ats: Any, form: list[str]) -> None:
    ended = ats("why", "release", "t1", "--budget-ms", "500", *form, TOY="stuck")
    assert ended.code == 0
    assert "timed out" in ended.out
