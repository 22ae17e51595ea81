"""What the inverted index knows about a substring: it may name too many tasks, and never one too few."""

from __future__ import annotations

import pytest
from ats_core import Task
from ats_core.branches import narrow
from ats_core.branches.keyword import keyword
from ats_core.branches.narrow import holders
from ats_core.index import reader
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

PIECES = [
    *("tax", "Tax", "táx", "taxes", "running", "run", "ru", "résumé", "resume", "a", "b", "x", "12-3", "1.2.3"),
    *("é", "ß", "ſ", "ﬁ", "İ", "ı", "ǆ", "½", "²", "ª", "Ⅷ", "ĳ", "ABC", "abc-358", "c++", "c#", ".net", "r&d"),
    *("node.js", "x_y", "__init__", "税", "税金", "認証", "認証システム", "JWT認証", "認証x-y", "が", "か\u3099"),
    *("カ\u3099", "ｶﾞ", "ﾊﾟ", "한국", "ㅎ", "각\u0301", "ไทย", "กำ", "हिन्दी", "дом", "й", "и\u0306", "ё"),
    *("\u200d", "\u00ad", "\u0301", "a\u0301b", "\u093c", "'", "’", "\u2010", "\u2011", "-", "_", ".", "&"),
    *("+", "#", "/", "(", "😀", "👍🏽"),
]
BLANKS = [" ", "  ", "\n", "\t", "\u00a0", "\u3000", ""]
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(BLANKS)), max_size=7).map(
    lambda pairs: "".join(piece + blank for piece, blank in pairs)
)


@st.composite
def corpora_and_queries(draw: st.DrawFn) -> tuple[list[str], str]:
    texts = draw(st.lists(TEXTS | st.text(max_size=12), min_size=1, max_size=8))
    if draw(st.booleans()):
        return texts, draw(TEXTS)
    folded = fold(draw(st.sampled_from(texts)))
    start = draw(st.integers(0, len(folded)))
    return texts, folded[start : draw(st.integers(start, min(len(folded), start + 12)))]


def index_of(texts: list[str], language: str = "english") -> SearchIndex:
    tasks = [Task(id=str(at), title="", content=text) for at, text in enumerate(texts)]
    return SearchIndex(index_tasks(tasks, Analyser(language)))


@at_any_pace
@given(corpora_and_queries(), st.sampled_from(["english", "none", "french", "russian", "indonesian"]))
def test_every_task_with_the_literal_is_among_the_holders(given_: tuple[list[str], str], language: str) -> None:
    texts, query = given_
    index = index_of(texts, language)
    needle = fold(query).strip()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrow, "SCAN", float("inf"))
        few = holders(needle, index)
        narrowed = keyword(query, index, None, 20)
        patch.setattr(narrow, "SCAN", 0)
        scanned = keyword(query, index, None, 20)
    if needle and few is not None:
        assert [at for at, text in enumerate(texts) if needle in fold(text)] == [
            at for at in few if needle in fold(texts[at])
        ]
    assert narrowed == scanned


@at_any_pace
@given(corpora_and_queries(), st.lists(TEXTS, max_size=4))
def test_after_an_update_too(given_: tuple[list[str], str], before: list[str]) -> None:
    pytest.importorskip("numpy")
    texts, query = given_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "LITTLE_TEXT", 0)
        patch.setattr(narrow, "SCAN", float("inf"))
        tasks = [Task(id=str(at), title="", content=text) for at, text in enumerate(texts)]
        index = SearchIndex(index_tasks(tasks, Analyser(), older=index_of(before)))
        assert keyword(query, index, None, 20) == keyword(query, index_of(texts), None, 20)


FILLER = [f"filler{number}" for number in range(200)]


@pytest.mark.parametrize(
    ("query", "few"),
    [
        ("passpor", [0]),  # within a word
        ("renew passp", [0]),  # a last word that is begun
        ("ew passport", [0]),  # a first word that is ended
        ("to renew the", [1]),  # a word between blanks
        ("認証シ", [2]),
        ("証", [2]),
        ("no such word", []),
        ("税", []),
        ("c++", None),  # symbols tell nothing
        ("filler", None),  # in nearly all: a scan is cheaper
        ("renew(pass", [0]),  # parts of a word that holds a symbol
        ("，シス", [2]),
        ("r", None),  # a lone letter may be part of a compound that no word shows
    ],
)
def test_the_holders_are_few_where_the_index_knows_the_words(query: str, few: list[int] | None) -> None:
    index = index_of(["renew passports", "to renew the card", "JWT認証システム", *FILLER])
    assert holders(fold(query), index) == few
