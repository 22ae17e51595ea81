"""The usage log: one JSON line a call, for `ats bench analyze-usage`. A failure to log never fails a search.

A log that is full becomes `<name>.1` in place of an older one, and a new log begins. Readers skip and count bad lines.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from ats_core.atomic import open_file
from ats_core.lock import locked
from ats_core.models import BranchReport

MOST_BYTES = 20_000_000
"""At this size the log becomes `<name>.1`, replacing an older one, and a new log begins."""

LONGEST_QUERY = 2000
"""Characters of a query that are kept; `queryLen` tells the whole length."""

LONGEST_ERROR = 2000
"""Characters of an error that are kept: it may quote the query."""

LOCK_PATIENCE = 0.2
"""Seconds to wait for the lock: every holder has it for the time of one write, unless it was stopped in that moment."""


class UsageLog:
    """Appends to the file at `path`; None: logging is off."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def write(
        self,
        tool: str,
        query: str,
        query_tokens: int,
        *,
        result_count: int = 0,
        top_id: str | None = None,
        error: str | None = None,
        budget_ms: int | None = None,
        duration_ms: float = 0.0,
        degraded: bool = False,
        branches: tuple[BranchReport, ...] = (),
    ) -> None:
        """Append one line with the seed's fields. Returns in silence where it cannot."""
        if self._path is None:
            return
        line = {
            "ts": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "tool": tool,
            "query": query[:LONGEST_QUERY],
            "queryLen": len(query),
            "queryTokens": query_tokens,
            "resultCount": result_count,
            "topId": top_id,
            "error": None if error is None else error[:LONGEST_ERROR],
            "meta": {
                "budgetMs": budget_ms,
                "durationMs": duration_ms,
                "degraded": degraded,
                "branches": [_branch(report) for report in branches],
            },
            "pid": os.getpid(),
        }
        try:
            _append(self._path, msgspec.json.encode(line) + b"\n")
        except (OSError, ValueError):
            return


class UsageReader:
    """The lines of a log, oldest first, those of the rotated one before. `skipped` counts what is no whole line.

    Reads a line at a time: a log is never held in memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.skipped = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for path in (_rotated(self._path), self._path):
            try:
                file = open_file(path)
            except FileNotFoundError:
                continue
            with file:
                yield from self._lines(file)

    def _lines(self, file: IO[bytes]) -> Iterator[dict[str, Any]]:
        decoder = msgspec.json.Decoder(dict[str, Any])
        for line in file:
            if not line.strip():
                continue  # closes the tail of a writer that was killed before it wrote anything
            try:
                yield decoder.decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                self.skipped += 1


def _branch(report: BranchReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "ok": report.ok,
        "count": report.count,
        "elapsedMs": report.elapsed_ms,
        "error": report.error,
    }


def _append(path: Path, line: bytes) -> None:
    """Add one whole line under a lock that also covers the rotation."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file, locked(file, LOCK_PATIENCE) as held:
            if not _is_at(path, file):
                continue  # rotated away while we waited for the lock
            size = os.fstat(file.fileno()).st_size
            if size >= MOST_BYTES and held:  # two that rotate at once would lose a whole log
                os.replace(path, _rotated(path))
                continue
            if size:
                file.seek(size - 1)
                if file.read(1) != b"\n":
                    line = b"\n" + line  # closes the torn tail of a writer that was killed
            file.write(line)
            return


def _rotated(path: Path) -> Path:
    return path.with_name(f"{path.name}.1")


def _is_at(path: Path, file: IO[bytes]) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
