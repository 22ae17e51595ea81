"""Snippets: the passage around the densest match, as stored, with marks on what matched."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from ats_core.models import Snippet
from ats_core.snippet import LENGTH, make_snippet
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from ats_core.text.graphemes import clusters, columns
from ats_core.text.matches import Matcher
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def snippet_of(body: str, query: str, language: str = "english", length: int = LENGTH) -> Snippet:
    analyser = Analyser(language)
    return make_snippet(body, Matcher(query, analyser.query_terms(query), analyser), length)


def width_of(text: str) -> int:
    return sum(map(columns, clusters(text)))


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.marks]


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.mark.parametrize(
    ("body", "query", "expected"),
    [
        ("Renew the insurance by May", "how do I renew insurance", ["Renew", "insurance"]),
        ("insurances are renewed", "renewing insurance", ["insurances", "renewed"]),
        ("see node.js and C++, not C", "C++ node", ["node.js", "C++"]),
        ("ticket ABC-358 is done", "358", ["ABC-358"]),
        ("half of a reassurance", "assur", ["assur"]),
        ("read (draft) [v2] 50%", "(draft) [", ["(draft) ["]),
        ("CAFE and Café and cafés", "café", ["CAFE", "Café", "cafés"]),
        (nfd("le Café de Paris"), "cafe paris", [nfd("Café"), "Paris"]),
        ("le CAFÉ de Paris", nfd("café paris"), ["CAFÉ", "Paris"]),
        ("ＡＢＣ report", "abc", ["ＡＢＣ"]),
        ("Straße", "stras", ["Straß"]),
        ("die Straße nach Wien", "wien strasse", ["Straße", "Wien"]),
        ("İstanbul ve Iğdır", "istanbul", ["İstanbul"]),
        ("ёлка и йод", "елка иод", ["ёлка"]),
        ("認証システムのトークン更新", "トークン 更新", ["トークン", "更新"]),
        ("ﾄｰｸﾝ と ｶﾞｽ", "ガス", ["ｶﾞｽ"]),
        ("JWT認証 foo", "jwt 認証", ["JWT", "認証"]),
        ("所得税の申告", "税", ["税"]),
        ("한국어 검색", "검색", ["검색"]),
        (nfd("한국어 검색"), "검색", [nfd("검색")]),
        ("ภาษาไทยสวย", "ไทย", ["ไทย"]),
        ("मेरी हिन्दी किताब", "हिन्दी", ["हिन्दी"]),
        ("ship 🚢 it", "🚢", ["🚢"]),
        ("nothing here", "zebra", []),
        ("nothing here", "(", []),
        ("", "anything", []),
    ],
)
def test_marks_point_at_the_matched_text_as_stored(body: str, query: str, expected: list[str]) -> None:
    snippet = snippet_of(body, query)
    assert snippet.text == body
    assert marked(snippet) == expected


def test_marks_follow_the_stems_of_the_language() -> None:
    assert marked(snippet_of("договоры и письма", "договор письмо", "russian")) == ["договоры", "письма"]
    assert marked(snippet_of("une forêt créée", "créé", "french")) == ["créée"]


def test_a_short_body_is_shown_whole_and_trimmed() -> None:
    assert snippet_of("  short \n", "short") == Snippet(text="short", marks=((0, 5),))


def test_blanks_of_every_kind_become_spaces_one_for_one() -> None:
    assert snippet_of("one\r\ntwo\tthree\u00a0four\u2028five", "four").text == "one  two three four five"
    assert marked(snippet_of("one\r\ntwo\tthree\u00a0four\u2028five", "five three")) == ["three", "five"]


def test_a_match_deep_in_a_long_body_is_shown_in_its_surroundings() -> None:
    snippet = snippet_of("filler words " * 200 + "the hidden treasure lies here" + " more words" * 200, "treasure")
    assert "the hidden treasure lies here" in snippet.text
    assert snippet.text[0] == snippet.text[-1] == "…"
    assert snippet.text[1:7] in ("filler", "words ")
    assert snippet.text[:-1].endswith((" more", " words"))
    assert marked(snippet) == ["treasure"]


def test_the_passage_with_the_most_of_the_query_wins() -> None:
    body = f"alpha {'x ' * 300} alpha beta gamma {'x ' * 300} beta"
    assert marked(snippet_of(body, "gamma beta alpha")) == ["alpha", "beta", "gamma"]
    assert marked(snippet_of(body, "alpha beta gamma")) == ["alpha beta gamma"]


def test_of_equal_passages_the_first_is_shown() -> None:
    body = f"alpha one {'x ' * 300} alpha two"
    assert snippet_of(body, "alpha").text.startswith("alpha one x")


def test_without_a_match_the_beginning_is_shown() -> None:
    snippet = snippet_of("word " * 100, "zebra")
    assert snippet.text == ("word " * 40).rstrip() + "…"
    assert snippet.marks == ()


def test_a_match_longer_than_the_passage_is_shown_from_its_beginning_and_marked_as_far_as_it_is_shown() -> None:
    snippet = snippet_of("word " * 100 + "x" * 300, "x" * 300)
    assert f"word {'x' * 140}" in snippet.text
    assert marked(snippet) == [snippet.text.strip("…").split()[-1]]


# Sentences


def test_a_passage_begins_with_the_sentence_of_its_first_match() -> None:
    body = "Nothing here. " * 40 + 'He said "no." The treasure lies under the oak. ' + "More of the same. " * 40
    snippet = snippet_of(body, "treasure")
    assert snippet.text.startswith("…The treasure lies under the oak. More")
    assert marked(snippet) == ["treasure"]


@pytest.mark.parametrize(
    ("before", "sentence"),
    [
        ("- some item\n", "- the needle item"),
        ("A heading\r\n\r\n", "needle under it"),
        ("Wirklich? ", "Die needle ist da."),
        ("まだです。", "針needleがある。"),
        ("「終わり。」", "針needleがある。"),
        ("यह वाक्य है। ", "यहाँ needle है।"),
        ("هل هذا؟ ", "هنا needle"),
    ],
)
def test_sentences_and_lines_of_many_scripts_begin_a_passage(before: str, sentence: str) -> None:
    assert snippet_of(before * 60 + sentence + " more" * 60, "needle").text.startswith(f"…{sentence}")


def test_an_abbreviation_ends_no_sentence() -> None:
    snippet = snippet_of("word " * 60 + "fruit, e.g. the needle fruit" + " more" * 60, "needle")
    assert "fruit, e.g. the needle" in snippet.text


def test_no_match_is_lost_for_the_start_of_a_sentence() -> None:
    sentence = f"alpha {'x ' * 30}beta {'x ' * 30}gamma."
    assert len(sentence) < LENGTH * 3 // 4
    body = f"Start {'y ' * 90}{sentence} {'Other. ' * 60}"
    snippet = snippet_of(body, "alpha beta gamma")
    assert marked(snippet) == ["alpha", "beta", "gamma"]
    assert not snippet.text.startswith("…Start")


def test_a_match_near_the_end_is_shown_with_the_sentences_before_it() -> None:
    body = "One two three. " * 40 + "The needle."
    snippet = snippet_of(body, "needle")
    assert snippet.text.startswith("…One two three. One")
    assert snippet.text.endswith("three. The needle.")
    assert LENGTH - len("One two three. ") < len(snippet.text) <= LENGTH + 1


def test_a_sentence_that_is_too_long_begins_at_a_word() -> None:
    snippet = snippet_of("Begin " + "word " * 200 + "needle " + "more " * 200, "needle")
    assert snippet.text.startswith("…word word")
    assert 0 < snippet.text.index("needle") <= LENGTH // 4


# Width and graphemes


@pytest.mark.parametrize("filler", ["認", "각", "🚢", "🇩🇪", "ａ"])
def test_wide_characters_take_two_columns(filler: str) -> None:
    passage = snippet_of(filler * 500, "zebra").text
    assert passage == filler * (LENGTH // 2) + "…"


@pytest.mark.parametrize(
    "character",
    [
        "e\u0301\u0323",
        "กี่",
        "นำ",
        "कि",
        "क्ष",
        nfd("각"),
        "ｶﾞ",
        "👨‍👩‍👧",
        "👍🏽",
        "❤️",
        "🇩🇪",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "葛\U000e0100",
    ],
)
def test_no_cut_and_no_mark_tears_a_grapheme(character: str) -> None:
    assert list(clusters(f"x{character}y")) == ["x", character, "y"]
    for shift in range(4):
        passage = snippet_of("x" * shift + character * 300 + "needle" + character * 300, "needle").text.strip("…")
        for side in passage.split("needle"):
            assert side.lstrip("x") == character * side.count(character)
            assert side.count(character) >= 15
    inside = snippet_of(character, character[0])
    assert all(mark == character for mark in marked(inside))


def test_flags_pair_up_from_the_left() -> None:
    assert clusters("🇩🇪🇫🇷🇮") == ["🇩🇪", "🇫🇷", "🇮"]


@pytest.mark.parametrize(
    ("character", "width"),
    [
        ("a", 1), ("é", 1), ("e\u0301", 1), ("認", 2), ("Ａ", 2), ("ｱ", 1), ("🚢", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2),
        ("❤️", 2), ("❤", 1), (nfd("각"), 2), ("कि", 1), ("नि", 1), ("นำ", 2), ("\u0301", 1), ("\u200b", 1), ("\x1b", 1),
    ],
)  # fmt: skip
def test_columns_are_those_of_a_terminal_and_never_none(character: str, width: int) -> None:
    assert width_of(character) == width


def test_a_hostile_pile_of_marks_is_bounded() -> None:
    for hostile in ("\u0301" * 50_000, "a" + "\u200d" * 50_000, "👩" + "\u200d👩" * 20_000):
        assert len(snippet_of(hostile, "a").text) <= LENGTH * 40


@at_any_pace
@given(st.one_of(st.text(), st.text(st.sampled_from("aé\u0301\u200d🇩🇪👩❤\ufe0fกำक्षि각\u1100\u1161\u11a8🏽\r\n"))))
def test_characters_are_the_text_and_none_begins_with_a_mark(text: str) -> None:
    assert "".join(clusters(text)) == text
    # None but the first, one after a control, and what follows an endless pile.
    for left, right in pairwise(clusters(text)):
        torn = unicodedata.category(right[0])[0] == "M" or right[0] == "\u200d"
        assert not torn or len(left) >= 32


def test_a_title_only_hit_shows_the_beginning_of_the_body() -> None:
    body = "First sentence of the note. " + "And more of it. " * 30
    snippet = snippet_of(body, "only in the title")
    assert snippet.text.startswith("First sentence of the note. And more")
    assert snippet.text.endswith("…")


def test_a_text_without_blanks_is_cut_to_length_around_its_match() -> None:
    snippet = snippet_of("認" * 500 + "更新" + "証" * 500, "更新")
    assert marked(snippet) == ["更新"]
    assert len(snippet.text) == LENGTH // 2 + 2


def test_a_repeated_match_is_marked_each_time() -> None:
    snippet = snippet_of("認証" * 500, "認証")
    assert marked(snippet) == ["認証"] * (LENGTH // 4)


@pytest.mark.parametrize("filler", ["e\u0301\u0323", "กี่", "कि", nfd("각")])
@pytest.mark.parametrize("shift", range(4))
def test_no_cut_tears_a_character_from_its_marks(filler: str, shift: int) -> None:
    body = "x" * shift + filler * 300 + "needle" + filler * 300
    passage = snippet_of(body, "needle").text.strip("…")
    before, after = passage.split("needle")
    assert before == filler * (len(before) // len(filler))
    assert after == filler * (len(after) // len(filler))


def test_a_body_of_a_million_characters_is_looked_at_in_part() -> None:
    snippet = snippet_of("a " * 500_000 + "needle", "needle")
    assert snippet.text.startswith("a a a")
    assert snippet.text.endswith("…")
    assert snippet.marks == ()
    assert len(marked(snippet_of("a " * 500_000, "a"))) == LENGTH // 2


body_text = st.text(st.sampled_from("abAé\u0301 \n-.&ßİ認証ตี한😀"), max_size=300)


@at_any_pace
@given(st.one_of(st.text(), body_text), st.one_of(st.text(), body_text), st.integers(8, 40))
def test_a_snippet_is_a_bounded_piece_of_the_body_and_its_marks_lie_in_it(body: str, query: str, length: int) -> None:
    snippet = snippet_of(body, query, length=length)
    assert width_of(snippet.text.removeprefix("…").removesuffix("…")) <= length
    as_spaces = "".join(" " if character.isspace() else character for character in body.strip())
    assert snippet.text.removeprefix("…").removesuffix("…") in f"…{as_spaces}…"
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.marks)
    assert all(left[1] <= right[0] for left, right in pairwise(snippet.marks))


@at_any_pace
@given(body_text.map(str.strip), st.data())
def test_a_literal_match_is_within_a_mark(body: str, data: st.DataObject) -> None:
    words = body.split()
    if not words:
        return
    query = data.draw(st.sampled_from(words))
    snippet = snippet_of(body, query, length=1000)
    assert any(fold(query) in fold(mark) for mark in marked(snippet))
