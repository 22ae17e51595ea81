"""Where runs and the user's own questions lie: `bench` in the state folder."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path

from ats_core.errors import AtsError, UsageError
from ats_core.settings import config_dir

HEADER = "header.json"
"""A folder that holds this file is a run."""

_LATEST = "latest-run"


def bench_dir(environ: Mapping[str, str]) -> Path:
    """The folder of all that the bench keeps: `bench` below `ATS_CONFIG_DIR` or its default."""
    return config_dir(environ) / "bench"


def own_questions(environ: Mapping[str, str]) -> Path:
    """The question file that is used where none is named."""
    return bench_dir(environ) / "questions.jsonl"


def refuse_occupied(out: Path) -> None:
    """Say before the work what `new_run_folder` would say after it.

    :raises UsageError: `out` is there and no empty folder.
    """
    try:
        occupied = out.exists() and any(out.iterdir())
    except OSError as error:
        raise UsageError(f"{out} cannot be the folder of a run: {error.strerror}") from error
    if occupied:
        raise UsageError(
            f"{out} is not empty, and a run never overwrites another", hint="give a new folder, or --resume"
        )


def new_run_folder(environ: Mapping[str, str], out: Path | None) -> Path:
    """Make the folder of a new run: `out`, or one below the state folder that is named by the time (UTC).

    :raises UsageError: `out` is there and not empty: a run never overwrites another.
    """
    if out is None:
        return _timed_folder(bench_dir(environ) / "runs")
    refuse_occupied(out)
    try:
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise UsageError(f"{out} cannot be the folder of a run: {error.strerror}") from error
    return out


def note_latest(environ: Mapping[str, str], folder: Path) -> None:
    """Remember a run as the newest, wherever it lies; where that cannot be written, nothing is lost but comfort."""
    with contextlib.suppress(OSError):
        place = bench_dir(environ)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        (place / _LATEST).write_text(str(folder.resolve()), encoding="utf-8")


def newest_run(environ: Mapping[str, str]) -> Path:
    """The run that was started last.

    :raises UsageError: there is none.
    """
    place = bench_dir(environ)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        noted = Path((place / _LATEST).read_text(encoding="utf-8"))
        if (noted / HEADER).is_file():
            return noted
    runs = sorted(header.parent for header in (place / "runs").glob(f"*/{HEADER}"))
    if not runs:
        raise UsageError("there is no run yet", hint="try: ats bench run --demo")
    return runs[-1]


def _timed_folder(place: Path) -> Path:
    stamp = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
    for number in range(1, 1000):
        folder = place / (stamp if number == 1 else f"{stamp}-{number:03}")
        try:
            folder.mkdir(parents=True, mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise AtsError(f"{folder} cannot be made: {error.strerror}", hint="give another one: --out") from error
        return folder
    raise AtsError(f"{place} is full of runs of this second", hint="give another folder: --out")
