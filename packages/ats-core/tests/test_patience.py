"""A plugin that hangs while it is loaded is left out, and is not waited for again so soon."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ats_core import BrokenPluginError
from ats_core.opening import open_plugins
from ats_core.plugins.discovery import PLUGINS, Catalogue, Found
from ats_core.plugins.patience import REST, Patience

SLOW = Found(PLUGINS, "slow", "acme_slow:plugin", "acme-slow", "1.0")
OTHER = SLOW._replace(name="other")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "state" / "hanging-plugins.json"


@pytest.fixture
def hang() -> Iterator[Callable[[], object]]:
    gate = threading.Event()
    yield gate.wait
    gate.set()


def never() -> None:
    pytest.fail("it was tried again")


def test_what_loads_is_returned_and_what_it_raises_passes_through(note: Path) -> None:
    patience = Patience(note)
    assert patience.load(SLOW, lambda: "plugin") == "plugin"
    assert patience.load(SLOW, lambda: None) is None
    for error in (ValueError("no"), SystemExit(3), KeyboardInterrupt()):

        def fail(error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)):
            patience.load(SLOW, fail)
    assert not note.exists()


def test_one_that_hangs_is_given_up_on_and_left_out_by_other_processes(note: Path, hang: Callable[[], object]) -> None:
    with pytest.raises(BrokenPluginError, match="cannot be loaded: it had not ended after") as caught:
        Patience(note, seconds=0.05).load(SLOW, hang)
    assert caught.value.message.startswith("slow of acme-slow 1.0 ")
    with pytest.raises(BrokenPluginError, match=r"is left out: \d+ s ago loading it hung") as caught:
        Patience(note).load(SLOW, never)
    assert caught.value.hint == "to try it again: ats doctor"
    assert Patience(note).load(OTHER, lambda: 1) == 1
    assert Patience(note).load(SLOW._replace(version="1.1"), lambda: 1) == 1, "a new version is a new chance"


def test_after_a_rest_it_is_tried_again(note: Path, hang: Callable[[], object]) -> None:
    with pytest.raises(BrokenPluginError):
        Patience(note, seconds=0.05, clock=lambda: 1000.0).load(SLOW, hang)
    with pytest.raises(BrokenPluginError, match="left out"):
        Patience(note, clock=lambda: 1000 + REST - 1).load(SLOW, never)
    for now in (1000 + REST, 999.0):  # the clock may have gone back
        assert Patience(note, clock=lambda now=now: now).load(SLOW, lambda: 1) == 1


def test_one_that_is_forgotten_is_tried_again(note: Path, hang: Callable[[], object]) -> None:
    with pytest.raises(BrokenPluginError):
        Patience(note, seconds=0.05).load(SLOW, hang)
    assert not Patience(note).forget(OTHER)
    assert Patience(note).forget(SLOW)
    assert Patience(note).load(SLOW, lambda: 1) == 1


def test_those_behind_one_that_hangs_are_loaded_and_not_blamed(
    note: Path, hang: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ats_core.plugins.patience.LEAST", 0.5)
    loaded = []
    points = [SLOW._replace(name=name) for name in ("a", "hangs", "b", "too", "c")]

    def make(found: Found) -> str:
        if found.name in ("hangs", "too"):
            hang()
        loaded.append(found.name)
        return found.name

    outcomes = Patience(note, seconds=1.5).load_all(points, make)
    assert [outcome.made for outcome in outcomes] == ["a", None, "b", None, "c"]
    assert loaded == ["a", "b", "c"]
    assert all("not ended" in str(outcomes[number].error) for number in (1, 3))
    outcomes = Patience(note, seconds=1.5).load_all(points, lambda found: found.name)
    assert [outcome.made for outcome in outcomes] == ["a", None, "b", "too", "c"], (
        "the second had less time, it may be slow"
    )


def test_one_that_comes_back_late_loads_nothing_any_more(hang: Callable[[], object], note: Path) -> None:
    gate, back = threading.Event(), threading.Event()
    loaded: list[str] = []

    def make(found: Found) -> None:
        loaded.append(found.name)
        if found == SLOW:
            gate.wait()
            back.set()

    outcomes = Patience(seconds=0.5).load_all([SLOW, OTHER], make)
    assert [outcome.error is None for outcome in outcomes] == [False, True]
    (thread,) = [thread for thread in threading.enumerate() if thread.name == "ats-loading"]
    gate.set()
    thread.join()
    assert back.is_set()
    assert loaded == ["slow", "other"]


@pytest.mark.parametrize("damage", ["", "[]", '{"a": "b"}', "\ud800"])
def test_a_damaged_note_is_none(note: Path, damage: str) -> None:
    note.parent.mkdir()
    note.write_bytes(damage.encode("utf-8", "surrogatepass"))
    assert Patience(note).load(SLOW, lambda: 1) == 1


def test_a_note_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path, hang: Callable[[], object]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BrokenPluginError, match="not ended"):
        Patience(tmp_path / "file" / "note", seconds=0.05).load(SLOW, hang)


def test_a_plugin_that_hangs_is_a_value_and_stops_no_other(
    add_distribution: Callable[..., Path], note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()
    monkeypatch.setattr("builtins.acme_gate", gate, raising=False)
    add_distribution("acme-a", {PLUGINS: {"a": "acme_hangs:P"}}, module="acme_hangs", source="acme_gate.wait()")
    good = "from ats_core import hookimpl\nclass Plugin:\n    @hookimpl\n    def branches(self): return []"
    add_distribution("acme-b", {PLUGINS: {"b": "acme_works:Plugin"}}, module="acme_works", source=good)
    try:
        for patience, reason in ((Patience(note, seconds=1), "not ended"), (Patience(note), "left out")):
            plugins, (broken,) = open_plugins(Catalogue.scan(), ["a", "b"], patience)
            assert [plugin.name for plugin in plugins] == ["b"]
            assert broken.found.name == "a"
            assert reason in broken.error
    finally:
        gate.set()  # or it would hold the lock on the import of its module for ever
