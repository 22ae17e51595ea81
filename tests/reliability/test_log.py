"""The usage log: whatever happens to it, the search is unharmed, and no line is lost or torn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ats_core.usage_log import LONGEST_QUERY, MOST_BYTES, UsageReader
from reliability.harness import HERE, PATIENCE, Ats, ended, stopped_holder

OBSTACLES: dict[str, Callable[[Path], object]] = {
    "a folder": lambda path: path.mkdir(parents=True),
    "a full device": lambda path: path.symlink_to("/dev/full"),
    "a FIFO": os.mkfifo,
    "a folder that is a file": lambda path: path.parent.rmdir() or path.parent.write_text(""),
}


@pytest.mark.parametrize("what", OBSTACLES)
def test_a_log_that_cannot_be_written_harms_no_search(ats: Ats, tmp_path: Path, what: str) -> None:
    path = tmp_path / "logs" / "log.jsonl"
    path.parent.mkdir()
    OBSTACLES[what](path)
    found = ats.find("number1x", ATS_USAGE_LOG=str(path))
    assert (found.ids, found.answer["degraded"]) == (["t1"], False)


def test_a_torn_tail_is_closed_before_the_next_line_and_skipped_by_readers(ats: Ats) -> None:
    ats.find("number1x")
    with ats.log.open("ab") as file:
        file.write(b'{"ts":"2026')
    ats.find("number2x")
    reader = UsageReader(ats.log)
    assert [line["query"] for line in reader] == ["number1x", "number2x"]
    assert reader.skipped == 1


def test_forty_long_queries_at_once_are_forty_whole_lines(ats: Ats) -> None:
    ats.find("number1x")
    long = "word " * 1200
    processes = [ats.start("keyword", "--json", f"{n} {long}") for n in range(40)]
    for process in processes:
        assert ended(process).code == 0
    lines = [line for line in ats.log_lines() if line["tool"] == "keyword"]
    assert sorted(int(line["query"].split()[0]) for line in lines) == list(range(40))
    assert {len(line["query"]) for line in lines} == {LONGEST_QUERY}
    assert {line["queryLen"] for line in lines} == {len(f"{n} {long}".strip()) for n in range(40)}


def test_a_log_of_a_million_lines(ats: Ats) -> None:
    ats.state.mkdir()
    ats.log.write_bytes(b'{"query":"old"}\n' * 999_998 + b'{"query":"to\nbad\n')
    found = ats.find("number1x")
    assert found.ids == ["t1"]
    reader = UsageReader(ats.log)
    *old, last = (line["query"] for line in reader)
    assert (len(old), last, reader.skipped) == (999_998, "number1x", 2)


def test_a_log_that_is_rotated_while_ten_processes_write_loses_no_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    old = json.dumps({"query": "old " + "x" * 1000}).encode() + b"\n"
    count = (MOST_BYTES - 300_000) // len(old)
    path.write_bytes(old * count)
    writers = [
        subprocess.Popen([sys.executable, str(HERE / "log_writer.py"), str(path), f"w{n}", "60"]) for n in range(10)
    ]
    assert [writer.wait(PATIENCE) for writer in writers] == [0] * 10
    assert path.stat().st_size < MOST_BYTES / 2, "it was rotated"
    reader = UsageReader(path)
    queries = [tuple(line["query"].split()[:2]) for line in reader]
    assert reader.skipped == 0
    assert len(queries) == count + 600
    assert set(queries[count:]) == {(f"w{n}", str(number)) for n in range(10) for number in range(60)}


def test_a_holder_of_the_log_that_is_stopped_holds_nobody(ats: Ats) -> None:
    ats.find("number1x")
    with stopped_holder(ats.log):
        assert ats.find("number2x").ids == ["t2"]
    assert [line["query"] for line in ats.log_lines()] == ["number1x", "number2x"]
