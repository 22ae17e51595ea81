"""Document vectors on disk: computed once, keyed by embedding space and text digest, mapped when read.

One folder an embedding space, in it segments: files of sorted keys and their rows that never change once written. A
writer adds a segment; when there are many it merges them into one. Readers never wait: a map outlives its file's name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ats_core.atomic import map_file, write_atomically
from ats_core.digest import blake2b
from ats_core.index.layout import DamagedError, pack, unpack
from ats_core.vectors.types import Keys, Vectors

SEGMENT_VERSION = 1
MOST_SEGMENTS = 8
_LISTINGS = 5
KEY_SIZE = 16


class Segment(NamedTuple):
    """Keys (n,) of 16 bytes, ascending and unique, and rows (n, d), unit length or zero (no usable vector)."""

    keys: Keys
    rows: Vectors
    path: Path | None = None


class VectorStore:
    """The vectors of one embedding space, for one adapter and account."""

    def __init__(self, folder: Path, space: str) -> None:
        name = blake2b(space.encode("utf-8", "replace"), digest_size=8).hexdigest()
        self.folder = folder / name
        self._space = space

    def segments(self) -> tuple[list[Segment], list[Path]]:
        """All readable segments, and the files that are damaged: their texts will be embedded again."""
        for _ in range(_LISTINGS):
            found, damaged, vanished = self._listed()
            if not vanished:
                break  # else merged away since the folder was listed: the merged one is to be found there now
        return found, damaged

    def add(self, segment: Segment) -> None:
        """Keep a segment. Where there are many by now, merge them into one.

        :raises OSError: it could not be written; what was there is unharmed.
        """
        stored, damaged = self.segments()
        if len(stored) < MOST_SEGMENTS:
            self._write(segment)
            _remove(damaged)
            return
        same_shape = [other for other in stored if other.rows.shape[1] == segment.rows.shape[1]]
        self._write(merge([*same_shape, segment]))
        _remove([*damaged, *(other.path for other in stored if other.path)])

    def compact(self, keys: Keys) -> None:
        """Rewrite what is stored as one segment (one a dimension) that holds these keys and no other.

        :raises OSError: it could not be written; what was there is unharmed.
        """
        stored, damaged = self.segments()
        for dimension in sorted({segment.rows.shape[1] for segment in stored}):
            same_shape = [segment for segment in stored if segment.rows.shape[1] == dimension]
            whole = merge(same_shape)
            wanted = np.isin(whole.keys, keys)
            if len(same_shape) > 1 or not wanted.all():
                if wanted.any():
                    self._write(Segment(whole.keys[wanted], whole.rows[wanted]))
                _remove([other.path for other in same_shape if other.path])
        _remove(damaged)

    def _listed(self) -> tuple[list[Segment], list[Path], bool]:
        """The segments that the folder lists, the damaged ones, and whether one has vanished meanwhile."""
        found: list[Segment] = []
        damaged: list[Path] = []
        vanished = False
        for path in sorted(self.folder.glob("*.vectors")):
            try:
                found.append(self._open(path))
            except FileNotFoundError:
                vanished = True
            except (OSError, ValueError, KeyError, TypeError):
                damaged.append(path)
        return found, damaged, vanished

    def _write(self, segment: Segment) -> None:
        sections = {"keys": segment.keys.tobytes(), "rows": segment.rows.tobytes()}
        meta = {"version": SEGMENT_VERSION, "space": self._space, "dimension": segment.rows.shape[1]}
        write_atomically(self.folder / f"{os.urandom(16).hex()}.vectors", (pack(sections, dict(meta)),))

    def _open(self, path: Path) -> Segment:
        header, sections, _ = unpack(map_file(path))
        if (header.meta.get("version"), header.meta.get("space")) != (SEGMENT_VERSION, self._space):
            raise DamagedError("another version or space")
        dimension = header.meta["dimension"]
        rows = np.frombuffer(sections["rows"], dtype=np.float32).reshape(-1, int(str(dimension)))
        keys = as_keys(sections["keys"])
        if len(keys) != len(rows):
            raise DamagedError("keys and rows differ in number")
        return Segment(keys, rows, path)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            if path.is_file() or path.is_symlink():  # what else is in a segment's place is not ours
                path.unlink()


def positions(segment: Segment, keys: Keys) -> npt.NDArray[np.intp]:
    """For each key the row that holds its vector, -1 where the segment has none."""
    if not len(segment.keys):
        return np.full(len(keys), -1)
    at = np.minimum(np.searchsorted(segment.keys, keys), len(segment.keys) - 1)
    return np.where(segment.keys[at] == keys, at, -1)


def as_keys(buffer: bytes | memoryview) -> Keys:
    """Digests end to end, as an array of keys. (Comparing ignores trailing NULs, which is harmless at one width.)"""
    return np.frombuffer(buffer, dtype=f"S{KEY_SIZE}")


def make_segment(keys: Sequence[bytes], rows: Vectors) -> Segment:
    """A segment of rows and their keys, in any order; of a key given twice the first row stays."""
    return _sorted(as_keys(b"".join(keys)), rows)


def merge(segments: Sequence[Segment]) -> Segment:
    """One segment of several of one dimension."""
    return _sorted(
        np.concatenate([segment.keys for segment in segments]),
        np.concatenate([segment.rows for segment in segments]),
    )


def _sorted(keys: Keys, rows: Vectors) -> Segment:
    unique, first = np.unique(keys, return_index=True)
    return Segment(unique, np.ascontiguousarray(rows[first], dtype=np.float32))
