"""Which tasks can hold a literal: what the inverted index knows about a substring, so that few texts need a look.

Where a query matches, its inner words are whole words of the text, its first one ends a word and its last one begins
one; a query of one word lies within one. The index knows every word of the corpus (`SearchIndex.words`) and who holds
it; of words in Han, kana or Hangul it knows the bigrams. Others (symbols, letters that take marks) tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise
from math import prod

from ats_core.index.reader import SearchIndex

SCAN, LOOK, GATHER = 0.4, 0.8, 0.05
"""Microseconds: to scan past a task of 1 KB, to look at one that is picked out, and to gather one of those to pick."""

FILL = 20
"""Matches after which a scan has its fill."""

_PLAIN = re.compile("[0-9a-z]+")
_UNSPACED = "[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]"


@cache  # compiled for the first word that is more than letters and digits only
def _known_run() -> re.Pattern[str]:
    return re.compile(f"[0-9a-z]{{2,}}|{_UNSPACED}{{2,}}")


def holders(needle: str, index: SearchIndex) -> list[int] | None:
    """The ordinals, ascending, of all tasks that may contain the folded needle, and of some that do not.

    None where nothing is known, or so little that looking at every task is the cheaper way.
    """
    words = needle.split(" ")
    known = [
        (sum(map(index.document_frequency, terms)), place, terms) for place, terms in enumerate(_clues(words, index))
    ]
    rarest = sorted(known)[:2]
    if not rarest or not _pays([frequency for frequency, *_ in rarest], index.size, alone=len(words) == 1):
        return None
    found = set(_holding(rarest[0][2], index))
    for frequency, _, terms in rarest[1:]:
        if GATHER * frequency < LOOK * len(found):
            found.intersection_update(_holding(terms, index))
    return sorted(found) if few_enough(len(found), index.size) else None


def few_enough(count: int, size: int) -> bool:
    """Whether so many tasks are looked at one by one sooner than a scan passes all."""
    return LOOK * count <= SCAN * size


def _pays(frequencies: Sequence[int], size: int, *, alone: bool) -> bool:
    """Whether to gather the holders of the rarest terms, as if these were independent of one another.

    :param alone: the query is one word, so that nearly every holder is a match, and a scan soon has its fill.
    """
    if not size:
        return False
    holders = size * prod(frequency / size for frequency in frequencies)
    scanned = min(size, FILL * size / max(holders, 1)) if alone else size
    looked_at = min(holders, FILL) if alone else holders
    return GATHER * sum(frequencies) + LOOK * looked_at < SCAN * scanned


def _holding(terms: Sequence[int], index: SearchIndex) -> Iterable[int]:
    return chain.from_iterable(index.postings_at(term)[::2].tolist() for term in terms)


def _clues(words: Sequence[str], index: SearchIndex) -> Iterator[list[int]]:
    """Lists of terms: every text with these words, a blank between two, holds at least one term of each."""
    last = len(words) - 1
    for place, word in enumerate(words):
        opens, closes = place > 0, place < last  # whether it begins and ends a word of the text
        if _PLAIN.fullmatch(word):
            # A lone letter is no part of a compound (see `tokens`): it is only sure to be found between two blanks.
            if len(word) > 1 or (opens and closes):
                yield index.terms_of_words(word.encode(), opens=opens, closes=closes)
        elif re.fullmatch(_UNSPACED, word):
            yield index.terms_containing(word.encode())
        else:
            for run in _known_run().findall(word):
                yield from _clues_of_run(run, index)


def _clues_of_run(run: str, index: SearchIndex) -> Iterator[list[int]]:
    if run.isascii():
        yield index.terms_of_words(run.encode(), opens=False, closes=False)
    else:  # the last character may carry a mark in the text, which then belongs to its bigram
        yield from (index.terms_beginning((first + second).encode()) for first, second in pairwise(run))
