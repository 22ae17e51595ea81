"""The search index: what is written is what is read, from bytes and from a map, and damage is told from an index."""

from __future__ import annotations

import math
import mmap
import random
from typing import TYPE_CHECKING

import pytest
from ats_core import Corpus, Task
from ats_core.index.build import embedded_text, text_digest
from ats_core.index.layout import MAGIC, DamagedError, pack, unpack
from ats_core.index.reader import INDEX_VERSION, SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TASKS = [
    Task(
        id="b/ä", title=" Renew Café card ", content="card of the CAFÉ\nby May", tags=("money", "card"), project_id="p2"
    ),
    Task(id="a\0b", title="", content="", project_id="p1", status="done"),
    Task(id="認証-1", title="認証システム", content="token card", project_id="p2"),
    Task(id="a", title="Straße", project_id="p1"),
    Task(id="a\0", title="z", project_id=""),
]


def packed(tasks: list[Task] = TASKS, language: str = "none") -> bytes:
    return index_tasks(tasks, Analyser(language))


@pytest.fixture(params=["bytes", "map"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SearchIndex]:
    if request.param == "bytes":
        yield SearchIndex(packed())
        return
    path = tmp_path / "index"
    path.write_bytes(packed())
    with path.open("rb") as file:
        yield SearchIndex(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def test_texts_come_back_folded_and_in_corpus_order(index: SearchIndex) -> None:
    assert index.size == len(TASKS)
    assert [index.titles[at].decode() for at in range(index.size)] == [fold(task.title).strip() for task in TASKS]
    assert [index.bodies[at].decode() for at in range(index.size)] == [fold(task.content) for task in TASKS]
    assert bytes(index.done) == b"\0\1\0\0\0"
    assert [index.projects[at] for at in index.project_of] == [b"p2", b"p1", b"p2", b"p1", b""]


def test_postings_hold_frequency_and_whether_the_title_has_the_term(index: SearchIndex) -> None:
    def read(term: str) -> list[tuple[int, int, bool]]:
        flat = index.postings(term).tolist()
        return [(at, packed >> 1, bool(packed & 1)) for at, packed in zip(flat[::2], flat[1::2], strict=True)]

    assert read("card") == [(0, 3, True), (2, 1, False)]
    assert read("cafe") == [(0, 2, True)]
    assert read("money") == [(0, 1, False)]
    assert read("認証") == [(2, 1, True)]
    assert read("strasse") == [(3, 1, True)]


@pytest.mark.parametrize("term", ["", "a", "car", "cards", "zz", "\U0010ffff", "\0", "café", "\ud83d"])
def test_an_unknown_term_has_no_postings(index: SearchIndex, term: str) -> None:
    assert index.postings(term).tolist() == []


def test_lengths_count_every_term_of_title_body_and_tags(index: SearchIndex) -> None:
    assert index.lengths.tolist() == [3 + 6 + 2, 0, 5 + 2, 1, 1]
    assert index.average_length == 20 / 5


def test_a_task_is_found_by_its_whole_id_and_by_nothing_else(index: SearchIndex) -> None:
    assert [index.ordinal(task.id) for task in TASKS] == [0, 1, 2, 3, 4]
    assert [index.task_id(at) for at in range(index.size)] == [task.id for task in TASKS]
    for unknown in ("", "b", "b/a", "a\0b\0", "B/ä", "認証", "\ud83d", "\U0010ffff"):
        assert index.ordinal(unknown) is None


def test_ids_are_found_by_how_they_begin_in_order_of_the_id(index: SearchIndex) -> None:
    assert index.ordinals_by_prefix("a") == [3, 4, 1]
    assert index.ordinals_by_prefix("a\0") == [4, 1]
    assert index.ordinals_by_prefix("認") == [2]
    assert index.ordinals_by_prefix("") == [3, 4, 1, 0, 2]
    assert index.ordinals_by_prefix("c") == []


def test_digests_name_the_text_that_is_embedded(index: SearchIndex) -> None:
    assert embedded_text(TASKS[0]) == " Renew Café card \ncard of the CAFÉ\nby May\nmoney card"
    assert [index.digest(at) for at in range(index.size)] == [text_digest(embedded_text(task)) for task in TASKS]


def test_a_needle_never_matches_across_two_tasks() -> None:
    index = SearchIndex(packed([Task(id="1", title="ab", content="xy"), Task(id="2", title="cd", content="zw")]))
    for needle in ("bc", "b\ncd", "b cd", "yz", "dx", "abcd"):
        assert list(index.titles.containing(needle.encode())) == []
        assert list(index.bodies.containing(needle.encode())) == []
    assert list(index.titles.containing(b"b\xffc")) == []
    assert list(index.titles.containing(b"")) == []


def test_containing_gives_each_text_once_with_its_first_occurrence() -> None:
    index = SearchIndex(packed([Task(id=str(at), title=title) for at, title in enumerate(["aXaX", "", "bXX", "X"])]))
    assert list(index.titles.containing(b"x")) == [(0, 1), (2, 1), (3, 0)]


@at_any_pace
@given(
    st.lists(st.text(st.sampled_from("ab é認"), max_size=6), max_size=8), st.text(st.sampled_from("ab é認"), max_size=3)
)
def test_containing_agrees_with_a_plain_scan(titles: list[str], query: str) -> None:
    index = SearchIndex(packed([Task(id=str(at), title=title) for at, title in enumerate(titles)]))
    needle = fold(query)
    found = [ordinal for ordinal, _ in index.titles.containing(needle.encode())]
    assert found == [at for at, title in enumerate(titles) if needle and needle in fold(title).strip()]
    opening = list(index.titles.beginning_with(needle.encode()))
    assert opening == [at for at, title in enumerate(titles) if needle and fold(title).strip().startswith(needle)]
    equal = list(index.titles.equal_to(needle.encode()))
    assert equal == [at for at, title in enumerate(titles) if needle and fold(title).strip() == needle]


def test_an_empty_corpus_makes_an_index_that_answers() -> None:
    index = SearchIndex(packed([]))
    assert (index.size, index.average_length) == (0, 0.0)
    assert index.ordinal("x") is None
    assert index.ordinals_by_prefix("") == []
    assert index.postings("x").tolist() == []
    assert list(index.titles.containing(b"x")) == []


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_idf_is_above_zero_for_every_document_frequency(size: int) -> None:
    index = SearchIndex(packed([Task(id=str(at), title="same") for at in range(size)]))
    for df in {0, 1, size // 2, size}:
        assert index.idf(df) == math.log(1 + (size - df + 0.5) / (df + 0.5)) > 0


def test_the_index_says_what_it_was_made_with() -> None:
    spans = b"".join(number.to_bytes(8, "little") for number in range(2 * len(TASKS)))
    analyser = Analyser("none")
    index = SearchIndex(index_tasks(TASKS, analyser, identity=[7, 8, 9], task_spans=spans))
    assert index.meta["analyser"] == analyser.key
    assert index.meta["identity"] == [7, 8, 9]
    assert index.task_spans is not None
    assert bytes(index.task_spans) == spans
    assert SearchIndex(packed()).task_spans is None


def test_the_same_tasks_give_the_same_bytes() -> None:
    assert packed(language="english") == packed(list(TASKS), language="english")


def test_a_truncated_index_is_damaged_wherever_it_ends() -> None:
    whole = packed()
    for end in range(len(whole)):
        with pytest.raises(DamagedError):
            SearchIndex(whole[:end])


@pytest.mark.parametrize(
    "garbage",
    [
        b"",
        b"\0" * 4096,
        b'{"tasks":[{"id"',
        MAGIC,
        MAGIC + b"\xff" * 64,
        MAGIC + (2).to_bytes(8, "little") + b"[]",
        MAGIC + (8).to_bytes(8, "little") + b"\xff\xfe     \xff",
        MAGIC[:-1] + b"2" + packed()[8:],
        packed() + b"\0",
    ],
)
def test_what_is_no_index_is_damaged(garbage: bytes) -> None:
    with pytest.raises(DamagedError):
        SearchIndex(garbage)


def test_an_index_of_another_version_is_damaged() -> None:
    header, sections, _ = unpack(packed())
    for version in (INDEX_VERSION + 1, None, str(INDEX_VERSION)):
        with pytest.raises(DamagedError, match="version"):
            SearchIndex(pack(sections, {**header.meta, "version": version}))


def test_an_index_of_the_other_byte_order_is_damaged() -> None:
    whole = packed()
    for mine, other in ((b'"little"', b'"biggg"'), (b'"big"', b'"tiny"')):
        if mine in whole:
            with pytest.raises(DamagedError):
                SearchIndex(whole.replace(mine, other + b" " * (len(mine) - len(other))))


def test_an_index_that_lacks_a_section_or_has_one_of_an_impossible_size_is_damaged() -> None:
    header, sections, _ = unpack(packed())
    needed = set(sections)
    for name in needed:
        with pytest.raises(DamagedError):
            SearchIndex(pack({key: value for key, value in sections.items() if key != name}, header.meta))
    for name in needed - {"titles", "bodies", "ids", "projects", "terms", "done", "digests", "contents"}:
        with pytest.raises(DamagedError):
            SearchIndex(pack({**sections, name: bytes(sections[name]) + b"\0"}, header.meta))


def test_an_index_whose_texts_do_not_begin_and_end_where_they_should_is_damaged() -> None:
    header, sections, _ = unpack(packed())
    for name in sections:
        if name.endswith("_starts") and name not in ("postings_starts", "tag_tasks_starts"):
            for damaged in (bytes(len(sections[name])), bytes(sections[name])[:-8], b""):
                with pytest.raises(DamagedError):
                    SearchIndex(pack({**sections, name: damaged}, header.meta))


def test_random_damage_to_the_header_raises_nothing_but_damaged() -> None:
    whole = packed()
    start = unpack(whole)[2]
    rng = random.Random(20)
    for _ in range(2000):
        garbled = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            garbled[rng.randrange(start)] = rng.randrange(256)
        try:
            SearchIndex(bytes(garbled))
        except DamagedError:
            continue


def test_sections_come_back_as_they_were_packed() -> None:
    sections = {"a": b"", "b": b"12345", "c": bytes(range(256))}
    header, views, start = unpack(pack(sections, {"x": 1, "y": None}))
    assert {name: bytes(view) for name, view in views.items()} == sections
    assert header.meta == {"x": 1, "y": None}
    assert start % 8 == 0


def test_a_corpus_reads_tasks_when_asked_and_finds_them_by_id() -> None:
    read: list[int] = []

    def decode(ordinal: int) -> Task:
        read.append(ordinal)
        return TASKS[ordinal]

    corpus = Corpus(len(TASKS), decode, {task.id: at for at, task in enumerate(TASKS)}.get)
    assert len(corpus) == 5
    assert read == []
    assert corpus.get("a") is TASKS[3]
    assert corpus.get("nowhere") is None
    assert corpus.ordinal("a") == 3
    assert corpus[-1] is TASKS[-1]
    assert read == [3, 4]
    assert list(corpus[1:3]) == TASKS[1:3]
    assert list(corpus) == TASKS
    assert TASKS[2] in corpus
    with pytest.raises(IndexError):
        corpus[5]


def test_a_corpus_of_tasks_in_memory_is_those_tasks() -> None:
    corpus = Corpus.of(TASKS)
    assert list(corpus) == TASKS
    assert [corpus.ordinal(task.id) for task in TASKS] == list(range(5))
    assert list(Corpus.of([])) == []


@pytest.mark.parametrize(
    ("projects", "expected"), [({"p2"}, [0, 2]), ({"p1", ""}, [1, 3, 4]), ({"nowhere"}, []), ((), [])]
)
def test_the_tasks_of_some_projects_are_known_without_reading_any(
    index: SearchIndex, projects: set[str], expected: list[int]
) -> None:
    def decode(ordinal: int) -> Task:
        raise AssertionError(f"task {ordinal} was read")

    assert Corpus(index.size, decode, index.ordinal, index.within).within(projects) == expected
    assert Corpus.of(TASKS).within(projects) == expected
