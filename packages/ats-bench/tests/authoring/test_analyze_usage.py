"""What `ats bench analyze-usage` tells of a log."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from ats_bench.usage.analysis import analyse
from ats_bench.usage.calls import Log, first_moment, read_call
from ats_bench.usage.report import markdown
from ats_bench.usage.tally import quantile

NOW = datetime.fromisoformat("2026-12-01T12:00:00+00:00")


def line(ts: str = "2026-12-01T10:00:00Z", query: str = "passport", **fields: Any) -> dict[str, Any]:
    meta = {"durationMs": fields.pop("ms", 5.0), "degraded": fields.pop("degraded", False), "branches": []}
    given = {"tool": "find", "resultCount": 5, "topId": "t1", "error": None, "pid": 1}
    return {"ts": ts, "query": query, "queryLen": len(query), **given, **fields, "meta": meta}


def at(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1_796_000_000 + seconds))


@pytest.fixture
def told(write: Callable[..., Path]) -> Callable[..., dict[str, Any]]:
    """What a log of these lines tells."""

    def tell(*lines: object, private: bool = False) -> dict[str, Any]:
        log = Log(write("log.jsonl", *lines))
        return analyse(log, NOW, NOW, 14, private=private)

    return tell


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the local time zone for one test."""

    def choose(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


def test_calls_are_counted_by_tool_and_rates_have_their_own_denominators(told: Any) -> None:
    analysis = told(
        line(),
        line(resultCount=0, ms=7),
        line(resultCount=0, error="StoreError: down", ms=100),
        line(tool="notes_find", degraded=True),
    )
    (find, notes) = analysis["byTool"]
    assert (find["tool"], find["calls"], find["empty"], find["errors"]) == ("find", 3, 1, 1)
    assert find["emptyRate"] == 1 / 2, "of the answered calls"
    assert find["errorRate"] == 1 / 3
    assert (find["p50Ms"], find["p95Ms"]) == (7, 100)
    assert (notes["tool"], notes["degradedRate"]) == ("notes-find", 1)
    assert analysis["all"]["calls"] == 4


def test_quantiles_are_durations_that_were_observed() -> None:
    assert quantile([], 0.5) is None
    assert quantile([3.0], 0.95) == 3
    assert quantile(range(1, 101), 0.5) == 50
    assert quantile(range(1, 101), 0.95) == 95


def test_the_log_that_was_rotated_away_is_read_first(told: Any, write: Any) -> None:
    write("log.jsonl.1", line(at(0), "Café plans"))
    analysis = told(line(at(5), "cafe plans"))
    assert analysis["all"]["calls"] == 2
    assert analysis["topQueries"] == [{"query": "Café plans", "calls": 2, "empty": 0}]


def test_lines_that_are_no_calls_are_skipped_and_counted(told: Any) -> None:
    analysis = told(
        '{"ts": "2026-12-01T10:00:00Z", "to', "[]", "\0" * 40, "", {"ts": "yesterday", "tool": "find"}, {"a": 1}, line()
    )
    assert (analysis["all"]["calls"], analysis["skippedLines"]) == (1, 5)


@pytest.mark.parametrize(
    "odd", [{"meta": None}, {"meta": {"durationMs": "5"}}, {"resultCount": "5"}, {"resultCount": True}, {"query": None}]
)
def test_what_a_line_does_not_say_is_not_guessed(odd: dict[str, Any]) -> None:
    call = read_call(line() | odd)
    assert call is not None
    assert not call.is_empty
    assert read_call({"ts": "2026-12-01T10:00:00Z", "tool": "find"}) is not None, "the seed's oldest lines"


def test_durations_that_no_clock_gives_do_not_count(told: Any) -> None:
    assert told(line(ms=-1), line(ms=True), line(ms=4.0))["all"]["p95Ms"] == 4


@pytest.mark.parametrize(("gap", "pairs"), [(0, 1), (60, 1), (61, 0)])
def test_a_second_search_within_a_minute_is_a_pair(told: Any, gap: int, pairs: int) -> None:
    requery = told(line(at(0), "passport"), line(at(gap), "renew id"))["requery"]
    assert requery["anyPid"]["pairs"] == requery["samePid"]["pairs"] == pairs


def test_pairs_are_told_apart_by_process_and_by_words(told: Any) -> None:
    requery = told(
        line(at(0), "passport", pid=1),
        line(at(1), "something else", pid=2),
        line(at(2), "PASSPORT", pid=1, tool="keyword"),
    )["requery"]
    assert requery["samePid"] == {"pairs": 1, "sameQuery": 1, "otherQuery": 0, "rate": 1 / 3}
    assert requery["anyPid"] == {"pairs": 2, "sameQuery": 0, "otherQuery": 2, "rate": 2 / 3}
    assert [pair["second"] for pair in requery["latest"]] == ["something else", "PASSPORT"]


@pytest.mark.parametrize("tool", ["get", "open", "url"])
def test_a_task_that_was_opened_in_between_ends_the_pair(told: Any, tool: str) -> None:
    opened = line(at(1), "t1", tool=tool, pid=7)
    requery = told(line(at(0), "passport"), opened, line(at(2), "plants"))["requery"]
    assert requery["anyPid"]["pairs"] == requery["samePid"]["pairs"] == 0
    assert requery["searches"] == 2


def test_a_clock_that_went_back_makes_no_pair(told: Any) -> None:
    assert told(line(at(10)), line(at(0)))["requery"]["anyPid"]["pairs"] == 0


def test_what_was_asked_most_comes_first_and_what_was_asked_once_not_at_all(told: Any) -> None:
    lines = [line(at(n), query, resultCount=0) for n, query in enumerate(["b", "a", "A ", "once", "a", "b"])]
    top = told(*lines, line(query="t1", tool="get"), line(query="t1", tool="get"))["topQueries"]
    assert top == [{"query": "a", "calls": 3, "empty": 3}, {"query": "b", "calls": 2, "empty": 2}]


def test_the_slowest_come_first_and_of_equals_the_earlier(told: Any) -> None:
    slowest = told(*(line(at(n), f"q{n}", ms=n % 6) for n in range(24)))["slowest"]
    assert [row["durationMs"] for row in slowest] == [5, 5, 5, 5, 4, 4, 4, 4, 3, 3]
    assert slowest[0]["query"] == "q5"


def test_private_leaves_no_word_of_a_query(told: Any) -> None:
    lines = [line(at(n), query) for n, query in enumerate(["secret plan", "other secret", "secret plan"])]
    lines.append(line(at(9), "secret plan", error="NotFoundError: no task 'secret plan'", resultCount=0))
    analysis = told(*lines, private=True)
    assert "secret" not in json.dumps(analysis)
    assert "secret" not in markdown(analysis)
    assert "secret" in markdown(told(*lines))
    assert analysis["requery"]["anyPid"]["pairs"] == 3


@pytest.mark.parametrize(
    ("name", "day", "offset"),
    [
        ("America/Los_Angeles", "2026-11-17", "-08:00"),
        ("UTC", "2026-11-18", "+00:00"),
        ("Asia/Tokyo", "2026-11-18", "+09:00"),
    ],
)
def test_days_are_those_of_the_local_calendar(zone: Any, told: Any, name: str, day: str, offset: str) -> None:
    zone(name)
    local = NOW.astimezone()
    log = [line("2026-11-18T07:59:59Z")]
    analysis = told(*log) | {"utcOffset": analyse(Log(Path("none")), local, local, 14)["utcOffset"]}
    assert [row["day"] for row in analysis["byDay"]] == [day]
    assert analysis["utcOffset"] == offset


def test_the_first_of_fourteen_days_begins_at_local_midnight(zone: Any) -> None:
    zone("America/Los_Angeles")
    # Still the last of November there; summer time ended on the first.
    now = datetime.fromisoformat("2026-11-10T02:00:00+00:00").astimezone()
    assert first_moment(1, now).isoformat() == "2026-11-09T00:00:00-08:00"
    assert first_moment(14, now).isoformat() == "2026-10-27T00:00:00-07:00"


def test_calls_before_the_wanted_days_are_left_out(write: Any) -> None:
    path = write("log.jsonl", line("2026-11-01T00:00:00Z"), line("2026-11-18T00:00:00Z"))
    since = datetime.fromisoformat("2026-11-18T00:00:00+00:00")
    assert analyse(Log(path, since.timestamp()), since, NOW, 14)["all"]["calls"] == 1


def test_the_command_writes_markdown_or_one_json_document(bench: Any, write: Any) -> None:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    path = write("my.jsonl", line(now, "a | b\x1b[31m `c`"), line(now, "a | b\x1b[31m `c`"))
    report = bench("analyze-usage", "--log", path)
    assert report.code == 0
    assert "## By tool" in report.out
    assert "\x1b" not in report.out
    row = next(row for row in report.out.splitlines() if "a \\| b" in row)
    assert row.replace("\\|", "").count("|") == 4, "the query's own bars end no cell"
    document = bench("analyze-usage", "--json", "--log", path).json
    assert (document["days"], document["all"]["calls"], len(document["byDay"])) == (14, 2, 1)


def test_an_empty_log_is_an_answer_with_one_line_about_it(bench: Any, write: Any) -> None:
    for words in (["--log", write("empty.jsonl")], []):
        ended = bench("analyze-usage", "--json", *words)
        assert (ended.code, ended.json["all"]["calls"], ended.json["all"]["emptyRate"]) == (0, 0, None)
        assert ended.err.count("\n") == 1
        assert "no calls since" in ended.err
        assert bench("analyze-usage", *words).out.count("\n") == 3


def test_a_log_that_cannot_be_read_is_an_error_of_one_line(bench: Any, tmp_path: Path) -> None:
    missing = bench("analyze-usage", "--log", tmp_path / "none.jsonl")
    assert (missing.code, missing.error) == (2, f"no usage log at {tmp_path / 'none.jsonl'}")
    folder = bench("analyze-usage", "--log", tmp_path)
    assert folder.code == 1
    assert folder.error.startswith(f"the usage log {tmp_path} cannot be read")
    assert bench("analyze-usage", "--days", 0).code == 2


# The high-water mark of this very program: `ru_maxrss` would start from that of the test run that forked it.
MILLION = """
import re, sys
from datetime import datetime
from pathlib import Path
from ats_bench.usage.analysis import analyse
from ats_bench.usage.calls import Log
from ats_bench.usage.candidates import candidates
from ats_bench.usage.report import markdown
log, now = Log(Path(sys.argv[1])), datetime.now().astimezone()
analysis = analyse(log, now, now, 14)
markdown(analysis)
offered = candidates(log, 100)
peak = int(re.search("VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
print(analysis["all"]["calls"], offered.found, peak // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the high-water mark is read from /proc")
def test_a_million_lines_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for block in range(1000):
            file.writelines(
                f'{{"ts":"{at(n)}","tool":"{"get" if n % 4 == 3 else "find"}","query":"how do I roll back release {n}",'
                f'"resultCount":5,"topId":"t{n}","error":null,"meta":{{"durationMs":{n % 97}.5,"degraded":false,'
                f'"branches":[]}},"pid":{n}}}\n'
                for n in range(block * 1000, block * 1000 + 1000)
            )
    done = subprocess.run([sys.executable, "-c", MILLION, str(path)], capture_output=True, text=True, check=True)
    calls, found, mebibytes = map(int, done.stdout.split())
    assert (calls, found) == (1_000_000, 750_000)
    assert mebibytes < 200
