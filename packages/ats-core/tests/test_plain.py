"""What holds of plain texts holds of every character that they may be made of."""

from __future__ import annotations

import re
import sys

from ats_core import Task
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.snippet import make_snippet
from ats_core.text import tokens
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold, normalise
from ats_core.text.graphemes import Layout, clusters, columns
from ats_core.text.matches import _PLAIN as PLAIN_WORD
from ats_core.text.matches import Matcher
from ats_core.text.plain import is_plain, is_regular
from hypothesis import given, settings
from hypothesis import strategies as st

PLAIN = [chr(code) for code in range(sys.maxunicode + 1) if is_plain(chr(code))]
WORD_LETTERS = [letter for letter in PLAIN if PLAIN_WORD.fullmatch(letter)]


def test_every_plain_character_stands_alone_and_is_one_column_wide() -> None:
    assert len(PLAIN) > 1000
    assert all(columns(character) == 1 for character in PLAIN)
    text = "".join(PLAIN)
    assert clusters(text) == text
    assert Layout(text).characters is text
    assert not is_plain("e\u0301")
    assert not is_plain("a\nb")
    assert is_plain("")


def test_words_of_plain_texts_need_no_marks() -> None:
    for text in ("".join(PLAIN), " ".join(PLAIN), "-".join(PLAIN), "a.".join(PLAIN)):
        assert tokens._plain_term().findall(text) == tokens._unicode_term().findall(text)


def test_plain_texts_fold_character_by_character() -> None:
    for character in PLAIN:
        for text in (f"a{character}", f"{character}a", character * 2, f"{character}é"):
            assert fold(text) == "".join(map(fold, text)), text


def test_regular_characters_stay_what_they_are_to_a_tokeniser() -> None:
    regular = [chr(code) for code in range(sys.maxunicode + 1) if is_regular(chr(code))]
    assert len(regular) > 500
    for character in regular:
        assert is_plain(character)
        normalised = normalise(character)
        for sort in (r"\w", r"[-.&_\u2010+#]", r"[^\W\d_]", r"\s"):
            assert all(bool(re.match(sort, one)) is bool(re.match(sort, character)) for one in normalised), character
        for text in (f"a{character}b", f"{character}b", f"a{character}", f"a.{character}b", f".{character}"):
            words = [word for start, end, _ in tokens.word_spans(text) for word in tokens.tokenize(text[start:end])]
            assert words == tokens.tokenize(text), text


WORDS = st.sampled_from(
    [
        *(
            "pay",
            "pays",
            "Paying",
            "paid",
            "tax",
            "Taxes",
            "die",
            "dying",
            "Dyed",
            "résumé",
            "resume",
            "node.js",
            "Node",
            "js",
        ),
        *("c++", "r&d", "R&D", "snake_case", "pre-paid", "x", "Ünter", "unter", "straße", "strasse", "Киев", "киева"),
        *("税金", "½", "a…", "e\u0301te", "20%"),
    ]
)


@settings(deadline=None)
@given(
    st.lists(st.lists(WORDS, max_size=12).map(" ".join), min_size=1, max_size=4),
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join),
    st.sampled_from(["english", "none", "german"]),
)
def test_a_snippet_of_an_indexed_body_is_that_of_any_text(bodies: list[str], query: str, language: str) -> None:
    tasks = [Task(id=str(at), title="t", content=body) for at, body in enumerate(bodies)]
    index = SearchIndex(index_tasks(tasks, Analyser(language)))
    analyser = Analyser(language)
    terms = analyser.query_terms(query)
    knowing = Matcher(query, terms, analyser, index.words_of_terms)
    for body in bodies:
        assert make_snippet(body, knowing, 30, indexed=True) == make_snippet(body, Matcher(query, terms, analyser), 30)


def test_no_character_folds_to_nothing() -> None:
    assert all(fold(chr(code)) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)


def test_a_plain_word_is_one_token_and_folds_letter_by_letter() -> None:
    assert len(WORD_LETTERS) > 150
    for letter in WORD_LETTERS:
        for word in (letter, f"b{letter}d", f"{letter}{letter}x"):
            assert len(tokens.tokenize(word)) == 1
            assert fold(word) == "".join(map(fold, word))


def test_an_english_word_begins_with_two_letters_of_its_stem_but_for_dying() -> None:
    """Over every beginning of a word, with the endings that the stemmer knows: see `Analyser.keeps_beginnings`."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    endings = [
        "s es ies ied sses ed edly ing ingly eed eedly ly y ying ation ational ization izer able ible ably ness fulness"
        " ousness iveness al ally alism ality ance ence ancy ency er ic ical iciti ate ative ative ive ivity ment ement"
        " ent ent ant ism ist iti ous ously ize ion sion tion logi ogist ful less li bli bility"
    ][0].split()
    analyser = Analyser()
    assert analyser.keeps_beginnings
    odd = set()
    for first in letters:
        for second in letters:
            for middle in ("", *"aeiouybdgmpt", "at", "iz", "bb", "ey", "yl"):
                for ending in endings:
                    word = first + second + middle + ending
                    term = analyser.term(word)
                    if not word.startswith(term[:2]):
                        odd.add((word, term))
    assert odd
    assert all(len(word) == 5 and word.endswith("ying") and term == f"{word[0]}ie" for word, term in odd)


def test_what_is_marked_is_what_the_analyser_says_of_each_word() -> None:
    words = [
        "Dying dies died die lied lying Tying ties tie Résumé resumes RESUMED naïve node.js Node skies sky Ånder ander"
        " straße STRASSE strasses x xs is i I'm a aing as node_js pre-paid prepaid ½ ﬁne fine c++ ÿes yes Ŀoc"
    ][0].split()
    analyser = Analyser()
    for query in words:
        terms = Analyser().query_terms(query)
        matcher = Matcher(query, terms, analyser)
        held = {word for word in words if set(terms) & set(Analyser().terms(word))}
        marked = {word for word in words if matcher.spans(f"{word} q", Layout(f"{word} q"))}
        literal = {word for word in words if re.search(re.escape(fold(query)), fold(word))}
        assert marked == held | literal, query
