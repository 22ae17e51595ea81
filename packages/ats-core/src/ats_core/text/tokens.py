"""Text to tokens, for every script, without a dictionary.

A token is a Unicode word with its combining marks. Scripts that are written without spaces, and Hangul, give
overlapping bigrams of their characters (a character alone stays itself), split from other scripts at the boundary: the
classic choice for CJK retrieval (Foo and Li 2004, "Chinese word segmentation and its effect on information
retrieval"). Terms with symbols stay whole (`c++`, `c#`, `.net`, `r&d`), and compounds give the whole and the parts
(`abc-358`, `node.js`, `snake_case`), so that either way of writing finds the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from ats_core.text.fold import normalise, strip_accents
from ats_core.text.marks import MARKS
from ats_core.text.plain import is_plain

_JOINERS = "-.&_\u2010"
_JOINED = re.compile("[-._\u2010]+")
_SPLIT = re.compile(f"[{_JOINERS}+#]+")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Myanmar, Jamo, Khmer
    "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3041-\u312f\u3130-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"
)


def _term_pattern(marks: str) -> str:
    leading_dot = r"(?:(?<![\w.])\.(?=[^\W\d_]))?"
    compound = rf"\w(?:[\w{marks}]+|[{_JOINERS}](?=\w))*"  # `marks` once: it is half a millisecond to compile
    trailing_symbol = r"(?:\+\+|#(?!\w))?"
    return leading_dot + compound + trailing_symbol


_ASCII_TERM = re.compile(_term_pattern(""), re.ASCII)


@cache  # compiled for the first text beyond ASCII only
def _unicode_term() -> re.Pattern[str]:
    return re.compile(_term_pattern(MARKS))


@cache
def _plain_term() -> re.Pattern[str]:
    return re.compile(_term_pattern(""))


def _terms(text: str) -> list[str]:
    """The words and compounds of a text, in whatever script."""
    if text.isascii():
        return _ASCII_TERM.findall(text)
    return (_plain_term() if is_plain(text) else _unicode_term()).findall(text)


@cache  # compiled for the first text that may hold such a script only
def _script_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    script_run = re.compile(f"([{_UNSPACED}][{_UNSPACED}{MARKS}]*)|[^{_UNSPACED}]+")
    character = re.compile(f".[{MARKS}]*", re.DOTALL)
    return script_run, character


def tokenize(text: str) -> list[str]:
    """The tokens of a text, normalised (see `normalise`), accents kept, in order of appearance, repeats included.

    >>> tokenize("Fix ABC-358 in C++")
    ['fix', 'abc-358', 'abc', '358', 'in', 'c++']
    """
    text = normalise(text)
    terms = _terms(text)
    if terms and max(text) >= _UNSPACED[0]:
        return [token for term in terms for token in _unicode_tokens(term)]
    return [token for term in terms for token in ((term,) if term.isalnum() else _pieces(term))]


def words_of(text: str) -> list[str]:
    """What stands at `word_spans`, but for words in a script without spaces, whose tokens are bigrams."""
    terms = _terms(text)
    if not terms or max(text) < _UNSPACED[0]:
        return terms
    return [run for term in terms for run, unspaced in _script_runs(term) if not unspaced]


def word_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, bool]]:
    """Where words and compounds stand in a text as stored, cut where the script changes, in order.

    :param start: where to begin, and at `end` to stop: next to a blank, or in the middle of a word half of it is found.
    :return: start, end, and whether the word is in a script without spaces, so that its tokens are bigrams.
    """
    end = len(text) if end is None else end
    if text.isascii():
        yield from ((*term.span(), False) for term in _ASCII_TERM.finditer(text, start, end))
        return
    for term in _unicode_term().finditer(text, start, end):
        start = term.start()
        for run, unspaced in _script_runs(term.group()):
            yield start, start + len(run), unspaced
            start += len(run)


def is_word(token: str) -> bool:
    """Whether a token is a plain word or bigram, not a compound or a term with symbols."""
    return token.isalnum() or _SPLIT.search(token) is None


def _pieces(term: str) -> Iterator[str]:
    """A compound or symbol term as a whole, where it is more than its one part, then its parts.

    A symbol term within a compound is a part as it stands: `r&d-projekte` gives `r&d` too.
    """
    whole = term.strip("_").replace("\u2010", "-")
    segments = [segment for segment in _JOINED.split(whole) if segment]
    if segments and segments != [whole]:
        yield whole
    for segment in segments:
        parts = [part for part in _SPLIT.split(segment) if part]
        if parts != [segment]:
            yield segment
        # A lone letter of `c++` or `r&d` says nothing: it would meet every "20 °C".
        alone = parts == [whole]
        yield from (part for part in parts if alone or len(bare := strip_accents(part)) > 1 or not "a" <= bare <= "z")


def _unicode_tokens(term: str) -> Iterator[str]:
    for piece in (term,) if term.isalnum() else _pieces(term):
        runs = _script_runs(piece)
        if runs == [(piece, False)]:
            yield piece
        elif _SPLIT.search(piece):
            continue  # a compound across scripts: its parts say it all
        else:
            for run, unspaced in runs:
                yield from _bigrams(_script_patterns()[1].findall(run)) if unspaced else (run,)


def _script_runs(term: str) -> list[tuple[str, bool]]:
    """The stretches of a term, and whether each is in a script without spaces."""
    if max(term) < _UNSPACED[0]:
        return [(term, False)]
    return [(run.group(), run.lastindex is not None) for run in _script_patterns()[0].finditer(term)]


def _bigrams(characters: list[str]) -> list[str]:
    if len(characters) == 1:
        return characters
    return [first + second for first, second in pairwise(characters)]
