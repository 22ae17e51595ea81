"""The inverted index: which tasks hold a term, how often, and whether in the title."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from itertools import chain

from ats_core.index.layout import Buffer
from ats_core.index.texts import TextsBuilder
from ats_core.models import Task
from ats_core.text.analyser import Analyser


class TermsBuilder:
    """The sections `terms` (ascending), `postings` with `postings_starts`, and `lengths`.

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

    def sections(self) -> dict[str, Buffer]:
        terms = TextsBuilder("terms")
        starts = array("Q")
        lists: list[bytes] = []
        position = 0
        for encoded, term in sorted((term.encode("utf-8", "replace"), term) for term in self.postings):
            terms.add(encoded.decode())
            starts.append(position)
            position += len(self.postings[term])
            lists.append(self.postings[term].tobytes())
        starts.append(position)
        return {
            **terms.sections(),
            "postings_starts": starts.tobytes(),
            "postings": b"".join(lists),
            "lengths": self.lengths.tobytes(),
        }
