"""Filters and the other options that all searches take."""

from typing import Any

import pytest

MODES = ["find", "hybrid", "sparse", "keyword", "notes-find"]
NOTES = {"t4", "long"}
"""Those of a project of notes, which alone `notes-find` searches."""


def found(ats: Any, *arguments: str, mode: str = "find", toy: str = "done") -> set[str]:
    ended = ats(mode, "release", "--json", "-n", "20", *arguments, TOY=toy)
    assert ended.code == 0, ended.out + ended.err
    return {task["id"] for task in ended.json["tasks"]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], {"t1", "t2", "t4", "long"}),
        (["-p", "Ops"], {"t1", "t2"}),
        (["--project=Ho"], {"t4", "long"}),
        (["--tag", "runbook"], {"t1"}),
        (["--tag", "runbook", "--tag", "none such"], set()),
        (["--status", "done"], {"d1"}),
        (["--due-before", "2026-03-15"], {"t1"}),
        (["--due-after", "2026-03-15"], set()),
        (["--modified-after", "2026-01-01"], {"t1"}),
    ],
)
def test_every_search_takes_them(ats: Any, mode: str, arguments: list[str], expected: set[str]) -> None:
    assert found(ats, *arguments, mode=mode) == (expected & NOTES if mode == "notes-find" else expected)


def test_similar_takes_them(ats: Any) -> None:
    ended = ats("similar", "t1", "--json", "-p", "Ops", "--adapter", "toy-dense", TOY="embeds")
    assert [task["id"] for task in ended.json["tasks"]] == ["t2"]


def test_done_tasks(ats: Any) -> None:
    everything = {"t1", "t2", "t4", "long", "d1"}
    assert found(ats, "--status", "any") == found(ats, "--include-completed") == everything
    assert found(ats, "--status", "any", "--tag", "runbook", "--tag", "on call") == {"t1"}


@pytest.mark.parametrize(
    "arguments", [["--due-after=-99999d"], ["--due-after", "-99999d"], ["--due-before", "tomorrow", "--due-before=+2w"]]
)
def test_a_value_may_begin_with_a_sign(ats: Any, arguments: list[str]) -> None:
    assert found(ats, *arguments) <= {"t1"}
    ended = ats("find", "x", *arguments, "--limit", "many")
    assert (ended.code, " -- " in ended.err) == (2, False), "it is not taken for a word of the query"


@pytest.mark.parametrize(
    ("arguments", "code", "kind", "said"),
    [
        (["--status", "maybe"], 2, "UsageError", "open, done, any"),
        (["--due-before", "soon"], 2, "UsageError", "2026-12-31, today, tomorrow, 7d"),
        (["--modified-after="], 2, "UsageError", "2026-12-31, today, tomorrow, 7d"),
        (["--min-confidence", "high"], 2, "UsageError", "weak, moderate, strong"),
        (["--fusion", "borda"], 2, "ConfigError", "--fusion is 'borda', expected rrf or score"),
        (["--project", "none such"], 1, "NotFoundError", "Ops, Home"),
        (["--project", ""], 1, "NotFoundError", "Ops, Home"),
    ],
)
def test_a_wrong_value_says_what_is_right(ats: Any, arguments: list[str], code: int, kind: str, said: str) -> None:
    for command in (["find", "x"], ["why", "x", "t1"]):
        if command[0] == "why" and "--min-confidence" in arguments:
            continue
        ended = ats(*command, "--json", *arguments)
        assert (ended.code, ended.json["error"]["type"]) == (code, kind)
        assert said in f"{ended.json['error']['message']} {ended.json['error']['hint']}"


def test_min_confidence_empties_an_answer_and_keeps_the_verdict(ats: Any) -> None:
    doubtful = ["find", "release zebra umbrella", "--json"]
    assert ats(*doubtful, "--min-confidence", "weak").json["count"] > 0
    ended = ats(*doubtful, "--min-confidence", "moderate")
    assert (ended.code, ended.json["tasks"], ended.json["suggestions"]) == (0, [], [])
    assert ended.json["confidence"]["verdict"] == "weak"
    assert ats("find", "renew passport", "--json", "--min-confidence", "strong").json["count"] > 0


def test_fusion_is_a_flag_of_what_fuses(ats: Any) -> None:
    assert ats("find", "release", "--json", "--fusion", "score", ATS_FUSION="rrf").json["fusion"] == "score"
    assert ats("find", "release", "--json", ATS_FUSION="score").json["fusion"] == "score"
    ended = ats("sparse", "release", "--fusion", "score")
    assert (ended.code, "no such option" in ended.err.lower()) == (2, True)


@pytest.mark.parametrize("mode", [*MODES, "semantic", "similar", "why"])
def test_help_says_what_a_date_may_be(ats: Any, mode: str) -> None:
    text = " ".join(ats(mode, "--help").out.split())
    for form in ("2026-12-31", "today", "tomorrow", "7d", "2w"):
        assert form in text
    assert ("--fusion" in text) is (mode in ("find", "why"))
    assert ("--min-confidence" in text) is (mode != "why")
