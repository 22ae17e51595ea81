"""The analyser: stems and stop words of a language, accents off; the same for task and query."""

from __future__ import annotations

import pytest
from ats_core import ConfigError
from ats_core.text.analyser import Analyser, stop_words
from ats_core.text.fold import fold, normalise
from ats_core.text.tokens import tokenize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

LANGUAGES_WITH_STOP_WORDS = (
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
)


def test_inflections_of_a_word_meet() -> None:
    assert set(Analyser().terms("insurance insurances Insurance")) == set(Analyser().terms("INSURANCE"))
    assert Analyser().terms("renewing renewed renews") == ["renew"] * 3


def test_an_index_keeps_stop_words_and_a_query_drops_them() -> None:
    analyser = Analyser()
    assert analyser.terms("the way to the top") == ["the", "way", "to", "the", "top"]
    assert analyser.query_terms("the way to the top") == ["way", "top"]


@pytest.mark.parametrize("query", ["to do", "the", "To-do", "what is it"])
def test_a_query_of_stop_words_keeps_them(query: str) -> None:
    analyser = Analyser()
    assert analyser.query_terms(query) == list(dict.fromkeys(analyser.terms(query)))


def test_a_query_is_a_set_in_order_of_first_appearance() -> None:
    assert Analyser().query_terms("beta alpha betas Beta") == ["beta", "alpha"]


def test_compounds_and_symbol_terms_are_not_stemmed() -> None:
    assert Analyser().terms("node.js notes-releases C++ .NET") == [
        *["node.js", "node", "js"],
        *["notes-releases", "note", "releas"],
        *["c++", ".net", "net"],
    ]


@pytest.mark.parametrize("query", ["", "(", "😀", "\0", "%_"])
def test_a_query_without_a_word_has_no_terms(query: str) -> None:
    assert Analyser().query_terms(query) == []


def test_in_english_accents_come_off_before_the_stem() -> None:
    assert Analyser().terms("résumé résumés naïve café") == Analyser().terms("resume resumes naive cafe")


def test_where_a_language_has_accents_its_stemmer_sees_them() -> None:
    french = Analyser("french")
    assert french.terms("créée") == french.terms("créé")
    assert french.query_terms("où été forêt") == ["foret"]
    russian = Analyser("russian")
    assert russian.terms("ёлка") == russian.terms("елка")
    assert russian.terms("договоры") == russian.terms("договор")


def test_none_gives_plain_folded_tokens_and_drops_nothing() -> None:
    plain = Analyser("none")
    assert plain.terms("The Cafés, Straße") == ["the", "cafes", "strasse"]
    assert plain.query_terms("to do the thing") == ["to", "do", "the", "thing"]


def test_an_unknown_language_is_a_mistake_in_the_configuration() -> None:
    with pytest.raises(ConfigError, match="klingon") as caught:
        Analyser("klingon")
    assert "english" in (caught.value.hint or "")
    assert "ATS_LANGUAGE" in (caught.value.hint or "")


def test_the_key_tells_languages_apart_and_nothing_else() -> None:
    assert len({Analyser(language).key for language in ("none", "english", "french")}) == 3
    assert Analyser("french").key == Analyser("french").key


@pytest.mark.parametrize("language", LANGUAGES_WITH_STOP_WORDS)
def test_every_stop_word_is_a_token_that_a_query_can_hold(language: str) -> None:
    words = stop_words(language)
    assert len(words) > 60
    assert [word for word in words if normalise(word) != word or tokenize(word) != [word]] == []


def test_a_language_without_a_list_has_no_stop_words() -> None:
    assert stop_words("tamil") == frozenset()
    assert Analyser("tamil").query_terms("தமிழ்")


@at_any_pace
@given(st.text(), st.sampled_from(["none", "english", "french", "russian"]))
def test_every_text_has_folded_terms_and_a_query_finds_its_own_text(text: str, language: str) -> None:
    analyser = Analyser(language)
    terms = analyser.terms(text)
    assert all(term and fold(term) == term for term in terms)
    assert set(analyser.query_terms(text)) <= set(terms)
    assert bool(analyser.query_terms(text)) == bool(terms)
    assert analyser.terms(text) == terms
