"""The sparse branch against its formula, worked out by hand, and with queries of every kind."""

from __future__ import annotations

from math import isclose, log, sqrt

import pytest
from ats_core import Task
from ats_core.branches.ranked import Scope
from ats_core.branches.sparse import SparseScores
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from ats_core.text.fold import clean
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def index_of(*tasks: str | Task, language: str = "english") -> SearchIndex:
    made = [Task(id=f"t{at}", title=task) if isinstance(task, str) else task for at, task in enumerate(tasks)]
    return SearchIndex(index_tasks(made, Analyser(language)))


def scores(query: str, index: SearchIndex, language: str = "english") -> SparseScores:
    return SparseScores(Analyser(language).query_terms(clean(query)), index)


def found(query: str, index: SearchIndex, scope: Scope = None, limit: int = 20) -> list[int]:
    return [ranked.ordinal for ranked in scores(query, index).top(limit, scope)]


def test_one_task_alone_scores_by_the_formula() -> None:
    index = index_of("windy london")
    of_query = scores("windy paris", index)
    idf_windy = log(1 + 0.5 / 1.5)  # N = 1, df = 1
    idf_paris = log(1 + 1.5 / 0.5)  # df = 0: it counts in the coverage all the same
    coverage = idf_windy / (idf_windy + idf_paris)
    saturation = 1 * 2.2 / (1 + 1.2)  # its length is the average
    assert isclose(of_query.coverage(0), coverage)
    assert isclose(of_query.score(0), sqrt(coverage) * idf_windy * (saturation + 1))


def test_two_tasks_score_by_the_formula() -> None:
    body = Task(id="b", title="hello there", content="windy windy night", tags=("windy",))
    index = index_of("windy in London", body)
    of_query = scores("windy London", index)
    average = (3 + 6) / 2
    idf_windy, idf_london = log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5)
    in_first = 2.2 / (1 + 1.2 * (1 - 0.75 + 0.75 * 3 / average))
    in_second = 3 * 2.2 / (3 + 1.2 * (1 - 0.75 + 0.75 * 6 / average))
    share = idf_windy / (idf_windy + idf_london)
    assert of_query.coverage(0) == 1.0
    assert isclose(of_query.score(0), (idf_windy + idf_london) * (in_first + 1))
    assert isclose(of_query.coverage(1), share)
    assert isclose(of_query.score(1), sqrt(share) * idf_windy * in_second)
    assert found("windy London", index) == [0, 1]


def test_a_word_that_every_task_has_still_finds_them_all() -> None:
    index = index_of(*["same words"] * 5)
    ranking = scores("same", index).top(20, None)
    assert [ranked.ordinal for ranked in ranking] == [0, 1, 2, 3, 4]
    assert all(isclose(ranked.score, log(1 + 0.5 / 5.5) * 2) for ranked in ranking)


def test_an_empty_corpus_and_empty_texts_give_an_empty_ranking() -> None:
    assert found("windy", index_of()) == []
    assert found("windy", index_of("", "", Task(id="x", title=" ", content="\n"))) == []
    assert scores("windy", index_of("")).coverage(0) == 0.0


def test_a_query_without_a_word_gives_an_empty_ranking() -> None:
    for query in ("", "(", "😀", "\0", "\ud83d", "%_"):
        assert found(query, index_of("anything (", "😀", "\0")) == []


def test_a_task_without_a_match_scores_nothing() -> None:
    of_query = scores("alpha", index_of("alpha", "beta"))
    assert (of_query.score(1), of_query.coverage(1)) == (0.0, 0.0)


def test_a_match_in_the_title_beats_one_in_the_body() -> None:
    in_body = Task(id="b", title="notes", content="insurance")
    assert found("insurance", index_of(in_body, "insurance notes")) == [1, 0]


def test_covering_the_query_beats_repeating_a_part_of_it() -> None:
    repeats = Task(id="r", title="other", content="rollback " * 9 + "padding")
    covers = Task(id="c", title="other", content="rollback of the release, then padding and padding")
    assert found("rollback release", index_of(repeats, covers)) == [1, 0]


def test_tags_count() -> None:
    assert found("money", index_of("a", Task(id="b", title="b", tags=("Money", "x")))) == [1]


def test_equal_scores_stay_in_corpus_order_and_the_cut_is_at_the_limit() -> None:
    index = index_of(*["equal"] * 50)
    assert found("equal", index) == list(range(20))
    assert found("equal", index, limit=3) == [0, 1, 2]
    assert found("equal", index, limit=0) == []


def test_a_scope_is_respected_before_the_cut_and_leaves_the_weights_alone() -> None:
    index = index_of(*["rare rare"] * 30, "rare word")
    scope = bytes([0] * 30 + [1])
    (only,) = scores("rare", index).top(1, scope)
    assert only.ordinal == 30
    assert only.score == scores("rare", index).score(30)
    assert found("rare", index, bytes(31)) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("C++", [1]),
        ("c", [0]),
        (".NET", [2]),
        ("net", [2]),
        ("R&D", [3]),
        ("node.js", [4]),
        ("node", [4]),
        ("ABC-358", [5, 7]),
        ("abc 358", [5, 7]),
        ("358", [5]),
        ("2026-03-14", [6]),
        ("a\\", []),
        ("-x", []),
        ("&", []),
    ],
)
def test_symbol_terms_find_their_tasks(query: str, expected: list[int]) -> None:
    index = index_of(
        "C notes",
        "Learn C++",
        ".NET upgrade",
        "R&D budget",
        "node.js 20",
        "ABC-358 fix",
        "due 2026-03-14",
        "abc song and more of it",
    )
    assert found(query, index) == expected


def test_twenty_thousand_characters_are_no_trouble() -> None:
    index = index_of("needle in hay", "hay")
    assert found("needle " + "x" * 20_000, index) == [0]
    assert found("needle " * 3_000, index) == [0]
    assert found("認" * 20_000, index) == []


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("cafe", "Café"),
        ("CAFE\u0301", "café"),
        ("ａｂｃ", "abc"),
        ("strasse", "Straße"),
        ("елка", "ёлка"),
        ("οδος", "ΟΔΌΣ"),
        ("istanbul", "İstanbul"),
        ("हिन्दी", "हिन्दी किताब"),
        ("ไทย", "ภาษาไทย"),
        ("認証", "認証システムのトークン更新"),
        ("トークン", "認証システムのトークン更新"),
        ("JWT 認証", "JWT認証の更新"),
        ("北京", "去北京大学"),
        ("검색", "한국어 검색"),
        ("税", "税 2026"),
    ],
)
def test_a_query_finds_its_word_in_every_script(query: str, title: str) -> None:
    assert found(query, index_of("nothing here", title)) == [1]


def test_a_letter_of_its_own_is_not_met_by_another() -> None:
    assert found("иод", index_of("йод")) == []


def test_a_query_of_stop_words_finds_the_task_that_is_named_so() -> None:
    assert found("to do", index_of("Pay rent", "To do list", "What to buy")) == [1, 2]


def test_stop_words_of_a_question_find_nothing_by_themselves() -> None:
    index = index_of("how do I do this", "renew the insurance")
    assert found("how do I renew insurance", index) == [1]


words = st.sampled_from(["alpha", "beta", "gamma", "c++", "認証", "to", "a-b"])
bodies = st.lists(words, max_size=8).map(" ".join)


@at_any_pace
@given(st.lists(st.tuples(bodies, bodies), max_size=6), bodies)
def test_the_ranking_is_that_of_the_formula(pairs: list[tuple[str, str]], query: str) -> None:
    analyser = Analyser("none")
    documents = [(set(analyser.terms(title)), analyser.terms(f"{title} {body}")) for title, body in pairs]
    size = len(documents)
    average = sum(len(every) for _, every in documents) / size if size else 0
    asked = analyser.query_terms(query)

    def idf(term: str) -> float:
        df = sum(term in every for _, every in documents)
        return log(1 + (size - df + 0.5) / (df + 0.5))

    def score(title: set[str], every: list[str]) -> float:
        matched = [term for term in asked if term in every]
        total = 0.0
        for term in matched:
            tf = every.count(term)
            total += idf(term) * (tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * len(every) / average)) + (term in title))
        return sqrt(sum(map(idf, matched)) / sum(map(idf, asked))) * total if matched else 0.0

    expected = [score(*document) for document in documents]
    tasks = [Task(id=str(at), title=title, content=body) for at, (title, body) in enumerate(pairs)]
    of_query = SparseScores(asked, index_of(*tasks, language="none"))
    ranking = of_query.top(20, None)
    assert {ranked.ordinal for ranked in ranking} == {at for at, value in enumerate(expected) if value}
    assert all(isclose(ranked.score, expected[ranked.ordinal]) for ranked in ranking)
    assert all(0 < of_query.coverage(ranked.ordinal) <= 1 for ranked in ranking)
    assert ranking == sorted(ranking, key=lambda ranked: (-ranked.score, ranked.ordinal))
