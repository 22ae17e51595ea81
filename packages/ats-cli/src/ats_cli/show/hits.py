"""The answer to a search as lines: the hits, then what they rest on."""

import re
from collections.abc import Iterator, Sequence

from ats_core.fusion.fused import PINNED
from ats_core.models import BranchReport, Contribution, CorpusReport, FailedProject, FindResult, Hit, Snippet, Task

from ats_cli.show.inert import inert, one_line
from ats_cli.show.lines import Line, Span, joined, line
from ats_cli.show.table import table
from ats_cli.show.units import counted, duration

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::\d\d)?(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")

DEMO = "demo corpus: set ATS_MEMORY_FILE to a JSON or JSONL file to search your own tasks"


def result_lines(
    found: FindResult, *, least: str | None = None, content: bool = False, explain: bool = False
) -> Iterator[Line]:
    """Every hit with its place, snippet and provenance, then a footer.

    :param least: the verdict below which the answer was to be empty.
    """
    for number, hit in enumerate(found.hits, 1):
        yield from _hit_lines(number, hit, content=content, explain=explain)
        yield line("")
    if not found.hits:
        yield line("", _nothing(found, least))
    if found.suggestions:
        yield line("did you mean: ", one_line(f"{'; '.join(found.suggestions)}?"))
    if found.hits:
        yield line("", Span(one_line(f"confidence {found.confidence.verdict}: {found.confidence.reason}"), "faint"))
    yield line("", Span(_footer(found), "faint"))
    yield from demo_lines(found.corpus)


def demo_lines(report: CorpusReport) -> Iterator[Line]:
    """What to do where it was the demo that answered."""
    if report.demo:
        yield line("", Span(DEMO, "faint"))


def head(task: Task) -> list[Span]:
    """Title, project, due date, tags and, where it is done, status of a task."""
    spans = [
        Span(one_line(task.title).strip() or "(no title)", "title"),
        Span(f"[{one_line(task.project_name or task.project_id)}]" if task.project_id else "", "place"),
        Span(f"due {when(task.due_date)}" if task.due_date else "", "due"),
        Span(" ".join(f"#{one_line(tag)}" for tag in task.tags), "tag"),
        Span("done" if task.status == "done" else "", "faint"),
    ]
    return joined("  ", spans)


def when(time: str) -> str:
    """A time as stored, without seconds: `2026-12-16 09:00 +0000`; what is no ISO 8601 time stays as it is."""
    match = _TIME.fullmatch(time)
    return " ".join(filter(None, match.groups())) if match else one_line(time)


def corpus(report: CorpusReport) -> str:
    """How many tasks of which adapter, how old they are, and what is missing."""
    parts = [f"{counted(report.size, 'task')} of {report.adapter}"]
    if report.from_cache:
        parts.append(f"cached {duration(report.age_ms / 1000)} ago")
    if report.stale:
        parts.append("stale")
    return ", ".join([*parts, *failed(report.sources_failed)])


def failed(projects: Sequence[FailedProject]) -> list[str]:
    """How many of the projects that could not be fetched are missing, and for how many older tasks stand in."""
    older = sum(project.kept > 0 for project in projects)
    counts = {"missing": len(projects) - older, "older": older}
    return [f"{counted(count, 'project')} {what}" for what, count in counts.items() if count]


def body(text: str, indent: str) -> Iterator[Line]:
    """A whole body, its lines kept."""
    for row in inert(text.rstrip()).split("\n"):
        yield line(indent, row.expandtabs(4))


def _hit_lines(number: int, hit: Hit, *, content: bool, explain: bool) -> Iterator[Line]:
    lead = f"{number}. "
    indent = " " * len(lead)
    yield line(lead, *head(hit.task))
    if content and hit.task.content.strip():
        yield from body(hit.task.content, indent)
    elif hit.snippet.text.strip():
        yield line(indent, *_marked(hit.snippet))
    provenance = [hit.task.id, ", ".join(hit.sources), hit.url or ""]
    yield line(indent, *joined("  ", [Span(one_line(part), "faint") for part in provenance]))
    if explain:
        yield from _explanation(hit, indent)


def _marked(snippet: Snippet) -> Iterator[Span]:
    """The passage, its matches in a style of their own."""
    at = 0
    for start, end in snippet.marks:
        yield Span(one_line(snippet.text[at:start]))
        yield Span(one_line(snippet.text[start:end]), "match")
        at = end
    yield Span(one_line(snippet.text[at:]))


def _explanation(hit: Hit, indent: str) -> list[Line]:
    """Who had the hit where, and what that added; the last row is the sum of those above.

    Where a branch's part is itself a sum, what its inner rankers added stands in a column of its own.
    """
    rows = [row for share in hit.explain for row in _share_rows(share)]
    rows.append(["score", "", "", f"{hit.score:.6f}", ""])
    heads = ["source", "rank", "own score", "adds", "of which"]
    columns = len(heads) if any(row[-1] for row in rows) else len(heads) - 1
    return table(heads[:columns], [row[:columns] for row in rows], indent=indent, right=range(1, columns))


def _share_rows(share: Contribution) -> Iterator[list[str]]:
    rank = "pinned" if share.source == PINNED else number(share.rank)
    yield [share.source, rank, number(share.score), f"{share.contribution:.6f}", ""]
    for part in share.within:
        added = "" if part.contribution is None else f"{part.contribution:.6f}"
        yield [f"  {part.source}", number(part.rank), number(part.score), "", added]


def number(value: float | None) -> str:
    """A rank, or a score with as many digits as people compare; `-` for None."""
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.4g}"


def _nothing(found: FindResult, least: str | None) -> str:
    """Why there is nothing: nothing matches, or not well enough, or perhaps somebody did not answer."""
    nothing = "no hits"
    if least is not None and found.confidence.verdict != "none":
        nothing += f" of at least {least} confidence"
        nothing += f" (the best is {found.confidence.verdict}: {found.confidence.reason})"
    ill = [f"{report.name} {report.status}" for report in found.branches if report.status != "ok"]
    if found.degraded and not ill:
        ill = ["degraded: " + "; ".join(found.warnings)]
    return one_line("; ".join([nothing, *ill]))


def _footer(found: FindResult) -> str:
    hits = f"{counted(len(found.hits), 'hit')} in {found.elapsed_ms:.0f} ms"
    parts = [hits, ", ".join(map(_branch, found.branches)), corpus(found.corpus)]
    if found.degraded:
        parts.insert(0, "degraded")
    return one_line(" | ".join(parts))


def _branch(report: BranchReport) -> str:
    if report.status == "ok":
        return f"{report.name} {report.count}"
    return f"{report.name} {report.count} (degraded)" if report.ok else f"{report.name} {report.status}"
