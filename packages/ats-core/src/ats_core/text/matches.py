"""Where what a query asks for stands in a text as stored: its words in any form, and the query itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TypeAlias

from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from ats_core.text.graphemes import Layout
from ats_core.text.plain import is_regular
from ats_core.text.tokens import word_spans, words_of

Span: TypeAlias = tuple[int, int]
"""Start and end in a text, in code points."""

_fold_character = lru_cache(maxsize=8192)(fold)

_PLAIN = re.compile("[0-9A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e]+")
"""Words that are one token each, and whose letters fold one by one."""

_MOST_WORDS = 200
"""Words of the corpus that are looked for one by one; where more are asked for, the words of the text are looked at."""


class Matcher:
    """Finds the matches of one query.

    :param terms: the query's terms, by the same analyser.
    :param words: gives the words of the corpus, folded, that have one of some terms, of those with some beginnings.
    """

    def __init__(
        self,
        query: str,
        terms: Sequence[str],
        analyser: Analyser,
        words: Callable[[Iterable[str], Iterable[str]], list[str]] | None = None,
    ) -> None:
        self._wanted = frozenset(terms)
        self._analyser = analyser
        self._words_of_corpus = words
        # A word keeps two letters of its term, or the only one that this has.
        self._letters = min((2, *map(len, terms)))
        beginnings = {term[: self._letters] for term in terms}
        # But for `dying` and all words like it, whose term is `die`.
        self._beginnings = beginnings | {f"{term[0]}y" for term in terms if len(term) == 3 and term.endswith("ie")}
        # In a script without spaces a term is no word of the text, so it is looked for as it stands.
        unspaced = (term for term in terms if any(unspaced for _, _, unspaced in word_spans(term)))
        self._needles = sorted({fold(query).strip(), *unspaced} - {""})
        self._folds = _Folds()

    def spans(self, text: str, layout: Layout, *, indexed: bool = False) -> list[Span]:
        """Where the query or one of its terms stands, in whole characters: ascending, without overlap.

        :param text: all of its blanks are spaces.
        :param indexed: it is a whole text of the corpus, so that all of its words are known.
        """
        folded = self._folded(text, layout)
        known = self._known if indexed and len(folded) == len(text) and is_regular(text) else None
        words = self._words(text, layout) if known is None else self._known_words(known, text, folded)
        return _merged([*words, *self._literal(folded, text, layout)])

    @cached_property
    def _known(self) -> list[str] | None:
        """The folded words of the corpus that have one of the terms; None where they are not known, or too many."""
        if self._words_of_corpus is None or not self._analyser.keeps_beginnings:
            return None
        words = self._words_of_corpus(self._wanted, self._beginnings)
        return words if len(words) <= _MOST_WORDS else None

    def _known_words(self, known: Sequence[str], text: str, folded: str) -> Iterator[Span]:
        """As `_words`, from the words that may be there."""
        pieces: set[Span] = set()
        for word in known:
            at = folded.find(word)
            while at >= 0:
                after = at + len(word)
                if not folded[after : after + 1].isalnum() and not (at and folded[at - 1].isalnum()):
                    after = _end_of_piece(text, after)
                    pieces.add((text.rfind(" ", 0, at) + 1, after))
                at = folded.find(word, after)
        for start, end in sorted(pieces):
            for at, to, _ in word_spans(text, start, end):
                if not self._wanted.isdisjoint(self._analyser.terms_of_word(text[at:to])):
                    yield at, to

    def _words(self, text: str, layout: Layout) -> Iterator[Span]:
        """The words whose terms are asked for. Most texts hold few: which ones comes first, then where they stand."""
        words = set(words_of(text))
        if self._analyser.keeps_beginnings:
            # A look at a word's terms is worth it where it begins as one of them, or is no plain word.
            beginnings, letters = self._beginnings, self._letters
            words = {
                word for word in words if _beginning(word[:2])[:letters] in beginnings or not _PLAIN.fullmatch(word)
            }
        held = {word for word in words if not self._wanted.isdisjoint(self._analyser.terms_of_word(word))}
        for start, end in sorted({piece for word in held for piece in _pieces_with(word, text)}):
            for at, to, unspaced in word_spans(text, start, end):
                if not unspaced and text[at:to] in held:
                    yield layout.floor(at), layout.ceil(to)

    def _folded(self, text: str, layout: Layout) -> str:
        """The text, each character folded by itself."""
        if text.isascii():
            return fold(text)
        if layout.characters is text:
            return text.translate(self._folds)
        return "".join(map(_fold_character, layout.characters))

    def _literal(self, folded: str, text: str, layout: Layout) -> Iterator[Span]:
        offsets: Sequence[int] | None = None
        for needle in self._needles:
            at = folded.find(needle)
            while at >= 0:
                if offsets is None:
                    lengths = (len(_fold_character(character)) for character in layout.characters)
                    alike = len(folded) == len(text) == len(layout.characters)  # none folds to nothing
                    offsets = layout.boundaries if alike else list(accumulate(lengths, initial=0))
                after = at + len(needle)
                first, beyond = bisect_right(offsets, at) - 1, bisect_left(offsets, after)
                yield layout.boundaries[first], layout.boundaries[beyond]
                at = folded.find(needle, after)


class _Folds(dict[int, str]):
    """For `str.translate`: each character folded by itself."""

    def __missing__(self, code_point: int) -> str:
        self[code_point] = folded = _fold_character(chr(code_point))
        return folded


@lru_cache(maxsize=8192)
def _beginning(letters: str) -> str:
    return fold(letters)[:2]


def _pieces_with(word: str, text: str) -> Iterator[Span]:
    """The pieces between two blanks that hold a word."""
    at = text.find(word)
    while at >= 0:
        end = _end_of_piece(text, at)
        yield text.rfind(" ", 0, at) + 1, end
        at = text.find(word, end)


def _end_of_piece(text: str, at: int) -> int:
    end = text.find(" ", at)
    return len(text) if end < 0 else end


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
