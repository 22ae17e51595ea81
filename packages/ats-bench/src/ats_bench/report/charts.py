"""The plots of the page: interval bars, recall against rank, and how long calls took."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ats_bench.metrics import MEASURES, TITLES
from ats_bench.report.markup import colour, percent, text
from ats_bench.report.words import figure, interval, milliseconds
from ats_bench.scoring import Latency, MethodScore

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 420, 250, 34, 34, 10
_MOST_TICKS = 200
"""Calls of a method that are drawn one by one; of more, evenly spread quantiles."""


def interval_bars(methods: Sequence[MethodScore]) -> str:
    """For each measure a panel: a dot for each method's mean, and a bar for its interval."""
    return "".join(f'<div class="panel"><h3>{TITLES[name]}</h3>{_bars(methods, name)}</div>' for name in MEASURES)


def recall_curves(methods: Sequence[MethodScore]) -> str:
    """The share of questions with a gold task among the first k hits, against k."""
    depth = max((len(method.curve) for method in methods), default=0)
    if not depth:
        return "<p>No question could be scored.</p>"

    def x(rank: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - 12) * ((rank - 1) / max(depth - 1, 1))

    def y(share: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - share)

    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{y(share):.1f}" y2="{y(share):.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{share:g}</text>')
    step = max(1, math.ceil(depth / 10))
    parts += [
        f'<text x="{x(rank):.1f}" y="{_HEIGHT - 18}" text-anchor="middle">{rank}</text>'
        for rank in range(1, depth + 1, step)
    ]
    parts.append(f'<text x="{(_LEFT + _WIDTH) / 2:.0f}" y="{_HEIGHT - 3}" text-anchor="middle">first k hits</text>')
    for place, method in enumerate(methods):
        points = " ".join(f"{x(rank):.1f},{y(share):.1f}" for rank, share in enumerate(method.curve, 1))
        dots = "".join(
            f'<circle cx="{x(rank):.1f}" cy="{y(share):.1f}" r="2.4"/>' for rank, share in enumerate(method.curve, 1)
        )
        # Methods that agree would hide each other: each has dashes of its own beside its colour.
        dashes = f' stroke-dasharray="{_DASHES[place % len(_DASHES)]}"'
        parts.append(
            f'<g stroke="{colour(place)}" fill="none" stroke-width="2"><polyline points="{points}"{dashes}/></g>'
            f'<g fill="{colour(place)}">{dots}</g>'
        )
    label = "Share of questions with a gold task among the first k hits, by method"
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def latency_bars(methods: Sequence[MethodScore]) -> str:
    """For each method a tick a call, a box from the 25th to the 75th percentile, the median; a logarithmic axis."""
    samples = [method.latency.sample for method in methods if len(method.latency.sample)]
    if not samples:
        return "<p>No call was timed.</p>"
    low = math.floor(math.log10(max(min(float(sample[0]) for sample in samples), 1e-3)))
    high = max(math.ceil(math.log10(max(float(sample[-1]) for sample in samples) + 1e-9)), low + 1)

    def at(ms: float) -> str:
        return percent((math.log10(max(ms, 1e-3)) - low) / (high - low))

    rows = "".join(_latency_row(place, method, at) for place, method in enumerate(methods))
    marks = "".join(
        f'<b style="left:{percent((power - low) / (high - low))}">{10**power:,.15g} ms</b>'
        for power in range(low, high + 1)
    )
    return f'<div class="bars">{rows}<span class="axis">{marks}</span></div>'


def legend(methods: Sequence[MethodScore]) -> str:
    items = "".join(
        f'<span><svg viewBox="0 0 26 10"><line x1="0" x2="26" y1="5" y2="5" stroke="{colour(place)}" stroke-width="2"'
        f' stroke-dasharray="{_DASHES[place % len(_DASHES)]}"/>'
        f'<circle cx="13" cy="5" r="3" fill="{colour(place)}"/></svg>'
        f"{text(method.name)}</span>"
        for place, method in enumerate(methods)
    )
    return f'<div class="legend">{items}</div>'


_DASHES = ("1 0", "7 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 4", "4 6")


def _bars(methods: Sequence[MethodScore], name: str) -> str:
    rows = []
    for place, method in enumerate(methods):
        mean, bounds = method.overall.means.get(name), method.overall.ci95.get(name)
        track = ""
        if mean is not None and bounds is not None:
            track = (
                f'<i class="range" style="left:{percent(bounds[0])};width:{percent(bounds[1] - bounds[0])};'
                f'background:{colour(place)}"></i>'
                f'<i class="mean" style="left:{percent(mean)};background:{colour(place)}"></i>'
            )
        rows.append(
            f'<div class="bar" title="{interval(bounds)}, n = {method.overall.n}"><span>{text(method.name)}</span>'
            f'<span class="track">{track}</span><span>{figure(mean)}</span></div>'
        )
    marks = "".join(f'<b style="left:{percent(share)}">{share:g}</b>' for share in (0.0, 0.5, 1.0))
    return f'<div class="bars">{"".join(rows)}<span class="axis">{marks}</span></div>'


def _latency_row(place: int, method: MethodScore, at: Callable[[float], str]) -> str:
    latency: Latency = method.latency
    track, median = "", latency.quantile(0.5)
    if median is not None:
        sample = latency.sample
        if len(sample) > _MOST_TICKS:
            sample = np.quantile(sample, np.linspace(0, 1, _MOST_TICKS))
        ticks = "".join(f'<i class="rug" style="left:{at(float(ms))};background:{colour(place)}"></i>' for ms in sample)
        lower, upper = at(latency.quantile(0.25) or 0.0), at(latency.quantile(0.75) or 0.0)
        track = (
            f'{ticks}<i class="box" style="left:{lower};right:calc(100% - {upper});background:{colour(place)}"></i>'
            f'<i class="median" style="left:{at(median)};background:{colour(place)}"></i>'
        )
    spread = f"p95 {milliseconds(latency.quantile(0.95))} ms, {len(latency.sample)} calls"
    return (
        f'<div class="bar" title="{spread}"><span>{text(method.name)}</span><span class="track">{track}</span>'
        f"<span>{milliseconds(median)}</span></div>"
    )
