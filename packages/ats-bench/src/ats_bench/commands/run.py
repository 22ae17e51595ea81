"""`ats bench run`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from ats_core.errors import AllBranchesFailedError, UsageError

from ats_bench.app import command_app
from ats_bench.places import new_run_folder, newest_run, note_latest, own_questions, refuse_occupied
from ats_bench.progress import progress_bar
from ats_bench.quiet import quiet, warn

HELP = """
Ask every question by every method, and keep the answers.

The answers go to a folder of their own, one line each, under the state folder unless --out names another. A run that
was interrupted goes on with --resume. Then: ats bench score.

Methods: find, hybrid, sparse, semantic, keyword, native, notes-find; after a colon what is varied: find:score,
semantic:local, find:score+local. The first one is what the others are compared with.

\b
Examples:
  ats bench run --demo
  ats bench run --questions mine.jsonl --methods find,find:score,keyword
  ats bench run --resume
"""

MOST_PROBLEMS = 20
"""Lines about bad questions that are shown, of however many."""

app = command_app()


@app.command(help=HELP)
def run(
    *,
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="Ask these; JSONL, one question a line.")
    ] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Ask the built-in questions of the demo corpus.")] = False,
    methods: Annotated[
        str | None, typer.Option("--methods", metavar="NAMES", help="With commas; default: all that can be done here.")
    ] = None,
    top: Annotated[int | None, typer.Option("--top", metavar="N", help="Keep N hits of each.  [default: 10]")] = None,
    repeat: Annotated[
        int | None, typer.Option("--repeat", metavar="N", help="Ask N times, for latency.  [default: 1]")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Ask N questions at once; blurs latency.  [default: 1]")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="A new or empty folder.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the newest run, or the one of --out.")] = False,
    adapter: Annotated[str | None, typer.Option("--adapter", metavar="NAME", help="Ask this adapter.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
) -> None:
    given = {
        "--questions": questions,
        "--demo": demo or None,
        "--methods": methods,
        "--top": top,
        "--repeat": repeat,
        "--jobs": jobs,
        "--adapter": adapter,
    }
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ats-bench-") as scratch, quiet():
        if resume:
            _refuse_with_resume(given)
            made, kept = _resume(out, Path(scratch))
        else:
            for option, number in (("--top", top), ("--repeat", repeat), ("--jobs", jobs)):
                if number is not None and number < 1:
                    raise UsageError(f"{option} is {number}, expected at least 1")
            if demo and (questions or adapter):
                raise UsageError(
                    "--demo brings its own questions and its own corpus",
                    hint=f"leave out {'--questions' if questions else '--adapter'}",
                )
            source = None if demo else questions or own_questions(os.environ)
            made, kept = _start(
                source=source,
                adapter=adapter,
                methods=methods,
                numbers=(top or 10, repeat or 1, jobs or 1),
                out=out,
                scratch=Path(scratch),
            )
    _answer(made.run, kept, time.monotonic() - started, as_json=as_json)
    if made.stuck:
        # An adapter's pool would be joined by a regular exit, for as long as its threads please.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _refuse_with_resume(given: dict[str, Any]) -> None:
    named = [option for option, value in given.items() if value is not None]
    if named:
        raise UsageError(f"--resume takes everything from the run, so it excludes {named[0]}", hint="leave it out")


def _start(
    *,
    source: Path | None,
    adapter: str | None,
    methods: str | None,
    numbers: tuple[int, int, int],
    out: Path | None,
    scratch: Path,
) -> tuple[Any, int]:
    """A new run; `source` None is the demo."""
    from ats_bench.measuring import Work, begin
    from ats_bench.methods import parse_methods
    from ats_bench.plan import ask_file, demo_opener, demo_questions, opener, set_stage

    if out is not None:
        refuse_occupied(out)
    wanted = None if methods is None else parse_methods([methods])
    if source == own_questions(os.environ) and not source.exists():
        raise UsageError(
            f"no questions: --questions is not given, and there is no {source}",
            hint="try: ats bench run --demo, or make some: ats bench init",
        )
    asked = ask_file(source) if source else ask_file(demo_questions(), "the demo's own questions")
    _show_problems(source, asked.mark.problems)
    open_engine = opener(os.environ, adapter) if source else demo_opener(os.environ, scratch / "state")
    with progress_bar("embedding") as progress:
        stage = set_stage(open_engine, wanted, scratch, progress)
    for warning in stage.warnings:
        warn(warning)
    folder = new_run_folder(os.environ, out)
    begin(folder, asked, stage, Work(*numbers), demo=source is None)
    note_latest(os.environ, folder)
    return _go_on(folder, stage), 0


def _resume(out: Path | None, scratch: Path) -> tuple[Any, int]:
    from ats_bench.measuring import check_resumable
    from ats_bench.methods import parse_methods
    from ats_bench.plan import demo_opener, opener, set_stage
    from ats_bench.runs import read_run

    folder = out or newest_run(os.environ)
    before = read_run(folder)
    if before.header.finished is not None and not before.missing:
        raise UsageError(
            f"{folder} is finished: there is nothing to resume", hint="to measure again, leave --resume out"
        )
    open_engine = (
        demo_opener(os.environ, scratch / "state") if before.header.demo else opener(os.environ, before.header.adapter)
    )
    with progress_bar("embedding") as progress:
        stage = set_stage(open_engine, parse_methods(before.header.methods), scratch, progress)
    check_resumable(before, stage)
    return _go_on(folder, stage), len(before.rows)


def _go_on(folder: Path, stage: Any) -> Any:
    from ats_bench.measuring import go_on

    try:
        with progress_bar("asking") as progress:
            return go_on(folder, stage, progress)
    except KeyboardInterrupt:
        warn(f"interrupted; what was answered is kept in {folder} (go on: ats bench run --resume --out {folder})")
        raise


def _show_problems(source: Path | None, problems: tuple[str, ...]) -> None:
    for problem in problems[:MOST_PROBLEMS]:
        warn(f"{source}: {problem}")
    if len(problems) > MOST_PROBLEMS:
        warn(f"{source}: {len(problems) - MOST_PROBLEMS} more bad lines (see: ats bench check {source})")


def _answer(made: Any, kept: int, seconds: float, *, as_json: bool) -> None:
    """Say where the run lies and how it went."""
    from ats_bench.report.words import counted

    rows = list(made.rows.values())
    degraded, failed = sum(row.degraded for row in rows), sum(row.error is not None for row in rows)
    if made.header.corpus.changed:
        warn("the corpus changed during the run: its answers are not all of the same")
    if as_json:
        import msgspec

        document = {
            "run": str(made.folder),
            "questions": made.header.questions.count,
            "methods": made.header.methods,
            "answers": len(rows),
            "kept": kept,
            "degraded": degraded,
            "failed": failed,
            "elapsedMs": seconds * 1000,
        }
        typer.echo(msgspec.json.encode(document).decode())
    else:
        typer.echo(str(made.folder))
        warn(
            f"{counted(made.header.questions.count, 'question')}, {counted(len(made.header.methods), 'method')}:"
            f" {counted(len(rows), 'answer')} in {seconds:.1f} s"
            + (f", {kept} of them from before" if kept else "")
            + (f"; {degraded} degraded, {failed} of these without an answer" if degraded else "")
        )
    if failed == len(rows):
        reasons = sorted({row.error for row in rows if row.error})
        raise AllBranchesFailedError(f"no question was answered: {reasons[0]}")
