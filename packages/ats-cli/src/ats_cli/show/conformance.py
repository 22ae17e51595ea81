"""What the conformance kit found, as lines."""

from collections.abc import Iterator

from ats_core.conformance import CheckResult

from ats_cli.conformance import Report
from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, line
from ats_cli.show.table import table


def conformance_lines(report: Report) -> Iterator[Line]:
    """A row for each check, what is wrong with its mend, and the counts."""
    yield from table(["level", "check", "state", "why"], [_row(result) for result in report.results])
    for result in report.results:
        for finding in result.findings:
            yield line("")
            yield line("", Span(f"{result.level}, {result.check}", "title"))
            yield line("  ", Span(one_line(finding.problem), "bad"))
            yield line("  ", f"{finding.anchor}: {one_line(finding.sentence)}")
            yield line("  ", f"to mend it: {one_line(finding.mend)}")
    yield line("")
    counts = ", ".join(f"{report.count(status)} {status}" for status in ("passed", "failed", "skipped"))
    yield line("", f"{report.found}: {counts}")
    if not report.writes:
        yield line("", Span("writes were left out: --write makes tasks of its own and completes them", "faint"))


def _row(result: CheckResult) -> list[str]:
    what = result.reason or ", ".join(dict.fromkeys(finding.anchor.partition("#")[2] for finding in result.findings))
    return [result.level, result.check, result.status, what]
