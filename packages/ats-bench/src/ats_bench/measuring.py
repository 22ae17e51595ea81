"""Making a run: every question by every method, the answers kept as they come, and resumed where they stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from ats_core import __version__ as core_version
from ats_core.corpus import Corpus
from ats_core.engine import Engine
from ats_core.errors import UsageError
from ats_core.plugins.discovery import ADAPTERS, Catalogue

from ats_bench import __version__
from ats_bench.asking import Asker
from ats_bench.corpus import take_snapshot
from ats_bench.plan import Asked, Stage
from ats_bench.questions import Question
from ats_bench.runs import Header, RowWriter, Run, read_run, start_run, write_header

Progress = Callable[[int, int], None]

_RECORDED = ("budget_ms", "fusion", "dense_weight", "embedder", "language", "plugins")
"""Settings that may change an answer; none of them is a secret."""


class Work(NamedTuple):
    """How a run is made: `top` answers of each question are kept, it is asked `repeat` times, `jobs` at a time."""

    top: int = 10
    repeat: int = 1
    jobs: int = 1


def begin(folder: Path, asked: Asked, stage: Stage, work: Work, *, demo: bool = False) -> Header:
    """Start a run in an empty folder.

    :param demo: its questions and corpus are the built-in ones, whatever the user's store is.

    :raises AtsError: it cannot be written.
    """
    corpus = stage.snapshot.corpus
    gold = {task for question in asked.questions for task in question.gold_task_ids}
    known = {task.id: task for task_id in sorted(gold) if (task := corpus.get(task_id)) is not None}
    engine = stage.base
    header = Header(
        demo=demo,
        started=_now(),
        adapter=engine.adapter.name,
        corpus=stage.snapshot.mark,
        questions=asked.mark,
        methods=tuple(method.name for method in stage.methods),
        top=work.top,
        repeat=work.repeat,
        jobs=work.jobs,
        versions=_versions(engine.adapter.name),
        settings=_settings(engine),
        spaces=stage.spaces,
        gold={task.id: "done" if task.status == "done" else "open" for task in known.values()},
        titles={task.id: task.title for task in known.values()},
        warnings=tuple(stage.warnings),
    )
    start_run(folder, header, asked.questions)
    return header


def check_resumable(run: Run, stage: Stage) -> None:
    """Refuse to go on with a run under other circumstances: its answers could not be told apart.

    :raises UsageError: names what differs.
    """
    differs = []
    if stage.snapshot.mark.fingerprint != run.header.corpus.fingerprint:
        differs.append("the corpus")
    if dict(stage.spaces) != dict(run.header.spaces):
        differs.append("the embedding space")
    recorded = msgspec.json.decode(msgspec.json.encode(_settings(stage.base)))
    differs += [f"the setting {key}" for key in _RECORDED if recorded.get(key) != run.header.settings.get(key)]
    if _versions(run.header.adapter) != run.header.versions:
        differs.append("an installed version")
    if differs:
        raise UsageError(f"{run.folder} cannot be resumed: {', '.join(differs)} changed since", hint="start a new run")


class Made(NamedTuple):
    """A finished run. `stuck`: a branch that was given up on still runs, and would hold the process at its end."""

    run: Run
    stuck: bool


def go_on(folder: Path, stage: Stage, progress: Progress) -> Made:
    """Ask what a run has no answer for yet, and finish it.

    :raises AtsError: the run cannot be written, or another process is writing it.
    """
    with RowWriter(folder) as writer:
        run = read_run(folder)
        header = run.header
        work = Work(header.top, header.repeat, header.jobs)
        askers = _askers(stage, work)
        _ask_all(_pending(run), askers, work, writer, progress)
    changed = take_snapshot(stage.engines[header.methods[0]]).mark.fingerprint != header.corpus.fingerprint
    mark = msgspec.structs.replace(header.corpus, changed=header.corpus.changed or changed)
    write_header(folder, msgspec.structs.replace(header, corpus=mark, finished=_now()))
    return Made(read_run(folder), any(asker.stuck for asker in askers.values()))


def _pending(run: Run) -> list[tuple[Question, str]]:
    """What is to be asked: by question, so that methods share whatever disturbs the machine meanwhile."""
    askable = [question for question in run.questions if question.eligible]
    return [
        (question, method)
        for question in askable
        for method in run.header.methods
        if (question.id, method) not in run.rows
    ]


def _ask_all(
    pending: Sequence[tuple[Question, str]],
    askers: Mapping[str, Asker],
    work: Work,
    writer: RowWriter,
    progress: Progress,
) -> None:
    for method in dict.fromkeys(method for _, method in pending):
        askers[method].ask(pending[0][0])  # opens index and modules, which no question's time should pay for

    def answer(question: Question, method: str) -> None:
        writer.append(askers[method].ask(question, work.repeat))

    if work.jobs == 1:
        for done, (question, method) in enumerate(pending, start=1):
            answer(question, method)
            progress(done, len(pending))
        return
    pool = ThreadPoolExecutor(work.jobs)
    try:
        futures = [pool.submit(answer, question, method) for question, method in pending]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            progress(done, len(pending))
    finally:
        pool.shutdown(cancel_futures=True)


def _askers(stage: Stage, work: Work) -> dict[str, Asker]:
    corpus: Corpus = stage.snapshot.corpus
    return {method.name: Asker(stage.engines[method.name], method, corpus.get, work.top) for method in stage.methods}


def _settings(engine: Engine) -> dict[str, Any]:
    return {key: getattr(engine.settings, key) for key in _RECORDED}


def _versions(adapter: str) -> Mapping[str, str]:
    import numpy as np

    versions = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "numpy": np.__version__,
        "ats-core": core_version,
        "ats-bench": __version__,
    }
    for found in Catalogue.scan().group(ADAPTERS):
        if found.name == adapter:
            versions[found.distribution] = found.version
    return versions


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
