"""The usage log: one whole line a call, whatever happens to the call, to the file, or beside it."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ats_core import (
    AllBranchesFailedError,
    Engine,
    LoginRequiredError,
    NotFoundError,
    StoreError,
    UsageError,
    usage_log,
)
from ats_core.models import BranchReport
from ats_core.usage_log import UsageLog

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
LogLines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "search-log.jsonl"


def read(path: Path) -> list[dict[str, Any]]:
    content = path.read_text(encoding="utf-8")
    assert content.endswith("\n")
    return [json.loads(line) for line in content.splitlines()]


def test_a_line_has_exactly_the_fields_of_the_documentation(
    make_embedding_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines
) -> None:
    open_engine(make_embedding_store(), budget_ms=20_000).find("renew my  passport")
    (line,) = log_lines()
    assert list(line) == [
        "ts",
        "tool",
        "query",
        "queryLen",
        "queryTokens",
        "resultCount",
        "topId",
        "error",
        "meta",
        "pid",
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["ts"])
    assert (line["tool"], line["query"], line["queryLen"], line["queryTokens"]) == ("find", "renew my  passport", 18, 3)
    assert (line["topId"], line["error"], line["pid"]) == ("t1", None, os.getpid())
    assert line["resultCount"] == 4
    assert list(line["meta"]) == ["budgetMs", "durationMs", "degraded", "branches"]
    assert (line["meta"]["budgetMs"], line["meta"]["degraded"]) == (20_000, False)
    assert line["meta"]["durationMs"] > 0
    assert [list(branch) for branch in line["meta"]["branches"]] == [["name", "ok", "count", "elapsedMs", "error"]] * 2
    assert [(branch["name"], branch["ok"], branch["error"]) for branch in line["meta"]["branches"]] == [
        ("hybrid", True, None),
        ("keyword", True, None),
    ]


def test_every_call_leaves_a_line_under_its_own_name(
    make_embedding_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines
) -> None:
    engine = open_engine(make_embedding_store())
    tools = ["find", "keyword", "semantic", "hybrid", "notes_find", "similar", "sparse", "get"]
    for tool in tools:
        getattr(engine, tool)("t1")
    lines = log_lines()
    assert [line["tool"] for line in lines] == tools
    assert lines[-1]["topId"] == "t1"
    assert lines[-1]["resultCount"] == 1


def test_a_long_query_is_cut_and_its_whole_length_kept(path: Path) -> None:
    UsageLog(path).write("find", "ä" * 6000, 1)
    (line,) = read(path)
    assert (line["query"], line["queryLen"]) == ("ä" * usage_log.LONGEST_QUERY, 6000)


def test_a_query_of_several_lines_stays_on_one(path: Path) -> None:
    for query in ("a\nb", "a\r\nb\u2028c", "tab\t\x00"):
        UsageLog(path).write("find", query, 2)
    assert path.read_bytes().count(b"\n") == 3
    lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    assert [line["query"] for line in lines] == ["a\nb", "a\r\nb\u2028c", "tab\t\x00"]


def test_a_degraded_answer_is_logged_as_one_with_its_reasons(
    make_embedding_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines
) -> None:
    def fail() -> None:
        raise ConnectionError("refused")

    open_engine(make_embedding_store(embeddings=fail)).find("passport")
    (line,) = log_lines()
    assert line["meta"]["degraded"] is True
    hybrid = line["meta"]["branches"][0]
    assert hybrid["ok"] is True
    assert "ConnectionError: refused" in hybrid["error"]


def test_a_call_that_fails_is_logged_with_its_error(
    make_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines
) -> None:
    store = make_store()
    engine = open_engine(store)
    store.down = OSError("no network \udcff")
    with pytest.raises(StoreError):
        engine.find("passport")
    store.down = LoginRequiredError("log in first")
    with pytest.raises(LoginRequiredError):
        engine.find("passport")
    with pytest.raises(UsageError):
        engine.find(" ")
    store.down = None
    with pytest.raises(NotFoundError):
        engine.get("nothing like it")
    lines = log_lines()
    assert [line["error"] for line in lines] == [
        "StoreError: test: list_projects failed: OSError: no network \ufffd",
        "LoginRequiredError: log in first",
        "UsageError: the query is blank",
        "NotFoundError: no task 'nothing like it' in the corpus",
    ]
    assert all((line["resultCount"], line["topId"]) == (0, None) for line in lines)


def test_a_call_without_an_answer_is_logged_with_its_branches(
    make_embedding_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines
) -> None:
    def fail() -> None:
        raise ConnectionError("refused")

    with pytest.raises(AllBranchesFailedError):
        open_engine(make_embedding_store(embeddings=fail)).semantic("passport")
    (line,) = log_lines()
    assert line["error"].startswith("AllBranchesFailedError: no branch answered: dense: ")
    assert line["meta"]["degraded"] is True
    assert [(branch["name"], branch["ok"]) for branch in line["meta"]["branches"]] == [("dense", False)]


def test_ctrl_c_is_logged_and_passes_through(
    make_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(make_store())

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "_corpus", stop)
    with pytest.raises(KeyboardInterrupt):
        engine.find("passport")
    assert log_lines()[0]["error"] == "KeyboardInterrupt"


def test_nothing_is_logged_when_it_is_off(make_store: MakeStore, open_engine: OpenEngine, state: Path) -> None:
    open_engine(make_store(), usage_disable=True).find("passport")
    assert not (state / "search-log.jsonl").exists()


def test_the_log_may_lie_anywhere(make_store: MakeStore, open_engine: OpenEngine, path: Path) -> None:
    open_engine(make_store(), usage_log=path).find("passport")
    assert len(read(path)) == 1


def test_the_log_is_private(path: Path) -> None:
    old_mask = os.umask(0)
    try:
        UsageLog(path).write("find", "x", 1)
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_torn_tail_is_closed_first(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"tool":"find"}\n{"ts":"2026')
    UsageLog(path).write("find", "x", 1)
    before, torn, line, rest = path.read_bytes().split(b"\n")
    assert (before, torn, rest) == (b'{"tool":"find"}', b'{"ts":"2026', b"")
    assert json.loads(line)["query"] == "x"


def test_a_log_that_is_full_is_rotated_and_loses_no_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage_log, "MOST_BYTES", 1000)
    for number in range(30):
        UsageLog(path).write("find", f"query {number}", 1)
        assert path.stat().st_size < 1500
    old = path.with_name("search-log.jsonl.1")
    queries = [line["query"] for line in [*read(old), *read(path)]]
    assert queries == [f"query {number}" for number in range(30)][-len(queries) :]
    assert len(queries) > 3
    assert sorted(os.listdir(path.parent)) == ["search-log.jsonl", "search-log.jsonl.1"]


def in_the_way_of_the_folder(path: Path) -> None:
    path.parent.write_text("a file")


def a_folder(path: Path) -> None:
    path.mkdir(parents=True)


def a_full_device(path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    path.parent.mkdir()
    path.symlink_to("/dev/full")


@pytest.mark.parametrize("obstacle", [in_the_way_of_the_folder, a_folder, a_full_device])
def test_a_log_that_cannot_be_written_harms_nothing(
    make_store: MakeStore, open_engine: OpenEngine, path: Path, obstacle: Callable[[Path], None]
) -> None:
    obstacle(path)
    result = open_engine(make_store(), usage_log=path).find("passport")
    assert len(result.hits) == 2
    assert (result.degraded, result.warnings) == (False, ())


def test_a_holder_of_the_lock_that_was_stopped_does_not_stop_us(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="the lock is held by fcntl")
    monkeypatch.setattr(usage_log, "LOCK_PATIENCE", 0.01)
    UsageLog(path).write("find", "first", 1)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        UsageLog(path).write("find", "second", 1)
    assert [line["query"] for line in read(path)] == ["first", "second"]


def test_twenty_threads_append_whole_lines(path: Path, in_threads: Callable[..., Any]) -> None:
    def write(number: int) -> None:
        for round_ in range(10):
            UsageLog(path).write("find", f"{number}-{round_} " + "x" * 1500, 1)

    in_threads([lambda number=number: write(number) for number in range(20)])
    assert len({line["query"] for line in read(path)}) == 200


WRITER = """
import sys
from pathlib import Path
from ats_core import usage_log
usage_log.MOST_BYTES = int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    usage_log.UsageLog(Path(sys.argv[1])).write("find", f"{sys.argv[2]}-{number} " + "x" * 1500, 1)
"""


@pytest.mark.parametrize("most_bytes", [20_000_000, 600_000])
def test_twenty_processes_append_whole_lines_across_a_rotation_too(path: Path, most_bytes: int) -> None:
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), str(number), str(most_bytes)],
            env=environ,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(20)
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        assert writer.communicate() == ("", "")
        assert writer.returncode == 0
    files = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
    lines = [line for file in files for line in read(file)]
    assert len({line["query"] for line in lines}) == 500
    assert len(files) == (1 if most_bytes > 1_000_000 else 2)


def test_branches_are_logged_with_what_went_wrong(path: Path) -> None:
    report = BranchReport(name="native", status="timed out", elapsed_ms=12.5, error="timed out after 12 ms")
    UsageLog(path).write("find", "x", 1, branches=(report,), degraded=True, budget_ms=12)
    assert read(path)[0]["meta"]["branches"] == [
        {"name": "native", "ok": False, "count": 0, "elapsedMs": 12.5, "error": "timed out after 12 ms"}
    ]


def test_an_error_that_quotes_a_long_query_is_cut(path: Path) -> None:
    UsageLog(path).write("get", "x" * 20_000, 1, error=f"NotFoundError: no task {'x' * 20_000!r} in the corpus")
    (line,) = read(path)
    assert line["error"].startswith("NotFoundError: no task 'xxx")
    assert (len(line["query"]), len(line["error"])) == (2000, 2000)
