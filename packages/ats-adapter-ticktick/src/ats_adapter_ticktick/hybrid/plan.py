"""What a sync has to do, from what the corpus holds and what is stored: pure, and so the same after every break."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from ats_core import Task

from ats_adapter_ticktick.hybrid.chunk import chunks
from ats_adapter_ticktick.hybrid.points import Stored, point_id, text_digest


class Piece(NamedTuple):
    """A part of a task that gets a vector. `text` is embedded, under `title`, and `digest` names both; `passage` is its
    part of the body, for people to see."""

    id: str
    task_id: str
    project_id: str
    chunk: int
    digest: str
    title: str
    text: str
    passage: str


class Plan(NamedTuple):
    """`missing` are the pieces to be written, by digest, in corpus order; `gone` the ids of points to be removed.

    `spared` are projects of which nothing is left in the corpus, and `kept` how many points of theirs stay.
    """

    missing: dict[str, list[Piece]]
    gone: list[str]
    spared: list[str]
    kept: int


def pieces(tasks: Iterable[Task], adapter: str, scope: str, limit_chars: float) -> dict[str, Piece]:
    """All pieces by the ids of their points, in corpus order. A task without any text has none."""
    found: dict[str, Piece] = {}
    for task in tasks:
        for number, chunk in enumerate(chunks(task.title, task.content, task.tags, limit_chars=limit_chars)):
            key = point_id(adapter, scope, task.id, number)
            digest = text_digest(task.title, chunk.text)
            found[key] = Piece(key, task.id, task.project_id, number, digest, task.title, chunk.text, chunk.passage)
    return found


def plan(
    wanted: Mapping[str, Piece], stored: Mapping[str, Stored], refused: Collection[str], missed: Collection[str]
) -> Plan:
    """Compare.

    A corpus does not say which projects it could not fetch. So a project that has vanished as a whole keeps its points
    until a second sync misses it too: to embed a thousand tasks again because of one bad answer costs more than to keep
    them, and what is not in the corpus is no hit.

    :param refused: the digests of texts that the embedder refused: not to be asked again.
    :param missed: the projects that the last complete sync missed.
    """
    missing: dict[str, list[Piece]] = {}
    gone: list[str] = []
    for piece in wanted.values():
        there = stored.get(piece.id)
        if piece.digest in refused:
            if there is not None:
                gone.append(piece.id)
        elif there != Stored(piece.project_id, piece.digest):
            missing.setdefault(piece.digest, []).append(piece)
    present = {piece.project_id for piece in wanted.values()}
    spared: dict[str, int] = {}
    for point, there in stored.items():
        if point in wanted:
            continue
        if there.project_id in present or there.project_id in missed:
            gone.append(point)
        else:
            spared[there.project_id] = spared.get(there.project_id, 0) + 1
    return Plan(missing, gone, sorted(spared), sum(spared.values()))
