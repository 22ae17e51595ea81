"""State files as an earlier version wrote them: today's version reads each, or rebuilds it, and loses nothing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.parts import Parts
from ats_core import Deadline
from ats_core.cache.setbacks import noted_setback
from ats_core.index.layout import unpack
from ats_core.index.reader import INDEX_VERSION
from ats_core.plugins.discovery import Catalogue, Found
from ats_core.settings import load_settings
from ats_core.testing import make_engine
from ats_core.vectors.store import SEGMENT_VERSION
from fakes.ollama import FakeOllama
from running import Run
from state.shelf import TASKS, Shelf
from state.write import DIMENSION, MODEL, QUESTIONS, WRITTEN_AT, dense_backend, shelf_engine, ticktick_config

KEPT = Path(__file__).parent / "state"
VERSIONS = sorted(path.name for path in KEPT.glob("v*"))
FOREVER = 10**13
"""Milliseconds: a time to live in which the kept copies, years old, are fresh."""


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A state folder as an upgrade finds it on its user's machine.

    The index names its cache file by inode, size and time. A checkout and a copy change those, an upgrade does not; so
    the index of the copy is made to name the copy.
    """
    folder = tmp_path / "state"
    shutil.copytree(KEPT / request.param, folder)
    for path in folder.glob("*.index"):
        status = path.with_suffix(".json").stat()
        rewritten(path, identity=[status.st_ino, status.st_size, status.st_mtime_ns])
    return folder


def rewritten(path: Path, **meta: Any) -> None:
    """Change what a file of sections says about itself."""
    content = path.read_bytes()
    start = 16 + int.from_bytes(content[8:16], "little")
    header = json.loads(content[16:start])
    header["meta"] |= meta
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    path.write_bytes(content[:8] + len(encoded).to_bytes(8, "little") + encoded + content[start:])


def version_of(path: Path) -> object:
    return unpack(path.read_bytes())[0].meta["version"]


def written(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with what changes when it is replaced."""
    return {
        str(path.relative_to(folder)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


def test_a_cached_copy_answers_without_a_fetch_from_its_mapped_index(kept: Path):
    is_todays = version_of(kept / "corpus-cache.index") == INDEX_VERSION
    before = written(kept)
    shelf = Shelf("anna", locked=True)
    result = make_engine(shelf, name="shelf", state_dir=kept, corpus_ttl_ms=FOREVER).find(QUESTIONS[0])
    assert (shelf.read, result.warnings, result.degraded) == ([], (), False)
    assert result.corpus.from_cache
    assert result.hits[0].task == TASKS[0]
    changed = {name for name, file in written(kept).items() if file != before.get(name)}
    assert changed == {"search-log.jsonl"} | (set() if is_todays else {"corpus-cache.index"})


def test_every_task_of_a_copy_is_as_it_was(kept: Path):
    engine = make_engine(Shelf("anna", locked=True), name="shelf", state_dir=kept, corpus_ttl_ms=FOREVER)
    assert list(engine.corpus().opened.corpus) == list(TASKS)


@pytest.mark.parametrize("version", VERSIONS)
def test_an_index_that_fits_no_copy_is_rebuilt_once_and_in_silence(version: str, tmp_path: Path):
    """As after a restored backup, whose files have other inodes and times."""
    folder = tmp_path / "state"
    shutil.copytree(KEPT / version, folder)
    made = []
    for _ in range(2):
        engine = make_engine(Shelf("anna", locked=True), name="shelf", state_dir=folder, corpus_ttl_ms=FOREVER)
        result = engine.find(QUESTIONS[0])
        assert (result.hits[0].task.id, result.warnings) == ("knives", ())
        made.append(written(folder)["corpus-cache.index"])
    assert made[0] == made[1] != written(KEPT / version)["corpus-cache.index"]


def test_a_copy_that_is_damaged_meanwhile_costs_one_warning(kept: Path):
    path = kept / "corpus-cache.json"
    path.write_bytes(path.read_bytes()[:-9])
    result = shelf_engine(Shelf("anna"), kept).find(QUESTIONS[0])
    assert len(result.warnings) == 1
    assert result.hits[0].task.id == "knives"


def test_documents_are_not_embedded_again(kept: Path):
    segments = list(kept.glob("vectors/*/*/*.vectors"))
    assert [version_of(path) for path in segments] == [SEGMENT_VERSION] * 2, "newer segments: embed once more, say so"
    shelf = Shelf("anna", locked=True)
    engine = make_engine(shelf, name="shelf", state_dir=kept, corpus_ttl_ms=FOREVER)
    assert engine.semantic("citric acid").hits[0].task.id == "oven"
    assert engine.similar("roses").hits
    assert shelf.embedded == []
    assert [space.vectors for space in engine.state.status().vectors] == [len(TASKS)]


def test_of_a_partial_copy_only_what_failed_is_fetched(kept: Path):
    shelf = Shelf("ben")
    engine = make_engine(shelf, name="shelf", state_dir=kept, corpus_ttl_ms=FOREVER)
    result = engine.find("roses")
    assert shelf.read == ["garden"]
    assert result.corpus.sources_failed == ()
    assert result.corpus.size == len(TASKS)


def test_where_the_store_is_down_an_older_copy_answers_and_says_so(kept: Path):
    result = shelf_engine(Shelf("anna", locked=True), kept).find(QUESTIONS[0])
    assert result.corpus.stale
    assert result.hits[0].task.id == "knives"
    assert len(result.warnings) == 1


def test_a_setback_is_still_known(kept: Path):
    (path,) = (path for path in kept.glob("*.retry") if path.with_suffix(".json").exists())
    setback = noted_setback(path, WRITTEN_AT + 60)
    assert setback is not None
    assert setback.reason == "the shelf is locked"
    assert setback.due - setback.at == pytest.approx(30)


def test_the_usage_log_is_analysed_whole_and_written_on(kept: Path, ats: Run):
    log = kept / "search-log.jsonl"
    lines = log.read_bytes()
    shelf_engine(Shelf("anna"), kept).find("one more")
    assert log.read_bytes().startswith(lines)
    done = ats("bench", "analyze-usage", "--json", "--days", "36500", "--log", str(log))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    tools = Counter(json.loads(line)["tool"] for line in lines.splitlines()) + Counter(["find"])
    assert {row["tool"]: row["calls"] for row in report["byTool"]} == tools
    assert report["skippedLines"] == 0


def test_every_setting_holds(kept: Path):
    settings = load_settings({"ATS_CONFIG_DIR": str(kept)})
    chosen = json.loads((kept / "config.json").read_bytes())
    assert {key: getattr(settings, key) for key in chosen} == chosen
    assert {origin for key, origin in settings.origins.items() if key in chosen} == {str(kept / "config.json")}


def test_the_command_takes_the_folder_over(kept: Path, ats: Run, tmp_path: Path):
    mine = {"config.json", "memory.json", "ticktick.json", "ticktick/token.json"}
    before = {name: (kept / name).read_bytes() for name in mine}
    (tmp_path / "tasks.jsonl").write_text('{"title": "Renew the passport"}\n')
    environ = {"ATS_CONFIG_DIR": str(kept), "HOME": str(tmp_path)}
    for words in (["config", "show"], ["cache", "status"], ["find", "passport"], ["adapters"]):
        done = ats(*words, "--json", **environ)
        assert (done.returncode, done.stderr) == (0, ""), words
        answer = json.loads(done.stdout)
        if words[0] == "find":
            assert [task["title"] for task in answer["tasks"]] == ["Renew the passport"]
        if words[0] == "cache":
            assert [copy["problem"] for copy in answer["otherCopies"]] == [None, None]
    assert {name: (kept / name).read_bytes() for name in mine} == before


def test_the_table_of_entry_points_is_read_while_it_fits_and_else_scanned_anew(kept: Path):
    path = kept / "entry-points.json"
    table, scanned = path.read_bytes(), Catalogue.scan()
    _, found = json.loads(table)
    groups = sorted({group for group, *_ in found})

    def todays() -> list[list[Found]]:
        return [Catalogue.kept(path).group(group) for group in groups]

    assert todays() == [scanned.group(group) for group in groups]
    gone = [groups[0], "gone", "gone:Gone", "ats-adapter-gone", "0.1.0", "Not installed"]
    times = [[entry, Path(entry).stat().st_mtime_ns if Path(entry).exists() else None] for entry in sys.path]
    path.write_text(json.dumps([times, [*found, gone]]))
    assert todays() == [[Found(*row) for row in [*found, gone] if row[0] == group] for group in groups]


def test_the_login_holds(kept: Path, ats: Run):
    done = ats("auth", "status", "--adapter", "ticktick", "--json", ATS_CONFIG_DIR=str(kept))
    assert (done.returncode, done.stderr) == (0, "")
    status = json.loads(done.stdout)
    assert (status["ok"], status["account"]) == (True, "999")
    credentials = Parts(ticktick_config(kept / "ticktick")).credentials()
    assert credentials.token(Deadline(1)) == "example-access-token"
    assert credentials.scope() == "api.ticktick.com/999"


def test_what_was_seen_of_an_account_is_still_known(kept: Path):
    account = Parts(ticktick_config(kept / "ticktick")).account()
    seen = account.seen.read()
    assert isinstance(seen, Seen)
    assert (seen.inbox, seen.names) == ("inbox999", {"p1": "Work"})
    account.pacer().acquire(Deadline(1))


def test_a_synced_account_searches_by_meaning_without_another_sync(kept: Path):
    with FakeOllama({MODEL: DIMENSION}) as ollama:
        found = dense_backend(ollama, kept / "ticktick").search("prune the roses", 3, "dense", None, Deadline(20))
        assert found[0].id == "roses"
        assert len(ollama.embedded) == 1


def test_what_this_version_writes_is_what_is_kept(tmp_path: Path):
    """A new kind of state file belongs into the newest folder; see `tests/state/write.py`."""
    command = [sys.executable, "-m", "state.write", str(tmp_path / "now")]
    subprocess.run(command, cwd=KEPT.parent, stdout=subprocess.DEVNULL, check=True)

    def kinds(folder: Path) -> set[str]:
        return {re.sub(r"[0-9a-f]{16,}", "*", name) for name in written(folder)}

    assert kinds(tmp_path / "now") == kinds(KEPT / VERSIONS[-1])
