"""Points on this machine: vectors in core's store, by the digest of their text, and a catalogue beside them.

Any number of processes read while one writes: every file is written once and then only replaced or removed, and a
search maps the catalogue first and then the vectors, so that it sees those of all that it lists. Importing this imports
numpy.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from ats_core import Deadline
from ats_core.vectors.embedder import unit
from ats_core.vectors.store import Segment, VectorStore, as_keys, make_segment, positions

from ats_adapter_ticktick.hybrid.catalogue import Catalogue, Entry, open_catalogue, write_catalogue
from ats_adapter_ticktick.hybrid.points import LOCAL, Nearest, Point, Stored, best_first, not_synced

if TYPE_CHECKING:
    from ats_core.vectors.types import Cosines, Keys, Vectors

    from ats_adapter_ticktick.hybrid.space import Space


class LocalPoints:
    """One owner's points in one space, below a folder of that owner. A `PointReader` and a `PointWriter`."""

    def __init__(self, folder: Path, space: Space) -> None:
        self._space = space
        self._vectors = VectorStore(folder, space.name)
        self._path = self._vectors.folder / "catalogue"
        self._entries: dict[str, Entry] = {}

    def nearest(
        self, vector: Sequence[float], limit: int, scope: AbstractSet[str] | None, floor: float, deadline: Deadline
    ) -> list[Nearest]:
        catalogue = self._opened()
        if limit < 1 or not len(catalogue):
            return []
        cosines = self._cosines(catalogue, vector)
        starts = np.asarray(catalogue.starts[:-1], dtype=np.intp)
        best = np.maximum.reduceat(cosines, starts)
        if scope is not None:
            best[[catalogue.task(number) not in scope for number in range(len(starts))]] = -np.inf
        eligible = np.flatnonzero(best >= max(floor, -1.001))
        if len(eligible) > limit:
            least = np.partition(best[eligible], -limit)[-limit]
            eligible = eligible[best[eligible] >= least]
        found = []
        for number in eligible.tolist():
            start, end = catalogue.starts[number], catalogue.starts[number + 1]
            point = start + int(np.argmax(cosines[start:end]))
            found.append(Nearest(catalogue.task(number), float(best[number]), catalogue.text(point)))
        return best_first(found, limit)

    def vectors_of(self, task_id: str, deadline: Deadline) -> list[list[float]]:
        catalogue = self._opened()
        place = next((number for number in range(len(catalogue.tasks)) if catalogue.task(number) == task_id), None)
        if place is None:
            return []
        at = slice(16 * catalogue.starts[place], 16 * catalogue.starts[place + 1])
        return [row.tolist() for row in self._rows(as_keys(bytes(catalogue.keys[at]))).values()]

    def count(self, deadline: Deadline) -> int:
        """How many points have a vector."""
        catalogue = open_catalogue(self._path)
        if catalogue is None:
            return 0
        keys = as_keys(catalogue.keys)
        found = np.zeros(len(keys), dtype=bool)
        for segment in self._segments():
            found |= positions(segment, keys) >= 0
        return int(found.sum())

    def stored(self) -> dict[str, Stored]:
        catalogue = open_catalogue(self._path)
        entries = [] if catalogue is None else catalogue.entries()
        there = self._rows(as_keys(b"".join(bytes.fromhex(entry.digest) for entry in entries)))
        self._entries = {entry.id: entry for entry in entries if bytes.fromhex(entry.digest) in there}
        return {entry.id: Stored(entry.project_id, entry.digest) for entry in self._entries.values()}

    def known(self, digests: Mapping[str, str | None]) -> dict[str, Sequence[float]]:
        rows = self._rows(as_keys(b"".join(map(bytes.fromhex, digests))))
        return {digest: rows[key].tolist() for digest in digests if (key := bytes.fromhex(digest)) in rows}

    def upsert(self, points: Sequence[Point]) -> None:
        if not points:
            return
        keys = [bytes.fromhex(point.digest) for point in points]
        there = self._rows(as_keys(b"".join(keys)))
        fresh = {key: point.vector for key, point in zip(keys, points, strict=True) if key not in there}
        if fresh:
            rows = unit(np.asarray(list(fresh.values()), dtype=np.float32))
            self._vectors.add(make_segment(list(fresh), rows))
        self._entries |= {point.id: Entry(*point[:6]) for point in points}
        write_catalogue(self._path, self._entries.values())

    def delete(self, ids: Collection[str]) -> None:
        if ids:
            for point in ids:
                self._entries.pop(point, None)
            write_catalogue(self._path, self._entries.values())

    def finish(self) -> None:
        """Drop the vectors that no point has any more. An empty corpus leaves an empty catalogue."""
        write_catalogue(self._path, self._entries.values())
        keys = sorted({bytes.fromhex(entry.digest) for entry in self._entries.values()})
        self._vectors.compact(as_keys(b"".join(keys)))

    def discard(self) -> None:
        """Remove all points; those of other spaces stay."""
        shutil.rmtree(self._vectors.folder, ignore_errors=True)

    def close(self) -> None:
        """Nothing is kept open."""

    def _opened(self) -> Catalogue:
        catalogue = open_catalogue(self._path)
        if catalogue is None:
            raise not_synced(self._space.name, LOCAL)
        return catalogue

    def _segments(self) -> list[Segment]:
        """The segments that are of this space in their length too; damaged ones count as missing."""
        return [segment for segment in self._vectors.segments()[0] if segment.rows.shape[1] == self._space.dimension]

    def _cosines(self, catalogue: Catalogue, vector: Sequence[float]) -> Cosines:
        """The cosine of each point to the query, by its place; minus infinity where its vector is missing."""
        keys = as_keys(catalogue.keys)
        query = unit(np.asarray([vector], dtype=np.float32))[0]
        cosines = np.full(len(keys), -np.inf, dtype=np.float32)
        for segment in self._segments():
            at = positions(segment, keys)
            cosines[at >= 0] = (segment.rows @ query)[at[at >= 0]]
        return cosines

    def _rows(self, keys: Keys) -> dict[bytes, Vectors]:
        """The vectors that are there, by key."""
        found: dict[bytes, Vectors] = {}
        whole = [bytes(keys[place : place + 1].tobytes()) for place in range(len(keys))]
        for segment in self._segments():
            at = positions(segment, keys)
            found |= {whole[place]: segment.rows[at[place]] for place in np.flatnonzero(at >= 0).tolist()}
        return found
