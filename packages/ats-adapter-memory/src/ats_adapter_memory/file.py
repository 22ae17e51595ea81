"""The store over one file: read when it changes, written back in its own form."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from urllib.parse import quote
from zlib import crc32

from ats_core import ConfigError, Project, StoreError, Task, TaskDraft, TaskPatch
from msgspec import UNSET

from ats_adapter_memory import records
from ats_adapter_memory.parse import Parsed, parse
from ats_adapter_memory.snapshot import Snapshot, known_project, new_id, snapshot, unknown_task

_SMALL = 64 * 1024


class FileStore:
    """The tasks of the file at an absolute path, which need not exist before the first read."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._where = _encodable(path)
        self._lock = threading.Lock()
        self._revision: str | None = None
        self._snapshot: Snapshot | None = None

    def read(self) -> Snapshot:
        with self._lock:
            # Taken before the read: a write in between makes the next call read again.
            revision = self.revision()
            if self._snapshot is None or revision is None or revision != self._revision:
                parsed = parse(read_file(self._path), self._where)
                self._snapshot = snapshot(parsed.declared, parsed.tasks, parsed.warnings)
                self._revision = revision
            return self._snapshot

    def revision(self) -> str | None:
        """Path, inode, size, time of the last change and, for a small file, a checksum.

        A file system's clock ticks every few milliseconds: a small file can be rewritten at the same size
        within one.
        """
        try:
            status = self._path.stat()
            parts = [self._where, status.st_ino, status.st_size, status.st_mtime_ns]
            if status.st_size <= _SMALL and stat.S_ISREG(status.st_mode):
                parts.append(crc32(self._path.read_bytes()))
        except OSError:
            return None
        return ":".join(map(str, parts))

    def scope(self) -> str:
        return _encodable(os.path.realpath(self._path))

    def url(self, task_id: str) -> str:
        return f"{self._path.as_uri()}#{quote(task_id, safe='')}"

    def create(self, draft: TaskDraft) -> Task:
        from ats_adapter_memory import edit, write

        target = self._target()
        with write.locked(target):
            data, parsed = self._load(target)
            project = None if draft.project_id is None else _project(parsed, draft.project_id)
            record = records.draft_record(new_id(parsed.tasks), draft, project)
            changed = edit.add_record(_text(data), parsed.form, record)
            return self._save(target, changed, len(parsed.tasks))

    def update(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        from ats_adapter_memory import edit, write

        target = self._target()
        with write.locked(target):
            data, parsed = self._load(target)
            index = _index(parsed, project_id, task_id)
            task = parsed.tasks[index]
            project = None if patch.project_id is UNSET else _project(parsed, patch.project_id)
            changes = records.changes(task.raw, patch, project)
            if not changes:
                return task
            if not records.text(task.raw.get("id")):
                # An id made from the content would change under whoever holds it.
                changes["id"] = task.id
            changed = edit.change_record(_text(data), parsed.form, parsed.positions[index], changes)
            return self._save(target, changed, index)

    def _target(self) -> Path:
        """The file itself where the path is a link, so that the link stays one."""
        target = Path(os.path.realpath(self._path))
        check_file(target)
        return target

    def _load(self, target: Path) -> tuple[bytes, Parsed]:
        data = read_file(target)
        return data, parse(data, self._where)

    def _save(self, target: Path, changed: str, index: int) -> Task:
        from ats_adapter_memory import write

        data = changed.encode("utf-8", "surrogateescape")
        # Read back before it is written: what we could not read again must not replace what we could.
        task = parse(data, self._where).tasks[index]
        write.replace(target, data)
        return task


def read_file(path: Path) -> bytes:
    """A file's bytes. Raises ConfigError where there is no such file, StoreError where it cannot be read."""
    check_file(path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def check_file(path: Path) -> None:
    """Raise ConfigError where the path leads to nothing, or to something that is no file."""
    hint = "set ATS_MEMORY_FILE to a JSON or JSONL file; without it there is the demo corpus"
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise ConfigError(f"no such file: {_encodable(path)}", hint=hint) from None
    except OSError as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        raise ConfigError(f"{_encodable(path)} is {what}", hint=hint)


def _unreadable(path: Path, error: OSError) -> StoreError:
    reason = error.strerror or type(error).__name__
    return StoreError(f"cannot read {_encodable(path)}: {reason}", hint="check its permissions")


def _project(parsed: Parsed, project_id: str) -> Project:
    return known_project(snapshot(parsed.declared, parsed.tasks).projects, project_id)


def _index(parsed: Parsed, project_id: str, task_id: str) -> int:
    for index, task in enumerate(parsed.tasks):
        if task.id == task_id and task.project_id == project_id:
            return index
    raise unknown_task(project_id, task_id)


def _encodable(path: str | Path) -> str:
    """The path as text that UTF-8 can hold: on Unix a file's name may be any bytes."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
