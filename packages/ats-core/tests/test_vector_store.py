"""Vectors on disk: found again by space and text, never mixed, and damage costs only what was damaged."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
from ats_core.vectors.store import (
    KEY_SIZE,
    MOST_SEGMENTS,
    Segment,
    VectorStore,
    make_segment,
    merge,
    positions,
)
from hypothesis import given
from hypothesis import strategies as st


def key(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=KEY_SIZE).digest()


def segment_of(*texts: str, value: float = 1.0, dimension: int = 3) -> Segment:
    rows = np.zeros((len(texts), dimension), dtype=np.float32)
    rows[:, 0] = value
    return make_segment([key(text) for text in texts], rows)


def known(store: VectorStore, text: str) -> bool:
    keys = segment_of(text).keys
    return any(positions(segment, keys)[0] >= 0 for segment in store.segments()[0])


def test_what_was_kept_is_found_again(tmp_path: Path) -> None:
    rows = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)
    VectorStore(tmp_path, "m1").add(make_segment([key("a"), key("b"), key("c")], rows))
    (segment,) = VectorStore(tmp_path, "m1").segments()[0]
    wanted = np.array([key("c"), key("x"), key("a")], dtype=f"S{KEY_SIZE}")
    at = positions(segment, wanted)
    assert at[1] == -1
    np.testing.assert_array_equal(segment.rows[at[[0, 2]]], rows[[2, 0]])


def test_an_empty_store_has_no_segments(tmp_path: Path) -> None:
    assert VectorStore(tmp_path, "m1").segments()[0] == []
    assert os.listdir(tmp_path) == []


def test_of_a_key_given_twice_the_first_row_stays() -> None:
    rows = np.array([[1, 0], [0, 1]], dtype=np.float32)
    segment = make_segment([key("a"), key("a")], rows)
    np.testing.assert_array_equal(segment.rows, rows[:1])


def test_positions_in_an_empty_segment_are_none() -> None:
    empty = make_segment([], np.zeros((0, 3), dtype=np.float32))
    assert positions(empty, segment_of("a", "b").keys).tolist() == [-1, -1]
    assert positions(segment_of("a"), empty.keys).tolist() == []


def test_spaces_never_meet_even_in_one_folder(tmp_path: Path) -> None:
    one, two = VectorStore(tmp_path, "m1"), VectorStore(tmp_path, "m2")
    one.add(segment_of("a"))
    assert two.segments()[0] == []
    two.folder.mkdir(parents=True, exist_ok=True)
    (file,) = one.folder.glob("*.vectors")
    (two.folder / file.name).write_bytes(file.read_bytes())  # the name of the folder is a digest, and may be wrong
    assert two.segments()[0] == []


def test_a_space_may_be_named_anything(tmp_path: Path) -> None:
    for space in ("", "a/b\0c", "\udcff", "ü" * 1000):
        store = VectorStore(tmp_path, space.replace("\udcff", "\ufffd"))
        store.add(segment_of("a"))
        assert known(store, "a")


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[:-8],
    "cut in the header": lambda content: content[:20],
    "NULs": lambda content: bytes(len(content)),
    "another version": lambda content: content.replace(b'"version":1', b'"version":0', 1),
    "no dimension": lambda content: content.replace(b'"dimension"', b'"dimensiox"', 1),
    "a dimension that does not divide": lambda content: content.replace(b'"dimension":3', b'"dimension":5', 1),
    "a dimension of nought": lambda content: content.replace(b'"dimension":3', b'"dimension":0', 1),
    "another number of rows": lambda content: content.replace(b'"dimension":3', b'"dimension":1', 1),
    "a missing section": lambda content: content.replace(b'"rows"', b'"rowx"', 1),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_segment_is_left_out_and_the_others_stay(tmp_path: Path, how: str) -> None:
    store = VectorStore(tmp_path, "m1")
    store.add(segment_of("a", "c"))
    (file,) = store.folder.glob("*.vectors")
    store.add(segment_of("b"))
    file.write_bytes(DAMAGE[how](file.read_bytes()))
    assert (known(store, "a"), known(store, "b")) == (False, True)


def test_a_folder_in_a_segments_place_is_left_out(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m1")
    (store.folder / "x.vectors").mkdir(parents=True)
    store.add(segment_of("a"))
    assert known(store, "a")


def test_many_segments_become_one_and_nothing_is_lost(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m1")
    texts = [str(number) for number in range(MOST_SEGMENTS * 2 + 3)]
    for text in texts:
        store.add(segment_of(text))
        assert len(store.segments()[0]) <= MOST_SEGMENTS
    assert all(known(store, text) for text in texts)


def test_a_reader_is_not_disturbed_by_a_merge(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m1")
    store.add(segment_of("a", value=0.5))
    (held,) = store.segments()[0]
    for number in range(MOST_SEGMENTS):
        store.add(segment_of(str(number)))
    assert held.path is not None
    assert not held.path.exists()
    assert held.rows[0, 0] == np.float32(0.5)


def test_a_merge_keeps_to_one_dimension(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, "m1")
    for number in range(MOST_SEGMENTS):
        store.add(segment_of(str(number), dimension=2))
    store.add(segment_of("new", dimension=3))
    (segment,) = store.segments()[0]
    assert segment.rows.shape == (1, 3)


def test_files_are_private_and_no_temporary_one_stays(tmp_path: Path) -> None:
    old_mask = os.umask(0)
    try:
        store = VectorStore(tmp_path / "vectors", "m1")
        store.add(segment_of("a"))
    finally:
        os.umask(old_mask)
    (file,) = store.folder.iterdir()
    assert file.suffix == ".vectors"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_raises_and_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = VectorStore(tmp_path / "file", "m1")
    assert store.segments()[0] == []
    with pytest.raises(OSError, match="file"):
        store.add(segment_of("a"))


words = st.text(max_size=4)


@given(st.lists(st.lists(words, max_size=5), min_size=1, max_size=5), words)
def test_merging_keeps_every_key_once_in_order(batches: list[list[str]], other: str) -> None:
    segments = [
        make_segment([key(repr(text)) for text in batch], np.ones((len(batch), 2), dtype=np.float32))
        for batch in batches
    ]
    merged = merge(segments)
    texts = {repr(text) for batch in batches for text in batch}
    assert len(merged.keys) == len(texts) == len(merged.rows)
    assert sorted(merged.keys.tolist()) == merged.keys.tolist()
    probe = np.array([key(repr(other))], dtype=f"S{KEY_SIZE}")
    assert (positions(merged, probe)[0] >= 0) == (repr(other) in texts)
