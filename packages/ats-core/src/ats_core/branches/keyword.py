"""The keyword branch: the query as a literal substring, the simplest signal there is.

It catches what no tokeniser foresees: a part of a word, an invoice number, punctuation. User text is never a regular
expression or a query language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from ats_core.branches.narrow import few_enough, holders
from ats_core.branches.ranked import Ranked, Scope
from ats_core.index.reader import SearchIndex
from ats_core.text.fold import fold

NAME = "keyword"

EXACT_TITLE, TITLE_PREFIX, IN_TITLE, IN_BODY = 4.0, 3.0, 2.0, 1.0
"""The scores: exact title, then title prefix, then title contains, then body contains."""


def keyword(query: str, index: SearchIndex, scope: Scope, limit: int) -> list[Ranked]:
    """Rank the tasks whose folded title or body contains the folded, trimmed query; corpus order breaks ties.

    An empty query matches nothing. Bodies are looked at in the tasks that may hold the query, where the scope or the
    inverted index says that they are few; else in all of them, at about 0.25 ms a megabyte.
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
            for ordinal in _bodies_containing(needle, index, scope)
            if ordinal not in placed and (scope is None or scope[ordinal])
        )
        ranking += islice(in_body, limit - len(ranking))
    return ranking


def _bodies_containing(needle: bytes, index: SearchIndex, scope: Scope) -> Iterator[int]:
    """The tasks whose body contains the needle, in corpus order; of those outside the scope not all."""
    few: Iterable[int] | None
    if scope is not None and few_enough(scope.count(1), index.size):
        few = (ordinal for ordinal, within in enumerate(scope) if within)
    else:
        few = holders(needle.decode(), index)
    if few is None:
        return (ordinal for ordinal, _ in index.bodies.containing(needle))
    return (ordinal for ordinal in few if index.bodies.contains(ordinal, needle))


def exact_titles(query: str, index: SearchIndex) -> list[int]:
    """The tasks whose folded title is exactly the folded, trimmed query, in corpus order."""
    return list(index.titles.equal_to(_needle(query)))


def _needle(query: str) -> bytes:
    return fold(query).strip().encode("utf-8", "replace")
