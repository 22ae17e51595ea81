"""`ats bench` over the demo corpus and the public question sets: what needs the memory adapter."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
import shared_data
from ats_bench.plan import demo_questions
from ats_bench.questions import read_questions
from running import Run

TAGS = {"paraphrase", "exact-title", "symbol", "other-script", "half-remembered", "multi-gold", "no-answer"}


def test_the_demo_questions_are_about_the_demo_corpus():
    questions, problems = read_questions(demo_questions())
    assert problems == []
    tasks = {
        task["id"]: task
        for task in json.loads(files("ats_adapter_memory").joinpath("demo.json").read_text(encoding="utf-8"))["tasks"]
    }
    for question in questions:
        for gold in question.gold_task_ids:
            assert gold in tasks, question.id
            assert tasks[gold]["status"] == "open", f"{question.id}: {gold} is done, and so never shown"
    tags = Counter(tag for question in questions for tag in question.tags)
    assert tags.keys() == TAGS
    assert len(questions) >= 80
    assert sum(question.no_answer for question in questions) == tags["no-answer"] >= 10
    assert all((len(question.gold_task_ids) > 1) == ("multi-gold" in question.tags) for question in questions)
    assert len({question.question.casefold() for question in questions}) == len(questions)


def test_the_demo_is_measured_and_scored_with_two_commands(ats: Run, tmp_path: Path):
    made = ats("bench", "run", "--demo")
    assert made.returncode == 0, made.stderr
    assert Path(made.stdout.strip()).is_dir()
    scored = ats("bench", "score", "--html", str(tmp_path / "report.html"))
    assert scored.returncode == 0, scored.stderr
    assert scored.stdout.startswith("# Retrieval, measured\n")
    assert scored.stderr == ""
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    runs = json.loads(ats("bench", "score", "--json", "--strict").stdout)["runs"]
    assert runs["find"]["overall"]["mrr"] > 0.8
    assert runs["find"]["noAnswer"]["strongOrModerate"] <= 0.1


def test_the_demo_leaves_the_users_own_state_alone(ats: Run, tmp_path: Path):
    own = tmp_path / "own.json"
    own.write_text('[{"id": "a", "title": "mine"}]')
    made = ats("bench", "run", "--demo", "--methods", "keyword", ATS_MEMORY_FILE=str(own))
    assert made.returncode == 0, made.stderr
    assert {path.name for path in (tmp_path / "state").iterdir()} == {"bench"}


@pytest.mark.skipif(not shared_data.available(), reason="the question sets do not lie beside the checkout")
def test_keyword_has_its_published_figure_on_agent_recall(ats: Run):
    questions = shared_data.DATA / "agent-recall" / "questions.jsonl"
    variables = {"ATS_MEMORY_FILE": str(shared_data.corpus_file("agent-recall"))}
    made = ats("bench", "run", "--questions", str(questions), "--methods", "find,keyword", **variables)
    assert made.returncode == 0, made.stderr
    runs = json.loads(ats("bench", "score", "--json").stdout)["runs"]
    assert runs["keyword"]["overall"]["hit@1"] == pytest.approx(0.24)
    assert runs["keyword"]["overall"]["recall@5"] == pytest.approx(0.24)
    gate = ("bench", "gate", "--min", "find.mrr>=0.85", "--min")
    assert ats(*gate, "keyword.hit@1>=0.24").returncode == 0
    failed = ats(*gate, "keyword.hit@1>=0.25")
    assert failed.returncode == 1
    assert failed.stdout == "keyword.hit@1>=0.25: it is 0.2400 (n = 50)\n"


@pytest.mark.parametrize("words", [("run",), ("score",), ("gate", "--min", "nonsense")])
def test_a_mistake_is_one_json_document_where_json_was_asked_for(ats: Run, words: tuple[str, ...]):
    done = ats("bench", *words, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["type"] == "UsageError"
