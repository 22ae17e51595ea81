"""A scored run as one HTML page: no script, nothing from a network, light or dark as the reader's system is."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from ats_bench.metrics import MEASURES, TITLES
from ats_bench.report.charts import interval_bars, latency_bars, legend, recall_curves
from ats_bench.report.markdown import notes
from ats_bench.report.markup import named, table, text
from ats_bench.report.question_rows import question_rows
from ats_bench.report.words import (
    change,
    change_interval,
    counted,
    figure,
    interval,
    left_out,
    milliseconds,
    p_value,
    verdict_of,
)
from ats_bench.scoring import VERDICTS, Group, Scores

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(scores: Scores) -> str:
    """The page, self-contained: its policy forbids a browser to load anything."""
    style = files("ats_bench.report").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>Retrieval, measured</title><style>{style}</style></head><body><main>{''.join(_parts(scores))}"
        "</main></body></html>\n"
    )


def _parts(scores: Scores) -> Iterator[str]:
    methods = list(scores.methods.values())
    yield from _head(scores)
    yield '<h2 id="methods">By method</h2><p class="soft">Means over questions; below each its 95 % interval.</p>'
    yield f'<div class="scroll">{_overall(scores)}</div>'
    yield from _contrasts(scores)
    yield f'<h2>Intervals</h2><div class="panels">{interval_bars(methods)}</div>'
    yield (
        '<h2>How deep one must look, and how long it takes</h2><div class="panels">'
        f'<div class="panel"><h3>Recall against rank</h3>{recall_curves(methods)}{legend(methods)}</div>'
        '<div class="panel"><h3>Milliseconds in process</h3>'
        '<p class="soft small">A tick a call, a box around the middle half, the median as a bar and a number.</p>'
        f"{latency_bars(methods)}</div></div>"
    )
    yield from _by_tag(scores)
    yield from _no_answer(scores)
    yield f'<h2>Coverage</h2><p class="soft">Only what was scored is in the means.</p>{_coverage(scores)}'
    yield from _questions(scores)


def _head(scores: Scores) -> Iterator[str]:
    header = scores.run.header
    yield "<h1>Retrieval, measured</h1>"
    yield (
        f'<p class="soft">{counted(header.questions.count, "question")} ({text(header.questions.path)})'
        f" over {header.corpus.size} tasks of {text(header.adapter)}, {text(header.started)},"
        f" corpus {text(header.corpus.fingerprint[:12])}.</p>"
    )
    yield f'<ul class="notes">{"".join(f"<li>{text(note)}</li>" for note in notes(scores))}</ul>'


def _overall(scores: Scores) -> str:
    rows = [
        [named(place, method.name), str(method.overall.n), *_cells(method.overall)]
        for place, method in enumerate(scores.methods.values())
    ]
    return table(["method", "n", *(TITLES[name] for name in MEASURES)], rows)


def _cells(group: Group) -> list[str]:
    return [f"{figure(group.means.get(name))}<small>{interval(group.ci95.get(name))}</small>" for name in MEASURES]


def _contrasts(scores: Scores) -> Iterator[str]:
    if not scores.contrasts:
        return
    yield (
        f"<h2>Against {text(scores.contrasts[0].against)}</h2>"
        f'<p class="soft">By {TITLES[scores.measure]} over the questions that both answered; paired randomisation test,'
        f" p corrected for {counted(len(scores.contrasts), 'comparison')} by Holm.</p>"
    )
    rows = []
    for place, contrast in enumerate(scores.contrasts, 1):
        verdict = verdict_of(contrast)
        grade = {"better": "good", "worse": "bad"}.get(verdict, "flat")
        moved = "-" if contrast.difference is None else change(contrast.difference)
        rows.append(
            [
                named(place, contrast.method),
                f'<td style="text-align:left"><span class="rank {grade}">{verdict}</span></td>',
                f"{moved}<small>{change_interval(contrast.ci95)}</small>",
                "-" if contrast.p_holm is None else p_value(contrast.p_holm),
                str(contrast.n),
            ]
        )
    head = ["method", '<span style="float:left">outcome</span>', "change", "p", "n"]
    yield f'<div class="scroll">{table(head, rows)}</div>'


def _by_tag(scores: Scores) -> Iterator[str]:
    methods = list(scores.methods.values())
    tags = list(dict.fromkeys(tag for method in methods for tag in method.by_tag))
    if not tags:
        return
    title = TITLES[scores.measure]
    yield f'<h2>By tag</h2><p class="soft">{title}, and its 95 % interval; stronger colour is nearer to 1.</p>'
    rows = []
    for tag in tags:
        groups = [method.by_tag[tag] for method in methods]
        row = [text(tag), str(max(group.n for group in groups))]
        for group in groups:
            mean = group.means.get(scores.measure)
            heat = f' class="heat" style="--heat:{0.42 * (mean or 0.0):.3f}"'
            row.append(f"<td{heat}>{figure(mean)}<small>{interval(group.ci95.get(scores.measure))}</small></td>")
        rows.append(row)
    head = ["tag", "n", *(named(place, method.name) for place, method in enumerate(methods))]
    yield f'<div class="scroll">{table(head, rows)}</div>'


def _no_answer(scores: Scores) -> Iterator[str]:
    rows = [
        [
            named(place, method.name),
            str(method.no_answer.n),
            *(str(method.no_answer.verdicts[verdict]) for verdict in VERDICTS),
            f"{figure(method.no_answer.sure)}<small>{interval(method.no_answer.ci95)}</small>",
        ]
        for place, method in enumerate(scores.methods.values())
        if method.no_answer.n
    ]
    if rows:
        yield (
            "<h2>Questions without an answer</h2>"
            '<p class="soft">How sure each method was of its first hit, where none is right. Strong or moderate is a'
            " false alarm.</p>"
        )
        yield f'<div class="scroll">{table(["method", "n", *VERDICTS, "false alarms"], rows)}</div>'


def _coverage(scores: Scores) -> str:
    rows = []
    for place, method in enumerate(scores.methods.values()):
        coverage = method.coverage
        latency = f"{milliseconds(method.latency.quantile(0.5))} / {milliseconds(method.latency.quantile(0.95))}"
        rows.append(
            [
                named(place, method.name),
                str(coverage.questions),
                str(coverage.scored),
                str(coverage.no_answer),
                f'<td style="text-align:left">{"; ".join(left_out(coverage)) or "nothing"}</td>',
                latency,
            ]
        )
    head = ["method", "questions", "scored", "no answer", '<span style="float:left">left out</span>', "ms, p50 / p95"]
    return f'<div class="scroll">{table(head, rows)}</div>'


def _questions(scores: Scores) -> Iterator[str]:
    order = " ".join(named(place, name) for place, name in enumerate(scores.methods))
    yield (
        '<h2>Question by question</h2><p class="soft">The rank at which each method had the answer, in this order.'
        " What the first method answers worst stands on top. Open a row to see what was placed first, and why.</p>"
        f'<p class="small order">{order}</p>'
    )
    yield f'<div class="questions">{question_rows(scores)}</div>'
