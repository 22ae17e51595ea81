"""The command with the memory adapter: what a new user and an agent see."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from running import Run


def _find(ats: Run, *words: str, **variables: str) -> dict:
    done = ats("find", "--json", *words, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_demo_answers_a_half_remembered_question(ats: Run):
    answer = _find(ats, "how", "do", "I", "roll", "back", "a", "release")
    assert answer["tasks"][0]["id"] == "rel-rollback"
    assert answer["corpus"]["demo"] is True


def test_the_answer_is_the_same_bytes_in_every_process(ats: Run):
    def ranked(seed: str) -> str:
        answer = _find(ats, "--limit", "20", "release notes of the calendar", PYTHONHASHSEED=seed)
        return json.dumps([(task["id"], task["score"], task["sources"]) for task in answer["tasks"]])

    assert len({ranked(seed) for seed in ("0", "1", "2", "77")}) == 1


# Each of these is found by that branch alone, so every branch earns its place.
@pytest.mark.parametrize(
    ("branch", "query", "expected"),
    [
        ("keyword", "pumpenförderung", "home-nebenkosten"),
        ("sparse", "watering plants during holidays", "home-watering"),
        ("semantic", "blades are blunt", "kit-knives"),
        ("notes-find", "fence chesterton", "note-chesterton"),
    ],
)
def test_each_branch_finds_what_the_others_do_not(ats: Run, branch: str, query: str, expected: str):
    pytest.importorskip("wordllama", reason="NO STATIC EMBEDDER: the dense branch is not checked")
    first = json.loads(ats(branch, "--json", query, ATS_EMBEDDER="local").stdout)["tasks"]
    assert first
    assert first[0]["id"] == expected
    if branch == "semantic":
        assert not json.loads(ats("sparse", "--json", query).stdout)["tasks"]
    if branch == "keyword":
        assert not json.loads(ats("sparse", "--json", query).stdout)["tasks"]
    if branch in ("sparse", "notes-find"):
        assert not json.loads(ats("keyword", "--json", query).stdout)["tasks"]


@pytest.mark.parametrize("query", ["(", "*", "\\", "%", "C++", "R&D", "税", "🙂", "\udc80", "x" * 20_000, "-", "["])
def test_odd_queries_are_answered(ats: Run, query: str):
    done = ats("find", "--json", "--", query) if query != "-" else ats("find", "--json", "--", "- -")
    assert done.returncode == 0, done.stderr
    assert "tasks" in json.loads(done.stdout)


@pytest.mark.parametrize("query", ["", " ", "\t\n", "\u3000"])
def test_a_blank_query_is_a_usage_error(ats: Run, query: str):
    done = ats("find", query)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_a_file_that_changes_under_us_is_reread_at_once(ats: Run, tmp_path: Path):
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"title": "Old note"}\n')
    assert _find(ats, "note", ATS_MEMORY_FILE=str(file))["tasks"][0]["title"] == "Old note"
    file.write_text('{"title": "New note, quite another"}\n')
    assert _find(ats, "note", ATS_MEMORY_FILE=str(file))["tasks"][0]["title"] == "New note, quite another"


def test_one_file_is_never_answered_from_the_cache_of_another(ats: Run, tmp_path: Path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"id": "t", "title": f"secret of {name}"}))
    for name in ("a", "b", "a", "b"):
        answer = _find(ats, "secret", ATS_MEMORY_FILE=str(tmp_path / f"{name}.jsonl"))
        assert [task["title"] for task in answer["tasks"]] == [f"secret of {name}"]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_corpora_are_searched(ats: Run, tmp_path: Path, count: int):
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([{"id": number, "title": "windy in London"} for number in range(count)]))
    answer = _find(ats, "windy London", ATS_MEMORY_FILE=str(file))
    assert [task["id"] for task in answer["tasks"]] == [str(number) for number in range(count)]


@pytest.mark.parametrize("place", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_one_clear_line(ats: Run, place: str):
    done = ats("find", "x", ATS_MEMORY_FILE=place)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


def test_duplicate_ids_are_warned_of_and_the_first_wins(ats: Run, tmp_path: Path):
    file = tmp_path / "tasks.jsonl"
    file.write_text('{"id": "x", "title": "first note"}\n{"id": "x", "title": "second note"}\n')
    answer = _find(ats, "note", ATS_MEMORY_FILE=str(file))
    assert [task["title"] for task in answer["tasks"]] == ["first note"]
    assert any("duplicate" in warning for warning in answer["warnings"])


def test_similar_of_an_unknown_id_names_three_titles(ats: Run):
    done = ats("similar", "rolling back", ATS_EMBEDDER="local")
    assert done.returncode == 1
    assert done.stderr.count(";") == 2
    assert "Rolling back a production release" in done.stderr


def test_local_embedder_without_its_extra_names_the_pip_command(environ: dict[str, str], tmp_path: Path):
    program = (
        "import sys, importlib.util as util\n"
        "real = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'wordllama' else real(name, *rest)\n"
        "from ats_cli.app import main\n"
        "sys.argv = ['ats', 'find', 'x']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environ | {"ATS_EMBEDDER": "local"},
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert "pip install 'ats-core[local]'" in done.stderr


def test_help_and_a_warm_piped_find_load_nothing_heavy(environ: dict[str, str], tmp_path: Path):
    program = (
        "import sys\n"
        "from ats_cli.app import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print('LOADED', *sorted(sys.modules), file=sys.stderr)\n"
    )

    def loaded(*words: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", program, *words], env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8"
        )
        return set(done.stderr.rpartition("LOADED ")[2].split())

    heavy = {"rich", "httpx", "numpy", "requests", "filelock", "wordllama", "rapidfuzz", "asyncio", "pydantic"}
    assert not loaded("--help") & (heavy | {"ats_adapter_memory", "ats_core.engine"})
    loaded("find", "release")  # fills the cache
    assert not loaded("find", "--json", "release") & heavy
