"""Title match: finds the note whose title one half remembers (TickTick's `notes_find`, open to every adapter)."""

from __future__ import annotations

from collections.abc import Iterable, Set

from ats_core.branches.ranked import Ranked, best
from ats_core.text.fold import fold, strip_accents
from ats_core.text.tokens import tokenize

NAME = "notes_find"

EXACT, PREFIX, CONTAINS, ALL_WORDS = 100.0, 60.0, 30.0, 15.0


def title_match(query: str, titles: Iterable[tuple[int, str]], limit: int = 20) -> list[Ranked]:
    """Rank titles by how they match the query.

    Exact 100, starts with it 60, contains it 30, all of the query's words (at least one, whole tokens) in the title 15;
    all others are left out. Corpus order breaks ties.

    :param titles: pairs (ordinal, title as stored).
    """
    needle = fold(query).strip()
    words = _words(query)
    if not needle:
        return []
    scored = ((ordinal, _score(needle, words, title)) for ordinal, title in titles)
    return best(((ordinal, score) for ordinal, score in scored if score), limit)


def _score(needle: str, words: Set[str], title: str) -> float:
    folded = fold(title).strip()
    if folded == needle:
        return EXACT
    if folded.startswith(needle):
        return PREFIX
    if needle in folded:
        return CONTAINS
    return ALL_WORDS if words and _may_hold(folded, words) and words <= _words(title) else 0.0


def _may_hold(folded: str, words: Set[str]) -> bool:
    """Whether each word stands somewhere in a title, be it within another: so that few titles need be tokenised, which
    for those beyond ASCII would cost a search its first 5 ms."""
    folded = folded.replace("\u2010", "-")  # as the tokeniser writes it
    return all(word in folded for word in words)


def _words(text: str) -> Set[str]:
    return {strip_accents(token) for token in tokenize(text)}
