"""What `ats doctor` found, as lines."""

from collections.abc import Iterator, Sequence

from ats_cli.doctor.check import OK, PROBLEM, WARNING, Check
from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, line
from ats_cli.show.units import counted
from ats_cli.show.width import padded, width

MARKS = {OK: "ok", WARNING: "!", PROBLEM: "x"}


def doctor_lines(checks: Sequence[Check]) -> Iterator[Line]:
    """A line a check with its mark; below what is amiss, the line that mends it; at the end, how many of them."""
    names = [one_line(check.name) for check in checks]
    widest = max(map(width, names), default=0)
    for name, check in zip(names, checks, strict=True):
        lead = f"{padded(MARKS[check.status], 2)}  {padded(name, widest)}  "
        yield line(lead, Span(one_line(check.message), "bad" if check.status == PROBLEM else ""))
        if check.hint:
            yield line(" " * width(lead), Span(f"mend: {one_line(check.hint).removeprefix('try: ')}", "faint"))
    yield line("")
    yield line("", _summary(checks))


def _summary(checks: Sequence[Check]) -> str:
    counts = [
        counted(number, noun)
        for noun, status in (("problem", PROBLEM), ("warning", WARNING))
        if (number := sum(check.status == status for check in checks))
    ]
    return ", ".join(counts) or "all is well"
