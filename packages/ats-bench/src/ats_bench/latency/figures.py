"""The figures that are reported, their targets, and which are missed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ats_bench.report.markdown import table

FAR = 2.0
"""A multiple this many times its target fails `--check`: short of that it may be the machine."""


class Figure(NamedTuple):
    """A row. `targets` are by size, `always` is one for every size; a figure is on target where it is no greater."""

    key: str
    title: str
    unit: str
    targets: Mapping[int, float] = {}
    always: float | None = None

    def target(self, size: int) -> float | None:
        return self.targets.get(size, self.always)


class Column(NamedTuple):
    """What was measured at one size: figures by key, and all the times that they are made of."""

    size: int
    values: Mapping[str, float]
    detail: Mapping[str, Any] = {}


class Miss(NamedTuple):
    figure: Figure
    size: int
    value: float
    target: float

    def __str__(self) -> str:
        value, target = shown(self.value, self.figure.unit), shown(self.target, self.figure.unit)
        return f"{self.figure.title}, {self.size:,} tasks: {value} {self.figure.unit}, target {target}"


_FIND_X = {"none": {1_000: 1.9, 10_000: 2.2, 100_000: 3.0}, "local": {10_000: 4.2, 100_000: 6.0}}
_FIND_MIB = {"none": {100_000: 250.0}, "local": {}}
_P95 = {"none": {1_000: 2.0, 10_000: 5.0, 100_000: 30.0}, "local": {1_000: 4.0, 10_000: 8.0, 100_000: 45.0}}
_CALLED = {"none": "no embedder", "local": "static embedder"}
_START = 1.6


def figures(embedders: Sequence[str], body_kb: int = 1) -> list[Figure]:
    """The rows for these embedders, in the order of the table. What reads whole bodies has targets for 1 KB alone."""
    build, refresh = ({100_000: 60.0}, {100_000: 6.0}) if body_kb == 1 else ({}, {})
    rows = [
        Figure("floor.ms", 'python -c "import typer"', "ms"),
        Figure("floor.mib", 'python -c "import typer", peak memory', "MiB"),
    ]
    for name, title in (("help", "ats --help"), ("adapters", "ats adapters")):
        rows += [Figure(f"{name}.ms", title, "ms"), Figure(f"{name}.x", title, "x", always=_START)]
    for embedder in embedders:
        called = _CALLED[embedder]
        for kind, title in (("find", f"ats find --json, {called}"), ("long", f"ats find --json, 20 words, {called}")):
            rows += [
                Figure(f"{kind}.{embedder}.ms", title, "ms"),
                Figure(f"{kind}.{embedder}.x", title, "x", _FIND_X[embedder]),
                Figure(f"{kind}.{embedder}.mib", f"{title}, peak memory", "MiB", _FIND_MIB[embedder]),
            ]
    for embedder in embedders:
        title = f"Engine.find, {_CALLED[embedder]}"
        rows += [
            Figure(f"engine.{embedder}.p50", f"{title}, p50", "ms"),
            Figure(f"engine.{embedder}.p95", f"{title}, p95", "ms", _P95[embedder]),
        ]
    rows += [
        Figure("build.s", "first find: fetch, cache and index", "s", build),
        Figure("build.mib", "first find, peak memory", "MiB"),
        Figure("refresh.s", "refresh, 1 % changed", "s", refresh),
        Figure("refresh.mib", "refresh, peak memory", "MiB"),
    ]
    return rows + [Figure("embed.s", "sync: fetch and all vectors", "s")] * ("local" in embedders)


def misses(rows: Sequence[Figure], columns: Sequence[Column], *, times: float = 1.0) -> Iterator[Miss]:
    """Where a figure is more than so many times its target."""
    for figure in rows:
        for column in columns:
            value, target = column.values.get(figure.key), figure.target(column.size)
            if value is not None and target is not None and value > target * times:
                yield Miss(figure, column.size, value, target)


def far_off(rows: Sequence[Figure], columns: Sequence[Column]) -> list[Miss]:
    """The multiples of the floor that are over twice their target: what a noisy machine does not explain."""
    return list(misses([figure for figure in rows if figure.unit == "x"], columns, times=FAR))


def shown(value: float, unit: str) -> str:
    """With the digits that its unit deserves."""
    if unit == "x" or (unit == "s" and value < 10):
        return f"{value:.2f}"
    return f"{value:,.0f}" if unit == "MiB" or value >= 100 else f"{value:.1f}"


def markdown(rows: Sequence[Figure], columns: Sequence[Column]) -> Iterator[str]:
    """A row a figure, a column a size; beside a figure its target, and ✗ where it is missed."""
    present = [figure for figure in rows if any(figure.key in column.values for column in columns)]
    yield from table(
        ["", "unit", *(f"{column.size:,} tasks" for column in columns)],
        [
            [
                figure.title,
                figure.unit,
                *(_cell(figure, column.size, column.values.get(figure.key)) for column in columns),
            ]
            for figure in present
        ],
        words=2,
    )


def document(rows: Sequence[Figure], columns: Sequence[Column]) -> dict[str, Any]:
    """The same as JSON, with every time that was taken."""
    return {
        "figures": [
            {
                "key": figure.key,
                "title": figure.title,
                "unit": figure.unit,
                "values": {str(column.size): column.values.get(figure.key) for column in columns},
                "targets": {str(column.size): figure.target(column.size) for column in columns},
                "missed": [miss.size for miss in misses([figure], columns)],
            }
            for figure in rows
        ],
        "sizes": [{"size": column.size, **column.detail} for column in columns],
        "missed": sum(1 for _ in misses(rows, columns)),
        "farOff": [str(miss) for miss in far_off(rows, columns)],
    }


def _cell(figure: Figure, size: int, value: float | None) -> str:
    if value is None:
        return "-"
    target = figure.target(size)
    if target is None:
        return shown(value, figure.unit)
    sign, mark = (">", " ✗") if value > target else ("≤", "")
    return f"{shown(value, figure.unit)} {sign} {target:g}{mark}"
