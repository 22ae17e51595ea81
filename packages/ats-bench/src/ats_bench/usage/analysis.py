"""The analysis of a usage log: one reading for the figures, a second one for the texts of the top queries."""

from __future__ import annotations

import heapq
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ats_bench.usage.calls import Call, Log, timestamp
from ats_bench.usage.queries import Queries
from ats_bench.usage.requery import Pairs
from ats_bench.usage.tally import Tally

TOP_QUERIES = 10
SLOWEST = 10


def analyse(log: Log, since: datetime, now: datetime, days: int, *, private: bool = False) -> dict[str, Any]:
    """What a log tells, as the document that `--json` writes. Days are those of the local calendar.

    :param log: the calls from `since` on.
    :param private: leave out everything that may hold words of a query.
    """
    total = Tally()
    tools: defaultdict[str, Tally] = defaultdict(Tally)
    dates: defaultdict[str, Tally] = defaultdict(Tally)
    pairs, queries, slowest = Pairs(), Queries(), _Slowest(SLOWEST)
    day_of = _local_day()
    for call in log:
        total.add(call)
        tools[call.tool].add(call)
        dates[day_of(call.at)].add(call)
        pairs.add(call)
        queries.add(call)
        slowest.add(call)
    skipped = log.skipped
    words = _hidden if private else _shown
    top = [] if private else queries.top(TOP_QUERIES, log)
    return {
        "log": str(log.path),
        "days": days,
        "from": since.date().isoformat(),
        "to": now.date().isoformat(),
        "utcOffset": now.strftime("%z")[:3] + ":" + now.strftime("%z")[3:5],
        "private": private,
        "skippedLines": skipped,
        "all": total.figures(),
        "byTool": [
            {"tool": tool, **tally.figures()}
            for tool, tally in sorted(tools.items(), key=lambda item: (-item[1].calls, item[0]))
        ],
        "requery": {
            **pairs.figures(),
            "latest": [
                {
                    "first": words(pair.first),
                    "second": words(pair.second),
                    "tools": [pair.first.tool, pair.second.tool],
                    "seconds": pair.second.at - pair.first.at,
                }
                for pair in pairs.latest
            ],
        },
        "topQueries": [asked._asdict() for asked in top],
        "slowest": [
            {"durationMs": call.duration_ms, "tool": call.tool, "ts": timestamp(call.at), "query": words(call)}
            for call in slowest.calls()
        ],
        "byDay": [{"day": day, **tally.figures()} for day, tally in sorted(dates.items())],
    }


def _shown(call: Call) -> str:
    return call.query


def _hidden(call: Call) -> str:
    return f"({call.query_length} characters)"


class _Slowest:
    """The calls that took longest; of equally slow ones the earlier."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._heap: list[tuple[float, int, Call]] = []
        self._seen = 0

    def add(self, call: Call) -> None:
        if call.duration_ms is None:
            return
        self._seen += 1
        entry = (call.duration_ms, -self._seen, call)
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)

    def calls(self) -> list[Call]:
        return [call for _, _, call in sorted(self._heap, reverse=True)]


def _local_day() -> Callable[[float], str]:
    """A function from an instant to its day on the local calendar, remembered by quarters of an hour.

    No zone's offset is finer than that, nor does any change at another moment.
    """
    known: dict[int, str] = {}

    def day(at: float) -> str:
        quarter = int(at // 900)
        if quarter not in known:
            known[quarter] = time.strftime("%Y-%m-%d", time.localtime(quarter * 900))
        return known[quarter]

    return day
