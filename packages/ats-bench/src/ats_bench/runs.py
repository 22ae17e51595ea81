"""A run on disk: a folder with `header.json`, `questions.jsonl` and `rows.jsonl`, one answer a line.

Everything that a report needs lies in the folder, so that a run can be read after the question file or the corpus
changed. Answers are appended as they come; a half-written last line, of a run that was killed, is dropped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, NamedTuple, Self

import msgspec
from ats_core.atomic import open_file, write_atomically
from ats_core.errors import AtsError, UsageError
from ats_core.lock import try_lock
from ats_core.models import Model

from ats_bench.places import HEADER
from ats_bench.questions import Question, encode_question, read_questions

SCHEMA = 1
QUESTIONS, ROWS = "questions.jsonl", "rows.jsonl"


class CorpusMark(Model, frozen=True, kw_only=True):
    """Which corpus was asked: `fingerprint` is a digest over ids and content digests in order.

    `stale`: the store could not be asked, this is an older copy. `changed`: it was another one at the end of the run.
    """

    fingerprint: str
    size: int
    demo: bool = False
    stale: bool = False
    sources_failed: int = 0
    changed: bool = False


class QuestionsMark(Model, frozen=True, kw_only=True):
    """Which questions were asked: the file, its BLAKE2b digest, how many it has, and what was wrong with its lines.

    `unreadable` counts the lines that are no questions.
    """

    path: str
    digest: str
    count: int
    unreadable: int = 0
    problems: tuple[str, ...] = ()


class Header(Model, frozen=True, kw_only=True):
    """What was measured, and with what. Times are ISO 8601 in UTC; `finished` is None while the run is under way.

    `demo`: made with --demo. `spaces` names each method's embedding space (absent: no vectors). `gold` tells for each
    gold id that the corpus has whether the task is `"open"` or `"done"`; `titles` are their titles.
    """

    schema: int = SCHEMA
    demo: bool = False
    started: str
    finished: str | None = None
    adapter: str
    corpus: CorpusMark
    questions: QuestionsMark
    methods: tuple[str, ...]
    top: int
    repeat: int = 1
    jobs: int = 1
    versions: Mapping[str, str] = {}
    settings: Mapping[str, Any] = {}
    spaces: Mapping[str, str] = {}
    gold: Mapping[str, str] = {}
    titles: Mapping[str, str] = {}
    warnings: tuple[str, ...] = ()


class First(Model, frozen=True, kw_only=True):
    """What a method placed first, and why: the sources that surfaced it, each as `name #rank`."""

    title: str
    sources: tuple[str, ...] = ()


class Row(Model, frozen=True, kw_only=True):
    """One answer: `ids` best first, `scores` beside them (None: none, or no finite number).

    `confidence` is the verdict, None where the method gives none. `ms` are milliseconds in process, one a repeat.
    `error`: there was no answer, and why.
    """

    question: str
    method: str
    ids: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()
    confidence: str | None = None
    reason: str | None = None
    degraded: bool = False
    warnings: tuple[str, ...] = ()
    error: str | None = None
    ms: tuple[float, ...] = ()
    first: First | None = None


class Run(NamedTuple):
    """A run as it was read. `rows` by (question id, method); `damaged` counts lines that are no answers."""

    folder: Path
    header: Header
    questions: list[Question]
    rows: dict[tuple[str, str], Row]
    damaged: int

    @property
    def missing(self) -> int:
        """Answers that the run should have and has not: it was interrupted, or its file was damaged."""
        askable = sum(question.eligible for question in self.questions)
        return askable * len(self.header.methods) - len(self.rows)


def write_header(folder: Path, header: Header) -> None:
    """Write or replace the header.

    :raises AtsError: it cannot be written.
    """
    try:
        write_atomically(folder / HEADER, (msgspec.json.format(msgspec.json.encode(header), indent=2), b"\n"))
    except OSError as error:
        raise AtsError(f"{folder} cannot be written: {error.strerror}") from error


def start_run(folder: Path, header: Header, questions: list[Question]) -> None:
    """Write what a run begins with. The header comes last: a folder that has one is complete.

    :raises AtsError: it cannot be written.
    """
    try:
        write_atomically(folder / QUESTIONS, (encode_question(question) + b"\n" for question in questions))
    except OSError as error:
        raise AtsError(f"{folder} cannot be written: {error.strerror}") from error
    write_header(folder, header)


def read_run(folder: Path) -> Run:
    """Read a run, finished or not.

    :raises UsageError: the folder is no run, or one of a newer version.
    """
    header = _read_header(folder)
    questions, _ = read_questions(folder / QUESTIONS)
    asked = {question.id for question in questions if question.eligible}
    rows: dict[tuple[str, str], Row] = {}
    damaged = 0
    for line in _lines(folder / ROWS):
        row = _row(line)
        if row is None or row.question not in asked or row.method not in header.methods:
            damaged += 1
        else:
            rows.setdefault((row.question, row.method), row)
    return Run(folder, header, questions, rows, damaged)


class RowWriter:
    """Appends answers to a run. Safe to use from several threads; a second process is refused.

    :raises AtsError: another process is writing this run, or the file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / ROWS
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise AtsError(f"{path} cannot be written: {error.strerror}") from error
        self._path = path
        self._file = os.fdopen(descriptor, "r+b", buffering=0)
        self._lock = Lock()
        if not try_lock(self._file):
            self._file.close()
            raise AtsError(f"another process is writing the run {folder}", hint="wait until it has ended")
        content = self._file.read()
        whole = content.rfind(b"\n") + 1
        self._file.truncate(whole)
        self._file.seek(whole)

    def append(self, row: Row) -> None:
        """Add one answer, as one write of one whole line."""
        line = msgspec.json.encode(row) + b"\n"
        try:
            with self._lock:
                self._file.write(line)
        except OSError as error:
            raise AtsError(f"{self._path} cannot be written: {error.strerror}", hint="then: --resume") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()


def _read_header(folder: Path) -> Header:
    try:
        with open_file(folder / HEADER) as file:
            content = file.read()
    except OSError:
        there = folder.is_dir()
        what = "is no run: it has no header.json" if there else "is not there" if not folder.exists() else "is no run"
        raise UsageError(f"{folder} {what}", hint="runs are made by: ats bench run") from None
    try:
        header = msgspec.json.decode(content, type=Header)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"the header of the run {folder} is damaged: {error}") from None
    if header.schema != SCHEMA:
        raise UsageError(f"the run {folder} is of another version (schema {header.schema}, expected {SCHEMA})")
    return header


def _lines(path: Path) -> list[bytes]:
    """The whole lines of a file; what comes after the last newline was cut off, and does not count."""
    try:
        with open_file(path) as file:
            return [line for line in file.read().split(b"\n")[:-1] if line.strip()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _row(line: bytes) -> Row | None:
    try:
        return msgspec.json.decode(line, type=Row)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    try:
        # Other writers may put NaN where a score is none; the order of the ids is what counts.
        return msgspec.convert(json.loads(line, parse_constant=lambda _: None), Row)
    except (msgspec.MsgspecError, ValueError):
        return None
