"""The keyword branch: the query as a literal substring, the simplest signal there is.

It catches what no tokeniser foresees: a part of a word, an invoice number, punctuation. User text is never a regular
expression or a query language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import compress, islice

from ats_core.branches.narrow import few_enough, holders
from ats_core.branches.ranked import Ranked, Scope
from ats_core.index.reader import SearchIndex
from ats_core.text.fold import fold

NAME = "keyword"

EXACT_TITLE, TITLE_PREFIX, IN_TITLE, IN_BODY = 4.0, 3.0, 2.0, 1.0
"""The scores: exact title, then title prefix, then title contains, then body contains."""

FEW_TITLES = 20
"""Titles are looked at one by one where one task in so many may match: they are short, and a scan is soon past them."""

MANY_TITLES = 500
"""Titles that match from which each tier is searched for apart, so that the search ends when it has enough."""


def keyword(query: str, index: SearchIndex, scope: Scope, limit: int) -> list[Ranked]:
    """Rank the tasks whose folded title or body contains the folded, trimmed query; corpus order breaks ties.

    An empty query matches nothing. Texts are looked at in the tasks that may hold the query, where the scope or the
    inverted index says that they are few; else in all of them, at about 0.25 ms a megabyte.
    """
    return Literal(query, index).rank(scope, limit)


def exact_titles(query: str, index: SearchIndex) -> list[int]:
    """The tasks whose folded title is exactly the folded, trimmed query, in corpus order."""
    return list(index.titles.equal_to(_needle(query)))


class Literal:
    """A query as it is looked for in the texts of an index."""

    def __init__(self, query: str, index: SearchIndex) -> None:
        self._needle = _needle(query)
        self._index = index

    def rank(self, scope: Scope, limit: int) -> list[Ranked]:
        """As `keyword`."""
        ranking: dict[int, float] = {}
        for tier, ordinals in self._tiers(scope) if limit else ():
            for ordinal in ordinals:
                if scope is None or scope[ordinal]:
                    ranking.setdefault(ordinal, tier)
                    if len(ranking) == limit:
                        return [Ranked(*item) for item in ranking.items()]
        return [Ranked(*item) for item in ranking.items()]

    def exact_titles(self) -> list[int]:
        """As the function of this name, by what is known from the ranking."""
        few = self._holders if "_holders" in vars(self) else None
        if few is None or len(few) * FEW_TITLES > self._index.size:
            return list(self._index.titles.equal_to(self._needle))
        return [ordinal for ordinal in few if self._index.titles[ordinal] == self._needle]

    @cached_property
    def _holders(self) -> list[int] | None:
        return holders(self._needle.decode(), self._index)

    def _tiers(self, scope: Scope) -> Iterator[tuple[float, Iterable[int]]]:
        """The tasks of each tier, in corpus order, those of higher tiers among them, and some outside the scope."""
        if not self._needle:
            return
        titles, few = self._index.titles, self._few(scope)
        if few is not None and len(few) * FEW_TITLES <= self._index.size:
            found = list(titles.containing_among(few, self._needle))
        else:
            found = list(islice(titles.containing(self._needle), MANY_TITLES))
        if len(found) < MANY_TITLES:
            opening = [ordinal for ordinal, position in found if position == 0]
            yield EXACT_TITLE, [ordinal for ordinal in opening if titles[ordinal] == self._needle]
            yield TITLE_PREFIX, opening
            yield IN_TITLE, [ordinal for ordinal, _ in found]
        else:
            yield EXACT_TITLE, titles.equal_to(self._needle)
            yield TITLE_PREFIX, titles.beginning_with(self._needle)
            yield IN_TITLE, (ordinal for ordinal, _ in titles.containing(self._needle))
        bodies = self._index.bodies
        in_body = bodies.containing(self._needle) if few is None else bodies.containing_among(few, self._needle)
        yield IN_BODY, (ordinal for ordinal, _ in in_body)

    def _few(self, scope: Scope) -> list[int] | None:
        """All tasks within the scope that may contain the query, in corpus order; None where they are not few."""
        if scope is not None and few_enough(scope.count(1), self._index.size):
            return list(compress(range(self._index.size), scope))
        return self._holders


def _needle(query: str) -> bytes:
    return fold(query).strip().encode("utf-8", "replace")
