"""`ats bench score`: means, intervals, comparisons, and what is left out of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from ats_bench.runs import read_run
from ats_bench.scoring import score_run

from .conftest import QUESTIONS, Bench

Write = Callable[..., Path]
Spoil = Callable[..., None]


def test_the_document_has_the_shape_of_the_design(bench: Bench, made: Path):
    document = bench("score", made, "--json").json
    assert list(document["runs"]) == ["find", "sparse", "keyword"]
    overall = document["runs"]["find"]["overall"]
    assert overall.keys() == {"n", "hit@1", "recall@5", "precision@5", "mrr", "ndcg@10", "ci95"}
    assert overall["n"] == 4
    assert overall["ci95"].keys() == {"hit@1", "recall@5", "precision@5", "mrr", "ndcg@10"}
    assert document["runs"]["find"]["byTag"]["half"]["n"] == 2
    coverage = document["runs"]["find"]["coverage"]
    assert (coverage["questions"], coverage["scored"], coverage["noAnswer"]) == (5, 4, 1)
    assert [contrast["method"] for contrast in document["comparisons"]] == ["sparse", "keyword"]


def test_a_value_of_the_report_is_the_mean_of_its_questions(bench: Bench, made: Path):
    keyword = bench("score", made, "--json").json["runs"]["keyword"]["overall"]
    # "roll back a release" and "library card" stand there literally; of q4's two gold tasks one is found.
    assert keyword["hit@1"] == pytest.approx(2 / 4)
    assert keyword["precision@5"] == pytest.approx(2 / 20)


def test_the_same_run_gives_the_same_report(bench: Bench, made: Path):
    assert bench("score", made).out == bench("score", made).out
    assert bench("score").out == bench("score", made).out


def test_the_report_says_what_recall_means_and_claims_no_difference_from_four_questions(bench: Bench, made: Path):
    report = bench("score", made).out
    assert "recall@5 is the share of questions with a gold task among the first five hits" in report
    assert "- keyword: no difference shown" in report
    assert "## By tag" in report
    assert "| half " in report


def test_a_difference_that_is_there_is_said(bench: Bench, write: Write, tmp_path: Path):
    asked = [
        {"id": f"q{number}", "question": f"orchids {words}", "gold_task_ids": ["fern"]}
        for number, words in enumerate(["evening", "water", "fern", "every", "but", "not", "daily", "evening now"])
    ]
    path = write("many.jsonl", asked)
    bench("run", "--questions", path, "--methods", "sparse,keyword", "--out", tmp_path / "r")
    assert "- keyword: worse" in bench("score", tmp_path / "r").out


def test_what_could_not_be_judged_is_counted_and_left_out(bench: Bench, write: Write, tmp_path: Path):
    """The case of the field: gold outside of the corpus, an empty gold list, gold listed twice, a degraded answer."""
    asked = [
        *QUESTIONS[:3],
        {"id": "u1", "question": "renew passport", "gold_task_ids": ["nowhere"]},
        {"id": "u2", "question": "visa form", "gold_task_ids": ["gone"]},
        {"id": "e1", "question": "passport", "gold_task_ids": []},
        {"id": "t1", "question": "oat milk", "gold_task_ids": ["milk", "milk"]},
        {"id": "p1", "question": "oat milk", "gold_task_ids": ["milk", "nowhere"]},
        "{",
    ]
    folder = tmp_path / "r"
    bench("run", "--questions", write("q.jsonl", asked), "--methods", "sparse", "--out", folder)
    ended = bench("score", folder, "--json", "--strict")
    assert ended.code == 1
    assert "2 unwinnable" in ended.err
    sparse = ended.json["runs"]["sparse"]
    assert sparse["overall"]["n"] == 5
    assert sparse["overall"]["mrr"] == 1
    assert sparse["coverage"] == {
        "questions": 8,
        "scored": 5,
        "noAnswer": 0,
        "unwinnable": 2,
        "ineligible": 1,
        "degraded": 0,
        "missing": 0,
        "failed": 0,
        "partial": 1,
        "unreadable": 1,
    }
    assert bench("score", folder).code == 0


def test_a_degraded_answer_is_never_compared_with_a_healthy_one(bench: Bench, made: Path, spoil: Spoil):
    def degrade(row: dict[str, Any]) -> dict[str, Any]:
        return row | {"degraded": True} if (row["question"], row["method"]) == ("q1", "sparse") else row

    spoil(made, degrade)
    document = bench("score", made, "--json").json
    assert document["runs"]["sparse"]["overall"]["n"] == 3
    assert document["runs"]["sparse"]["coverage"]["degraded"] == 1
    assert document["comparisons"][0]["n"] == 3
    assert bench("score", made, "--strict").code == 1


def test_a_run_cut_off_in_the_middle_is_scored_by_what_is_there(bench: Bench, made: Path):
    path = made / "rows.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:20])
    report = bench("score", made).out
    assert "The run was cut off: 11 answers are missing" in report
    path.write_bytes(b"")
    assert bench("score", made).code == 0
    assert bench("score", made, "--json").json["runs"]["find"]["overall"] == {"n": 0, "ci95": {}}
    path.unlink()
    assert bench("score", made).code == 0


def test_damaged_lines_are_said_and_nan_is_read_as_no_score(made: Path):
    path = made / "rows.jsonl"
    lines = path.read_text().splitlines()
    row = json.loads(lines[0])
    row["scores"] = [float("nan")] * len(row["ids"])
    path.write_text(
        "\n".join([json.dumps(row), "garbage", "\0\0\0", *lines[1:], lines[1], '{"question":"zz","method":"find"}'])
        + "\n"
    )
    run = read_run(made)
    assert run.damaged == 3
    assert run.rows["q1", "find"].scores == (None,) * len(row["ids"])
    assert run.missing == 0


@pytest.mark.parametrize("header", [None, b"", b"{", b"[]", b"\xff", b'{"schema": 99}'])
def test_what_is_no_run_is_one_line_and_exit_2(bench: Bench, tmp_path: Path, header: bytes | None):
    folder = tmp_path / "odd"
    folder.mkdir()
    if header is not None:
        (folder / "header.json").write_bytes(header)
    ended = bench("score", folder)
    assert (ended.code, ended.out) == (2, "")
    assert "\n" not in ended.error


def test_a_run_of_a_later_version_is_refused(bench: Bench, made: Path):
    header = json.loads((made / "header.json").read_text())
    (made / "header.json").write_text(json.dumps(header | {"schema": 99}))
    assert "another version" in bench("score", made).error


def test_no_run_yet_and_an_unknown_measure(bench: Bench):
    assert bench("score").code == 2
    assert bench("score", "--measure", "recal@5").error == "unknown measure 'recal@5'"


def test_questions_without_an_answer_are_scored_apart(made: Path, spoil: Spoil):
    spoil(made, lambda row: row | {"confidence": "moderate"} if row["question"] == "q5" else row)
    scores = score_run(read_run(made))
    assert scores.methods["find"].no_answer.verdicts["moderate"] == 1
    assert scores.methods["find"].no_answer.sure == 1
    assert "q5" not in scores.methods["find"].values


class Page(HTMLParser):
    """What a page is made of, and whether every tag is closed."""

    VOID = frozenset({"meta", "line", "circle", "polyline", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing(bench: Bench, made: Path, tmp_path: Path):
    assert bench("score", made, "--html", tmp_path / "r.html").code == 0
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert page.addresses == []
    assert not {"script", "link", "img", "iframe", "object"} & set(page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert page.tags.count("details") == len(QUESTIONS)
    assert page.tags.count("polyline") == 3
    assert "Renew the passport" in text


def test_what_comes_from_tasks_is_inert_in_the_page(bench: Bench, made: Path, spoil: Spoil, tmp_path: Path):
    nasty = "<script>alert(1)</script> \u202e\x1b[31m\"'"
    spoil(made, lambda row: row | {"first": {"title": nasty, "sources": [nasty]}, "reason": nasty})
    bench("score", made, "--html", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert Page(text).open == []


def test_a_page_of_an_empty_run(bench: Bench, made: Path, tmp_path: Path):
    (made / "rows.jsonl").write_bytes(b"")
    assert bench("score", made, "--html", tmp_path / "r.html").code == 0
    assert bench("score", made, "--html", tmp_path).code == 1
