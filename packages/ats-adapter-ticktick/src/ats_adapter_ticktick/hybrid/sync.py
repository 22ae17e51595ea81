"""Bringing a store of points up to a corpus: embed what is missing, remove what is gone, go on after a break.

What is stored says by its digests what is missing, so there is no list of things to do that could be lost. A text that
is stored under another id already (a task that was made anew, a note that got a new first paragraph) is not embedded
again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from ats_core import AtsError, Deadline, EmbeddingError

from ats_adapter_ticktick.hybrid.ollama import BATCH
from ats_adapter_ticktick.hybrid.plan import Piece, plan
from ats_adapter_ticktick.hybrid.points import Point, PointWriter, Stored

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.ollama import OllamaEmbedder
    from ats_adapter_ticktick.hybrid.space import Space
    from ats_adapter_ticktick.hybrid.state import SpaceState

T = TypeVar("T")

CALL_SECONDS = 600.0
"""For one batch of texts: a large model on a small machine, which has to load it first."""

FLUSH_TEXTS, FLUSH_SECONDS = 256, 10.0
"""What a killed sync may lose: so many texts, or so much time, whichever is less."""


class Sync:
    """One run. `state` is what the last one left and is brought up to date, and `remember`ed, as this one goes on."""

    def __init__(
        self,
        embedder: OllamaEmbedder,
        space: Space,
        store: PointWriter,
        *,
        state: SpaceState,
        remember: Callable[[SpaceState], None],
        progress: Callable[[int, int], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._embedder = embedder
        self._space = space
        self._store = store
        self._state = state
        self._remember = remember
        self._progress = progress
        self._clock = clock
        self._refused = set(state.refused)
        self._pending: list[Point] = []
        self._unsettled: set[str] = set()
        self._embedded: set[str] = set()
        self._flushed_at = clock()

    def run(self, tasks: Sequence[str], wanted: Mapping[str, Piece]) -> dict[str, int]:
        """Do it all; after a break the next run does the rest.

        :param tasks: the ids of all tasks, with text or without.
        :param wanted: see `plan.pieces`.
        :return: `tasks`, `embedded` (tasks, by this run), `missing` (0), `unusable` (tasks without any vector: the
            model refused their text, or there is none).
        :raises EmbeddingError: embedder or store failed; what was done is kept.
        """
        self._refused &= {piece.digest for piece in wanted.values()}
        stored = self._store.stored()
        todo = plan(wanted, stored, self._refused, self._state.spared)
        having = {wanted[point].task_id for point in stored if point in wanted}
        self._unsettled = {piece.task_id for same in todo.missing.values() for piece in same} - having
        self._state.tasks = len(tasks)
        self._note()
        try:
            self._write(todo.missing, stored)
        except BaseException:
            with suppress(AtsError, OSError):
                self._flush()
            raise
        stale = [piece.id for piece in wanted.values() if piece.digest in self._refused and piece.id in stored]
        self._store.delete(dict.fromkeys([*todo.gone, *stale]))
        self._check(sum(piece.digest not in self._refused for piece in wanted.values()) + todo.kept)
        self._store.finish()
        usable = {piece.task_id for piece in wanted.values() if piece.digest not in self._refused}
        self._state.unusable = len(tasks) - len(usable)
        self._state.spared = todo.spared
        self._state.finished = True
        self._note()
        return {
            "tasks": len(tasks),
            "embedded": len(self._embedded),
            "missing": 0,
            "unusable": self._state.unusable,
        }

    def _write(self, missing: Mapping[str, list[Piece]], stored: Mapping[str, Stored]) -> None:
        places = {there.digest: point for point, there in stored.items()}
        done = 0
        for some in _slices(list(missing), FLUSH_TEXTS):
            known = self._store.known({digest: places.get(digest) for digest in some})
            for digest, vector in known.items():
                self._add(missing[digest], vector)
            done += len(known)
            rest = [digest for digest in some if digest not in known]
            if known:
                self._progress(done, len(missing))
            for batch in _slices(rest, BATCH):
                self._embed([missing[digest] for digest in batch])
                done += len(batch)
                self._progress(done, len(missing))
                if self._clock() - self._flushed_at >= FLUSH_SECONDS:
                    self._flush()
            self._flush()

    def _embed(self, batch: Sequence[list[Piece]]) -> None:
        """Embed texts, each of which one piece or several have."""
        texts, titles = [same[0].text for same in batch], [same[0].title for same in batch]
        vectors = self._embedder.embed_documents(texts, titles, Deadline(CALL_SECONDS))
        for same, vector in zip(batch, vectors, strict=True):
            if vector is None:
                self._refused.add(same[0].digest)
                self._unsettled -= {piece.task_id for piece in same}
                continue
            self._check_length(vector)
            self._embedded |= {piece.task_id for piece in same}
            self._add(same, vector)

    def _add(self, same: Iterable[Piece], vector: Sequence[float]) -> None:
        self._pending += (
            Point(piece.id, piece.task_id, piece.project_id, piece.chunk, piece.digest, piece.passage, vector)
            for piece in same
        )

    def _flush(self) -> None:
        """Write what has been embedded, if it is still the model that we began with."""
        pending, self._pending = self._pending, []
        self._flushed_at = self._clock()
        if pending:
            self._check_model()
            self._store.upsert(pending)
            self._unsettled -= {point.task_id for point in pending}
        self._note()

    def _check_model(self) -> None:
        try:
            digest = self._embedder.digest(Deadline(CALL_SECONDS))
        except EmbeddingError:
            return  # gone, so it has replaced nothing; the next batch will say so
        if digest != self._space.digest:
            raise self._replaced()

    def _check_length(self, vector: Sequence[float]) -> None:
        if len(vector) != self._space.dimension:
            raise self._replaced()

    def _replaced(self) -> EmbeddingError:
        return EmbeddingError(
            f"the model {self._space.model} was replaced during the sync", hint="run `ats sync` again"
        )

    def _check(self, expected: int) -> None:
        count = self._store.count(Deadline(CALL_SECONDS))
        if count != expected:
            raise EmbeddingError(
                f"{count} vectors are stored where there should be {expected}", hint="run `ats sync` again"
            )

    def _note(self) -> None:
        self._state.refused = sorted(self._refused)
        self._state.settled = self._state.tasks - len(self._unsettled)
        self._state.at = time.time()
        self._remember(self._state)


def _slices(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (items[start : start + size] for start in range(0, len(items), size))
