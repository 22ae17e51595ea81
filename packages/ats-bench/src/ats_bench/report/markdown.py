"""A scored run as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ats_bench.inert import one_line
from ats_bench.metrics import DEPTH, MEASURES, TITLES
from ats_bench.report.words import (
    RECALL_NOTE,
    change,
    change_interval,
    counted,
    figure,
    interval,
    milliseconds,
    p_value,
    verdict_of,
)
from ats_bench.scoring import Group, Scores

_FATES = ("questions", "scored", "no_answer", "unwinnable", "ineligible", "degraded", "missing")


def markdown(scores: Scores) -> str:
    """The whole report, tables with aligned columns."""
    return "\n".join(_lines(scores)) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1) -> Iterator[str]:
    """A Markdown table; the first `words` columns are text, the others figures, set to the right."""
    rows = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows]
    widths = [max(2, *(len(row[column]) for row in (head, *rows))) for column in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column < words else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    yield line(head)
    rules = ("-" * width if column < words else "-" * (width - 1) + ":" for column, width in enumerate(widths))
    yield f"| {' | '.join(rules)} |"
    yield from map(line, rows)


def notes(scores: Scores) -> Iterator[str]:
    """What a reader must know before believing the figures, a sentence each."""
    header, run = scores.run.header, scores.run
    yield f"{RECALL_NOTE} Intervals: 95 %, bootstrap over questions, seed {scores.seed}."
    if header.corpus.demo:
        yield "These are the demo's questions over the demo's corpus: they say nothing about your own notes."
    generated = sum(question.origin == "generated" for question in run.questions)
    if generated:
        yield (
            f"{generated} of {len(run.questions)} questions were generated from the tasks' own words, which favours"
            " the lexical methods."
        )
    if header.top < DEPTH:
        yield f"Only {header.top} hits were kept of each answer: MRR@10 and nDCG@10 see no further."
    if scores.winnable:
        most = sum(min(len(gold), 5) / 5 for gold in scores.winnable.values()) / len(scores.winnable)
        if most < 1:
            yield f"P@5 can be at most {figure(most)} here, as few questions have five gold tasks."
    groups = [group for method in scores.methods.values() for group in (method.overall, *method.by_tag.values())]
    if any(map(_is_flat, groups)) or any(method.no_answer.sure in (0.0, 1.0) for method in scores.methods.values()):
        yield (
            "An interval without width means that every question had the same value; with n questions a share may"
            " still be 3/n away from it (rule of three)."
        )
    if run.missing > 0 or header.finished is None:
        yield f"The run was cut off: {run.missing} answers are missing. To go on: ats bench run --resume --out FOLDER."
    if run.damaged:
        yield f"{run.damaged} lines of the run are no answers, and are left out."
    if header.corpus.stale:
        yield "The store could not be asked, so an older copy of the corpus was."
    if header.corpus.sources_failed:
        yield f"{header.corpus.sources_failed} projects of the corpus could not be fetched."
    if header.corpus.changed:
        yield "The corpus changed during the run: its answers are not all of the same."
    if header.jobs > 1:
        yield f"{header.jobs} questions were asked at once: the times are longer than those of a single call."


def _lines(scores: Scores) -> Iterator[str]:
    header = scores.run.header
    yield "# Retrieval, measured"
    yield ""
    yield (
        f"{counted(header.questions.count, 'question')} ({one_line(header.questions.path)}) over"
        f" {header.corpus.size} tasks of {header.adapter}, {header.started}, corpus {header.corpus.fingerprint[:12]}."
    )
    for note in notes(scores):
        yield ""
        yield note
    yield from ("", "## By method", "")
    yield from table(
        ["method", "n", *(TITLES[name] for name in MEASURES), "MRR@10, 95 %"],
        [_row([method.name], method.overall) for method in scores.methods.values()],
    )
    yield from ("", *_contrasts(scores))
    yield from _by_tag(scores)
    yield from _no_answer(scores)
    yield from ("", "## Coverage", "", "Only what was scored is in the means.", "")
    yield from table(
        ["method", *(name.replace("_", " ") for name in _FATES)],
        [
            [method.name, *(str(getattr(method.coverage, name)) for name in _FATES)]
            for method in scores.methods.values()
        ],
    )
    yield from _coverage_notes(scores)
    yield from ("", "## Milliseconds in process", "")
    yield from table(
        ["method", "calls", "p50", "p95", "most"],
        [
            [
                method.name,
                str(len(method.latency.sample)),
                *(milliseconds(method.latency.quantile(share)) for share in (0.5, 0.95, 1.0)),
            ]
            for method in scores.methods.values()
        ],
    )


def _row(names: Sequence[str], group: Group) -> list[str]:
    figures = [figure(group.means.get(name)) for name in MEASURES]
    return [*names, str(group.n), *figures, interval(group.ci95.get("mrr")) or "-"]


def _contrasts(scores: Scores) -> Iterator[str]:
    if not scores.contrasts:
        return
    first, title = scores.contrasts[0].against, TITLES[scores.measure]
    yield (
        f"Against {first}, by {title} over the questions that both answered (paired randomisation test, p corrected"
        f" for {counted(len(scores.contrasts), 'comparison')} by Holm):"
    )
    yield ""
    for contrast in scores.contrasts:
        said = f"- {contrast.method}: {verdict_of(contrast)}"
        if contrast.difference is not None and contrast.p_holm is not None:
            by = f"{change(contrast.difference)}, {change_interval(contrast.ci95)}"
            said += f" ({by}, n = {contrast.n}, {p_value(contrast.p_holm)})"
        yield said


def _by_tag(scores: Scores) -> Iterator[str]:
    rows = [
        _row([tag, name], group)
        for tag in dict.fromkeys(tag for method in scores.methods.values() for tag in method.by_tag)
        for name, method in scores.methods.items()
        for group in [method.by_tag[tag]]
    ]
    if rows:
        yield from ("", "## By tag", "")
        head = ["tag", "method", "n", *(TITLES[name] for name in MEASURES), "MRR@10, 95 %"]
        yield from table(head, rows, words=2)


def _no_answer(scores: Scores) -> Iterator[str]:
    judged = [method for method in scores.methods.values() if method.no_answer.n]
    if not judged:
        return
    yield from ("", "## Questions without an answer", "")
    yield "How sure each method was of its first hit, where none is right; strong or moderate is a false alarm."
    yield ""
    yield from table(
        ["method", "n", "strong", "moderate", "weak", "none", "false alarms", "95 %"],
        [
            [
                method.name,
                str(method.no_answer.n),
                *(str(method.no_answer.verdicts[verdict]) for verdict in ("strong", "moderate", "weak", "none")),
                figure(method.no_answer.sure),
                interval(method.no_answer.ci95),
            ]
            for method in judged
        ],
    )


def _coverage_notes(scores: Scores) -> Iterator[str]:
    any_coverage = next(iter(scores.methods.values())).coverage
    if any_coverage.unwinnable:
        yield ""
        yield "Unwinnable: no gold task is in the corpus, or each is done and so never shown."
    if any_coverage.partial:
        yield ""
        yield f"Some gold of {counted(any_coverage.partial, 'question')} is not in the corpus; scored by what is there."
    if any_coverage.unreadable:
        yield ""
        yield f"Lines of the question file that are no questions: {any_coverage.unreadable}."
    errors = sorted({row.error for row in scores.run.rows.values() if row.error})
    if errors:
        yield ""
        yield f"Without an answer, for instance: {one_line(errors[0])}"


def _is_flat(group: Group) -> bool:
    return any(low == high for low, high in group.ci95.values())
