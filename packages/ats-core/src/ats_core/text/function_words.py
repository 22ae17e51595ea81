"""Which bigrams of a question say nothing about its subject, in scripts that are written without spaces.

A stop-word list cannot hold them: a bigram straddles words. They keep their place in ranking, where they are rare or
everywhere and do no harm; but a question's "which of the" is in no note, and would make every answer look half covered.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_CHINESE = frozenset(
    "的了是在有和与與及或被把之这這那哪什么麼何谁誰几幾多少怎样樣如吗嗎呢吧啊个個些们們也就还還而但则則请請问問为為因以于於"
)
"""Particles, pronouns and question words, simplified and traditional; none of those in content words (京都, 时间)."""


def content_terms(terms: Sequence[str]) -> Iterable[str]:
    """The terms without bigrams that hold a Chinese function character or Japanese hiragana; all if none is left."""
    kept = [term for term in terms if not is_function_bigram(term)]
    return kept or terms


def is_function_bigram(term: str) -> bool:
    """Whether a term is a short run of Han and kana with a grammatical character in it."""
    return (
        len(term) <= 2
        and all("\u3005" <= character <= "\u9fff" for character in term)
        and any(character in _CHINESE or "\u3041" <= character <= "\u309f" for character in term)
    )
