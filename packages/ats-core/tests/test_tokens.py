"""`tokenize`: words of every script, symbol terms, compounds, bigrams; and the marks it needs."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold, normalise
from ats_core.text.marks import MARKS
from ats_core.text.tokens import is_word, tokenize, word_spans
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

mixed = st.text(st.sampled_from("abZ1_-.&+# éßøİ\u0301\u0308яёй認証トｶﾞ한กิหि😀\ufe0f"))


@at_any_pace
@given(st.one_of(st.text(), mixed))
def test_every_token_is_a_normalised_text_that_is_not_empty(text: str) -> None:
    for token in tokenize(text):
        assert token
        assert normalise(token) == token


@at_any_pace
@given(st.text(st.characters(categories=["L", "N", "P", "S", "Z"])))
@example("é-mail")
@example("Ø&D")
@example("naïve_ÿ")
def test_what_folds_alike_gives_the_same_terms(text: str) -> None:
    plain = Analyser("none")
    terms = plain.terms(text)
    assert plain.terms(fold(text)) == terms
    assert plain.terms(text.upper()) == terms
    assert plain.terms(unicodedata.normalize("NFD", text)) == terms


@at_any_pace
@given(st.lists(st.from_regex(r"[a-z0-9]+", fullmatch=True)), st.sampled_from([" ", ", ", "\n", " / ", "; é "]))
def test_every_ascii_word_is_a_token_in_order(words: list[str], blank: str) -> None:
    assert [token for token in tokenize(blank.join(words)) if token != "é"] == words


@at_any_pace
@given(st.text(st.characters(max_codepoint=127)))
def test_text_beyond_ascii_beside_it_does_not_change_ascii_tokens(text: str) -> None:
    assert tokenize(f"{text} é") == [*tokenize(text), "é"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Learn C++", ["learn", "c++"]),
        ("C++,C#;F#", ["c++", "c#", "f#"]),
        ("C notes", ["c", "notes"]),
        (".NET upgrade", [".net", "net", "upgrade"]),
        ("R&D budget", ["r&d", "budget"]),
        ("node.js 20", ["node.js", "node", "js", "20"]),
        ("ABC-358 fix", ["abc-358", "abc", "358", "fix"]),
        ("ABC\u2011358 ABC\u2010358", ["abc-358", "abc", "358"] * 2),
        ("due 2026-03-14", ["due", "2026-03-14", "2026", "03", "14"]),
        ("read (draft) [v2]", ["read", "draft", "v2"]),
        ("snake_case _private __init__", ["snake_case", "snake", "case", "private", "init"]),
        ("end. Next", ["end", "next"]),
        ("a..b 3.14", ["a", "b", "3.14", "3", "14"]),
        ("c++11", ["c++", "11"]),
        ("x-ray 5-a", ["x-ray", "ray", "5-a", "5"]),
    ],
)
def test_symbol_terms_stay_whole_and_compounds_give_their_parts_too(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("認証システム", ["認証", "証シ", "シス", "ステ", "テム"]),
        ("税", ["税"]),
        ("税 金", ["税", "金"]),
        ("JWT認証", ["jwt", "認証"]),
        ("第3回", ["第", "3", "回"]),
        ("北京大学", ["北京", "京大", "大学"]),
        ("한국어 검색", ["한국", "국어", "검색"]),
        (unicodedata.normalize("NFD", "검색"), ["검색"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("ที่นี่", ["ที่นี่"]),
        ("ﾄｰｸﾝ", ["トー", "ーク", "クン"]),
        ("ភាសា", ["ភាសា"]),
        ("東京-大阪", ["東京", "大阪"]),
    ],
)
def test_scripts_without_spaces_give_bigrams_of_whole_characters(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    "word", ["हिन्दी", "தமிழ்", "বাংলা", "العربية", "مُحَمَّد", "שָׁלוֹם", "čeština", "ελληνικά", "русский", "ქართული", "հայերեն"]
)
def test_a_word_with_its_marks_is_one_token(word: str) -> None:
    assert tokenize(f"«{word}»") == [normalise(word)]


@pytest.mark.parametrize(
    "text", ["", " \n", "(", "*", "[", "\\", "%", "_", '"', "&", "-", "...", "😀", "❤\ufe0f", "\u0301", "\0", "\ufffd"]
)
def test_a_text_without_a_word_has_no_tokens(text: str) -> None:
    assert tokenize(text) == []


def test_a_nul_or_a_backslash_only_separates() -> None:
    assert tokenize("a\0b c\\d -x") == ["a", "b", "c", "d", "x"]


def test_twenty_thousand_characters_are_no_trouble() -> None:
    assert tokenize("x" * 20_000) == ["x" * 20_000]
    assert len(tokenize("認" * 20_000)) == 19_999
    assert tokenize("-" * 20_000) == []
    assert len(tokenize("a1-" * 6_666)) == 6_667


@pytest.mark.parametrize(
    ("token", "plain"),
    [("word", True), ("認証", True), ("हिन्दी", True), ("abc-358", False), ("c++", False), (".net", False)],
)
def test_compounds_and_symbol_terms_are_told_from_words(token: str, plain: bool) -> None:
    assert is_word(token) is plain


@at_any_pace
@given(st.one_of(st.text(), mixed))
def test_word_spans_are_where_the_words_stand(text: str) -> None:
    spans = list(word_spans(text))
    ends = [0]
    for start, end, _ in spans:
        assert ends[-1] <= start < end <= len(text)
        ends.append(end)
    covered = {place for start, end, _ in spans for place in range(start, end)}
    assert {match.start() for match in re.finditer(r"[^\W_]", text)} <= covered


def test_word_spans_cut_where_the_script_changes() -> None:
    text = "Use JWT認証, R&D!"
    assert [(text[start:end], unspaced) for start, end, unspaced in word_spans(text)] == [
        ("Use", False),
        ("JWT", False),
        ("認証", True),
        ("R&D", False),
    ]


def test_the_marks_are_the_combining_marks_of_unicode_14() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    written_out = set(re.findall(f"[{MARKS}]", every))
    assert len(written_out) == 2408
    assert all(unicodedata.category(mark)[0] == "M" for mark in written_out)
    if unicodedata.unidata_version == "14.0.0":  # Python 3.11; a later one knows later marks
        assert {character for character in every if unicodedata.category(character)[0] == "M"} == written_out


def test_a_symbol_term_within_a_compound_is_a_part_of_it() -> None:
    assert tokenize("R&D-Projekte") == ["r&d-projekte", "r&d", "projekte"]
    assert tokenize("AT&T-Tower") == ["at&t-tower", "at&t", "at", "tower"]
