"""The catalogue of the points kept on this machine: which piece of which task each vector belongs to.

One file of sections that is mapped for reading and replaced as a whole; points are sorted by task id, then piece. The
vectors lie in core's store under the digest of their text, so a catalogue that is lost costs no embedding.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from ats_core.atomic import map_file, write_atomically
from ats_core.index.layout import pack, unpack
from ats_core.index.texts import Texts, TextsBuilder

_VERSION = 1
_SIZE = 16


class Entry(NamedTuple):
    """A point without its vector."""

    id: str
    task_id: str
    project_id: str
    chunk: int
    digest: str
    text: str


class Catalogue:
    """An opened file. `keys` are the digests end to end, 16 bytes each; `starts` where each task's points begin, and
    where the last one's end; `tasks` the tasks' ids. Texts are decoded when asked for."""

    def __init__(self, path: Path) -> None:
        buffer = map_file(path)
        header, sections, start = unpack(buffer)
        if header.meta.get("version") != _VERSION:
            raise ValueError("another version")

        def texts(name: str) -> Texts:
            at, length = header.sections[name]
            return Texts(buffer, start + at, length, sections[f"{name}_starts"])

        self.keys = sections["keys"]
        self.starts = sections["task_starts"].cast("Q")
        self.tasks = texts("tasks")
        self._ids = sections["ids"]
        self._chunks = sections["chunks"].cast("I")
        self._projects = texts("projects")
        self._texts = texts("texts")
        sizes = {len(self.keys) // _SIZE, len(self._ids) // _SIZE, len(self._chunks), len(self._texts)}
        whole = list(self.starts) == sorted(set(self.starts)) and self.starts[0] == 0
        if sizes != {self.starts[-1]} or len(self.starts) != len(self.tasks) + 1 or not whole:
            raise ValueError("the sections do not fit each other")

    def __len__(self) -> int:
        return len(self._chunks)

    def text(self, point: int) -> str:
        return self._texts[point].decode("utf-8", "replace")

    def task(self, number: int) -> str:
        return self.tasks[number].decode("utf-8", "replace")

    def entries(self) -> list[Entry]:
        """All points, in order."""
        found = []
        for number in range(len(self.tasks)):
            task_id, project_id = self.task(number), self._projects[number].decode("utf-8", "replace")
            for point in range(self.starts[number], self.starts[number + 1]):
                at = slice(_SIZE * point, _SIZE * (point + 1))
                digest, chunk = self.keys[at].hex(), self._chunks[point]
                point_id = str(UUID(bytes=bytes(self._ids[at])))
                found.append(Entry(point_id, task_id, project_id, chunk, digest, self.text(point)))
        return found


def open_catalogue(path: Path) -> Catalogue | None:
    """The catalogue as it is now, None where there is none or it is damaged."""
    try:
        return Catalogue(path)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def write_catalogue(path: Path, entries: Iterable[Entry]) -> None:
    """Replace the file.

    :raises OSError: it could not be written; the older one is unharmed.
    """
    tasks, projects, texts = TextsBuilder("tasks"), TextsBuilder("projects"), TextsBuilder("texts")
    ids, keys, chunks, starts = bytearray(), bytearray(), array("I"), array("Q")
    before: str | None = None
    for number, entry in enumerate(sorted(entries, key=lambda entry: (entry.task_id, entry.chunk))):
        if entry.task_id != before:
            tasks.add(entry.task_id)
            projects.add(entry.project_id)
            starts.append(number)
            before = entry.task_id
        ids += UUID(entry.id).bytes
        keys += bytes.fromhex(entry.digest)
        chunks.append(entry.chunk)
        texts.add(entry.text)
    starts.append(len(chunks))
    sections = {
        "ids": ids,
        "keys": keys,
        "chunks": chunks.tobytes(),
        "task_starts": starts.tobytes(),
        **tasks.sections(),
        **projects.sections(),
        **texts.sections(),
    }
    write_atomically(path, (pack(sections, {"version": _VERSION}),))
