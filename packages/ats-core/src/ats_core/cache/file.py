"""The cache file: one JSON document whose first line is a header and each further line a task.

    {"schema": 1, "adapter": "memory", ..., "tasks": [
    {"id": "t1", ...},
    {"id": "t2", ...}
    ]}

So a reader can judge the header without decoding the tasks, and decode a task without its neighbours.
"""

from __future__ import annotations

import mmap
import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from ats_core.atomic import open_file, write_atomically
from ats_core.models import FailedProject, Model, Project, Task

SCHEMA: Final = 1
"""Counts up whenever the file changes its meaning; a copy of another schema is a miss."""

_LONGEST_HEADER = 64 << 20
_TASKS_FOLLOW = b'"tasks":[\n'

_task_decoder = msgspec.json.Decoder(Task)
_encoder = msgspec.json.Encoder(enc_hook=str)


class Header(Model, frozen=True, kw_only=True):
    """What the file says about the corpus.

    `fetched_at` is the start of the fetch and `retry_at` the time from which failed projects are asked again, in
    seconds since the epoch; `count` is the number of tasks; `warnings` are the fetch's own, which stay true
    of the copy (a skipped line, a duplicate id).
    """

    schema: int
    adapter: str
    scope: str
    fetched_at: float
    demo: bool = False
    revision: str | None = None
    count: int = 0
    failed: tuple[FailedProject, ...] = ()
    retry_at: float | None = None
    projects: tuple[Project, ...] = ()
    warnings: tuple[str, ...] = ()


class Copy(NamedTuple):
    """An opened cache file: its header, its bytes, and its identity (inode, size, mtime in ns)."""

    path: Path
    header: Header
    buffer: mmap.mmap | bytes
    identity: list[int]


class DamagedCopyError(ValueError):
    """There is something in the cache's place, but it is not a copy of ours; the text says what."""


def read_copy(path: Path) -> Copy | None:
    """Open a copy; None where there is none.

    :raises DamagedCopyError: damage of any kind, a folder, something that cannot be read, or another schema.
    """
    try:
        with open_file(path) as file:
            status = os.fstat(file.fileno())
            header = _header(file.readline(_LONGEST_HEADER))
            buffer = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise DamagedCopyError("a link that leads nowhere") from None
        return None
    except OSError as error:
        raise DamagedCopyError(error.strerror or "cannot be read") from error
    if buffer[-4:] != b"\n]}\n":
        raise DamagedCopyError("truncated")
    return Copy(path, header, buffer, identity_of(status))


def write_copy(path: Path, header: Header, tasks: list[Task]) -> tuple[list[int], bytes]:
    """Write a copy atomically.

    :return: the identity of the new file, and where each task lies in it (see `SearchIndex.task_spans`).
    :raises OSError: it could not be written; an older copy is unharmed.
    """
    spans = array("Q")
    status = write_atomically(path, _lines(header, tasks, spans))
    return identity_of(status), spans.tobytes()


def _lines(header: Header, tasks: list[Task], spans: array[int]) -> Iterator[bytes]:
    """The file in pieces, one a task, so that it is never in memory as a whole.

    :param spans: is given where each task lies in the file.
    """
    # The header is a whole JSON object; the brace that closes it moves behind the tasks.
    first = _encode_header(header)[:-1] + b"," + _TASKS_FOLLOW
    yield first
    position = len(first)
    separator = b""
    for task in tasks:
        line = encode_task(task)
        position += len(separator)
        spans.append(position)
        position += len(line)
        spans.append(position)
        yield separator + line
        separator = b",\n"
    yield b"\n]}\n"


def decode_tasks(copy: Copy) -> tuple[list[Task], bytes]:
    """All tasks of a copy, and their spans: the slow way, where no index fits the file.

    :raises DamagedCopyError: a line is not a task.
    """
    buffer = copy.buffer
    position = buffer.find(b"\n") + 1
    end = len(buffer) - len(b"\n]}\n")
    tasks, spans = [], array("Q")
    while position < end:
        stop = buffer.find(b"\n", position)
        line_end = stop if stop == end else stop - 1  # without the comma
        tasks.append(decode_task(buffer[position:line_end]))
        spans.append(position)
        spans.append(line_end)
        position = stop + 1
    return tasks, spans.tobytes()


def decode_task(line: bytes) -> Task:
    """One task of a copy.

    :raises DamagedCopyError: it is not one.
    """
    try:
        return _task_decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DamagedCopyError("a task in it cannot be read") from error


def encode_task(task: Task) -> bytes:
    """One task as a line of JSON. A `raw` record that JSON cannot carry costs only itself."""
    try:
        return _encoder.encode(task)
    except Exception:  # noqa: BLE001 - its values are the adapter's, and so is what their __str__ raises
        return _encoder.encode(msgspec.structs.replace(task, raw={}))


def _encode_header(header: Header) -> bytes:
    """The header as JSON. `raw` records that JSON cannot carry cost only themselves."""
    try:
        return _encoder.encode(header)
    except Exception:  # noqa: BLE001 - as for tasks
        projects = tuple(msgspec.structs.replace(project, raw={}) for project in header.projects)
        return _encoder.encode(msgspec.structs.replace(header, projects=projects))


def written_at(path: Path) -> list[int] | None:
    """The identity of whatever file is at a path, None where there is none."""
    try:
        return identity_of(os.stat(path))
    except OSError:
        return None


def identity_of(status: os.stat_result) -> list[int]:
    """What tells one file from the one that replaced it."""
    return [status.st_ino, status.st_size, status.st_mtime_ns]


def _header(line: bytes) -> Header:
    if not line.endswith(_TASKS_FOLLOW):
        raise DamagedCopyError("not a corpus cache of this version, or damaged")
    try:
        fields: dict[str, Any] = msgspec.json.decode(line[: -len(_TASKS_FOLLOW) - 1] + b"}")
        if fields.get("schema") != SCHEMA:
            raise DamagedCopyError(f"written by another version (schema {fields.get('schema')})")
        return msgspec.convert(fields, Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, AttributeError) as error:
        raise DamagedCopyError("damaged") from error
