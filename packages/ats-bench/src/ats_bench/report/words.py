"""How figures are worded, the same in every report."""

from __future__ import annotations

from ats_bench.scoring import Contrast, Coverage

RECALL_NOTE = "recall@5 is the share of questions with a gold task among the first five hits."


def figure(value: float | None) -> str:
    """A measure: two digits, as a small set deserves no more."""
    return "-" if value is None else f"{value:.2f}"


def interval(bounds: tuple[float, float] | None) -> str:
    """Both ends of an interval of shares."""
    if bounds is None:
        return ""
    return f"{bounds[0]:.2f}–{bounds[1]:.2f}"


def change(difference: float) -> str:
    """A difference, with its sign where it has one at this precision."""
    shown = f"{difference:+.2f}".replace("-", "−")
    return "0.00" if shown[1:] == "0.00" else shown


def change_interval(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f"{change(bounds[0])} to {change(bounds[1])}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def milliseconds(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def p_value(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def verdict_of(contrast: Contrast) -> str:
    """The outcome of a test in plain words; the absence of a difference is never claimed, only that none was shown."""
    if contrast.difference is None or contrast.p_holm is None:
        return "nothing to compare"
    if not contrast.shown:
        return "no difference shown"
    return "better" if contrast.difference > 0 else "worse"


def left_out(coverage: Coverage) -> list[str]:
    """What is not in the means, a phrase each."""
    phrases = (
        (coverage.unwinnable, "unwinnable (no gold task in the corpus, or all done)"),
        (coverage.ineligible, "ineligible (neither gold nor no_answer)"),
        (coverage.degraded, "degraded" + (f" ({coverage.failed} without an answer)" if coverage.failed else "")),
        (coverage.missing, "missing (the run was cut off)"),
        (coverage.unreadable, "unreadable (the line is no question)"),
    )
    return [f"{count} {phrase}" for count, phrase in phrases if count]
