"""A corpus with its search index, opened from a cache file or from fetched tasks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from ats_core.atomic import map_file, write_atomically
from ats_core.cache.file import Copy, Header, decode_task, decode_tasks
from ats_core.corpus import Corpus
from ats_core.index.layout import Buffer
from ats_core.index.reader import SearchIndex, index_pieces
from ats_core.models import Task
from ats_core.text.analyser import Analyser


class OpenedCorpus(msgspec.Struct, frozen=True, eq=False):
    """Tasks and index that belong together. `identity` is that of the cache file, None where there is none."""

    corpus: Corpus
    index: SearchIndex
    header: Header
    identity: list[int] | None
    warnings: list[str]


def open_tasks(
    tasks: list[Task],
    header: Header,
    analyser: Analyser,
    *,
    path: Path | None = None,
    identity: list[int] | None = None,
    spans: bytes | None = None,
) -> OpenedCorpus:
    """Index fetched tasks; where they were cached in `path`, keep the index beside it."""
    older = None if path is None else _index_at(index_path(path))
    pieces = index_pieces(tasks, analyser, identity=identity, task_spans=spans, older=older)
    index, warnings = (None, []) if path is None else _kept(index_path(path), pieces, identity)
    return OpenedCorpus(
        corpus=Corpus.of(tasks),
        index=index or SearchIndex(b"".join(pieces)),
        header=header,
        identity=identity,
        warnings=warnings,
    )


def open_copy(copy: Copy, analyser: Analyser) -> OpenedCorpus:
    """Open a cached copy with the index beside it; where none fits, decode the copy and build one.

    :raises DamagedCopyError: the tasks of the copy cannot be read.
    """
    index = _read_index(index_path(copy.path), copy, analyser.key)
    if index is None or index.task_spans is None:
        tasks, spans = decode_tasks(copy)
        return open_tasks(tasks, copy.header, analyser, path=copy.path, identity=copy.identity, spans=spans)
    spans_of, buffer = index.task_spans, copy.buffer

    def read(ordinal: int) -> Task:
        return decode_task(buffer[spans_of[2 * ordinal] : spans_of[2 * ordinal + 1]])

    corpus = Corpus(index.size, read, index.ordinal, index.within)
    return OpenedCorpus(corpus=corpus, index=index, header=copy.header, identity=copy.identity, warnings=[])


def index_path(cache_path: Path) -> Path:
    """Where the index of a cache file lies."""
    return cache_path.with_suffix(".index")


def _read_index(path: Path, copy: Copy, analyser_key: str) -> SearchIndex | None:
    index = _index_at(path)
    if index is None:
        return None
    fits = index.meta.get("identity") == copy.identity and index.meta.get("analyser") == analyser_key
    return index if fits else None


def _index_at(path: Path) -> SearchIndex | None:
    try:
        return SearchIndex(map_file(path))
    except (OSError, ValueError):  # absent, empty, damaged: all mended by building it anew
        return None


def _kept(path: Path, pieces: Iterable[Buffer], identity: list[int] | None) -> tuple[SearchIndex | None, list[str]]:
    """The index as it was written, mapped; None and why where it could not be, or another one is there by now."""
    try:
        write_atomically(path, pieces)
    except OSError as error:
        return None, [f"the search index could not be kept in {path}: {error.strerror}"]
    index = _index_at(path)
    return (index if index is not None and index.meta.get("identity") == identity else None), []
