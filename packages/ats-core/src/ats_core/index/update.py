"""A search index from an older one and the tasks that changed: refreshing costs what changed, and copying the rest.

The postings of unchanged tasks are taken over with their ordinals moved, those of changed ones come from a builder and
are put where they belong. The result is the index that a full build gives, byte for byte, but for words that no task
holds any more: they stay as long as another word of the same term does, and cost a look that finds nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ats_core.index.layout import Buffer
from ats_core.index.reader import SearchIndex
from ats_core.index.terms import TermsBuilder
from ats_core.index.texts import text_sections

Ints = npt.NDArray[np.int64]


class _Postings(NamedTuple):
    """Postings one after the other, each one number of 64 bits; those of term `i` end where those of `i + 1` begin."""

    pairs: npt.NDArray[np.uint64]
    bounds: Ints

    def ordinals(self, place: int) -> npt.NDArray[np.uint32]:
        start, end = self.bounds[place : place + 2]
        return self.pairs[start:end].view(np.uint32)[::2]


def merged_terms(older: SearchIndex, sources: Sequence[int], changed: TermsBuilder) -> dict[str, Buffer]:
    """The sections of `TermsBuilder` for all tasks.

    :param sources: for each task its ordinal in the older index if it is unchanged, else -1; ascending, but for these.
    :param changed: has been given the other tasks, with their new ordinals, in order.
    """
    source = np.asarray(sources, dtype=np.int64)
    unchanged = source >= 0
    lengths = np.empty(len(source), dtype=np.uint32)
    lengths[unchanged] = np.frombuffer(older.lengths, dtype=np.uint32)[source[unchanged]]
    lengths[~unchanged] = np.frombuffer(changed.lengths, dtype=np.uint32)
    moved = np.full(older.size, -1, dtype=np.int32)
    moved[source[unchanged]] = np.flatnonzero(unchanged)

    old_terms, kept = older.terms.all(), _kept(older, moved)
    counts = np.diff(kept.bounds)
    new_terms: list[tuple[int, bytes]] = []  # with the place in the old terms before which each comes
    new_counts: list[int] = []
    places, added = [kept.bounds[:0]], [kept.pairs[:0]]
    for term, postings in sorted((term.encode("utf-8", "replace"), found) for term, found in changed.postings.items()):
        pairs = np.frombuffer(postings, dtype=np.uint64)
        place = _place_of(term, old_terms)
        if place >= 0:
            counts[place] += len(pairs)
            after = np.searchsorted(kept.ordinals(place), pairs.view(np.uint32)[::2])
        else:
            place = bisect_left(old_terms, term)
            new_terms.append((place, term))
            new_counts.append(len(pairs))
            after = np.zeros(len(pairs), dtype=np.int64)
        places.append(kept.bounds[place] + after)
        added.append(pairs)
    pairs = np.insert(kept.pairs, np.concatenate(places), np.concatenate(added))

    before = np.array([place for place, _ in new_terms], dtype=np.int64)
    counts = np.insert(counts, before, new_counts)
    held = counts > 0
    terms = [term for term, is_held in zip(_spliced(old_terms, new_terms), held.tolist(), strict=True) if is_held]
    # Where each old term is among the terms now, -1 where it is not.
    old = np.arange(len(old_terms))
    now_at = np.where(held, np.cumsum(held) - 1, -1)[old + np.searchsorted(before, old, side="right")]
    return {
        **text_sections("terms", terms),
        **_merged_words(older, old_terms, now_at, changed.words(), terms),
        "postings_starts": np.concatenate([[0], np.cumsum(2 * counts[held])]).astype(np.uint64).tobytes(),
        "postings": pairs.data.cast("B"),
        "lengths": lengths.tobytes(),
    }


def _kept(older: SearchIndex, moved: npt.NDArray[np.int32]) -> _Postings:
    """The postings of the tasks that are unchanged, with the ordinals that these have now.

    :param moved: for each older ordinal the new one, -1 where the task is gone or changed; ascending, but for these.
    """
    pairs = np.array(np.frombuffer(older.all_postings, dtype=np.uint32).reshape(-1, 2))
    ordinals = moved[pairs[:, 0]]
    kept = ordinals >= 0
    pairs[:, 0] = ordinals
    starts = np.frombuffer(older.postings_starts, dtype=np.uint64).astype(np.int64) // 2
    terms_of_dropped = np.searchsorted(starts, np.flatnonzero(~kept), side="right") - 1
    counts = np.diff(starts) - np.bincount(terms_of_dropped, minlength=len(starts) - 1)
    return _Postings(pairs.view(np.uint64).ravel()[kept], np.concatenate([[0], np.cumsum(counts)]))


def _merged_words(
    older: SearchIndex,
    old_terms: Sequence[bytes],
    now_at: Ints,
    words: Iterable[tuple[bytes, bytes]],
    terms: list[bytes],
) -> dict[str, Buffer]:
    """The sections `words` and `word_terms`.

    :param now_at: for each old term its place among `terms`, -1 where it is not held any more.
    :param words: those of the changed tasks, each with its term, ascending.
    """
    old_words, term_of = older.words.all(), older.word_terms
    new_words: list[tuple[int, bytes]] = []
    new_word_terms: list[int] = []
    for word, term in words:
        place = bisect_left(old_words, word)
        while place < len(old_words) and old_words[place] == word and old_terms[term_of[place]] < term:
            place += 1
        if not (place < len(old_words) and old_words[place] == word and old_terms[term_of[place]] == term):
            new_words.append((place, word))
            new_word_terms.append(_place_of(term, terms))
    before = np.array([place for place, _ in new_words], dtype=np.int64)
    word_terms = np.insert(now_at[np.frombuffer(term_of, dtype=np.uint32)], before, new_word_terms)
    held = word_terms >= 0
    merged = _spliced(old_words, new_words)
    return {
        **text_sections("words", [word for word, is_held in zip(merged, held.tolist(), strict=True) if is_held]),
        "word_terms": word_terms[held].astype(np.uint32).tobytes(),
    }


def _place_of(text: bytes, texts: Sequence[bytes]) -> int:
    """Where a text is in an ascending list, -1 where it is not."""
    place = bisect_left(texts, text)
    return place if place < len(texts) and texts[place] == text else -1


def _spliced(texts: Sequence[bytes], new: Iterable[tuple[int, bytes]]) -> list[bytes]:
    """A list with others put in, each before the place that it comes with; ascending by these."""
    result: list[bytes] = []
    last = 0
    for place, text in new:
        result += texts[last:place]
        result.append(text)
        last = place
    return [*result, *texts[last:]]
