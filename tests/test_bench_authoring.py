"""Question files and the usage log with the real command and a real store."""

from __future__ import annotations

import json
from pathlib import Path

from readme_blocks import ROOT
from running import Run

TASKS = [
    {"id": "pass", "title": "Renew the old passport", "content": "Bring two photos and forty euros", "tags": ["admin"]},
    {"id": "fern", "title": "Water the tall fern", "content": "It dislikes sunlight and draughts"},
    {"id": "books", "title": "Return the library books", "content": "Overdue", "status": "done"},
]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_from_ones_own_tasks_to_a_run_that_other_tools_can_read(ats: Run, tmp_path: Path):
    store = tmp_path / "tasks.json"
    store.write_text(json.dumps(TASKS))
    own = {"ATS_MEMORY_FILE": str(store)}
    assert ats("bench", "init", **own).returncode == 0
    assert ats("bench", "add", "where is my id", "--gold", "pass", **own).returncode == 0
    checked = ats("bench", "check", "--json", **own)
    assert checked.returncode == 0
    assert json.loads(checked.stdout)["problems"] == []
    assert ats("bench", "run", "--methods", "find,keyword", "--out", "run", **own).returncode == 0
    exported = ats("bench", "export", "run", "--trec", "--out", "trec")
    assert exported.returncode == 0, exported.stderr
    assert exported.stdout.split() == [f"trec/{name}" for name in ("qrels.txt", "find.run", "keyword.run")]
    golds = {line.split()[2] for line in (tmp_path / "trec" / "qrels.txt").read_text().splitlines()}
    assert golds == {"pass", "fern"}


def test_what_the_bench_looks_up_is_not_logged_as_use(ats: Run, tmp_path: Path):
    for words in (["init"], ["add", "undo it", "--gold", "rel-rollback"], ["check"], ["from-usage"], ["analyze-usage"]):
        assert ats("bench", *words).returncode == 0
    assert not (tmp_path / "state" / "search-log.jsonl").exists()


def test_a_query_and_what_was_read_after_it_become_a_question(ats: Run, tmp_path: Path):
    ats("keyword", "unfindable words")
    ats("find", "undo a deployment")
    ats("get", "rel-rollback")
    offered = [json.loads(line) for line in ats("bench", "from-usage").stdout.splitlines()]
    assert {one["question"]: one["tags"] for one in offered} == {
        "unfindable words": ["usage", "requery"],
        "undo a deployment": ["usage"],
    }
    wanted = next(one["id"] for one in offered if one["question"] == "undo a deployment")
    accepted = ats("bench", "from-usage", "--accept", wanted, "--out", "mine.jsonl")
    assert accepted.returncode == 0, accepted.stderr
    (question,) = lines(tmp_path / "mine.jsonl")
    assert (question["gold_task_ids"], question["origin"]) == (["rel-rollback"], "usage")
    analysis = json.loads(ats("bench", "analyze-usage", "--json", "--private").stdout)
    assert analysis["all"]["calls"] == 3
    assert analysis["requery"]["anyPid"]["otherQuery"] == 1
    assert "undo" not in json.dumps(analysis)


def test_days_are_local_west_of_utc(ats: Run, tmp_path: Path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"ts": "2026-01-01T04:00:00Z", "tool": "find", "query": "q", "resultCount": 1}\n')
    words = ["bench", "analyze-usage", "--json", "--days", "36500", "--log", str(log)]
    for zone, day in (("America/Los_Angeles", "2025-12-31"), ("UTC", "2026-01-01")):
        assert [row["day"] for row in json.loads(ats(*words, TZ=zone).stdout)["byDay"]] == [day]


def test_a_public_set_can_be_run(ats: Run, tmp_path: Path):
    (tmp_path / "set" / "qrels").mkdir(parents=True)
    (tmp_path / "set" / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Ferns", "text": "They like shade."}\n{"_id": "d2", "title": "", "text": "Coffee"}\n'
    )
    (tmp_path / "set" / "queries.jsonl").write_text('{"_id": "q1", "text": "shade"}\n')
    (tmp_path / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    assert ats("bench", "import-beir", "set", "--out", "out").returncode == 0
    own = {"ATS_MEMORY_FILE": str(tmp_path / "out" / "corpus.jsonl")}
    ran = ats("bench", "run", "--questions", "out/questions.jsonl", "--methods", "find", "--out", "run", **own)
    assert ran.returncode == 0, ran.stderr
    score = json.loads(ats("bench", "score", "run", "--json").stdout)
    assert score["runs"]["find"]["overall"]["hit@1"] == 1


def test_an_error_is_one_line_or_one_document(ats: Run):
    for words, code in (
        (["check", "none.jsonl"], 2),
        (["analyze-usage", "--log", "none.jsonl"], 2),
        (["add", "q", "--gold", "no-such-task"], 1),
        (["import-beir", "none", "--out", "x"], 2),
        (["export", "none", "--trec", "--out", "x"], 2),
        (["init", "--adapter", "nobody"], 2),
    ):
        ended = ats("bench", *words)
        assert (ended.returncode, ended.stdout) == (code, ""), words
        assert "Traceback" not in ended.stderr
        assert ended.stderr.splitlines()[-1].startswith("ats: ")
    ended = ats("bench", "check", "none.jsonl", "--json")
    assert json.loads(ended.stdout)["error"]["type"] == "UsageError"


def test_the_report_in_the_guide_is_what_the_demo_prints(ats: Run):
    assert ats("bench", "run", "--demo").returncode == 0
    report = ats("bench", "score").stdout
    by_method = report.partition("## By method\n")[2].partition("\n## ")[0].strip()
    assert by_method
    assert by_method in (ROOT / "packages" / "ats-bench" / "README.md").read_text(encoding="utf-8")
