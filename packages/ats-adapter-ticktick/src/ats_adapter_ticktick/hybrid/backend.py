"""The hybrid backend: Ollama embeds, Qdrant or this machine keeps the vectors, core adds the sparse half and fuses.

A search asks two servers over REST: Ollama for the vector of the query, and at the same time for the digest of the
model, since the collection is named for both; then Qdrant. Whatever must not be mixed (another model, weights pulled
again under the same name, a cut of another length) lies in another collection.

No failure is remembered from one search to the next. A connection that is refused costs nothing anyway, and a server
that is late is most often loading its model: the next search would be told that it is late when it no longer is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ats_core import Candidate, Corpus, Deadline, EmbeddingError, Ranking, Task, TaskScope
from ats_core.fanout import FanOut, Job, Outcome

from ats_adapter_ticktick.hybrid import STATE_FILE
from ats_adapter_ticktick.hybrid.places import Places
from ats_adapter_ticktick.hybrid.points import LOCAL, not_synced, owner_key
from ats_adapter_ticktick.hybrid.state import SpaceState, StateFile

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.ollama import OllamaEmbedder
    from ats_adapter_ticktick.hybrid.options import HybridOptions
    from ats_adapter_ticktick.hybrid.space import Space

LEAST_COVERED = 0.95
"""As in core: below this share of settled tasks there is no dense vote, for twenty tasks would win every question."""

_SIMILAR_PIECES = 8


class Backend:
    """Dense retrieval for one adapter's account. Nothing is imported, read or connected before the first call.

    `scope` names the account as `cache_scope` does, `state_dir` is a folder for files of ours. `embedder` is for tests.
    Every method but `status` raises EmbeddingError, or ConfigError for an address that is none.
    """

    dense_only = True

    def __init__(
        self,
        options: HybridOptions,
        adapter: str,
        scope: str,
        state_dir: Path,
        *,
        embedder: OllamaEmbedder | None = None,
    ) -> None:
        self._options = options
        self._adapter = adapter
        self._scope = scope
        self._state_dir = state_dir
        self._owner = owner_key(adapter, scope)
        self._states = StateFile(state_dir / STATE_FILE)
        self._places = Places(options, self._owner, state_dir)
        self._embedder = embedder
        self._lock = threading.Lock()

    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        """The tasks nearest to the query by cosine; `mode` makes no difference, for there is nothing but dense."""
        vector, space = self._embedded(query, deadline)
        return self._nearest(space, vector, limit, scope, deadline)

    def similar(self, task: Task, limit: int, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        """The tasks nearest to the mean of the task's pieces, which are embedded now where none is stored."""
        space = self._space(deadline)
        vectors = self._places.reader(space).vectors_of(task.id, deadline) or self._embedded_task(task, deadline)
        mean = [sum(numbers) / len(vectors) for numbers in zip(*vectors, strict=True)]
        found = self._nearest(space, mean, limit + 1, scope, deadline)
        return [candidate for candidate in found if candidate.id != task.id][:limit]

    def sync(self, corpus: Corpus, progress: Callable[[int, int], None]) -> Mapping[str, Any]:
        """Embed what has no vector, remove what is gone, and the vectors of weights that this model has no longer.

        :raises EmbeddingError: embedder or store failed, or another sync is running; what was done is kept.
        :raises OSError: the vectors could not be written; what is there is unharmed.
        """
        from ats_adapter_ticktick.hybrid.exclusive import exclusive
        from ats_adapter_ticktick.hybrid.plan import pieces
        from ats_adapter_ticktick.hybrid.sync import CALL_SECONDS, Sync

        with exclusive(self._state_dir / "hybrid.lock"):
            embedder = self._ollama()
            space = self._space(Deadline(CALL_SECONDS))
            wanted = pieces(corpus, self._adapter, self._scope, embedder.profile.chunk_chars)
            store = self._places.writer(space)
            try:
                state = self._state(space) or self._key(space)
                state.asked = self._options.dimensions
                run = Sync(embedder, space, store, state=state, remember=self._states.put, progress=progress)
                counts = run.run([task.id for task in corpus], wanted)
            finally:
                store.close()
            with suppress(EmbeddingError, OSError):  # what cannot be removed now will be by the next sync
                self._discard(lambda other: other.model == space.model and other.space != space)
        return counts

    def forget(self) -> None:
        """Remove this account's vectors of all models from this machine and the Qdrant that is set. For a logout."""
        from ats_adapter_ticktick.hybrid.exclusive import exclusive

        with exclusive(self._state_dir / "hybrid.lock"):
            self._places.clear_local()
            for state in self._states.all():
                if (state.owner, state.place) == (self._owner, LOCAL):
                    self._states.forget(state)
            self._discard(lambda other: True)

    def status(self) -> dict[str, Any]:
        """Health and counts, see `health.status`. Takes a few seconds at most and never raises."""
        from ats_adapter_ticktick.hybrid.health import status

        mine = [state for state in self._states.all() if state.owner == self._owner]
        return status(self._options, self._ollama, self._places, mine)

    def _ollama(self) -> OllamaEmbedder:
        with self._lock:
            if self._embedder is None:
                from ats_adapter_ticktick.hybrid.ollama import connect

                self._embedder = connect(self._options)
            return self._embedder

    def _space(self, deadline: Deadline) -> Space:
        """The space as it is now. Of weights that a sync has seen the length of the vectors is known."""
        ollama = self._ollama()
        digest = ollama.digest(deadline)
        for state in self._states.all():
            space = ollama.space_of(digest, state.dimension)
            if state.asked == self._options.dimensions and state.space == space:
                return space
        return ollama.space(deadline)

    def _embedded(self, query: str, deadline: Deadline) -> tuple[list[float], Space]:
        """The vector of the query and the space it is in: two requests at the same time."""
        ollama = self._ollama()
        jobs: list[Job[Any]] = [
            Job("embed", lambda until: ollama.embed_query(query, until)),
            Job("digest", ollama.digest),
        ]
        vector, digest = (_value(outcome) for outcome in FanOut().run(jobs, deadline))
        return vector, ollama.space_of(digest, len(vector))

    def _embedded_task(self, task: Task, deadline: Deadline) -> list[list[float]]:
        from ats_adapter_ticktick.hybrid.chunk import chunks

        ollama = self._ollama()
        cut = chunks(task.title, task.content, task.tags, limit_chars=ollama.profile.chunk_chars)[:_SIMILAR_PIECES]
        found = ollama.embed_documents([chunk.text for chunk in cut], [task.title] * len(cut), deadline)
        vectors = [vector for vector in found if vector is not None]
        if not vectors:
            raise EmbeddingError(f"the task {task.id} has no text that {ollama.model} embeds")
        return vectors

    def _nearest(
        self, space: Space, vector: list[float], limit: int, scope: TaskScope | None, deadline: Deadline
    ) -> list[Candidate]:
        """Abstains, by raising, where too little is embedded for a vote, as far as this machine knows of a sync."""
        state = self._state(space)
        if state is not None and state.settled < LEAST_COVERED * state.tasks:
            raise EmbeddingError(f"{state.settled} of {state.tasks} embedded; run `ats sync`")
        reader = self._places.reader(space)
        found = reader.nearest(vector, limit, scope, self._options.cosine_floor, deadline)
        # In a collection that others share, nothing of ours looks like nothing near.
        if not found and (state is None or state.settled > state.unusable) and not reader.count(deadline):
            raise not_synced(space.name, self._places.shown)
        return [Candidate(id=one.task_id, score=one.cosine, passage=one.text or None) for one in found]

    def _key(self, space: Space) -> SpaceState:
        asked, place = self._options.dimensions, self._places.name
        return SpaceState(owner=self._owner, place=place, asked=asked, **space._asdict())

    def _state(self, space: Space) -> SpaceState | None:
        return self._states.get(self._key(space))

    def _discard(self, condemned: Callable[[SpaceState], bool]) -> None:
        """Remove vectors of ours from the present place, as far as the state file knows of them."""
        for state in self._states.all():
            if (state.owner, state.place) == (self._owner, self._places.name) and condemned(state):
                self._places.discard(state.space)
                self._states.forget(state)


def _value(outcome: Outcome[Any]) -> Any:
    if outcome.exception is not None:
        raise outcome.exception
    if outcome.value is None:
        raise EmbeddingError(f"Ollama: the request to {outcome.name} {outcome.error}")
    return outcome.value
