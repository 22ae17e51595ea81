"""Title match: exact 100, starts with 60, contains 30, all words 15."""

from __future__ import annotations

import pytest
from ats_core.branches.title_match import title_match
from ats_core.text.tokens import tokenize
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def score(query: str, title: str) -> float:
    return next((ranked.score for ranked in title_match(query, [(0, title)])), 0.0)


@pytest.mark.parametrize(
    ("query", "title", "expected"),
    [
        ("Release checklist", "release CHECKLIST ", 100),
        ("release", "Release checklist", 60),
        ("check", "Release checklist", 30),
        ("checklist release", "Release checklist", 15),
        ("list release", "Release checklist", 0),
        ("release checklist now", "Release checklist", 0),
        ("rel chk", "Release checklist", 0),
        ("cafe", "CAFÉ", 100),
        ("strasse", "Straße 5", 60),
        ("central cafe", "Café Central", 15),
        ("更新 認証", "認証の更新", 15),
        ("C++", "Learn C++", 30),
        ("c++ learn", "Learn C++", 15),
        ("notes c++", "C notes", 0),
        ("358 abc", "Fix ABC-358", 15),
        ("abc-358", "Fix ABC\u2010358", 15),
        ("(", "read (draft)", 30),
        ("( read", "read (draft)", 15),
        ("( *", "read (draft)", 0),
        ("", "", 0),
        (" ", "any", 0),
        ("x" * 20_000, "any", 0),
    ],
)
def test_a_title_scores_by_how_it_matches(query: str, title: str, expected: float) -> None:
    assert score(query, title) == expected


def test_better_matches_come_first_and_corpus_order_breaks_ties() -> None:
    titles = ["list of rain", "my rain list b", "rain list", "rain lists", "my rain list a", "rain", "list, then rain"]
    ranking = title_match("rain list", list(enumerate(titles)))
    assert [(ranked.ordinal, ranked.score) for ranked in ranking] == [
        *[(2, 100), (3, 60)],
        *[(1, 30), (4, 30)],
        *[(0, 15), (6, 15)],
    ]


def test_the_first_twenty_are_given() -> None:
    titles = [(ordinal, "rain") for ordinal in range(30)]
    assert [ranked.ordinal for ranked in title_match("rain", titles)] == list(range(20))
    assert len(title_match("rain", titles, limit=3)) == 3


@at_any_pace
@given(st.text(), st.text())
def test_no_text_is_an_error_and_a_title_finds_itself(query: str, title: str) -> None:
    assert score(query, title) in {0, 15, 30, 60, 100}
    assert score(title, title) == (100 if title.strip() else 0)


words_and_signs = st.text(
    st.one_of(st.sampled_from("aéßеё-\u2010.+#&_ 認証が゙ กเ\u0301ıİ"), st.characters()), max_size=12
)


@at_any_pace
@given(words_and_signs)
def test_every_word_of_a_title_finds_it(title: str) -> None:
    for word in tokenize(title):
        assert score(word, title) >= 15
        assert score(f"{word} {word}", title) >= 15
