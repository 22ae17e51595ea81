"""Points: the pieces of tasks with their vectors, under ids that any store takes, and what a store of them does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, Protocol

from ats_core import Deadline, EmbeddingError
from ats_core.digest import blake2b

LOCAL = "this machine"
"""The place of vectors that no server keeps."""

_NAMESPACE = "5f0ad2d2-8a3c-5e0a-9d3b-0c6a9a2f6e11"


class Point(NamedTuple):
    """A piece of a task. `digest` names what was embedded, `text` is what people see of it, `vector` of any length."""

    id: str
    task_id: str
    project_id: str
    chunk: int
    digest: str
    text: str
    vector: Sequence[float]


class Stored(NamedTuple):
    """What a store says about a point without reading its vector."""

    project_id: str
    digest: str


class Nearest(NamedTuple):
    """A task, its best piece's cosine to the query, and that piece."""

    task_id: str
    cosine: float
    text: str


class PointReader(Protocol):
    """One owner's points in one embedding space, as a search reads them. Safe to share between threads.

    All methods raise EmbeddingError, where nothing was ever synced too.
    """

    def nearest(
        self, vector: Sequence[float], limit: int, scope: AbstractSet[str] | None, floor: float, deadline: Deadline
    ) -> list[Nearest]:
        """At most `limit` tasks by the cosine of their best piece, at least `floor`; best first, ties by task id.

        :param scope: the ids of the tasks to stay within, None for all. A set with an attribute `projects` (ids, or
            None) may be held to by these.
        """
        ...

    def vectors_of(self, task_id: str, deadline: Deadline) -> list[list[float]]:
        """The vectors of a task's pieces, in any order; empty where it has none."""
        ...

    def count(self, deadline: Deadline) -> int:
        """How many points there are."""
        ...


class PointWriter(Protocol):
    """The same points, as a sync writes them: one thread of one process at a time.

    Each call is bounded, and what it did stays done. Raises EmbeddingError, and OSError where files are written.
    """

    def stored(self) -> dict[str, Stored]:
        """All points by id; empty where nothing was ever synced."""
        ...

    def known(self, digests: Mapping[str, str | None]) -> dict[str, Sequence[float]]:
        """The vectors that the store has for these digests already; `digests` maps each to a point that has it, if one
        is known to."""
        ...

    def upsert(self, points: Sequence[Point]) -> None:
        """Write points, in place of those with the same ids."""
        ...

    def delete(self, ids: Collection[str]) -> None:
        """Remove points; unknown ids do no harm."""
        ...

    def count(self, deadline: Deadline) -> int:
        """How many points there are."""
        ...

    def finish(self) -> None:
        """A sync is complete: tidy up."""
        ...

    def discard(self) -> None:
        """Remove all points; those of other owners and spaces stay."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


def owner_key(adapter: str, scope: str) -> str:
    """What tells the points of an adapter's account from others: 16 hex digits."""
    return blake2b(_joined((adapter, scope)), digest_size=8).hexdigest()


def point_id(adapter: str, scope: str, task_id: str, chunk: int) -> str:
    """The id of a piece: a UUIDv5 over all that it belongs to, since servers take no other strings.

    >>> point_id("ticktick", "anna", "42", 0) == point_id("memory", "anna", "42", 0)
    False
    """
    from uuid import UUID, uuid5

    return str(uuid5(UUID(_NAMESPACE), _joined((adapter, scope, task_id, str(chunk))).decode("utf-8", "replace")))


def text_digest(title: str, text: str) -> str:
    """32 hex digits that name what is embedded; a model may be given the title apart."""
    return blake2b(_joined((title, text)), digest_size=16).hexdigest()


def not_synced(space: str, place: str) -> EmbeddingError:
    """The error where a search finds no vectors; its message says it all, since branches show no hints."""
    return EmbeddingError(f"{space} is not synced yet to {place}; run `ats sync`")


def best_first(found: Iterable[Nearest], limit: int) -> list[Nearest]:
    """By cosine, then task id, cut."""
    return sorted(found, key=lambda nearest: (-nearest.cosine, nearest.task_id))[:limit]


def _joined(parts: Iterable[str]) -> bytes:
    """The parts with their lengths: no two lists of parts come to the same."""
    encoded = [part.encode("utf-8", "replace") for part in parts]
    return b"".join(b"%d:%b," % (len(part), part) for part in encoded)
