"""Candidate questions from the usage log: what was asked, and the one task that was opened soon after.

A task that is opened (`ats get`, `open`, `url`) is linked to every search of the minutes before, back to the last task
that was opened: the last search found it, most likely; the ones before it asked for the same thing and found nothing,
and they are the questions worth keeping. A query that led to several tasks has no answer that could be told from the
log. Whether a candidate is a question, and the task its answer, is for a person to say.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from ats_core.text.fold import fold

from ats_bench.usage.calls import OPENING, Call

MINUTES = 5
"""How long after a search a task may be opened to count as its answer, unless the caller says otherwise."""

_MOST_PENDING = 20
"""Searches in a row that one opened task may answer."""


class Link(NamedTuple):
    """A search, and a task that was opened after it; `direct`: with no other search in between."""

    key: str
    query: str
    task_id: str
    at: float
    direct: bool


class Candidate(NamedTuple):
    """A query and the one task that followed it. `id` is made of both, so that it stays as the log grows.

    `seen` counts how often it was so. `direct` tells whether the task followed with no other search in between, once
    at least. `last_at` is the last time, in seconds since the epoch.
    """

    id: str
    query: str
    task_id: str
    seen: int
    direct: bool
    last_at: float


class Candidates(NamedTuple):
    """What the log offers, the most often seen first, then the latest. `found` counts all that could be offered.

    `ambiguous` queries led to several tasks; `refused` links were not taken.
    """

    offered: list[Candidate]
    found: int
    ambiguous: int
    refused: int


def candidates(
    calls: Iterable[Call], most: int, minutes: float = MINUTES, take: Callable[[Link], bool] = lambda link: True
) -> Candidates:
    """The candidates of a log, `most` of them at most.

    A first reading keeps 25 bytes a link, whatever the log holds; the texts of those that are offered are taken from a
    second one.

    :param calls: in the order in which they ended; read twice.
    :param take: whether a link counts (is the task still there?).
    """
    ledger, refused = _Ledger(), 0
    for link in links(calls, minutes):
        if take(link):
            ledger.add(link)
        else:
            refused += 1
    standings, found, ambiguous = ledger.single(most)
    wanted = {standing.key for standing in standings}
    texts: dict[int, Link] = {}
    for link in links(calls, minutes) if wanted else ():
        if hash(link.key) in wanted and take(link):
            texts.setdefault(hash(link.key), link)
            if len(texts) == len(wanted):
                break
    offered = [_candidate(standing, texts[standing.key]) for standing in standings if standing.key in texts]
    return Candidates(offered, found, ambiguous, refused)


def links(calls: Iterable[Call], minutes: float = MINUTES) -> Iterator[Link]:
    """Every search that a task was opened after, with that task. A query asked twice in a row is linked once."""
    pending: deque[Call] = deque(maxlen=_MOST_PENDING)
    opened = ""
    for call in calls:
        if call.is_search and _is_whole(call):
            if opened:
                pending.clear()
                opened = ""
            pending.append(call)
        elif call.tool in OPENING and not call.error and call.top_id not in ("", opened):
            opened = call.top_id
            recent = [search for search in pending if 0 <= call.at - search.at <= minutes * 60]
            queries = {fold(search.query.strip()): search.query.strip() for search in recent}
            last = fold(recent[-1].query.strip()) if recent else ""
            for key, query in queries.items():
                yield Link(key, query, call.top_id, call.at, key == last)


class _Standing(NamedTuple):
    """What is known of one query before its text is."""

    key: int
    seen: int
    direct: bool
    last_at: float


class _Ledger:
    """All links, as hashes of their texts."""

    def __init__(self) -> None:
        self._keys, self._tasks, self._times, self._direct = array("q"), array("q"), array("d"), array("b")

    def add(self, link: Link) -> None:
        self._keys.append(hash(link.key))
        self._tasks.append(hash(link.task_id))
        self._times.append(link.at)
        self._direct.append(link.direct)

    def single(self, most: int) -> tuple[list[_Standing], int, int]:
        """The best queries that led to one task, how many there are of them, and how many led to several."""
        import numpy as np

        if not self._keys:
            return [], 0, 0
        tasks, times, direct = np.asarray(self._tasks), np.asarray(self._times), np.asarray(self._direct)
        keys, firsts, query, seen = np.unique(self._keys, return_index=True, return_inverse=True, return_counts=True)
        as_first = np.bincount(query, weights=tasks == tasks[firsts][query])
        last = np.full(len(keys), -np.inf)
        np.maximum.at(last, query, times)
        at_once = np.bincount(query, weights=direct) > 0
        single = np.flatnonzero(as_first == seen)
        best = single[np.lexsort((firsts[single], -last[single], -seen[single]))][:most]
        standings = [_Standing(int(keys[at]), int(seen[at]), bool(at_once[at]), float(last[at])) for at in best]
        return standings, len(single), len(keys) - len(single)


def _candidate(standing: _Standing, link: Link) -> Candidate:
    digest = blake2b(f"{link.key}\0{link.task_id}".encode(errors="replace"), digest_size=5).hexdigest()
    return Candidate(f"u-{digest}", link.query, link.task_id, standing.seen, standing.direct, standing.last_at)


def _is_whole(search: Call) -> bool:
    """Whether the log holds all of a question: it was answered, is not blank, and was not cut for its length."""
    return not search.error and bool(search.query.strip()) and search.query_length <= len(search.query)
