"""The inverted index: which tasks hold a term, how often, and whether in the title."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from ats_core.index.layout import Buffer
from ats_core.index.texts import TextsBuilder
from ats_core.models import Task
from ats_core.text.analyser import Analyser


class TermsBuilder:
    """The sections `terms` (ascending), `postings` with `postings_starts`, `words` with `word_terms`, and `lengths`.

    The analyser has to be one that has seen nothing but these tasks.

    `postings` holds for each term the pairs that `SearchIndex.postings` gives, `lengths` those of the tasks added.
    """

    def __init__(self, analyser: Analyser) -> None:
        self._analyser = analyser
        self.lengths = array("I")
        self.postings: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))

    def add(self, ordinal: int, task: Task) -> None:
        terms = self._analyser.terms
        title = terms(task.title)
        frequencies = Counter(title)
        frequencies.update(chain(terms(task.content), *map(terms, task.tags)))
        self.lengths.append(frequencies.total())
        in_title = set(title)
        for term, frequency in frequencies.items():
            posting = self.postings[term]
            posting.append(ordinal)
            posting.append(frequency << 1 | (term in in_title))

    def words(self) -> list[tuple[bytes, bytes]]:
        """The words of the tasks added, each with its term, encoded and ascending."""
        pairs = self._analyser.words
        return sorted({(word.encode("utf-8", "replace"), term.encode("utf-8", "replace")) for word, term in pairs})

    def sections(self) -> dict[str, Buffer]:
        terms = TextsBuilder("terms")
        starts = array("Q")
        lists: list[bytes] = []
        position = 0
        ordered = sorted((term.encode("utf-8", "replace"), term) for term in self.postings)
        for encoded, term in ordered:
            terms.add(encoded.decode())
            starts.append(position)
            position += len(self.postings[term])
            lists.append(self.postings[term].tobytes())
        starts.append(position)
        return {
            **terms.sections(),
            **word_sections(self.words(), [encoded for encoded, _ in ordered]),
            "postings_starts": starts.tobytes(),
            "postings": b"".join(lists),
            "lengths": self.lengths.tobytes(),
        }


def word_sections(words: Iterable[tuple[bytes, bytes]], terms: Sequence[bytes]) -> dict[str, Buffer]:
    """The sections `words` and `word_terms`.

    :param words: pairs of a word and its term, ascending; one whose term is not there is left out.
    :param terms: all terms, ascending.
    """
    places = {term: place for place, term in enumerate(terms)}
    texts = TextsBuilder("words")
    word_terms = array("I")
    for word, term in words:
        place = places.get(term)
        if place is not None:
            texts.add_encoded(word)
            word_terms.append(place)
    return {**texts.sections(), "word_terms": word_terms.tobytes()}
