"""Vectors on this machine: exact, durable, and read by many while one writes."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest
from ats_adapter_ticktick.hybrid.catalogue import open_catalogue
from ats_adapter_ticktick.hybrid.local import LocalPoints
from ats_adapter_ticktick.hybrid.points import Point, point_id, text_digest
from ats_adapter_ticktick.hybrid.space import Space
from ats_core import Deadline, EmbeddingError, TaskScope

SPACE = Space("nomic-embed-text:latest", "d" * 64, 3, "p1")


def point(task_id: str, vector: Sequence[float], chunk: int = 0, project: str = "p", text: str = "") -> Point:
    text = text or f"{task_id}/{chunk}"
    return Point(point_id("a", "s", task_id, chunk), task_id, project, chunk, text_digest("", text), text, vector)


@pytest.fixture
def store(tmp_path: Path) -> LocalPoints:
    return LocalPoints(tmp_path, SPACE)


def near(store: LocalPoints, limit: int = 10, floor: float = -1.0, scope: TaskScope | None = None) -> list[str]:
    found = store.nearest([1, 0, 0], limit, scope, floor, Deadline(5))
    return [nearest.task_id for nearest in found]


def test_the_best_piece_counts_and_is_the_passage(store: LocalPoints) -> None:
    store.upsert(
        [
            point("a", [1, 1, 0], 0, text="beginning"),
            point("a", [2, 0.1, 0], 1, text="the end"),
            point("b", [0, 1, 0]),
            point("c", [-3, 0, 0]),
        ]
    )
    found = store.nearest([5, 0, 0], 10, None, 0.0, Deadline(5))
    assert [(nearest.task_id, nearest.text) for nearest in found] == [("a", "the end"), ("b", "b/0")]
    assert found[0].cosine == pytest.approx(2 / math.hypot(2, 0.1), abs=1e-6)
    assert near(store) == ["a", "b", "c"]
    assert near(store, floor=0.5) == ["a"]


def test_ties_go_by_id_at_the_limit_too(store: LocalPoints) -> None:
    store.upsert([point(task_id, [1, 0, 0]) for task_id in ("d", "b", "c", "a")])
    assert near(store, limit=2) == ["a", "b"]
    assert near(store, limit=0) == []


def test_a_scope_is_never_starved(store: LocalPoints) -> None:
    store.upsert([point(f"t{number}", [1, number / 1000, 0]) for number in range(500)])
    assert near(store, limit=3, scope=TaskScope({"t499", "t3", "elsewhere"})) == ["t3", "t499"]
    assert near(store, scope=TaskScope()) == []


@pytest.mark.parametrize("task_id", ["65f0c0ffee0123456789abcd", "inbox1_7", "task/ä", '"42"', "42"])
def test_any_task_id_comes_back_as_it_was(store: LocalPoints, task_id: str) -> None:
    store.upsert([point(task_id, [1, 0, 0], project="inbox/ä")])
    assert near(store) == [task_id]
    assert store.vectors_of(task_id, Deadline(5)) == [[1, 0, 0]]
    assert [stored.project_id for stored in store.stored().values()] == ["inbox/ä"]


def test_vectors_of_an_unknown_task_are_none(store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0])])
    assert store.vectors_of("b", Deadline(5)) == []


def test_points_are_replaced_and_removed(store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0]), point("b", [1, 1, 0])])
    store.upsert([point("a", [0, 1, 0], text="edited")])
    assert near(store) == ["b", "a"]
    store.delete([point_id("a", "s", "b", 0), point_id("a", "s", "unknown", 0)])
    assert near(store) == ["a"]
    assert store.count(Deadline(5)) == 1


def test_finishing_drops_vectors_that_nobody_has(store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0]), point("b", [1, 1, 0])])
    store.delete([point_id("a", "s", "b", 0)])
    assert store.known({text_digest("", "b/0"): None})
    store.finish()
    assert not store.known({text_digest("", "b/0"): None})
    assert near(store) == ["a"]


def test_an_empty_corpus_that_was_synced_answers_nothing_and_is_no_error(store: LocalPoints) -> None:
    store.stored()
    store.finish()
    assert near(store) == []


def test_a_store_that_was_never_synced_says_what_to_do(store: LocalPoints) -> None:
    assert store.stored() == {}
    assert store.count(Deadline(5)) == 0
    with pytest.raises(EmbeddingError, match=r"not synced yet .* run `ats sync`"):
        near(store)
    with pytest.raises(EmbeddingError, match="not synced yet"):
        store.vectors_of("a", Deadline(5))


def test_another_space_is_another_store(tmp_path: Path, store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0])])
    for other in (SPACE._replace(digest="e" * 64), SPACE._replace(dimension=2), SPACE._replace(scheme="p2")):
        with pytest.raises(EmbeddingError, match="not synced yet"):
            near(LocalPoints(tmp_path, other))
    LocalPoints(tmp_path, SPACE._replace(dimension=2)).discard()
    assert near(store) == ["a"]
    store.discard()
    with pytest.raises(EmbeddingError, match="not synced yet"):
        near(store)


def test_a_flipped_byte_in_a_text_is_shown_and_raises_nothing(tmp_path: Path, store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0], text="税務署")])
    (path,) = tmp_path.rglob("catalogue")
    path.write_bytes(path.read_bytes().replace("税".encode(), b"\xe7\xff\xff"))
    assert near(store) == ["a"]


@pytest.mark.parametrize("damage", ["truncated", "empty", "zeros", "folder", "garbage", "middle"])
def test_a_damaged_catalogue_costs_no_embedding(tmp_path: Path, store: LocalPoints, damage: str) -> None:
    store.upsert([point("a", [1, 0, 0]), point("b", [1, 1, 0], text="税")])
    (path,) = tmp_path.rglob("catalogue")
    whole = path.read_bytes()
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        texts = {"truncated": whole[:-8], "empty": b"", "zeros": bytes(4096), "garbage": b"{}" * 500}
        path.write_bytes(texts.get(damage, whole[:200] + b"\xff" * 100 + whole[300:]))
    again = LocalPoints(tmp_path, SPACE)
    with pytest.raises(EmbeddingError, match="not synced yet"):
        near(again)
    assert again.stored() == {}
    digest = text_digest("", "税")
    assert again.known({digest: None, text_digest("", "new"): None})[digest] == pytest.approx([0.5**0.5, 0.5**0.5, 0])


def test_a_point_whose_vector_is_lost_is_not_stored(tmp_path: Path, store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0])])
    store.upsert([point("b", [1, 1, 0])])
    next(tmp_path.rglob("*.vectors")).write_bytes(b"")
    again = LocalPoints(tmp_path, SPACE)
    assert len(again.stored()) == again.count(Deadline(5)) == 1
    assert len(near(again)) == 1


def test_files_are_private(tmp_path: Path, store: LocalPoints) -> None:
    store.upsert([point("a", [1, 0, 0])])
    for path in tmp_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


WRITER = """
import sys
from pathlib import Path
from ats_adapter_ticktick.hybrid.local import LocalPoints
from ats_adapter_ticktick.hybrid.space import Space
from ats_adapter_ticktick.hybrid.points import Point, point_id, text_digest

folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
store = LocalPoints(folder, Space("nomic-embed-text:latest", "d" * 64, 3, "p1"))
store.stored()
for number in range(rounds):
    texts = [f"{number}/{row}" for row in range(20)]
    store.upsert([
        Point(point_id("a", "s", text, 0), text, "p", 0, text_digest("", text), text, [1, 0, 0]) for text in texts
    ])
    store.delete([point_id("a", "s", texts[-1], 0)])
    print(number, flush=True)
    if number % 7 == 6:
        store.finish()
"""

READER = """
import sys
from pathlib import Path
from ats_adapter_ticktick.hybrid.local import LocalPoints
from ats_adapter_ticktick.hybrid.space import Space
from ats_core import Deadline

store = LocalPoints(Path(sys.argv[1]), Space("nomic-embed-text:latest", "d" * 64, 3, "p1"))
print("ready", flush=True)
seen = 0
while not Path(sys.argv[2]).exists():
    found = store.nearest([1, 0, 0], 5000, None, 0.5, Deadline(5))
    assert all(nearest.cosine > 0.99 and nearest.text == nearest.task_id for nearest in found)
    assert len(found) >= seen, (len(found), seen)
    seen = len(found) - 1  # the one that is written and removed again
"""


def run(program: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ten_readers_see_whole_states_while_one_writes(tmp_path: Path, store: LocalPoints) -> None:
    store.upsert([point(f"t{number}", [1, 0, 0], text=f"t{number}") for number in range(50)])
    end = tmp_path / "end"
    readers = [run(READER, tmp_path, end) for _ in range(10)]
    for reader in readers:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
    writer = run(WRITER, tmp_path, 20)
    assert writer.communicate(timeout=120)[1] == ""
    end.touch()
    for reader in readers:
        assert reader.communicate(timeout=120)[1] == ""
        assert reader.returncode == 0
    assert len(near(store, limit=5000)) == 50 + 20 * 19


def test_a_writer_that_is_killed_leaves_all_that_it_said_was_written(tmp_path: Path) -> None:
    random.seed(6)
    written: set[str] = set()
    for _ in range(4):
        writer = run(WRITER, tmp_path, 1000)
        assert writer.stdout is not None
        for _ in range(random.randint(3, 12)):
            written.add(writer.stdout.readline().strip())
        os.kill(writer.pid, signal.SIGKILL)
        writer.communicate()
        store = LocalPoints(tmp_path, SPACE)
        there = {nearest.task_id for nearest in store.nearest([1, 0, 0], 100_000, None, 0.5, Deadline(5))}
        assert {f"{number}/{row}" for number in written for row in range(19)} <= there
        assert len(store.stored()) == store.count(Deadline(5)) == len(there)
        catalogues = [open_catalogue(path) for path in tmp_path.rglob("catalogue")]
        assert None not in catalogues
