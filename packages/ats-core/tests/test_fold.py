"""`fold`: one form for every comparison, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from ats_core.text.fold import clean, fold, normalise
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

ACCENTS = "\u0300\u0301\u0302\u0303\u0307\u0308\u030a\u0323\u0327\u0328\u0344\u0345"
any_text = st.text(st.characters(categories=None))
encodable_text = st.text()
letters = st.text(st.characters(categories=["L", "N", "P", "S", "Z"]))
accented = st.text(st.sampled_from("aeiouсеёиÉØßıλΐΣçk" + ACCENTS))


@at_any_pace
@given(st.one_of(encodable_text, accented))
@example("\u0451\u0308")  # ё with a second diaeresis
@example("\u0451\u0344")
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@at_any_pace
@given(any_text)
def test_any_text_folds_and_encodes_once_it_is_clean(text: str) -> None:
    fold(clean(text)).encode()


@at_any_pace
@given(letters)
def test_case_makes_no_difference(text: str) -> None:
    assert fold(text.upper()) == fold(text) == fold(text.lower())


@at_any_pace
@given(st.one_of(encodable_text, accented))
def test_the_unicode_form_makes_no_difference(text: str) -> None:
    assert {fold(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")} == {fold(text)}


@at_any_pace
@given(encodable_text)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@at_any_pace
@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_only_lowered(text: str) -> None:
    assert fold(text) == text.lower()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "cafe"),
        ("cafe\u0301", "CAFÉ"),
        ("ＡＢＣ１２", "abc12"),
        ("Straße", "STRASSE"),
        ("ёлка", "елка"),
        ("е\u0308лка", "ЁЛКА"),
        ("ﬁnance", "finance"),
        ("Ελλάδα", "ελλαδα"),
        ("ΟΔΌΣ", "οδος"),
        ("ΐ", "ι"),
        ("İstanbul", "istanbul"),
        ("Iğdır", "ığdir"),
        ("Łódź", "lodz"),
        ("Smørrebrød", "smorrebrod"),
        ("Việt Nam", "viet nam"),
        ("ﾄｰｸﾝ", "トークン"),
        ("ｶﾞ", "ガ"),
        ("한국", unicodedata.normalize("NFD", "한국")),
        ("②", "2"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("й", "и"),
        ("и\u0306", "и"),
        ("ї", "і"),
        ("が", "か"),
        ("パ", "ハ"),
        ("हि", "ह"),
        ("ที่", "ท"),
        ("שׁ", "ש"),
        ("أ", "ا"),
    ],
)
def test_no_other_script_loses_its_marks(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_symbols_stay_as_they_are() -> None:
    assert fold('C++ (.NET) [R&D] 50% a\\b_c "q" 😀 a\0b') == 'c++ (.net) [r&d] 50% a\\b_c "q" 😀 a\0b'


def test_lone_surrogates_become_replacement_characters_and_nothing_else_does() -> None:
    assert clean("plan \ud83d!") == "plan \ufffd!"
    assert clean("\udcff") == "\ufffd"
    assert clean("😀 plain é") == "😀 plain é"
