"""Which corpus answers a call, and that nothing that lies in the cache's place can spoil it."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from mmap import mmap
from pathlib import Path
from typing import Any

import pytest
from ats_core import FailedProject, Fetched, LoginRequiredError, NotFoundError, Project, StoreError, Task
from ats_core.cache import freshness, opened, place, store
from ats_core.cache.file import decode_tasks, read_copy
from ats_core.cache.freshness import Policy
from ats_core.cache.opened import index_path
from ats_core.cache.partial import RETRY_AFTER
from ats_core.cache.store import CorpusStore, Loaded
from ats_core.index.reader import index_pieces
from ats_core.plugins.adapter import Adapter
from ats_core.text.analyser import Analyser

MakeStore = Callable[..., Any]
TTL = 300.0


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ats" / "corpus-cache.json"


@pytest.fixture
def open_store(path: Path, clock: Clock) -> Callable[..., CorpusStore]:
    """`open_store(adapter)`: as a new process would, over the same files."""

    def make(
        adapter: object,
        scope: str = "ann",
        *,
        name: str = "shop",
        ttl: float = TTL,
        path: Path | None = path,
        language: str = "english",
        on_fetch: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> CorpusStore:
        policy = Policy(path, ttl, 20.0)
        return CorpusStore(
            Adapter(name, adapter), scope, policy, lambda: Analyser(language), on_fetch=on_fetch, clock=clock
        )

    return make


OpenStore = Callable[..., CorpusStore]


@pytest.fixture
def no_indexing(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on whoever tokenises or decodes the whole corpus fails."""

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the corpus was indexed anew")

    monkeypatch.setattr(opened, "index_pieces", fail)
    monkeypatch.setattr(opened, "decode_tasks", fail)


def titles(loaded: Loaded) -> list[str]:
    assert loaded.opened.index.size == len(loaded.opened.corpus)
    return [task.title for task in loaded.opened.corpus]


# Freshness


def test_a_fresh_copy_answers_without_a_fetch(make_store: MakeStore, open_store: OpenStore, clock: Clock) -> None:
    adapter = make_store()
    first = open_store(adapter).load()
    clock.now += 12
    second = open_store(adapter).load()
    assert adapter.fetches == 1
    assert titles(first) == titles(second)
    assert (first.report.from_cache, second.report.from_cache) == (False, True)
    assert (second.report.age_ms, second.report.stale, second.report.size) == (12_000, False, 5)
    assert second.warnings == ()


def test_a_fetch_and_nothing_else_runs_in_the_context_given(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    entered: list[str] = []

    @contextmanager
    def fetching() -> Iterator[None]:
        entered.append("begins")
        try:
            yield
        finally:
            entered.append("ends")

    failing: set[str] = set()

    def tasks_of(project_id: str) -> list[Task]:
        if project_id in failing:
            raise StoreError("HTTP 500")
        return [Task(id=project_id, title="a")]

    adapter = make_store(list_tasks_in_project=tasks_of)
    corpus = open_store(adapter, on_fetch=fetching)
    for _ in range(2):
        corpus.load()
        assert entered == ["begins", "ends"], "the second answer is a copy"
    adapter.down = StoreError("HTTP 500")
    clock.now += 1
    corpus.load(fresh=True)
    assert entered == ["begins", "ends"] * 2, "it ends when the fetch fails, too"
    adapter.down = None
    failing.add("q")
    clock.now += 1
    corpus.load(fresh=True)
    clock.now += 31
    corpus.load()
    assert entered == ["begins", "ends"] * 4, "failed projects are asked again"


def test_one_store_that_lives_on_does_not_fetch_either(make_store: MakeStore, open_store: OpenStore) -> None:
    adapter = make_store()
    corpus = open_store(adapter)
    assert corpus.load().opened is corpus.load().opened
    assert adapter.fetches == 1


@pytest.mark.parametrize(("age", "fetches"), [(TTL - 0.001, 1), (TTL, 2), (TTL * 1000, 2)])
def test_a_copy_expires_after_its_time_to_live(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, age: float, fetches: int
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    clock.now += age
    open_store(adapter).load()
    assert adapter.fetches == fetches


def test_the_age_counts_from_the_start_of_the_fetch(make_store: MakeStore, open_store: OpenStore, clock: Clock) -> None:
    def slow() -> list[Task]:
        clock.now += 100
        return []

    loaded = open_store(make_store(bulk_fetch=slow)).load()
    assert loaded.report.age_ms == 100_000


@pytest.mark.parametrize(("moved", "fetches"), [(-1.9, 1), (-2.1, 2), (-86_400, 2)])
def test_a_clock_that_went_back_is_not_fresh(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, moved: float, fetches: int
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    adapter.tasks = [Task(id="n", title="new", project_id="p")]
    clock.now += moved
    loaded = open_store(adapter).load()
    assert adapter.fetches == fetches
    assert (titles(loaded) == ["new"]) is (fetches == 2)


def test_a_forced_fetch_does_not_take_a_copy_from_before_the_clock_went_back(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    clock.now -= 3600
    assert not open_store(adapter).load(fresh=True).report.from_cache


def test_a_time_to_live_of_zero_always_fetches(make_store: MakeStore, open_store: OpenStore, clock: Clock) -> None:
    adapter = make_store(revision=lambda: "same")
    for _ in range(3):
        clock.now += 1
        open_store(adapter, ttl=0).load()
    assert adapter.fetches == 3


def test_without_a_cache_every_call_fetches_and_nothing_is_written(
    make_store: MakeStore, open_store: OpenStore, tmp_path: Path
) -> None:
    adapter = make_store()
    corpus = open_store(adapter, path=None)
    assert titles(corpus.load()) == titles(corpus.load())
    assert adapter.fetches == 2
    assert os.listdir(tmp_path) == []


def test_fresh_fetches_first(make_store: MakeStore, open_store: OpenStore, clock: Clock) -> None:
    adapter = make_store()
    open_store(adapter).load()
    adapter.tasks = [Task(id="n", title="new", project_id="p")]
    clock.now += 1
    assert titles(open_store(adapter).load(fresh=True)) == ["new"]
    assert titles(open_store(adapter).load()) == ["new"]
    assert adapter.fetches == 2


def test_cached_answers_from_any_copy_and_fetches_nothing(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    clock.now += TTL * 10
    adapter.down = AssertionError("must not be asked")
    loaded = open_store(adapter).load(cached=True)
    assert (len(titles(loaded)), loaded.report.from_cache, loaded.report.stale) == (5, True, True)


def test_cached_without_a_copy_is_told(make_store: MakeStore, open_store: OpenStore) -> None:
    adapter = make_store()
    with pytest.raises(NotFoundError, match="there is no cached corpus yet") as caught:
        open_store(adapter).load(cached=True)
    assert caught.value.hint
    assert adapter.calls == []


def test_the_same_revision_is_fresh_beyond_the_time_to_live_and_another_never(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    revision = "1"
    adapter = make_store(revision=lambda: revision)
    open_store(adapter).load()
    clock.now += TTL * 100
    assert open_store(adapter).load().report.from_cache
    clock.now -= TTL * 200
    assert open_store(adapter).load().report.from_cache
    revision = "2"
    clock.now += TTL * 100 + 1
    assert not open_store(adapter).load().report.from_cache
    assert open_store(adapter).load().report.from_cache


def test_the_revision_is_read_before_the_fetch(make_store: MakeStore, open_store: OpenStore, clock: Clock) -> None:
    """A store that changes while it is read must look changed afterwards."""
    revision = 1

    def bulk() -> list[Task]:
        nonlocal revision
        revision += 1
        return [Task(id="1", title=f"read at {revision}")]

    adapter = make_store(bulk_fetch=bulk, revision=lambda: str(revision))
    open_store(adapter).load()
    clock.now += 1
    assert titles(open_store(adapter).load()) == ["read at 3"]


def test_without_anything_to_tell_by_the_age_decides(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    adapter = make_store(revision=lambda: None)
    open_store(adapter).load()
    assert open_store(adapter).load().report.from_cache
    clock.now += TTL
    assert not open_store(adapter).load().report.from_cache


def test_a_revision_that_cannot_be_told_is_a_warning_and_the_age_decides(
    make_store: MakeStore, open_store: OpenStore
) -> None:
    def fail() -> None:
        raise OSError("no such file")

    adapter = make_store(revision=fail)
    first, second = open_store(adapter).load(), open_store(adapter).load()
    assert (first.report.from_cache, second.report.from_cache) == (False, True)
    assert first.warnings == second.warnings == ("shop: revision failed: OSError: no such file",)


# Failing stores


def test_a_failed_refetch_serves_the_expired_copy_marked_stale(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    before = path.read_bytes()
    clock.now += TTL
    adapter.down = OSError("no network")
    loaded = open_store(adapter).load()
    assert len(titles(loaded)) == 5
    assert loaded.report.stale
    (warning,) = loaded.warnings
    assert warning.startswith("the corpus could not be fetched, this is an older copy: ")
    assert "no network" in warning
    assert path.read_bytes() == before
    adapter.down = None
    clock.now += RETRY_AFTER - 0.1
    assert open_store(adapter).load().report.stale, "the store is left in peace for a while"
    assert adapter.fetches == 2
    clock.now += 0.1
    assert not open_store(adapter).load().report.stale


def test_a_missing_login_serves_the_expired_copy_and_says_how_to_log_in(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    clock.now += TTL
    adapter.down = LoginRequiredError("login expired", hint="run: ats auth login")
    loaded = open_store(adapter).load()
    assert loaded.report.stale
    assert loaded.warnings[0].endswith("login expired (run: ats auth login)")


def test_without_a_copy_a_failed_fetch_raises(make_store: MakeStore, open_store: OpenStore, path: Path) -> None:
    adapter = make_store()
    adapter.down = OSError("no network")
    with pytest.raises(StoreError, match="no network"):
        open_store(adapter).load()
    adapter.down = LoginRequiredError("log in first")
    with pytest.raises(LoginRequiredError) as caught:
        open_store(adapter).load()
    assert caught.value.exit_code == 3
    assert not path.exists()


def test_a_failed_project_is_named_in_the_report_and_in_a_warning_from_the_copy_too(
    make_store: MakeStore, open_store: OpenStore
) -> None:
    failed = FailedProject(id="q", name="Work", error="HTTP 500 \udcff")
    adapter = make_store(bulk_fetch=lambda: Fetched(tasks=[Task(id="1", title="a")], failed=[failed]))
    for loaded in (open_store(adapter).load(), open_store(adapter).load()):
        (named,) = loaded.report.sources_failed
        assert (named.id, named.name, named.error) == ("q", "Work", "HTTP 500 \ufffd")
        assert any("Work" in warning and "HTTP 500 \ufffd" in warning for warning in loaded.warnings)


def test_what_is_odd_about_the_tasks_is_said_of_the_copy_too(make_store: MakeStore, open_store: OpenStore) -> None:
    adapter = make_store(tasks=[Task(id=1, title="a", project_id="p"), Task(id="1", title="b", project_id="p")])
    adapter.take_warnings = lambda: ["odd \udcff"]
    first, second = open_store(adapter).load(), open_store(adapter).load()
    assert first.warnings == ("odd \ufffd", "1 duplicate task ids, the first of each is kept: 1")
    assert second.warnings == first.warnings
    assert second.report.from_cache


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_corpus_of_any_size_comes_back_from_the_cache(
    make_store: MakeStore, open_store: OpenStore, count: int
) -> None:
    adapter = make_store(tasks=[Task(id=str(number), title="", project_id="p") for number in range(count)])
    assert titles(open_store(adapter).load()) == [""] * count
    again = open_store(adapter).load()
    assert titles(again) == [""] * count
    assert again.report.from_cache


@pytest.mark.parametrize("text", ["caf\u00e9 \udcff", "\ud83d\ude00"])
def test_no_text_of_an_adapter_can_keep_the_corpus_from_being_cached(
    make_store: MakeStore, open_store: OpenStore, text: str
) -> None:
    adapter = make_store(
        tasks=[Task(id=text, title=text, project_id="p", raw={"title": text})],
        projects=[Project(id="p", name=text)],
        revision=lambda: text,
    )
    first, second = open_store(adapter).load(), open_store(adapter).load()
    assert second.report.from_cache
    assert titles(first) == titles(second)


# Other scopes


def test_no_scope_ever_reads_or_overwrites_another(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path
) -> None:
    ann, bob = make_store([Task(id="1", title="A-secret")]), make_store([Task(id="1", title="B-secret")])
    for adapter, secret in ((ann, "A-secret"), (bob, "B-secret")):
        adapter.tasks = [Task(id="1", title=secret, project_id="p")]
    assert titles(open_store(ann, "ann").load()) == ["A-secret"]
    ours = path.read_bytes()
    assert titles(open_store(bob, "bob").load()) == ["B-secret"]
    assert titles(open_store(bob, "ann", name="other").load()) == ["B-secret"]
    assert path.read_bytes() == ours
    clock.now += 1
    for adapter, scope, name, secret in (
        (ann, "ann", "shop", "A-secret"),
        (bob, "bob", "shop", "B-secret"),
        (bob, "ann", "other", "B-secret"),
    ):
        loaded = open_store(adapter, scope, name=name).load()
        assert (titles(loaded), loaded.report.from_cache) == ([secret], True)
        assert titles(open_store(adapter, scope, name=name).load(cached=True)) == [secret]
    with pytest.raises(NotFoundError):
        open_store(ann, "eve").load(cached=True)
    assert len(list(path.parent.glob("corpus-cache*.json"))) == 3
    assert len(list(path.parent.glob("corpus-cache*.index"))) == 3


def test_adapter_and_scope_cannot_be_confused_by_their_seam(make_store: MakeStore, open_store: OpenStore) -> None:
    one, two = make_store(), make_store([])
    open_store(one, "c", name="ab").load()
    open_store(one, "x", name="y").load()
    assert titles(open_store(two, "bc", name="a").load()) == []


def test_the_demos_copy_gives_way(make_store: MakeStore, open_store: OpenStore, path: Path) -> None:
    demo = make_store()
    demo.demo = True
    assert open_store(demo, "demo").load().report.demo
    assert titles(open_store(make_store([]), "ann").load()) == []
    copy = read_copy(path)
    assert copy is not None
    assert (copy.header.scope, copy.header.demo) == ("ann", False)
    assert list(path.parent.glob("corpus-cache-*.json")) == []


def test_once_a_scope_has_a_file_of_its_own_it_stays_there(
    make_store: MakeStore, open_store: OpenStore, path: Path
) -> None:
    adapter = make_store()
    open_store(adapter, "ann").load()
    open_store(adapter, "bob").load()
    path.unlink()
    assert open_store(adapter, "bob").load().report.from_cache


# Damage


def damage_file(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def damage_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "nowhere")


DAMAGE: dict[str, Callable[[Path], None]] = {
    "truncated": lambda path: damage_file(path, path.read_bytes()[:-40]),
    "half a task": lambda path: damage_file(path, b'{"tasks":[{"id"'),
    "empty": lambda path: damage_file(path, b""),
    "NULs": lambda path: damage_file(path, bytes(4096)),
    "a list": lambda path: damage_file(path, b"[]"),
    "older schema": lambda path: damage_file(path, path.read_bytes().replace(b'"schema":1', b'"schema":0', 1)),
    "not UTF-8": lambda path: damage_file(path, path.read_bytes().replace(b'"ann"', b'"\xff\xfe"', 1)),
    "a link to nothing": damage_link,
    "a line that is no task": lambda path: damage_file(
        path, path.read_bytes().replace(b'{"id":"t2"', b'{"id":222222', 1)
    ),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_damage_is_a_miss_with_one_warning_and_is_mended(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path, how: str
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    DAMAGE[how](path)
    clock.now += 1
    loaded = open_store(adapter).load()
    assert len(titles(loaded)) == 5
    assert adapter.fetches == 2
    (warning,) = loaded.warnings
    assert "is ignored: " in warning
    mended = open_store(adapter).load()
    assert (mended.report.from_cache, mended.warnings) == (True, ())
    assert titles(mended) == titles(loaded)


def test_a_folder_in_the_caches_place_is_left_alone_and_the_question_answered(
    make_store: MakeStore, open_store: OpenStore, path: Path
) -> None:
    path.mkdir(parents=True)
    (path / "mine").write_text("keep")
    loaded = open_store(make_store()).load()
    assert len(titles(loaded)) == 5
    (warning,) = loaded.warnings
    assert "is ignored: not a regular file" in warning
    assert (path / "mine").read_text() == "keep"


def test_a_pipe_in_the_caches_place_is_left_alone_and_the_question_answered(
    make_store: MakeStore, open_store: OpenStore, path: Path
) -> None:
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    loaded = open_store(make_store()).load()
    assert len(titles(loaded)) == 5
    (warning,) = loaded.warnings
    assert "is ignored: not a regular file" in warning
    assert path.is_fifo()


@pytest.mark.parametrize("how", DAMAGE)
def test_cached_from_a_damaged_copy_is_told(make_store: MakeStore, open_store: OpenStore, path: Path, how: str) -> None:
    adapter = make_store()
    open_store(adapter).load()
    DAMAGE[how](path)
    with pytest.raises(NotFoundError, match="cached corpus"):
        open_store(adapter).load(cached=True)
    assert adapter.fetches == 1


def test_a_damaged_copy_and_a_store_that_is_down_is_a_failure(
    make_store: MakeStore, open_store: OpenStore, path: Path
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    path.write_bytes(b"[]")
    adapter.down = OSError("no network")
    with pytest.raises(StoreError, match="no network"):
        open_store(adapter).load()
    assert path.read_bytes() == b"[]"


def test_a_folder_that_cannot_be_written_costs_a_warning_and_a_fetch(
    make_store: MakeStore, open_store: OpenStore, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    adapter = make_store()
    for _ in range(2):
        loaded = open_store(adapter, path=tmp_path / "file" / "corpus-cache.json").load()
        assert len(titles(loaded)) == 5
        (warning,) = loaded.warnings
        assert warning.startswith("the corpus could not be cached in ")
    assert adapter.fetches == 2


def test_a_full_disk_keeps_the_old_copy_and_answers_from_memory(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    before = path.read_bytes()
    adapter.tasks = [Task(id="n", title="new", project_id="p")]
    clock.now += TTL

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write_copy", full)
    loaded = open_store(adapter).load()
    assert titles(loaded) == ["new"]
    assert [warning for warning in loaded.warnings if "No space left" in warning]
    assert path.read_bytes() == before


def test_files_and_folder_are_private_and_no_temporary_file_stays(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path
) -> None:
    old_mask = os.umask(0)
    try:
        for scope in ("ann", "bob"):
            open_store(make_store(), scope).load()
    finally:
        os.umask(old_mask)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    for file in path.parent.iterdir():
        assert file.suffix in (".json", ".index", ".lock")
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


# The index beside the copy


def test_an_index_that_fits_is_used_and_nothing_is_tokenised(
    make_store: MakeStore, open_store: OpenStore, request: pytest.FixtureRequest
) -> None:
    adapter = make_store()
    fetched = open_store(adapter).load()
    request.getfixturevalue("no_indexing")
    loaded = open_store(adapter).load()
    assert titles(loaded) == titles(fetched)
    assert loaded.opened.corpus.get("t3") == fetched.opened.corpus.get("t3")
    assert bytes(loaded.opened.index.postings("passport")) == bytes(fetched.opened.index.postings("passport"))


def remove(path: Path) -> None:
    path.unlink()


INDEX_DAMAGE: dict[str, Callable[[Path], None]] = {
    "removed": remove,
    "empty": lambda path: damage_file(path, b""),
    "truncated": lambda path: damage_file(path, path.read_bytes()[:-8]),
    "cut in the header": lambda path: damage_file(path, path.read_bytes()[:20]),
    "NULs": lambda path: damage_file(path, bytes(4096)),
    "another version": lambda path: damage_file(path, path.read_bytes().replace(b'"version":', b'"versiox":', 1)),
    "a missing section": lambda path: damage_file(path, path.read_bytes().replace(b'"postings"', b'"xostings"', 1)),
    "a link to nothing": damage_link,
}


@pytest.mark.parametrize("how", INDEX_DAMAGE)
def test_an_index_that_is_damaged_or_gone_is_built_anew_without_a_word(
    make_store: MakeStore, open_store: OpenStore, path: Path, how: str, request: pytest.FixtureRequest
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    INDEX_DAMAGE[how](index_path(path))
    loaded = open_store(adapter).load()
    assert len(titles(loaded)) == 5
    assert (adapter.fetches, loaded.warnings) == (1, ())
    request.getfixturevalue("no_indexing")
    assert titles(open_store(adapter).load()) == titles(loaded)


def test_an_index_of_another_language_is_built_anew(
    make_store: MakeStore, open_store: OpenStore, request: pytest.FixtureRequest
) -> None:
    adapter = make_store([Task(id="1", title="running", project_id="p")])
    open_store(adapter).load()
    loaded = open_store(adapter, language="none").load()
    assert adapter.fetches == 1
    assert len(loaded.opened.index.postings("running")) == 2
    assert len(loaded.opened.index.postings("run")) == 0
    request.getfixturevalue("no_indexing")
    open_store(adapter, language="none").load()


def test_an_index_of_another_copy_does_not_fit(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, path: Path
) -> None:
    adapter = make_store()
    open_store(adapter).load()
    old = index_path(path).read_bytes()
    adapter.tasks = [Task(id="n", title="new", project_id="p")]
    clock.now += TTL
    open_store(adapter).load()
    index_path(path).write_bytes(old)
    assert titles(open_store(adapter).load()) == ["new"]


def test_an_index_that_cannot_be_kept_is_a_warning(make_store: MakeStore, open_store: OpenStore, path: Path) -> None:
    index_path(path).mkdir(parents=True)
    loaded = open_store(make_store()).load()
    assert len(titles(loaded)) == 5
    (warning,) = loaded.warnings
    assert warning.startswith("the search index could not be kept in ")


def test_an_index_that_was_just_written_is_mapped(make_store: MakeStore, open_store: OpenStore) -> None:
    assert isinstance(open_store(make_store()).load().opened.index.titles._buffer, mmap)


def test_an_index_that_another_process_has_replaced_at_once_is_not_taken_for_ours(
    make_store: MakeStore, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = opened.write_atomically

    def replaced(path: Path, pieces: Any) -> Any:
        status = plain(path, pieces)
        plain(path, index_pieces([], Analyser(), identity=[1, 2, 3]))
        return status

    monkeypatch.setattr(opened, "write_atomically", replaced)
    adapter = make_store()
    assert len(titles(open_store(adapter).load())) == len(adapter.tasks)


def test_a_copy_that_is_replaced_is_seen_by_a_store_that_lives_on(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    adapter = make_store()
    living = open_store(adapter)
    held = living.load()
    adapter.tasks = [Task(id="n", title="new", project_id="p")]
    clock.now += 1
    open_store(adapter).load(fresh=True)
    assert titles(living.load()) == ["new"]
    assert len(titles(held)) == 5  # whoever still reads the old one is not disturbed


# Several at once


def test_cold_calls_at_the_same_time_make_one_fetch(
    make_store: MakeStore, open_store: OpenStore, in_threads: Callable[..., list[Loaded]]
) -> None:
    adapter = make_store()
    results = in_threads([open_store(adapter).load for _ in range(8)])
    assert adapter.fetches == 1
    assert all(titles(loaded) == titles(results[0]) for loaded in results)


@pytest.mark.parametrize(("fresh", "fetches"), [(False, 1), (True, 2)])
def test_a_waiter_takes_the_others_fetch_unless_it_began_before_a_call_that_wants_it_fresh(
    make_store: MakeStore, open_store: OpenStore, clock: Clock, fresh: bool, fetches: int
) -> None:
    entered, release = threading.Event(), threading.Event()
    count = 0

    def bulk() -> list[Task]:
        nonlocal count
        count += 1
        if count == 1:
            entered.set()
            release.wait(20)
        return [Task(id="1", title=f"fetch {count}", project_name="P")]

    adapter = make_store(bulk_fetch=bulk)
    first = threading.Thread(target=open_store(adapter).load)
    first.start()
    assert entered.wait(20)
    clock.now += 1
    answers: list[Loaded] = []
    second = threading.Thread(target=lambda: answers.append(open_store(adapter).load(fresh=fresh)))
    second.start()
    release.set()
    first.join()
    second.join()
    assert count == fetches
    assert titles(answers[0]) == [f"fetch {fetches}"]


def test_the_copy_on_disk_holds_what_was_answered(make_store: MakeStore, open_store: OpenStore, path: Path) -> None:
    loaded = open_store(make_store()).load()
    copy = read_copy(path)
    assert copy is not None
    assert decode_tasks(copy)[0] == list(loaded.opened.corpus)


def test_projects_asked_again_keep_names_and_ids_as_a_whole_fetch_does(
    make_store: MakeStore, open_store: OpenStore, clock: Clock
) -> None:
    broken = True

    def list_tasks_in_project(project_id: str) -> list[Task]:
        if project_id == "p":
            return [Task(id="1", title="stays"), Task(id="2", title="moves")]
        if broken:
            raise StoreError("HTTP 500")
        return [Task(id="2", title="moves"), Task(id="3", title="new")]

    adapter = make_store(list_tasks_in_project=list_tasks_in_project)
    open_store(adapter).load()
    broken = False
    clock.now += RETRY_AFTER
    tasks = open_store(adapter).load().opened.corpus
    assert [(task.id, task.project_name) for task in tasks] == [("1", "Errands"), ("2", "Work"), ("3", "Work")]


def test_a_warm_call_reads_one_header_and_no_note_of_a_setback(
    make_store: MakeStore, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(make_store()).load()
    read: list[Path] = []

    def counted(path: Path) -> Any:
        read.append(path)
        return read_copy(path)

    monkeypatch.setattr(place, "read_copy", counted)
    monkeypatch.setattr(freshness, "noted_setback", lambda *_: pytest.fail("read"))
    assert open_store(make_store()).load().report.from_cache
    assert len(read) == 1


def test_a_file_system_that_maps_no_files_is_a_warning(
    make_store: MakeStore, open_store: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENODEV, "No such device")

    open_store(make_store()).load()
    monkeypatch.setattr("mmap.mmap", fail)
    loaded = open_store(make_store()).load()
    assert titles(loaded)
    assert any("is ignored: No such device" in warning for warning in loaded.warnings)
