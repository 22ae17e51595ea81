"""Where what a query asks for stands in a text as stored: its words in any form, and the query itself."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TypeAlias

from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from ats_core.text.graphemes import Layout
from ats_core.text.tokens import word_spans, words_of

Span: TypeAlias = tuple[int, int]
"""Start and end in a text, in code points."""

_fold_character = lru_cache(maxsize=8192)(fold)


class Matcher:
    """Finds the matches of one query.

    :param terms: the query's terms, by the same analyser.
    """

    def __init__(self, query: str, terms: Sequence[str], analyser: Analyser) -> None:
        self._wanted = frozenset(terms)
        initials = {term[0] for term in terms if term}
        self._initials = initials | {initial.upper() for initial in initials}
        self._analyser = analyser
        # In a script without spaces a term is no word of the text, so it is looked for as it stands.
        unspaced = (term for term in terms if any(unspaced for _, _, unspaced in word_spans(term)))
        self._needles = sorted({fold(query).strip(), *unspaced} - {""})

    def spans(self, text: str, layout: Layout) -> list[Span]:
        """Where the query or one of its terms stands, in whole characters: ascending, without overlap.

        :param text: all of its blanks are spaces.
        """
        return _merged([*self._words(text, layout), *self._literal(text, layout)])

    def _words(self, text: str, layout: Layout) -> Iterator[Span]:
        """The words whose terms are asked for. Most texts hold few: which ones comes first, then where they stand."""
        held = {word for word in set(words_of(text)) if self._may_be(word)}
        held = {word for word in held if not self._wanted.isdisjoint(self._analyser.terms_of_word(word))}
        for start, end in sorted({piece for word in held for piece in _pieces_with(word, text)}):
            for at, to, unspaced in word_spans(text, start, end):
                if not unspaced and text[at:to] in held:
                    yield layout.floor(at), layout.ceil(to)

    def _may_be(self, word: str) -> bool:
        """Whether a look at the word's terms is worth it: a plain word and its stem begin with one letter."""
        plain = self._analyser.keeps_initials and word.isascii() and word.isalnum()
        return not plain or word[0] in self._initials

    def _literal(self, text: str, layout: Layout) -> Iterator[Span]:
        if text.isascii():
            pieces = [fold(text)]
        else:
            folded_characters = {character: _fold_character(character) for character in set(layout.characters)}
            pieces = [folded_characters[character] for character in layout.characters]
        folded = "".join(pieces)
        offsets: Sequence[int] | None = None
        for needle in self._needles:
            at = folded.find(needle)
            while at >= 0:
                if offsets is None:
                    offsets = layout.boundaries if text.isascii() else list(accumulate(map(len, pieces), initial=0))
                after = at + len(needle)
                first, beyond = bisect_right(offsets, at) - 1, bisect_left(offsets, after)
                yield layout.boundaries[first], layout.boundaries[beyond]
                at = folded.find(needle, after)


def _pieces_with(word: str, text: str) -> Iterator[Span]:
    """The pieces between two blanks that hold a word."""
    at = text.find(word)
    while at >= 0:
        end = text.find(" ", at)
        end = len(text) if end < 0 else end
        yield text.rfind(" ", 0, at) + 1, end
        at = text.find(word, end)


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
