"""`ats bench run`: what is asked, what is kept, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from ats_bench.runs import read_run
from ats_core import Task

from .conftest import QUESTIONS, TASKS, Bench, Searching, Store

Write = Callable[..., Path]


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def test_every_question_is_asked_by_every_method(made: Path):
    run = read_run(made)
    assert list(run.rows) == [(question["id"], method) for question in QUESTIONS for method in run.header.methods]
    assert run.missing == run.damaged == 0
    row = run.rows["q1", "find"]
    assert row.ids[0] == "pass"
    assert len(row.ids) == len(row.scores)
    assert row.confidence
    assert len(row.ms) == 1
    assert row.first is not None
    assert row.first.title == "Renew the passport"
    assert "sparse #1" in row.first.sources


def test_the_header_says_what_was_measured(made: Path, questions: Path):
    header = json.loads((made / "header.json").read_text())
    assert header["adapter"] == "test"
    assert header["corpus"]["size"] == len(TASKS)
    assert len(header["corpus"]["fingerprint"]) == 32
    assert header["questions"] | {"digest": ""} == {
        "path": str(questions),
        "digest": "",
        "count": 5,
        "unreadable": 0,
        "problems": [],
    }
    assert header["versions"].keys() >= {"ats-core", "ats-bench", "python", "numpy"}
    assert header["settings"]["fusion"] == "rrf"
    assert header["gold"] == {"pass": "open", "roll": "open", "fern": "open", "milk": "open"}
    assert header["finished"] is not None


def test_what_an_adapter_prints_is_no_part_of_the_answer(bench: Bench, questions: Path, tmp_path: Path):
    ended = bench("run", "--questions", questions, "--methods", "keyword", "--out", tmp_path / "r")
    assert ended.out == f"{tmp_path / 'r'}\n"
    assert "noise of an adapter" in ended.err
    assert "5 questions, 1 method: 5 answers" in ended.err


def test_the_corpus_is_fetched_once_a_run_also_without_a_cache(
    bench: Bench, questions: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    bench("run", "--questions", questions, "--methods", "find,keyword")
    assert store.fetches == 1
    assert not (tmp_path / "state" / "search-log.jsonl").exists()


def test_runs_never_overwrite_each_other(bench: Bench, questions: Path, made: Path):
    refused = bench("run", "--questions", questions, "--out", made)
    assert (refused.code, refused.out) == (2, "")
    assert "not empty" in refused.error
    two = [bench("run", "--questions", questions, "--methods", "keyword").out.strip() for _ in range(2)]
    assert len(set(two)) == 2
    assert all(Path(folder).parent.name == "runs" for folder in two)


def test_a_fingerprint_is_the_same_for_the_same_corpus_and_another_for_any_change(
    bench: Bench, questions: Path, store: Store, tmp_path: Path
):
    marks = []
    changes = (TASKS, TASKS, TASKS[::-1], (*TASKS[:-1], Task(id="gone", title="Old visa", project_id="q")), TASKS[:-1])
    for number, tasks in enumerate(changes):
        store.tasks = list(tasks)
        bench("run", "--questions", questions, "--methods", "keyword", "--out", tmp_path / f"r{number}")
        marks.append(read_run(tmp_path / f"r{number}").header.corpus.fingerprint)
        (tmp_path / "state" / "corpus-cache.json").unlink()
    assert marks[0] == marks[1]
    assert len(set(marks)) == 4


def test_a_method_is_a_call_and_its_variant(bench: Bench, questions: Path, tmp_path: Path):
    bench("run", "--questions", questions, "--methods", "find:score, find:rrf,find:score", "--out", tmp_path / "r")
    run = read_run(tmp_path / "r")
    assert run.header.methods == ("find:score", "find:rrf")
    assert run.rows["q3", "find:score"].scores != run.rows["q3", "find:rrf"].scores


def test_the_default_methods_are_those_that_can_be_done(bench: Bench, questions: Path, tmp_path: Path):
    ended = bench("run", "--questions", questions, "--out", tmp_path / "r")
    assert read_run(tmp_path / "r").header.methods == ("find", "find:score", "sparse", "keyword", "notes-find")
    assert "left out" in ended.err


class TestNative:
    @pytest.fixture
    def store(self) -> Store:
        return Searching(list(TASKS))

    def test_the_stores_own_search_is_a_method(self, bench: Bench, questions: Path, tmp_path: Path):
        bench("run", "--questions", questions, "--methods", "native", "--out", tmp_path / "r")
        row = read_run(tmp_path / "r").rows["q1", "native"]
        assert row.ids == ("fern", "roll", "milk", "pass")
        assert row.confidence is None

    def test_scores_that_are_no_numbers_are_null_and_said(self, bench: Bench, questions: Path, tmp_path: Path):
        bench("run", "--questions", questions, "--methods", "native", "--out", tmp_path / "r")
        assert "NaN" not in (tmp_path / "r" / "rows.jsonl").read_text()
        row = read_run(tmp_path / "r").rows["q1", "native"]
        assert row.scores == (None,) * 4
        assert row.warnings == ("4 of 4 scores are no finite numbers",)
        assert bench("score", tmp_path / "r", "--strict").code == 0

    def test_a_store_that_is_down_is_a_degraded_row_and_exit_4_where_nothing_was_answered(
        self, bench: Bench, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(Searching, "down", True)
        ended = bench("run", "--questions", questions, "--methods", "native", "--out", tmp_path / "r")
        assert ended.code == 4
        assert read_run(tmp_path / "r").rows["q1", "native"].error == "the store is down"
        assert bench("score", tmp_path / "r", "--strict").code == 1

    def test_a_search_that_never_ends_does_not_hold_the_process(
        self, bench: Bench, questions: Path, store: Searching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        class EndedAtOnceError(Exception):
            pass

        def end(code: int) -> None:
            raise EndedAtOnceError(code)

        store.gate, store.budget_ms = Event(), 50
        monkeypatch.setattr("os._exit", end)
        try:
            with pytest.raises(EndedAtOnceError):
                bench("run", "--questions", questions, "--methods", "keyword,native", "--out", tmp_path / "r")
        finally:
            store.gate.set()
        run = read_run(tmp_path / "r")
        assert "timed out" in str(run.rows["q1", "native"].error) or "still running" in str(
            run.rows["q1", "native"].error
        )
        assert not run.rows["q1", "keyword"].degraded


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--methods", "fnd"], "unknown method 'fnd'"),
        (["--methods", "keyword:score"], "method keyword has no variant 'score'"),
        (["--methods", "find:"], None),
        (["--methods", ","], "no method is named"),
        (["--methods", "native"], "adapter test has no search of its own"),
        (["--methods", "semantic"], "adapter test has no embedder"),
        (["--top", "0"], "--top is 0"),
        (["--jobs", "-1"], "--jobs is -1"),
        (["--demo"], "--demo brings its own questions"),
        (["--resume"], "--resume takes everything from the run"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_exit_2(bench: Bench, questions: Path, words: list[str], said: str | None):
    ended = bench("run", "--questions", questions, *words)
    assert ended.code == (2 if said else 0)
    assert (said or "") in ended.error
    assert "\n" not in ended.error


def test_files_without_a_question(bench: Bench, write: Write):
    for name, records in (("empty", []), ("bad", ["{"]), ("neither", [{"id": "a", "question": "x"}])):
        ended = bench("run", "--questions", write(f"{name}.jsonl", records))
        assert (ended.code, ended.out) == (2, "")
        assert "holds no question that can be scored" in ended.error
    assert bench("run", "--questions", "missing.jsonl").code == 2
    nothing = bench("run")
    assert nothing.code == 2
    assert nothing.error.startswith("no questions: --questions is not given")


def test_bad_lines_are_named_and_the_rest_is_asked(bench: Bench, write: Write, tmp_path: Path):
    path = write("q.jsonl", ["{", *QUESTIONS, {"id": "x", "question": "neither"}])
    ended = bench("run", "--questions", path, "--methods", "keyword", "--out", tmp_path / "r")
    assert f"ats: {path}: line 1: no JSON" in ended.err
    assert f"ats: {path}: line 7: it has neither gold nor no_answer" in ended.err
    assert len(rows_of(tmp_path / "r")) == 5


def test_questions_of_ones_own_are_the_default(bench: Bench, questions: Path, tmp_path: Path):
    own = tmp_path / "state" / "bench" / "questions.jsonl"
    own.parent.mkdir(parents=True)
    own.write_bytes(questions.read_bytes())
    assert bench("run", "--methods", "keyword").code == 0


class TestResume:
    def test_a_run_that_was_cut_off_goes_on_where_it_stopped(self, bench: Bench, made: Path):
        path = made / "rows.jsonl"
        whole = path.read_bytes()
        kept = whole.splitlines(keepends=True)[:7]
        path.write_bytes(b"".join(kept) + b'{"question":"q3","method":"spa')
        ended = bench("run", "--resume", "--out", made)
        assert ended.code == 0
        assert "15 answers" in ended.err
        assert "7 of them from before" in ended.err
        lines = path.read_bytes().splitlines(keepends=True)
        assert lines[:7] == kept
        assert len(lines) == 15
        assert read_run(made).missing == 0

    def test_the_newest_run_is_meant_where_none_is_named(self, bench: Bench, made: Path):
        (made / "rows.jsonl").write_bytes(b"")
        assert bench("run", "--resume").out.strip() == str(made)

    def test_a_finished_run_is_not_resumed(self, bench: Bench, made: Path):
        ended = bench("run", "--resume", "--out", made)
        assert ended.code == 2
        assert "is finished" in ended.error

    def test_another_corpus_is_refused(self, bench: Bench, made: Path, store: Store, tmp_path: Path):
        (made / "rows.jsonl").write_bytes(b"")
        store.tasks = list(TASKS[:3])
        (tmp_path / "state" / "corpus-cache.json").unlink()
        ended = bench("run", "--resume", "--out", made)
        assert ended.code == 2
        assert "cannot be resumed: the corpus changed since" in ended.error

    def test_a_folder_that_is_no_run(self, bench: Bench, tmp_path: Path):
        assert bench("run", "--resume", "--out", tmp_path).code == 2
        assert bench("run", "--resume").code == 2

    def test_a_second_process_does_not_write_the_same_run(self, bench: Bench, made: Path):
        from ats_bench.runs import RowWriter

        (made / "rows.jsonl").write_bytes(b"")
        with RowWriter(made):
            ended = bench("run", "--resume", "--out", made)
        assert ended.code == 1
        assert "another process is writing" in ended.error


def test_jobs_and_repeats_give_the_same_answers(bench: Bench, questions: Path, made: Path, tmp_path: Path):
    words = ["--methods", "find,sparse,keyword", "--jobs", "3", "--repeat", "2", "--out", tmp_path / "r"]
    assert bench("run", "--questions", questions, *words).code == 0
    one, other = read_run(made), read_run(tmp_path / "r")
    assert {key: row.ids for key, row in one.rows.items()} == {key: row.ids for key, row in other.rows.items()}
    assert all(len(row.ms) == 2 for row in other.rows.values())
    assert not any("another answer" in str(row.warnings) for row in other.rows.values())


def test_json_is_one_document(bench: Bench, questions: Path, tmp_path: Path):
    document = bench("run", "--questions", questions, "--methods", "keyword", "--out", tmp_path / "r", "--json").json
    assert document["run"] == str(tmp_path / "r")
    assert (document["questions"], document["answers"], document["degraded"]) == (5, 5, 0)
