"""Public sets in the form of BEIR."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from ats_bench.questions import read_questions

HEADER = "query-id\tcorpus-id\tscore\n"
SET = {
    "corpus.jsonl": (
        '{"_id": "d1", "title": "Ferns", "text": "They like shade.", "metadata": {"url": "x"}}\n'
        '{"_id": 2, "title": "", "text": "Café"}\n'
        "torn {\n"
        '{"title": "no id"}\n'
        "\n"
    ),
    "queries.jsonl": (
        '\ufeff{"_id": "q1", "text": " shade plants "}\n{"_id": "q2", "text": "coffee"}\n{"_id": "q3", "text": "z"}\n'
    ),
    "qrels/test.tsv": HEADER + "q1\td1\t2\nq1\t2\t0\nq2\tlost\t1\nq9\td1\t1\nbroken\n",
    "qrels/dev.tsv": HEADER + "q1\t2\t1\n",
}


def lay(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    return lay(tmp_path / "set", SET)


def test_a_set_becomes_a_corpus_and_questions(bench: Any, beir: Path, tmp_path: Path) -> None:
    ended = bench("import-beir", beir, "--out", tmp_path / "out")
    assert ended.code == 0
    assert ended.out.splitlines() == [str(tmp_path / "out" / name) for name in ("corpus.jsonl", "questions.jsonl")]
    corpus = [json.loads(line) for line in (tmp_path / "out" / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert corpus == [
        {"id": "d1", "title": "Ferns", "content": "They like shade.", "projectId": "set", "projectName": "set"},
        {"id": "2", "title": "", "content": "Café", "projectId": "set", "projectName": "set"},
    ]
    (first, second), problems = read_questions(tmp_path / "out" / "questions.jsonl")
    assert not problems
    assert (first.id, first.question, set(first.gold_task_ids)) == ("q1", "shade plants", {"d1", "2"})
    assert (set(first.tags), first.origin) == ({"dev", "test"}, "beir")
    assert second.gold_task_ids == ("lost",), "score counts it as unwinnable"


def test_what_could_not_be_taken_over_is_said(bench: Any, beir: Path, tmp_path: Path) -> None:
    said = bench("import-beir", beir, "--out", tmp_path / "out").err
    for part in (
        "test.tsv line 6 has not three columns",
        "corpus.jsonl line 3 is no JSON object",
        "corpus.jsonl line 4 has no _id",
        "1 judged queries have no text",
        "1 relevant documents are not in corpus.jsonl",
        "2 tasks, 2 questions",
    ):
        assert part in said


def test_one_split_alone(bench: Any, beir: Path, tmp_path: Path) -> None:
    bench("import-beir", beir, "--split", "dev", "--out", tmp_path / "out")
    (question,) = read_questions(tmp_path / "out" / "questions.jsonl")[0]
    assert (question.gold_task_ids, question.tags) == (("2",), ("dev",))
    ended = bench("import-beir", beir, "--split", "train", "--out", tmp_path / "other")
    assert (ended.code, "no split 'train'" in ended.error) == (2, True)


def test_compressed_files_and_four_columns_are_read_too(bench: Any, tmp_path: Path) -> None:
    files = {
        "corpus.jsonl.gz": gzip.compress(b'{"_id": "d1", "text": "x"}\n'),
        "queries.jsonl.gz": gzip.compress(b'{"_id": "q1", "text": "x"}\n'),
        "qrels/test.tsv": "q1\t0\td1\t1\n",
    }
    assert bench("import-beir", lay(tmp_path / "gz", files), "--out", tmp_path / "out").code == 0
    assert read_questions(tmp_path / "out" / "questions.jsonl")[0][0].gold_task_ids == ("d1",)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"corpus.jsonl": None}, "there is no"),
        ({"queries.jsonl": None}, "there is no"),
        ({"qrels/test.tsv": None, "qrels/dev.tsv": None}, "holds no .tsv file"),
        ({"queries.jsonl": "[]\n"}, "no query with a relevant document"),
        ({"corpus.jsonl": None, "corpus.jsonl.gz": b"no gzip"}, "cannot be read"),
    ],
)
def test_a_folder_that_is_no_such_set_is_an_error_of_one_line(
    bench: Any, beir: Path, tmp_path: Path, change: Mapping[str, bytes | str | None], error: str
) -> None:
    for name, content in change.items():
        if content is None:
            (beir / name).unlink()
        else:
            lay(beir, {name: content})
    ended = bench("import-beir", beir, "--out", tmp_path / "out")
    assert ended.code == 2
    assert error in ended.error
    assert "\n" not in ended.error
    assert not (tmp_path / "out" / "corpus.jsonl").exists()


def test_nothing_is_overwritten(bench: Any, beir: Path) -> None:
    assert bench("import-beir", beir, "--out", beir).code == 2
