"""`ats bench latency`: the synthetic tasks, the table, the check; and one tiny run where there is an `ats` to time."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from ats_bench.commands import latency as command
from ats_bench.latency.figures import Column, document, far_off, figures, markdown, misses
from ats_bench.latency.measure import launch
from ats_bench.latency.plot import svg
from ats_bench.latency.synthetic import (
    CHINESE,
    CYRILLIC,
    EACH,
    JAPANESE,
    LATIN,
    MARKER,
    change_corpus,
    plain_question,
    questions,
    script_of,
    write_corpus,
)
from ats_core.errors import AtsError, NoEmbedderError, UsageError

from .conftest import Bench

SIZE = 500
UNICODE_NAMES = {
    LATIN: {"LATIN"},
    CYRILLIC: {"CYRILLIC"},
    CHINESE: {"CJK"},
    JAPANESE: {"CJK", "HIRAGANA", "KATAKANA"},
}

ROWS = figures(["none", "local"])
COLUMNS = [
    Column(
        1_000, {"floor.ms": 60.0, "find.none.ms": 90.0, "find.none.x": 1.5, "engine.none.p95": 9.0, "build.s": 0.25}
    ),
    Column(10_000, {"floor.ms": 60.0, "find.none.ms": 240.0, "find.none.x": 4.0, "engine.none.p95": 5.0}),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("latency") / "corpus.jsonl"
    write_corpus(path, SIZE)
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_corpus_is_the_same_bytes_twice_and_a_smaller_one_its_beginning(corpus: Path, tmp_path: Path):
    write_corpus(tmp_path / "again", SIZE)
    write_corpus(tmp_path / "smaller", 100)
    assert (tmp_path / "again").read_bytes() == corpus.read_bytes()
    assert corpus.read_bytes().startswith((tmp_path / "smaller").read_bytes())


def test_the_tasks_are_of_the_promised_size_and_scripts(corpus: Path):
    tasks = read(corpus)
    sizes = [len(str(task["content"]).encode()) for task in tasks]
    assert len({task["id"] for task in tasks}) == SIZE
    assert 900 < sum(sizes) / SIZE < 1100
    assert len({task["projectId"] for task in tasks}) == 40
    assert {len(task["tags"]) for task in tasks} == {0, 1, 2, 3}  # type: ignore[arg-type]
    assert {task["status"] for task in tasks} == {"open", "done"}
    assert 0 < sum(task["dueDate"] is None for task in tasks) < SIZE
    for place, task in enumerate(tasks):
        letters = filter(str.isalpha, str(task["content"]))
        assert {unicodedata.name(letter).split()[0].split("-")[0] for letter in letters} <= UNICODE_NAMES[
            script_of(place)
        ]
    assert Counter(map(script_of, range(50))) == {LATIN: 41, CYRILLIC: 3, CHINESE: 3, JAPANESE: 3}


def test_bodies_can_be_longer_and_all_else_stays(tmp_path: Path):
    write_corpus(tmp_path / "long", 100, 10)
    bodies = [len(str(task["content"]).encode()) for task in read(tmp_path / "long")]
    assert 9_000 < sum(bodies) / len(bodies) < 11_000
    assert change_corpus(tmp_path / "long", 10) == 1
    assert len(str(read(tmp_path / "long")[0]["content"])) > 2_000
    assert plain_question(tmp_path / "long", 100).query


def test_what_reads_whole_bodies_has_targets_for_plain_ones_alone():
    plain, rich = ({row.key: row.target(100_000) for row in figures(["none"], size)} for size in (1, 10))
    assert (plain["build.s"], plain["refresh.s"]) == (60.0, 6.0)
    assert {key for key in plain if plain[key] != rich[key]} == {"build.s", "refresh.s"}


def test_words_follow_zipf(corpus: Path):
    words = Counter(
        word.strip(".") for task in read(corpus) for word in str(task["content"]).split() if word.isascii()
    ).most_common()
    assert words[0][1] > 5 * words[20][1] > 25 * words[1000][1]
    assert sum(count == 1 for _, count in words) > len(words) / 4


def test_one_in_a_hundred_changes_and_nothing_else(corpus: Path, tmp_path: Path):
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(corpus.read_bytes())
    assert change_corpus(path) == SIZE // 100
    before, after = read(corpus), read(path)
    changed = [place for place in range(SIZE) if before[place] != after[place]]
    assert changed == list(range(0, SIZE, 100))
    assert all(str(after[place]["content"]).endswith(MARKER) for place in changed)
    assert all({**after[place], "content": ""} == {**before[place], "content": ""} for place in changed)


def test_the_questions_are_of_all_kinds_and_their_words_are_in_the_corpus(corpus: Path):
    asked = questions(corpus, SIZE)
    tasks = read(corpus)
    texts = "\n".join(f"{task['title']} {str(task['content']).replace('.', '')}" for task in tasks)
    assert Counter(question.kind for question in asked) == dict.fromkeys(
        ("rare", "common", "long", "project", "cjk"), EACH
    )
    assert all(question.query in texts for question in asked if question.kind != "common")
    assert all(len(question.query.split()) == 20 for question in asked if question.kind == "long")
    assert all((question.project is not None) == (question.kind == "project") for question in asked)
    assert plain_question(corpus, SIZE).query in texts
    frequent = {word for word, _ in Counter(texts.split()).most_common(100)}
    assert {word for question in asked if question.kind == "common" for word in question.query.split()} <= frequent


def test_the_table_has_each_target_beside_its_figure_and_marks_what_misses_it():
    lines = [" ".join(line.split()) for line in markdown(ROWS, COLUMNS)]
    assert lines[0] == "| | unit | 1,000 tasks | 10,000 tasks |"
    assert '| python -c "import typer" | ms | 60.0 | 60.0 |' in lines
    assert "| ats find --json, no embedder | x | 1.50 ≤ 1.9 | 4.00 > 2.2 ✗ |" in lines
    assert "| Engine.find, no embedder, p95 | ms | 9.0 > 2 ✗ | 5.0 ≤ 5 |" in lines
    assert "| first find: fetch, cache and index | s | 0.25 | - |" in lines
    assert len(lines) == 2 + len(COLUMNS[0].values)


def test_json_has_the_same_figures_unrounded():
    made = document(ROWS, [*COLUMNS, Column(200, {}, {"corpusBytes": 1})])
    rows = {row["key"]: row for row in made["figures"]}
    assert rows["find.none.x"]["values"] == {"1000": 1.5, "10000": 4.0, "200": None}
    assert rows["find.none.x"]["targets"] == {"1000": 1.9, "10000": 2.2, "200": None}
    assert rows["find.none.x"]["missed"] == [10_000]
    assert made["missed"] == 2
    assert made["sizes"][2] == {"size": 200, "corpusBytes": 1}
    json.dumps(made, allow_nan=False)


def test_the_check_minds_only_multiples_over_twice_their_target():
    assert [(miss.figure.key, miss.size) for miss in misses(ROWS, COLUMNS)] == [
        ("find.none.x", 10_000),
        ("engine.none.p95", 1_000),
    ]
    assert far_off(ROWS, COLUMNS) == []
    (far,) = far_off(ROWS, [Column(10_000, {"find.none.x": 4.5, "engine.none.p95": 900.0})])
    assert str(far) == "ats find --json, no embedder, 10,000 tasks: 4.50 x, target 2.20"
    assert far_off(ROWS, [Column(123, {"help.x": 3.3})])
    assert not far_off(ROWS, [Column(123, {"help.x": 3.2, "find.none.x": 99.0})])


@pytest.mark.parametrize("columns", [COLUMNS, COLUMNS[:1]])
def test_the_plot_is_xml_with_a_dot_for_each_figure(columns: list[Column]):
    root = ElementTree.fromstring(svg(ROWS, columns))
    space = "{http://www.w3.org/2000/svg}"
    drawn = ("floor.ms", "find.none.ms", "engine.none.p95", "build.s")
    assert len(root.findall(f".//{space}circle")) == sum(key in column.values for key in drawn for column in columns)
    assert "10,000" in "".join(root.itertext()) or len(columns) == 1


def test_words_that_are_wrong(bench: Bench, tmp_path: Path):
    (tmp_path / "there.svg").touch()
    for words in (
        ["--sizes", "many"],
        ["--sizes", "1000,20"],
        ["--embedder", "none,other"],
        ["--runs", "0"],
        ["--body-kb", "0"],
        ["--plot", "there.svg"],
        ["--keep", "."],
    ):
        ended = bench("latency", *words)
        assert (ended.code, ended.out) == (2, "")
        assert words[-1].split(",")[-1] in ended.error or "not empty" in ended.error
    assert command.parse_sizes("10000,1000,1000") == [1_000, 10_000]
    with pytest.raises(UsageError):
        command.parse_embedders("")


def test_without_the_extra_its_rows_are_left_out_aloud(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def missing() -> None:
        raise NoEmbedderError("it is not there", hint="install it")

    monkeypatch.setattr("ats_core.vectors.static.static_embedder", missing)
    assert command.installed(["none", "local"]) == ["none"]
    assert "left out: it is not there (install it)" in capsys.readouterr().err
    with pytest.raises(NoEmbedderError):
        command.installed(["local"])


def python(name: str, folder: Path, code: str) -> dict[str, object]:
    argv = [sys.executable, "-c", code]
    return {"name": name, "argv": argv, "environ": dict(os.environ), "out": str(folder / name)}


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="no os.wait4 here")
def test_the_launcher_takes_turns_and_counts_a_child_s_memory_alone(tmp_path: Path):
    jobs = [python("small", tmp_path, "pass"), python("large", tmp_path, "x = bytearray(100 << 20)")]
    steps: list[int] = []
    held = bytearray(b"x" * (150 << 20))  # a parent this large must not show in its children
    costs = launch(jobs, 2, tmp_path, lambda: steps.append(1))
    del held
    assert [name for name, _ in costs] == ["small", "large"] * 2
    assert len(steps) == 4
    assert all(0 < cost.mib < 60 if name == "small" else 100 < cost.mib < 160 for name, cost in costs)


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="no os.wait4 here")
def test_a_command_that_fails_ends_it_with_what_it_said(tmp_path: Path):
    with pytest.raises(AtsError, match="bad failed with exit code 1: no such thing"):
        launch([python("bad", tmp_path, "raise SystemExit('no such thing')")], 3, tmp_path, lambda: None)


@pytest.mark.skipif(
    not (find_spec("ats_cli") and find_spec("ats_adapter_memory")),
    reason="NOT RUN: nothing to time, ats-cli and ats-adapter-memory are not both installed",
)
def test_a_tiny_run_from_end_to_end(bench: Bench, tmp_path: Path):
    ended = bench(
        "latency",
        *["--sizes", "200", "--runs", "1", "--embedder", "none", "--json", "--plot", "a.svg", "--keep", "kept"],
    )
    assert (ended.code, ended.err) == (0, "")
    values = {row["key"]: row["values"]["200"] for row in ended.json["figures"]}
    assert set(values) == {figure.key for figure in figures(["none"])}
    assert all(value > 0 for value in values.values())
    assert values["find.none.x"] == values["find.none.ms"] / values["floor.ms"]
    (size,) = ended.json["sizes"]
    assert set(size["inProcessMs"]["none"]) == {"rare", "common", "long", "project", "cjk"}
    assert {len(times) for times in size["wholeProcessMs"].values()} == {1}
    assert ElementTree.parse(tmp_path / "a.svg")
    assert len(read(tmp_path / "kept" / "200" / "corpus.jsonl")) == 200
    assert not (tmp_path / "state").exists()  # nothing of the user's own was touched
