"""A search index from an older one and the tasks that changed: refreshing costs what changed, not what is there.

The postings of unchanged tasks are taken over with their ordinals moved, those of changed ones come from a builder, and
both are merged by arrays. The result is the index that a full build gives, byte for byte, but for words that no task
holds any more: they stay as long as another word of the same term does, and cost a look that finds nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from ats_core.index.layout import Buffer
from ats_core.index.reader import SearchIndex
from ats_core.index.terms import TermsBuilder, word_sections
from ats_core.index.texts import SEPARATOR


def merged_terms(older: SearchIndex, sources: Sequence[int], changed: TermsBuilder) -> dict[str, Buffer]:
    """The sections of `TermsBuilder` for all tasks.

    :param sources: for each task its ordinal in the older index if it is unchanged, else -1.
    :param changed: has been given the other tasks, with their new ordinals, in order.
    """
    source = np.asarray(sources, dtype=np.int64)
    lengths = np.empty(len(source), dtype=np.uint32)
    unchanged = source >= 0
    lengths[unchanged] = np.frombuffer(older.lengths, dtype=np.uint32)[source[unchanged]]
    lengths[~unchanged] = np.frombuffer(changed.lengths, dtype=np.uint32)

    moved = np.full(older.size, -1, dtype=np.int64)
    moved[source[unchanged]] = np.flatnonzero(unchanged)
    old_terms = older.terms.all()
    old_pairs = np.frombuffer(older.all_postings, dtype=np.uint32).reshape(-1, 2)
    bounds = np.frombuffer(older.postings_starts, dtype=np.uint64).astype(np.int64) // 2
    counts = bounds[1:] - bounds[:-1]
    ordinals = moved[old_pairs[:, 0]]
    kept = ordinals >= 0

    # A term's rank in byte order stands for it, so that one number orders postings by term and then by ordinal.
    new_terms = sorted(term.encode("utf-8", "replace") for term in changed.postings)
    union = sorted({*old_terms, *new_terms})
    rank = {term: at for at, term in enumerate(union)}
    size = max(1, len(source))
    old_ranks = np.fromiter((rank[term] for term in old_terms), dtype=np.int64, count=len(old_terms))
    old_keys = np.repeat(old_ranks, counts)[kept] * size + ordinals[kept]
    added = [
        (rank[term.encode("utf-8", "replace")], np.frombuffer(pairs, dtype=np.uint32).reshape(-1, 2))
        for term, pairs in changed.postings.items()
    ]
    new_keys = np.concatenate([place * size + pairs[:, 0].astype(np.int64) for place, pairs in added] or [old_keys[:0]])
    new_packed = np.concatenate([pairs[:, 1] for _, pairs in added] or [old_pairs[:0, 1]])

    keys = np.concatenate([old_keys, new_keys])
    order = np.argsort(keys, kind="stable")  # nearly sorted already, which a stable sort takes advantage of
    keys, packed = keys[order], np.concatenate([old_pairs[kept, 1], new_packed])[order]
    pairs = np.empty((len(keys), 2), dtype=np.uint32)
    pairs[:, 0], pairs[:, 1] = keys % size, packed
    per_term = np.bincount(keys // size, minlength=len(union))
    held = np.flatnonzero(per_term)
    starts = np.concatenate([[0], np.cumsum(2 * per_term[held])]).astype(np.uint64)
    held_terms = [union[at] for at in held.tolist()]
    old_words = zip(older.words.all(), (old_terms[place] for place in older.word_terms), strict=True)
    return {
        **_texts("terms", held_terms),
        **word_sections(sorted({*old_words, *changed.words()}), held_terms),
        "postings_starts": starts.tobytes(),
        "postings": pairs.tobytes(),
        "lengths": lengths.tobytes(),
    }


def _texts(name: str, texts: Sequence[bytes]) -> dict[str, Buffer]:
    """What `TextsBuilder` gives, from encoded texts."""
    sizes = np.fromiter((len(text) + 1 for text in texts), dtype=np.uint64, count=len(texts))
    starts = array("Q", [0]) + array("Q", np.cumsum(sizes).astype(np.uint64).tobytes())
    return {name: SEPARATOR.join([*texts, b""]), f"{name}_starts": starts.tobytes()}
