"""`ats bench latency`."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from ats_core.errors import ConfigError, NoEmbedderError, UsageError

from ats_bench.app import command_app
from ats_bench.progress import progress_bar
from ats_bench.quiet import warn

HELP = """
Time ATS over synthetic tasks of several sizes, beside the floor: Python that imports typer.

Whole processes take turns with the floor, so that multiples (x) hold on a noisy machine; milliseconds are for
orientation. Each figure stands beside its target, with a mark where it is missed. Your own tasks and settings are left
alone. The first find includes reading the file, writing the cache and building the index.

\b
Examples:
  ats bench latency
  ats bench latency --sizes 1000,10000 --embedder none --check
  ats bench latency --sizes 10000 --body-kb 10
  ats bench latency --json --plot cost.svg
"""

LEAST = 100
"""Tasks of the smallest corpus: one of a hundred is changed, and every script is in it."""

EMBEDDERS = ("none", "local")

app = command_app()


@app.command(help=HELP)
def latency(
    *,
    sizes: Annotated[str, typer.Option("--sizes", metavar="NUMBERS", help="Tasks, with commas.")] = "1000,10000,100000",
    embedder: Annotated[
        str, typer.Option("--embedder", metavar="NAMES", help="none, local or both, with a comma.")
    ] = "none,local",
    body_kb: Annotated[int, typer.Option("--body-kb", metavar="N", help="Bodies of about N KB.")] = 1,
    runs: Annotated[int, typer.Option("--runs", metavar="N", help="Time each command N times.")] = 7,
    check: Annotated[bool, typer.Option("--check", help="Exit 1 where a multiple is over twice its target.")] = False,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE.svg", help="Draw cost against size.")] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FOLDER", help="Keep the tasks and what ATS made of them here.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
) -> None:
    from ats_bench.document import encode
    from ats_bench.latency.figures import document, far_off, figures, markdown
    from ats_bench.latency.measure import COMMAND, Plan, measure
    from ats_bench.latency.plot import svg
    from ats_bench.new_file import refuse_existing, refuse_occupied, write_new

    wanted, embedders = parse_sizes(sizes), parse_embedders(embedder)
    at_least_one("--runs", runs)
    at_least_one("--body-kb", body_kb)
    if plot is not None:
        refuse_existing(plot, option="--plot")
    if keep is not None:
        refuse_occupied(keep, option="--keep")
    if not hasattr(os, "wait4") or not hasattr(os, "posix_spawn"):
        raise UsageError("this system does not tell what a process took; Linux and macOS do")
    if find_spec(COMMAND) is None:
        raise ConfigError("the command ats is not installed beside the bench", hint="try: pip install ats-cli")
    plan = Plan(installed(embedders), runs, os.environ, body_kb)
    columns, done = [], 0
    with tempfile.TemporaryDirectory(prefix="ats-latency-") as scratch, progress_bar("measuring") as progress:
        total = plan.steps(len(wanted))

        def step() -> None:
            nonlocal done
            done += 1
            progress(done, total)

        folder = (keep or Path(scratch)).absolute()
        for size in wanted:
            columns.append(measure(size, folder / str(size), plan, step, warn))
    rows = figures(plan.embedders, body_kb)
    if plot is not None:
        write_new(plot, [svg(rows, columns)], option="--plot")
    about = machine() | {"runs": runs, "bodies": f"{body_kb} KB"}
    if as_json:
        typer.echo(encode({"machine": about, **document(rows, columns)}), nl=False)
    else:
        typer.echo(
            f"{', '.join(f'{name} {value}' for name, value in about.items())}; multiples (x) are of the floor.\n"
        )
        for line in markdown(rows, columns):
            typer.echo(line)
    failures = far_off(rows, columns)
    for failure in failures if check else ():
        warn(f"over twice its target: {failure}")
    if check and failures:
        raise typer.Exit(1)


def at_least_one(option: str, number: int) -> None:
    """
    :raises UsageError: the number is below 1.
    """
    if number < 1:
        raise UsageError(f"{option} is {number}, expected at least 1")


def parse_sizes(text: str) -> list[int]:
    """Numbers with commas, each once, ascending.

    :raises UsageError: one is no number, or too small.
    """
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise UsageError(f"--sizes is {text!r}, expected numbers with commas", hint="--sizes 1000,10000") from error
    if sizes[0] < LEAST:
        raise UsageError(f"--sizes has {sizes[0]}, expected at least {LEAST}")
    return sizes


def parse_embedders(text: str) -> list[str]:
    """Names with commas, each once.

    :raises UsageError: one is unknown.
    """
    names = list(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if name not in EMBEDDERS:
            raise UsageError(f"--embedder has {name!r}, expected none, local or none,local")
    return names


def installed(embedders: list[str]) -> list[str]:
    """Those that can be measured here; what is left out is said.

    :raises NoEmbedderError: none is left.
    """
    from ats_core.vectors.static import static_embedder

    if "local" not in embedders:
        return embedders
    try:
        static_embedder()
    except NoEmbedderError as error:
        rest = [name for name in embedders if name != "local"]
        if not rest:
            raise
        warn(f"the rows of the static embedder are left out: {error.message} ({error.hint})")
        return rest
    return embedders


def machine() -> dict[str, Any]:
    """Where the figures hold."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 0,
    }
