"""The keyword branch: the query as a literal substring, the simplest signal there is.

It catches what no tokeniser foresees: a part of a word, an invoice number, punctuation. User text is never a regular
expression or a query language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from ats_core.branches.ranked import Ranked, Scope
from ats_core.index.reader import SearchIndex
from ats_core.text.fold import fold

NAME = "keyword"

EXACT_TITLE, TITLE_PREFIX, IN_TITLE, IN_BODY = 4.0, 3.0, 2.0, 1.0
"""The scores: exact title, then title prefix, then title contains, then body contains."""


RARE = 40
"""A term is worth looking at its tasks one by one where it is in less than one of so many."""


def keyword(query: str, index: SearchIndex, scope: Scope, limit: int, inner_terms: Sequence[str] = ()) -> list[Ranked]:
    """Rank the tasks whose folded title or body contains the folded, trimmed query; corpus order breaks ties.

    An empty query matches nothing.

    :param inner_terms: terms that every match holds (see `Analyser.inner_terms`): a rare one spares the scan of all
        bodies, which costs about 0.25 ms a megabyte, and changes nothing else.
    """
    needle = _needle(query)
    tiers: dict[float, list[int]] = {EXACT_TITLE: [], TITLE_PREFIX: [], IN_TITLE: []}
    for ordinal, position in index.titles.containing(needle):
        if scope is None or scope[ordinal]:
            exact = position == 0 and index.titles[ordinal] == needle
            tiers[EXACT_TITLE if exact else IN_TITLE if position else TITLE_PREFIX].append(ordinal)
    ranking = [Ranked(ordinal, tier) for tier, ordinals in tiers.items() for ordinal in ordinals][:limit]
    if len(ranking) < limit:
        placed = {ranked.ordinal for ranked in ranking}
        in_body = (
            Ranked(ordinal, IN_BODY)
            for ordinal in _bodies_containing(needle, index, inner_terms)
            if ordinal not in placed and (scope is None or scope[ordinal])
        )
        ranking += islice(in_body, limit - len(ranking))
    return ranking


def _bodies_containing(needle: bytes, index: SearchIndex, inner_terms: Sequence[str]) -> Iterator[int]:
    """The tasks whose body contains the needle, in corpus order."""
    rarest = min((index.postings(term) for term in inner_terms), key=len, default=None)
    if rarest is None or len(rarest) // 2 >= index.size / RARE:
        return (ordinal for ordinal, _ in index.bodies.containing(needle))
    return (ordinal for ordinal in rarest[::2].tolist() if needle in index.bodies[ordinal])


def exact_titles(query: str, index: SearchIndex) -> list[int]:
    """The tasks whose folded title is exactly the folded, trimmed query, in corpus order."""
    needle = _needle(query)
    return [ordinal for ordinal, _ in index.titles.containing(needle) if index.titles[ordinal] == needle]


def _needle(query: str) -> bytes:
    return fold(query).strip().encode("utf-8", "replace")
