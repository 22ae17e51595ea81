"""Questions in many scripts, of any length, and the same bytes for the same question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unicodedata import normalize

import msgspec
import pytest
from ats_core import Engine, FindResult, Task

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]

TEXTS = {
    "ja": ("認証システムのトークン更新", "パスワードを変える。カタカナとひらがな"),
    "ja-tax": ("所得税の申告", "ｶﾞｽ料金も払う"),
    "zh": ("更新护照", "带上照片去办理，地点在市中心"),
    "ko": ("여권 갱신하기", "사진을 가져가세요"),
    "th": ("ต่ออายุหนังสือเดินทาง", "นำรูปถ่ายไปด้วย"),
    "ar": ("تجديد جواز السفر", "مُحَمَّد يأخذ الصور"),
    "hi": ("पासपोर्ट नवीनीकरण", "हिन्दी की किताब भी लाना"),
    "el": ("Ανανέωση διαβατηρίου", "Φέρε τις φωτογραφίες στην οδό Αθηνάς"),
    "tr": ("İstanbul'da pasaport yenileme", "Iğdır'a gitmeden önce fotoğraf çek"),
    "de": ("Reisepass verlängern", "Fotos in der Königstraße machen, Größe prüfen"),
    "ru": ("Ёлка и йод", "купить до праздника"),
    "en": ("Renew passport", "photos at the café"),
}  # fmt: skip
TASKS = [Task(id=name, title=title, content=body, project_id="p") for name, (title, body) in TEXTS.items()]


@pytest.fixture
def engine(make_store: MakeStore, open_engine: OpenEngine) -> Engine:
    return open_engine(make_store(TASKS))


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("認証", "ja"),
        ("トークン", "ja"),
        ("トークンの更新", "ja"),
        ("JWT 認証", "ja"),
        ("ひらがな", "ja"),
        ("税", "ja-tax"),
        ("ガス", "ja-tax"),
        ("护照", "zh"),
        ("在哪里办理护照", "zh"),
        ("여권", "ko"),
        ("여권을 갱신", "ko"),
        ("หนังสือเดินทาง", "th"),
        ("รูปถ่าย", "th"),
        ("جواز", "ar"),
        ("مُحَمَّد", "ar"),
        ("हिन्दी", "hi"),
        ("पासपोर्ट", "hi"),
        ("Αθηνάς", "el"),
        ("αθηνας", "el"),
        ("ΑΝΑΝΈΩΣΗ", "el"),
        ("ανανεωση διαβατηριου", "el"),
        ("istanbul", "tr"),
        ("İSTANBUL", "tr"),
        ("iğdır", "tr"),
        ("igdir", "tr"),
        ("fotograf", "tr"),
        ("verlangern", "de"),
        ("VERLÄNGERN", "de"),
        ("Königstrasse", "de"),
        ("konigstraße", "de"),
        ("große", "de"),
        ("елка", "ru"),
        ("ЁЛКА", "ru"),
        ("cafe", "en"),
        ("CAFÉ", "en"),
    ],
)
def test_a_question_in_its_script_is_found_first_in_every_unicode_form(
    engine: Engine, ids: Ids, query: str, expected: str, form: Any
) -> None:
    result = engine.find(normalize(form, query))
    assert ids(result)[0] == expected
    assert not result.degraded
    if len(query) > 1:  # a character within a longer run is no term: that is what keyword is for
        assert ids(engine.sparse(normalize(form, query)))[0] == expected


def test_sparse_stores_any_form_too(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    tasks = [
        msgspec.structs.replace(task, title=normalize("NFD", task.title), content=normalize("NFD", task.content))
        for task in TASKS
    ]
    engine = open_engine(make_store(tasks))
    for task in TASKS:
        for call in (engine.find, engine.sparse, engine.keyword, engine.notes_find):
            assert ids(call(task.title))[0] == task.id


@pytest.mark.parametrize(
    ("with_marks", "without", "owner"),
    [
        ("мой", "мои", None),  # й is a letter of its own
        ("ガス", "カス", "ja-tax"),
        ("हिन्दी", "हनद", "hi"),
        ("ต่ออายุ", "ตออาย", "th"),
        ("مُحَمَّد", "محمد", "ar"),
    ],
)
def test_marks_of_other_scripts_are_part_of_the_word(
    engine: Engine, ids: Ids, with_marks: str, without: str, owner: str | None
) -> None:
    assert ids(engine.keyword(with_marks)) == ([owner] if owner else [])
    assert ids(engine.keyword(without)) == []


@pytest.mark.parametrize(
    ("language", "query", "expected"),
    [
        ("german", "verlängerte Reisepässe", "de"),
        ("german", "verlangerte Reisepasse", "de"),
        ("greek", "διαβατήρια", "el"),
        ("greek", "διαβατηρια", "el"),
        ("turkish", "pasaportlar", "tr"),
        ("arabic", "محمد", "ar"),  # Snowball's stemmer knows that vowel signs may be left out
        ("hindi", "किताबें", "hi"),
        ("russian", "ёлки", "ru"),
        ("russian", "елки", "ru"),
    ],
)
def test_the_stems_of_the_language_find_other_forms(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, language: str, query: str, expected: str
) -> None:
    assert ids(open_engine(make_store(TASKS), language=language).sparse(query))[0] == expected


def test_mixed_scripts_are_split_at_the_boundary(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    tasks = [
        Task(id="mixed", title="JWT認証とOAuth2対応", project_id="p"),
        Task(id="other", title="JW T", content="OAuth", project_id="p"),
    ]
    engine = open_engine(make_store(tasks))
    for query in ("jwt", "認証", "oauth2", "対応 OAuth2", "JWT 認証"):
        assert ids(engine.sparse(query))[:1] == ["mixed"]


@pytest.mark.parametrize(
    "query", ["税", "証", "여", "ต", "ह", "ö", "é", "1", "C", "α", "🚢", "(", "ー", "\u0301", "ı", "ß"]
)
def test_a_question_of_one_character_is_one(make_store: MakeStore, open_engine: OpenEngine, query: str) -> None:
    tasks = [*TASKS, Task(id="one", title=query, project_id="p")]
    for fusion in ("rrf", "score"):
        result = open_engine(make_store(tasks), fusion=fusion).find(query)
        assert "one" in [hit.task.id for hit in result.hits[:3]]
        assert not result.degraded


@pytest.mark.parametrize("fusion", ["rrf", "score"])
@pytest.mark.parametrize("words", ["lorem ipsum dolor", "資料を 更新 する", "και το άλλο", "c++ node.js r&d"])
def test_a_question_of_two_hundred_words_is_answered(
    make_embedding_store: MakeStore, open_engine: OpenEngine, words: str, fusion: str
) -> None:
    result = open_engine(make_embedding_store(TASKS), fusion=fusion).find(f"{words} {'und so ' * 98}passport")
    assert "en" in [hit.task.id for hit in result.hits]
    assert not result.degraded


@pytest.mark.parametrize("fusion", ["rrf", "score"])
@pytest.mark.parametrize("query", ["renew passport", "護照 更新", "税", "Ανανεωση C++", "photos " * 100, "(", "zzz"])
def test_the_same_question_ten_times_gives_the_same_bytes(
    make_embedding_store: MakeStore, open_engine: OpenEngine, fusion: str, query: str
) -> None:
    def answer() -> bytes:
        store = make_embedding_store(TASKS)
        letters = store.vector
        store.vector = lambda text: [1.0, *letters(text)]  # a text without latin letters has a vector too
        result = open_engine(store, fusion=fusion).find(query, limit=20)
        assert not result.degraded
        return msgspec.json.encode([result.hits, result.confidence, result.suggestions])

    assert len({answer() for _ in range(10)}) == 1
