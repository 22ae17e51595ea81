"""Cost against size as an SVG that needs nothing beside it; both axes are logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from ats_bench.latency.figures import Column, Figure

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 420, 64, 270, 16, 44
_COLOURS = ("#666", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000")
_DASHES = ("2 3", "1 0", "7 4", "10 3 2 3", "5 2", "1 0", "7 4", "2 3")
_DRAWN = ("floor.ms", "find.none.ms", "find.local.ms", "engine.none.p95", "engine.local.p95")
_DRAWN_S = ("build.s", "refresh.s", "embed.s")


def svg(rows: Sequence[Figure], columns: Sequence[Column]) -> str:
    """A line for each cost in time, in milliseconds."""
    lines = []
    for figure in rows:
        if figure.key in _DRAWN or figure.key in _DRAWN_S:
            factor = 1000 if figure.unit == "s" else 1
            points = [
                (column.size, column.values[figure.key] * factor) for column in columns if figure.key in column.values
            ]
            if points:
                lines.append((figure.title, points))
    sizes = [column.size for column in columns]
    times = [ms for _, points in lines for _, ms in points]
    x = _axis(min(sizes), max(sizes), _LEFT, _WIDTH - _RIGHT)
    low, high = _decades(times)
    y = _axis(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(ms):.1f}" y2="{y(ms):.1f}" stroke="#ddd"/>'
        f'<text x="{_LEFT - 6}" y="{y(ms) + 4:.1f}" text-anchor="end">{ms:,.15g}</text>'
        for ms in (10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1))
    ]
    parts += [
        f'<text x="{x(size):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{size:,}</text>' for size in sizes
    ]
    parts.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 6}" text-anchor="middle">tasks</text>')
    parts.append(f'<text x="12" y="{_HEIGHT / 2:.0f}" transform="rotate(-90 12 {_HEIGHT / 2:.0f})">ms</text>')
    for place, (title, points) in enumerate(lines):
        colour, dashes = _COLOURS[place % len(_COLOURS)], _DASHES[place % len(_DASHES)]
        path = " ".join(f"{x(size):.1f},{y(ms):.1f}" for size, ms in points)
        dots = "".join(f'<circle cx="{x(size):.1f}" cy="{y(ms):.1f}" r="3"/>' for size, ms in points)
        left, row = _WIDTH - _RIGHT + 20, _TOP + 12 + 20 * place
        parts.append(
            f'<g stroke="{colour}" fill="none" stroke-width="2" stroke-dasharray="{dashes}">'
            f'<polyline points="{path}"/><line x1="{left}" x2="{left + 24}" y1="{row}" y2="{row}"/></g>'
            f'<g fill="{colour}">{dots}</g><text x="{left + 30}" y="{row + 4}">{escape(title)}</text>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        ' aria-label="Cost against size" font-family="sans-serif" font-size="12">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """The powers of ten around some values."""
    low = math.floor(math.log10(max(min(values), 1e-3)))
    return 10.0**low, 10.0 ** max(math.ceil(math.log10(max(values))), low + 1)


def _axis(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    span = math.log10(high / low)
    return lambda value: (start + end) / 2 if not span else start + (end - start) * math.log10(value / low) / span
