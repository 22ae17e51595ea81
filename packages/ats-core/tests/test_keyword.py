"""The keyword branch: the query as a literal substring, in four tiers, corpus order within each."""

from __future__ import annotations

import pytest
from ats_core import Task
from ats_core.branches.keyword import exact_titles, keyword
from ats_core.branches.ranked import Scope
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from ats_core.text.fold import clean, fold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def index_of(*texts: str | tuple[str, str]) -> SearchIndex:
    """An index over titles, or over pairs of title and body."""
    pairs = [(text, "") if isinstance(text, str) else text for text in texts]
    tasks = [Task(id=f"t{at}", title=title, content=body) for at, (title, body) in enumerate(pairs)]
    return SearchIndex(index_tasks(tasks, Analyser("none")))


def found(query: str, index: SearchIndex, scope: Scope = None, limit: int = 20) -> list[int]:
    return [ranked.ordinal for ranked in keyword(query, index, scope, limit)]


SYMBOLS = index_of(
    "C notes",
    "Learn C++",
    ".NET upgrade",
    "R&D budget",
    "node.js 20",
    "ABC-358 fix",
    "due 2026-03-14",
    "read (draft) [v2]",
    "100% done_now",
    "path a\\b",
    'say "hi" *now*',
    "ends in a\\",
    "run -x",
    "ship it 🚢",
    "null a\0b",
    "broken \ufffd",
)


def test_exact_title_then_prefix_then_contains_then_body_and_corpus_order_within() -> None:
    index = index_of(
        ("other", "about tax"),
        ("my tax", "tax"),
        ("tax office", ""),
        ("tax", "nothing"),
        ("unrelated", "nothing"),
        ("the taxi", ""),
        ("Tax ", "again"),
        ("also", "syntax"),
        ("tax return", "tax"),
    )
    ranking = keyword("TAX", index, None, 20)
    assert [(ranked.ordinal, ranked.score) for ranked in ranking] == [
        *[(3, 4.0), (6, 4.0)],
        *[(2, 3.0), (8, 3.0)],
        *[(1, 2.0), (5, 2.0)],
        *[(0, 1.0), (7, 1.0)],
    ]


def test_the_cut_falls_on_the_worst() -> None:
    index = index_of(*[("body only", "tax")] * 30, *["a tax"] * 2, "tax")
    assert found("tax", index, limit=5) == [32, 30, 31, 0, 1]
    assert found("tax", index, limit=1) == [32]
    assert found("tax", index, limit=0) == []
    assert found("tax", index_of(*["tax"] * 50)) == list(range(20))


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u00a0"])
def test_an_empty_query_matches_nothing(query: str) -> None:
    assert found(query, index_of("", " ", ("a", "b c"))) == []
    assert exact_titles(query, index_of("", " ")) == []


@pytest.mark.parametrize(
    ("query", "ordinals"),
    [
        ("C++", [1]),
        ("c", [0, 1, 5]),
        (".NET", [2]),
        ("R&D", [3]),
        ("node.js", [4]),
        ("ABC-358", [5]),
        ("358", [5]),
        ("2026-03-14", [6]),
        ("(", [7]),
        ("(draft) [", [7]),
        ("[", [7]),
        ("*", [10]),
        ("\\", [9, 11]),
        ("a\\", [9, 11]),
        ("%", [8]),
        ("_", [8]),
        ('"', [10]),
        ("&", [3]),
        ("-x", [12]),
        ("-", [5, 6, 12]),
        ("🚢", [13]),
        ("\0", [14]),
        ("\ud83d", [15]),
        (".*", []),
        ("^", []),
        ("a|b", []),
        ("%s", []),
        ("\U0010ffff", []),
    ],
)
def test_every_symbol_is_just_text(query: str, ordinals: list[int]) -> None:
    assert sorted(found(clean(query), SYMBOLS)) == ordinals


def test_a_query_of_twenty_thousand_characters_is_just_longer_text() -> None:
    long = "a(b*" * 5000
    assert found(long, SYMBOLS) == []
    assert found(long, index_of(("hay", f"x{long}y"))) == [0]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("cafe", "Café Central"),
        ("cafe\u0301", "CAFE"),
        ("ＡＢＣ", "abc"),
        ("strasse", "Lange Straße"),
        ("елка", "Ёлка"),
        ("istanbul", "İSTANBUL"),
        ("ελλαδα", "Ελλάδα"),
        ("हिन्दी", "मेरी हिन्दी किताब"),
        ("ไทย", "ภาษาไทย"),
        ("認証", "認証システムのトークン更新"),
        ("ﾄｰｸﾝ", "認証システムのトークン更新"),
        ("税", "所得税の申告"),
        ("北京", "去北京大学"),
        ("검색", "한국어 검색"),
        ("rance", "insurance"),
        ("  tax  ", "tax"),
    ],
)
def test_a_query_finds_its_text_in_every_script(query: str, title: str) -> None:
    assert found(query, index_of("nothing", title)) == [1]
    assert found(query, index_of("nothing", ("titled", f"word {title}\n"))) == [1]


def test_a_letter_of_its_own_is_not_met_by_another() -> None:
    assert found("иод", index_of("йод")) == []


def test_exact_titles_are_those_the_folded_trimmed_query_equals() -> None:
    index = index_of("Café", "cafe ", "café noir", ("x", "cafe"), "le café", "CAFE\u0301")
    assert exact_titles(" CAFÉ", index) == [0, 1, 5]


def test_a_needle_never_matches_across_two_tasks() -> None:
    index = index_of(("ab", "xy"), ("cd", "zw"))
    assert [found(needle, index) for needle in ("bc", "yz", "b cd", "dx")] == [[], [], [], []]


texts = st.text(st.sampled_from("aab éÉ%("), max_size=5)


@at_any_pace
@given(st.lists(st.tuples(texts, texts), max_size=8), texts, st.integers(1, 5))
def test_the_ranking_is_that_of_a_plain_scan(pairs: list[tuple[str, str]], query: str, limit: int) -> None:
    needle = fold(query).strip()

    def tier(title: str, body: str) -> int:
        title = fold(title).strip()
        tests = (title == needle, title.startswith(needle), needle in title, needle in fold(body))
        return next((4 - place for place, hit in enumerate(tests) if hit), 0) if needle else 0

    tiers = [tier(*pair) for pair in pairs]
    expected = sorted((at for at, score in enumerate(tiers) if score), key=lambda at: (-tiers[at], at))
    assert found(query, index_of(*pairs), limit=limit) == expected[:limit]


def test_a_scope_is_respected_before_the_cut() -> None:
    index = index_of(*["tax"] * 40, ("last", "tax"), "my tax")
    scope = bytes([0] * 40 + [1, 1])
    assert found("tax", index, scope, limit=2) == [41, 40]
    assert found("tax", index, bytes(42)) == []
