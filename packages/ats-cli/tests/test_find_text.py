"""Text for people, on a pipe and on a terminal."""

import re
from typing import Any

import pytest

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def test_piped_text_is_plain_whole_and_says_where_it_comes_from(ats: Any) -> None:
    ended = ats("find", "release")
    assert ended.code == 0
    assert "\x1b" not in ended.out
    assert "x" * 300 in ended.out
    assert "Roll back a release  [Ops]  due 2026-03-14 09:00 +0000  #runbook #on call" in ended.out
    assert re.search(r"^   t1  sparse, keyword  toy://p1/t1$", ended.out, re.M)
    assert re.search(r"hits in \d+ ms \| sparse \d+, keyword \d+ \| 5 tasks of toy", ended.out)
    assert ended.err == ""


def test_control_and_bidi_characters_are_shown_inert(ats: Any) -> None:
    ended = ats("find", "release", "--content")
    assert r"evil \x1b[31mred\x1b[0m \u202etxet release\x07" in ended.out
    assert r"body \x9b31m with \x1b]0;title\x07 release" in ended.out
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", ended.out)


@pytest.mark.parametrize("columns", [60, 100])
def test_a_terminal_gets_colour_and_lines_that_fit(ats: Any, columns: int) -> None:
    text = ats.on_terminal(columns, "find", "roll back", "--explain")
    assert re.search(r"\x1b\[1;33mroll", text), "the match is marked"
    lines = ANSI.sub("", text).split("\n")
    assert all(len(line) <= columns for line in lines)
    assert not re.search("[\x07\x9b]", text)


def test_no_color_on_a_terminal(ats: Any) -> None:
    text = ats.on_terminal(60, "find", "roll back", NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b" not in text
    assert all(len(line) <= 60 for line in text.split("\n"))


def test_force_color_in_a_pipe(ats: Any) -> None:
    forced = ats("find", "release", FORCE_COLOR="1", COLUMNS="20")
    plain = ats("find", "release", COLUMNS="20")
    assert "\x1b[" in forced.out
    drop_times = re.compile(r"\d+ ms|, cached .*? ago")
    assert drop_times.sub("", ANSI.sub("", forced.out)) == drop_times.sub("", plain.out), "whole lines"
    assert "\x1b" not in ats("find", "release", FORCE_COLOR="1", NO_COLOR="1").out


def test_the_explanation_sums_to_the_score(ats: Any) -> None:
    text = ats("find", "roll back", "--explain", "-n", "1").out
    table = [line.split() for line in text.splitlines() if re.match(r"   (sparse|keyword|score) ", line)]
    adds = {row[0]: float(row[-1]) for row in table}
    assert adds["sparse"] + adds["keyword"] == pytest.approx(adds["score"], abs=2e-6)


def test_inner_contributions_and_the_pin_have_their_lines(ats: Any) -> None:
    fused = ["--fusion", "score", "--explain", "-n", "1"]
    text = ats("find", "roll back a release", *fused, "--adapter", "toy-dense", TOY="embeds").out
    rows = [line.split() for line in text.splitlines() if re.match("   [ a-z]", line)]
    table = {row[0]: row[1:] for row in rows[next(at for at, row in enumerate(rows) if row[0] == "source") :]}
    assert table["source"] == ["rank", "own", "score", "adds", "of", "which"]
    assert table["pinned"] == ["pinned", "-", "0.000000"]
    adds = {name: float(table[name][-1]) for name in ("hybrid", "dense", "sparse", "keyword", "score")}
    assert adds["dense"] + adds["sparse"] == pytest.approx(adds["hybrid"], abs=2e-6)
    assert adds["hybrid"] + adds["keyword"] == pytest.approx(adds["score"], abs=2e-6)
    assert "of which" not in ats("find", "roll back", "--explain", "--adapter", "toy-dense", TOY="embeds").out


def test_the_verdict_has_a_line_of_its_own(ats: Any) -> None:
    lines = ats("find", "roll", "back").out.splitlines()
    verdict = next(at for at, line in enumerate(lines) if re.match("confidence (strong|moderate|weak): .", line))
    assert re.match(r"\d hits? in \d+ ms \| ", lines[verdict + 1])
    assert "confidence" not in lines[verdict + 1]
    assert "confidence" not in ats("find", "zzzz").out
    narrow = ats.on_terminal(60, "find", "roll", "back", NO_COLOR="1")
    assert re.search("^confidence (strong|moderate|weak): .", narrow, re.M)


def test_titles_that_come_near_are_suggested(ats: Any) -> None:
    assert ats("find", "renw pasport").out.startswith("no hits\ndid you mean: Renew passport?\n0 hits in ")


def test_hits_that_were_not_good_enough_are_said_to_be_so(ats: Any) -> None:
    ended = ats("find", "release zebra umbrella", "--min-confidence", "moderate")
    said = "no hits of at least moderate confidence (the best is weak: "
    assert (ended.code, ended.out.startswith(said)) == (0, True)
    assert ended.out.splitlines()[1].startswith("0 hits in ")
    assert ats("find", "zzzz", "--min-confidence", "moderate").out.startswith("no hits\n")
    ended = ats("find", "release zebra umbrella", "--min-confidence", "moderate", TOY="fails")
    assert re.match(r"no hits of at least moderate confidence \(.+\); failing failed\n", ended.out)


def test_no_hits_and_no_hits_because_of_a_failure_look_different(ats: Any) -> None:
    assert ats("find", "zzzz").out.startswith("no hits\n")
    ended = ats("find", "zzzz", TOY="fails")
    assert ended.out.startswith("no hits; failing failed\n")
    assert re.fullmatch(r"(ats: warning: [^\n]+\n)+", ended.err)
    assert "no luck" in ended.err


def test_the_demo_corpus_is_named(ats: Any) -> None:
    assert "demo corpus: set ATS_MEMORY_FILE" in ats("find", "release", TOY="demo").out
    assert "demo" not in ats("find", "release", "--fresh").out


def test_columns_align_by_display_width(ats: Any) -> None:
    from ats_cli.show.width import width

    rows = ats("tasks", "Ops").out.splitlines()
    assert [row.split()[0] for row in rows] == ["id", "t1", "t2"]
    starts = {width(row[: row.index(text)]) for row, text in zip(rows, ["title", "Roll", "认证"], strict=True)}
    assert len(starts) == 1


def test_projects_and_get(ats: Any) -> None:
    assert ats("projects").out.splitlines()[1:] == ["p1  tasks  Ops", "p2  notes  Home"]
    assert ats("projects", "--json").json["projects"][1] == {"id": "p2", "name": "Home", "kind": "notes"}
    text = ats("get", "Renew", "passport").out
    assert text.startswith("Renew passport  [Home]\nt3  toy://p2/t3\n\nTwo photos.")
    task = ats("get", "t1", "--json").json
    assert task["content"].startswith("First freeze the pipeline.\n")
    assert task["url"] == "toy://p1/t1"


def test_tasks_as_json(ats: Any) -> None:
    document = ats("tasks", "Ops", "--json").json
    assert [task["id"] for task in document["tasks"]] == ["t1", "t2"]
    assert document["count"] == 2


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_the_answer_is_utf8_whatever_the_locale(ats: Any, encoding: str) -> None:
    ended = ats("find", "release", PYTHONIOENCODING=encoding, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert ended.code == 0
    assert "认证系统的令牌更新" in ended.out
