"""Tokens to index terms: stop words and stems of one language, accents off.

Task and query go through the same analyser. All tokens are indexed; only a query drops stop words, unless none would
remain ("to do" finds "To do list"). Stems are Snowball's (Porter 2001, through PyStemmer).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Final

from ats_core.errors import ConfigError
from ats_core.text.fold import strip_accents
from ats_core.text.tokens import is_word, tokenize

ANALYSER_VERSION: Final = 2
"""Counts up whenever the same text gives other terms: stored indexes of another version are rebuilt."""

_WITHOUT_ACCENTS = frozenset({"english"})
"""Languages without accents of their own. There they come off first, or `résumé` would keep an ending that `resume`
loses. Elsewhere stop words and stems need them, or French and Russian inflections fall apart."""


_ENDINGS_ALONE = frozenset({"english", "none"})
"""Languages whose stemmer, by its published rules, leaves the beginning of a word alone."""


class Analyser:
    """Turns text into terms. `language` is one of Snowball's algorithms, or `"none"` for plain folded tokens.

    Remembers every word that it has seen; `size` is how many. Safe to use from several threads.

    :raises ConfigError: the language is unknown.
    """

    def __init__(self, language: str = "english") -> None:
        self.language = language
        self._stemmer: Any = None
        self._stop_words: frozenset[str] = frozenset()
        self._terms: dict[str, str] = {}
        self._terms_of_words: dict[str, tuple[str, ...]] = {}
        self._stemming = Lock()
        stemmer_version = "-"
        if language != "none":
            import Stemmer

            if language not in Stemmer.algorithms():
                raise ConfigError(
                    f"language {language!r} is unknown",
                    hint=f"set ATS_LANGUAGE to none or one of {', '.join(Stemmer.algorithms())}",
                )
            self._stemmer = Stemmer.Stemmer(language, 0)  # 0: no cache of its own, `_terms` is one
            self._stop_words = stop_words(language)
            stemmer_version = Stemmer.version()
        self.key = f"{ANALYSER_VERSION}/{language}/{stemmer_version}"
        """Changes whenever the same text may give other terms."""

    def terms(self, text: str) -> list[str]:
        """All terms of a text, in order, repeats included."""
        known, tokens = self._terms, tokenize(text)
        for token in set(tokens).difference(known):
            self.term(token)
        return list(map(known.__getitem__, tokens))

    def terms_of_word(self, word: str) -> tuple[str, ...]:
        """All terms of one word of a text, as stored."""
        terms = self._terms_of_words.get(word)
        if terms is None:
            plain = word.isascii() and word.isalnum()  # then it is its own and only token
            terms = (self.term(word.lower()),) if plain else tuple(self.terms(word))
            self._terms_of_words[word] = terms
        return terms

    def term(self, token: str) -> str:
        """The term of one token of `tokenize`."""
        term = self._terms.get(token)
        if term is None:
            term = self._terms[token] = self._term(token)
        return term

    @property
    def keeps_beginnings(self) -> bool:
        """Whether a plain word begins with the first two letters of its term, but for `dying` and such (`die`).

        Some stemmers take prefixes off.
        """
        return self.language in _ENDINGS_ALONE

    @property
    def size(self) -> int:
        return len(self._terms) + len(self._terms_of_words)

    @property
    def words(self) -> Iterator[tuple[str, str]]:
        """Every word that was seen so far, folded, with its term."""
        return ((strip_accents(token), term) for token, term in self._terms.items())

    def query_terms(self, query: str) -> list[str]:
        """The set of a query's terms, in order of first appearance, without stop words unless only those are there."""
        tokens = tokenize(query)
        kept = [token for token in tokens if token not in self._stop_words]
        if not any(map(is_word, kept)):  # nothing left, or compounds of stop words ("to-do")
            kept = tokens
        return list(dict.fromkeys(map(self._term, kept)))

    def _term(self, token: str) -> str:
        if self._stemmer is None or not is_word(token):
            return strip_accents(token)
        if self.language in _WITHOUT_ACCENTS:
            token = strip_accents(token)
        with self._stemming:  # it keeps a buffer
            stem: str = self._stemmer.stemWord(token)
        return strip_accents(stem)


def stop_words(language: str) -> frozenset[str]:
    """The function words of a language, normalised, accents kept; empty where we have no list."""
    # Beside this file, not through importlib.resources, whose import costs more than the reading.
    path = Path(__file__).with_name("stopwords") / f"{language}.txt"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return frozenset()
    return frozenset(text.split())
