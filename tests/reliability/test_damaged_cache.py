"""Whatever lies in the place of a file of ours, the search answers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from reliability.harness import Ats, ended


def overwrite(content: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content(path.read_bytes())) and None


def replace_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


DAMAGE: dict[str, Callable[[Path], None]] = {
    "truncated": overwrite(lambda old: old[: len(old) // 2]),
    "cut in its first line": overwrite(lambda old: old[:30]),
    "half a task": overwrite(lambda old: b'{"tasks":[{"id"'),
    "empty": lambda path: os.truncate(path, 0),
    "NULs": overwrite(lambda old: bytes(4096)),
    "a list": overwrite(lambda old: b"[]"),
    "older schema": overwrite(lambda old: old.replace(b'"schema":1', b'"schema":0')),
    "newer schema": overwrite(lambda old: old.replace(b'"schema":1', b'"schema":99')),
    "not UTF-8": overwrite(lambda old: old.replace(b"number", b"\xff\xfe\xfd")),
    "a dangling link": replace_by(lambda path: path.symlink_to(path.parent / "nowhere")),
}
IN_THE_WAY: dict[str, Callable[[Path], None]] = {
    "a folder": replace_by(lambda path: path.mkdir()),
    "a FIFO": replace_by(os.mkfifo),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_cache_is_a_miss_with_one_warning_and_is_rebuilt(ats: Ats, how: str) -> None:
    ats.find("number1x")
    DAMAGE[how](ats.cache)
    found = ats.find("number1x")
    assert found.ids == ["t1"]
    (warning,) = found.answer["warnings"]
    assert "is ignored" in warning
    assert ats.asked("fetch") == ["fetch"] * 2
    rebuilt = ats.find("number2x")
    assert (rebuilt.ids, rebuilt.answer["warnings"], rebuilt.answer["corpus"]["fromCache"]) == (["t2"], [], True)


@pytest.mark.parametrize("how", IN_THE_WAY)
def test_what_is_no_file_is_said_and_left_alone(ats: Ats, how: str) -> None:
    ats.find("number1x")
    IN_THE_WAY[how](ats.cache)
    for fetches in (2, 3):
        found = ats.find("number1x")
        assert found.ids == ["t1"]
        (warning,) = found.answer["warnings"]
        assert str(ats.cache) in warning
        assert "not a regular file" in warning
        assert ats.asked("fetch") == ["fetch"] * fetches
    assert ats.cache.is_dir() or ats.cache.is_fifo()


def test_twenty_calls_at_a_damaged_cache_make_one_fetch_and_all_answer(ats: Ats) -> None:
    ats.plan(tasks=20)
    ats.find("number1x")
    ats.cache.write_bytes(bytes(4096))
    ats.plan(tasks=20, fetch_seconds=0.3)
    processes = [ats.start("find", "--json", f"number{n}x") for n in range(20)]
    for number, process in enumerate(processes):
        assert ended(process).ids == [f"t{number}"]
    assert ats.asked("fetch") == ["fetch"] * 2


@pytest.mark.parametrize("how", ["truncated", "empty", "NULs", "a dangling link", "a folder", "a FIFO"])
def test_a_damaged_index_costs_nobody_an_answer(ats: Ats, how: str) -> None:
    ats.find("number1x")
    index = ats.cache.with_suffix(".index")
    assert index.exists()
    (DAMAGE | IN_THE_WAY)[how](index)
    for _ in range(2):
        found = ats.find("number1x")
        assert found.ids == ["t1"]
        assert len(found.answer["warnings"]) == (how in IN_THE_WAY)
    assert ats.asked("fetch") == ["fetch"]


@pytest.mark.parametrize("how", ["truncated", "empty", "NULs", "a dangling link", "a folder", "a FIFO"])
def test_damaged_vectors_are_computed_again_with_one_warning_at_most(ats: Ats, how: str) -> None:
    ats.plan(space="s")
    ats("sync")
    (segment,) = (ats.state / "vectors").rglob("*.vectors")
    (DAMAGE | IN_THE_WAY)[how](segment)
    found = ats.find("number1x")
    assert found.ids[0] == "t1"
    assert not found.answer["degraded"]
    assert len(found.answer["warnings"]) == (how != "a dangling link")
    assert len(ats.asked("embed document")) == 2
    if how not in IN_THE_WAY:
        assert ats.find("number1x").answer["warnings"] == []
    assert len(ats.asked("embed document")) == 2


def test_a_note_of_a_failed_fetch_that_is_damaged_is_no_note(ats: Ats) -> None:
    ats.find("number1x")
    ats.cache.with_suffix(".retry").write_bytes(b'{"at": NaN')
    assert not ats.find("number1x", TEST_CLOCK_SHIFT="600").answer["degraded"]
