"""Ids, owners and digests: what must never collide, and what a sync makes of corpus and store."""

from __future__ import annotations

from uuid import UUID

import pytest
from ats_adapter_ticktick.hybrid.plan import Piece, pieces, plan
from ats_adapter_ticktick.hybrid.points import Nearest, Stored, best_first, owner_key, point_id, text_digest
from ats_core import Task

TASK_IDS = ("65f0c0ffee0123456789abcd", "inbox1_7", "task/ä", '"42"', "42", "", "a\0b", "税", "plan \ud83d")


@pytest.mark.parametrize("task_id", TASK_IDS)
def test_any_task_id_makes_a_uuid_of_version_5_that_stays_the_same(task_id: str) -> None:
    made = point_id("ticktick", "anna", task_id, 0)
    assert UUID(made).version == 5
    assert str(UUID(made)) == made
    assert made == point_id("ticktick", "anna", task_id, 0)


def test_what_makes_an_id_cannot_be_read_in_two_ways() -> None:
    made = [
        point_id(adapter, scope, task_id, chunk)
        for adapter, scope in (("a", "b"), ("ab", ""), ("", "ab"), ("a", "b1"), ("a:b", ""), ("1:a,1:b", "x"))
        for task_id in ("42", "1", "11", "4", "")
        for chunk in (0, 1, 11, 2)
    ]
    assert len(set(made)) == len(made)


def test_the_id_of_a_task_is_another_for_each_adapter_and_account() -> None:
    made = {point_id(adapter, scope, "42", 0) for adapter in ("A", "B") for scope in ("anna", "bob")}
    assert len(made) == 4
    assert point_id("A", "anna", "42", 0) != point_id("A", "anna", '"42"', 0)


def test_owners_and_digests_tell_their_parts_apart() -> None:
    assert owner_key("ab", "c") != owner_key("a", "bc")
    assert text_digest("ab", "c") != text_digest("a", "bc")
    assert len(bytes.fromhex(text_digest("", "税"))) == 16
    int(owner_key("ticktick", "\ud800"), 16)


def test_the_best_come_first_and_equals_by_id() -> None:
    found = [Nearest("c", 0.5, ""), Nearest("b", 0.5, ""), Nearest("a", 0.4, ""), Nearest("d", 0.9, "")]
    assert [nearest.task_id for nearest in best_first(found, 3)] == ["d", "b", "c"]


def piece(key: str, digest: str, project: str = "p") -> Piece:
    return Piece(key, f"task-{key}", project, 0, digest, "title", "text", "passage")


def test_only_what_differs_is_missing_and_equal_texts_are_there_once() -> None:
    wanted = {key: piece(key, digest) for key, digest in (("1", "a"), ("2", "b"), ("3", "b"), ("4", "new"))}
    stored = {"1": Stored("p", "a"), "4": Stored("p", "old")}
    made = plan(wanted, stored, refused=(), missed=())
    assert {digest: [one.id for one in same] for digest, same in made.missing.items()} == {
        "b": ["2", "3"],
        "new": ["4"],
    }
    assert made.gone == []


def test_a_task_in_another_project_is_written_again() -> None:
    made = plan({"1": piece("1", "a", "q")}, {"1": Stored("p", "a")}, refused=(), missed=())
    assert list(made.missing) == ["a"]


def test_what_a_living_project_no_longer_has_is_gone() -> None:
    made = plan({"1": piece("1", "a")}, {"1": Stored("p", "a"), "2": Stored("p", "b")}, refused=(), missed=())
    assert (made.missing, made.gone, made.spared, made.kept) == ({}, ["2"], [], 0)


def test_a_project_that_vanished_as_a_whole_is_spared_until_it_is_missed_again() -> None:
    stored = {"1": Stored("p", "a"), "2": Stored("q", "b"), "3": Stored("q", "c")}
    first = plan({"1": piece("1", "a")}, stored, refused=(), missed=())
    assert (first.gone, first.spared, first.kept) == ([], ["q"], 2)
    second = plan({"1": piece("1", "a")}, stored, refused=(), missed=first.spared)
    assert (second.gone, second.spared, second.kept) == (["2", "3"], [], 0)


def test_a_refused_text_is_not_asked_again_and_leaves_no_vector_of_an_older_one() -> None:
    wanted = {"1": piece("1", "bad"), "2": piece("2", "b")}
    made = plan(wanted, {"1": Stored("p", "old")}, refused={"bad"}, missed=())
    assert (list(made.missing), made.gone) == (["b"], ["1"])


def test_a_task_without_text_has_no_pieces_and_a_long_one_several() -> None:
    tasks = [
        Task(id="blank", title=" ", content="\n"),
        Task(id="short", title="Call the bank", project_id="p"),
        Task(id="long", title="Minutes", content="All agreed. " * 400, project_id="p"),
    ]
    made = pieces(tasks, "ticktick", "anna", 1000)
    by_task = {task.id: [one for one in made.values() if one.task_id == task.id] for task in tasks}
    assert by_task["blank"] == []
    assert [(one.text, one.passage) for one in by_task["short"]] == [("Call the bank", "")], "a title is no passage"
    assert len(by_task["long"]) > 3
    assert [one.chunk for one in by_task["long"]] == list(range(len(by_task["long"])))
    assert all(key == point_id("ticktick", "anna", one.task_id, one.chunk) for key, one in made.items())
