"""The analysis of a usage log for people: Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ats_bench.inert import one_line

LONGEST = 80
"""Characters of a query that are shown."""

_FIGURES = ("calls", "empty", "errors", "degraded", "p50 ms", "p95 ms")


def markdown(analysis: Mapping[str, Any]) -> str:
    """The document of `analyse` as Markdown."""
    return "\n".join(_lines(analysis)) + "\n"


def _lines(analysis: Mapping[str, Any]) -> Iterator[str]:
    total = analysis["all"]
    yield f"# Usage from {analysis['from']} to {analysis['to']}"
    yield ""
    calls, zone = _count(total["calls"], "call"), analysis["utcOffset"]
    yield f"{calls} in {one_line(analysis['log'])}; days are local (UTC{zone})."
    if analysis["skippedLines"]:
        yield f"{_count(analysis['skippedLines'], 'line')} of the log could not be read."
    if not total["calls"]:
        return
    yield from _section("By tool", ("tool", *_FIGURES))
    for row in analysis["byTool"]:
        yield _row(row["tool"], *_figures(row))
    yield _row("all", *_figures(total))
    yield ""
    yield "Empty: of the calls that were answered, those without a hit. p50, p95: of the duration, as observed."
    yield from _requeries(analysis["requery"])
    if analysis["topQueries"]:
        yield from _section("Asked most often", ("query", "calls", "empty"))
        for row in analysis["topQueries"]:
            yield _row(_words(row["query"]), row["calls"], row["empty"])
    if analysis["slowest"]:
        yield from _section("Slowest", ("query", "tool", "ms", "when"))
        for row in analysis["slowest"]:
            yield _row(_words(row["query"]), row["tool"], _ms(row["durationMs"]), row["ts"])
    yield from _section("By day", ("day", *_FIGURES))
    for row in analysis["byDay"]:
        yield _row(row["day"], *_figures(row))


def _requeries(requery: Mapping[str, Any]) -> Iterator[str]:
    seconds = requery["withinSeconds"]
    yield from _section(f"Asked again within {seconds} s", ("", "pairs", "same words", "other words", "of searches"))
    for name, key in (("by the same process", "samePid"), ("by any process", "anyPid")):
        row = requery[key]
        yield _row(name, row["pairs"], row["sameQuery"], row["otherQuery"], _percent(row["rate"]))
    yield ""
    yield "Two searches in a row with no task opened in between: a sign that the first answer was no good."
    if requery["latest"]:
        yield ""
        yield "The latest in other words:"
        yield ""
        for pair in requery["latest"]:
            yield f"- {_words(pair['first'])} → {_words(pair['second'])} ({pair['seconds']:.0f} s)"


def _section(title: str, columns: Sequence[str]) -> Iterator[str]:
    yield from ("", f"## {title}", "", _row(*columns))
    yield (
        "|"
        + "|".join("---" if at == 0 or name in ("tool", "when") else "---:" for at, name in enumerate(columns))
        + "|"
    )


def _row(*cells: Any) -> str:
    return "| " + " | ".join(one_line(str(cell)).replace("|", "\\|") for cell in cells) + " |"


def _figures(row: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(row["calls"]),
        _counted(row["empty"], row["emptyRate"]),
        _counted(row["errors"], row["errorRate"]),
        _counted(row["degraded"], row["degradedRate"]),
        _ms(row["p50Ms"]),
        _ms(row["p95Ms"]),
    )


def _counted(count: int, rate: float | None) -> str:
    return f"{count} ({_percent(rate)})" if count else "0"


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.1%}"


def _ms(duration: float | None) -> str:
    return "-" if duration is None else f"{duration:.1f}" if duration < 10 else f"{duration:.0f}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _words(query: str) -> str:
    """A query in one line, cut to its beginning, in code where Markdown could take it for markup."""
    text = one_line(query).strip()
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    fence = "``" if "`" in text else "`"
    return f"{fence}{' ' if '`' in text else ''}{text}{' ' if '`' in text else ''}{fence}" if text else "(blank)"
