"""The inverted index: which tasks hold a term, how often, and whether in the title."""

from __future__ import annotations

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate, chain

from ats_core.index.layout import Buffer
from ats_core.index.texts import text_sections
from ats_core.models import Task
from ats_core.text.analyser import Analyser

_FIRST, _SECOND = (0, 32) if sys.byteorder == "little" else (32, 0)
"""Where in a number of 64 bits the first and the second of a pair of 32 are: one append a posting, not two."""


class TermsBuilder:
    """The sections `terms` (ascending), `postings` with `postings_starts`, `words` with `word_terms`, and `lengths`.

    The analyser has to be one that has seen nothing but these tasks.

    `postings` holds for each term the pairs that `SearchIndex.postings` gives, as numbers of 64 bits; `lengths` are
    those of the tasks added.
    """

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self.lengths = array("I")
        self.postings: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))

    def add(self, ordinal: int, task: Task) -> None:
        terms = self._analyser.terms
        title = terms(task.title)
        frequencies = Counter(title)
        frequencies.update(chain(terms(task.content), *map(terms, task.tags)))
        self.lengths.append(frequencies.total())
        in_title = set(title)
        postings, first, second = self.postings, ordinal << _FIRST, _SECOND
        for term, frequency in frequencies.items():
            postings[term].append(first | (frequency << 1 | (term in in_title)) << second)

    def words(self) -> list[tuple[bytes, bytes]]:
        """The words of the tasks added, each with its term, encoded and ascending."""
        pairs = self._analyser.words
        return sorted({(word.encode("utf-8", "replace"), term.encode("utf-8", "replace")) for word, term in pairs})

    def sections(self) -> dict[str, Buffer]:
        ordered = sorted((term.encode("utf-8", "replace"), postings) for term, postings in self.postings.items())
        terms = [term for term, _ in ordered]
        starts = array("Q", accumulate((2 * len(postings) for _, postings in ordered), initial=0))
        return {
            **text_sections("terms", terms),
            **_word_sections(self.words(), terms),
            "postings_starts": starts.tobytes(),
            "postings": b"".join(postings for _, postings in ordered),
            "lengths": self.lengths.tobytes(),
        }


def _word_sections(words: Sequence[tuple[bytes, bytes]], terms: Sequence[bytes]) -> dict[str, Buffer]:
    """The sections `words` and `word_terms`.

    :param words: pairs of a word and its term, ascending; one whose term is not there is left out.
    :param terms: all terms, ascending.
    """
    places = {term: place for place, term in enumerate(terms)}
    held = [(word, places[term]) for word, term in words if term in places]
    return {
        **text_sections("words", [word for word, _ in held]),
        "word_terms": array("I", [place for _, place in held]).tobytes(),
    }
