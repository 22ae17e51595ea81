"""Which corpus a run asks: loaded once, marked by a fingerprint."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from ats_core.corpus import Corpus
from ats_core.engine import Engine
from ats_core.models import Task

from ats_bench.runs import CorpusMark


class Snapshot(NamedTuple):
    """A corpus at one moment: its mark, its tasks, what is to be said about it, and whether it lies in a cache."""

    mark: CorpusMark
    corpus: Corpus
    warnings: tuple[str, ...]
    cached: bool


def take_snapshot(engine: Engine) -> Snapshot:
    """The corpus that the engine would answer from now, fetched only where the engine would fetch it.

    :raises StoreError: there is none.
    """
    loaded = engine.corpus()
    mark = CorpusMark(
        fingerprint=fingerprint(loaded.opened.corpus),
        size=loaded.report.size,
        demo=loaded.report.demo,
        stale=loaded.report.stale,
        sources_failed=len(loaded.report.sources_failed),
    )
    return Snapshot(mark, loaded.opened.corpus, loaded.warnings, loaded.opened.identity is not None)


def fingerprint(corpus: Corpus) -> str:
    """A BLAKE2b digest over each task's id and the digest of what is searched of it, in corpus order."""
    digest = blake2b(digest_size=16)
    for task in corpus:
        digest.update(_frame(task.id))
        digest.update(_content_digest(task))
    return digest.hexdigest()


def _content_digest(task: Task) -> bytes:
    digest = blake2b(digest_size=16)
    for part in (task.title, task.content, task.status, *task.tags):
        digest.update(_frame(part))
    return digest.digest()


def _frame(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return len(data).to_bytes(8, "big") + data
