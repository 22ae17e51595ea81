"""An index that was brought up to date is the index of a full build, byte for byte, but for words that are gone."""

from __future__ import annotations

import pytest
from ats_core import Task
from ats_core.index import reader
from ats_core.index.layout import unpack
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.text.analyser import Analyser
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

WORDS = st.lists(st.sampled_from(["tax", "café", "C++", "税金", "a", "b", "release"]), max_size=6).map(" ".join)
TASKS = st.lists(
    st.builds(
        Task,
        id=st.sampled_from([str(number) for number in range(12)]),
        title=WORDS,
        content=WORDS,
        tags=st.lists(st.sampled_from(["x", "Y z"]), max_size=2).map(tuple),
        project_id=st.sampled_from(["p", "q"]),
        status=st.sampled_from(["open", "done"]),
        due_date=st.sampled_from([None, "2026-12-01"]),
    ),
    max_size=12,
    unique_by=lambda task: task.id,
)


@pytest.fixture(autouse=True)
def merge_small_ones_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "LITTLE_TEXT", 0)


@given(TASKS, TASKS)
def test_an_update_gives_the_bytes_of_a_full_build(before: list[Task], after: list[Task]) -> None:
    older = SearchIndex(index_tasks(before, Analyser()))
    updated, whole = index_tasks(after, Analyser(), older=older), index_tasks(after, Analyser())
    assert sections(updated) == sections(whole)
    assert words(updated) >= words(whole)
    assert all(term in SearchIndex(whole).terms.all() for _, term in words(updated))


def sections(index: bytes) -> dict[str, bytes]:
    """All but the words, of which an update may keep some that no task holds any more."""
    header, found, _ = unpack(index)
    kept = found.keys() - {"words", "words_starts", "word_terms"}
    return {name: bytes(found[name]) for name in kept} | {"meta": repr(header.meta).encode()}


def words(index: bytes) -> set[tuple[bytes, bytes]]:
    read = SearchIndex(index)
    return {(word, read.terms[term]) for word, term in zip(read.words.all(), read.word_terms, strict=True)}


def test_only_what_changed_is_analysed(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task(id=str(number), title=f"note {number}", content="body") for number in range(50)]
    older = SearchIndex(index_tasks(tasks, Analyser()))
    analysed: list[str] = []
    analyser = Analyser()
    plain = analyser.terms
    monkeypatch.setattr(analyser, "terms", lambda text: analysed.append(text) or plain(text))
    index_tasks([Task(id="7", title="another", content="body"), *tasks[8:]], analyser, older=older)
    assert analysed == ["another", "body"]


def test_an_index_of_another_language_is_no_help() -> None:
    tasks = [Task(id="1", title="running")]
    older = SearchIndex(index_tasks(tasks, Analyser("none")))
    assert index_tasks(tasks, Analyser(), older=older) == index_tasks(tasks, Analyser())
