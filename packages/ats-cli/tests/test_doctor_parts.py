"""The parts of `ats doctor`, without processes or with one that is not a plugin's."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from ats_cli.doctor import children
from ats_cli.doctor.check import OK, PROBLEM, WARNING
from ats_cli.doctor.children import Ended, Order, run_all
from ats_cli.doctor.entries import entry
from ats_cli.doctor.folders import folder_checks
from ats_cli.doctor.kept import kept_checks
from ats_cli.doctor.log import log_check
from ats_cli.doctor.store import backend_check, login_check
from ats_cli.doctor.veil import Veil
from ats_core.deadline import Deadline
from ats_core.plugins.discovery import PLUGINS, Found
from ats_core.settings import load_settings


def gave(**answer: Any) -> Ended:
    return Ended(answer, "", 0, 0.1)


def test_a_backend_that_is_not_ok_says_why() -> None:
    status = {
        "ok": False,
        "ollama": {"ok": False, "error": "Ollama is down", "hint": "run: ollama serve"},
        "spaces": [{"error": "later"}],
    }
    check = backend_check(gave(status=status))
    assert check is not None
    assert (check.status, check.message, check.hint) == (PROBLEM, "Ollama is down", "run: ollama serve")
    check = backend_check(gave(status={"ok": False}))
    assert check is not None
    assert check.hint == "run: ats sync"


def test_a_backend_that_is_ok_is_one_line() -> None:
    status = {"ok": True, "server": {"url": "http://x", "deep": {"a": 1}}, "spaces": [1, 2], "qdrant": None}
    check = backend_check(gave(status=status))
    assert check is not None
    assert (check.status, check.message) == (OK, "ok True, server (url http://x), spaces 2")
    assert backend_check(gave(status=None)) is None


def test_what_does_not_answer_is_a_problem() -> None:
    for ended in (Ended(None, "", None, 8.0), Ended(None, "", 1, 0.1), gave(error="no", type="StoreError")):
        check = login_check(ended)
        assert check.status == PROBLEM
        assert check.hint
    assert login_check(gave(error="no", type="LoginRequiredError", hint=None)).hint == "run: ats auth login"


def test_one_that_there_was_no_time_for_is_no_fault() -> None:
    found = Found(PLUGINS, "late", "late:P", "ats-late", "1")
    made = entry(found, Ended(None, "", None, 0.0), None)
    assert (made.state, made.check.status) == ("unknown", WARNING)


def test_what_is_kept() -> None:
    copy = {
        "path": "/c", "problem": None, "size": 10, "indexSize": None, "tasks": 5, "ageMs": 1000.0,
        "sourcesFailed": [{"id": "p", "name": "Home"}],
    }  # fmt: skip
    vectors = [{"space": "s", "vectors": 4, "files": 1, "size": 10, "damaged": 1}]
    status = {"path": "/c", "copy": copy, "otherCopies": [copy | {"problem": "torn"}], "vectors": vectors}
    checks = kept_checks(gave(**status, outlook="fresh"))
    assert [(check.name, check.status) for check in checks] == [
        ("cache", WARNING),
        ("index", OK),
        ("other caches", WARNING),
        ("vectors", WARNING),
    ]
    assert "the last fetch failed for Home" in checks[0].message
    assert kept_checks(gave(path=None, vectors=[]))[0].message == "off: every search fetches"


def test_folders(tmp_path: Path) -> None:
    settings = load_settings(
        {"ATS_CONFIG_DIR": str(tmp_path / "new" / "ats"), "ATS_USAGE_LOG": str(tmp_path / "log" / "x")}
    )
    checks = folder_checks(tmp_path / "new" / "ats", settings)
    assert [(check.name, check.status) for check in checks] == [("config folder", OK), ("log folder", OK)]
    (tmp_path / "new").touch()
    (check, *_) = folder_checks(tmp_path / "new" / "ats", None)
    assert check.status == PROBLEM
    (check, *_) = folder_checks(tmp_path / "new", None)
    assert "is no folder" in check.message


@pytest.mark.skipif(not hasattr(os, "statvfs"), reason="no statvfs")
def test_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ats_cli.doctor.folders._LEAST_FREE", 1 << 80)
    (check, *_) = folder_checks(tmp_path, None)
    assert check.status == WARNING
    assert "are left on its disk" in check.message


def test_the_log(tmp_path: Path) -> None:
    environ = {"ATS_CONFIG_DIR": str(tmp_path)}
    settings = load_settings(environ)
    assert log_check(settings, Deadline(5)).message.endswith("is not there yet")
    settings.usage_log.write_text("{}\n" * 1500)
    assert "1500 calls" in log_check(settings, Deadline(5)).message
    assert "more than 1000 calls" in log_check(settings, Deadline(0)).message
    off = load_settings(environ | {"ATS_USAGE_DISABLE": "1"})
    assert log_check(off, Deadline(5)).message == "off (ATS_USAGE_DISABLE)"
    settings.usage_log.unlink()
    settings.usage_log.mkdir()
    assert log_check(settings, Deadline(5)).status == WARNING


def test_the_veil_leaves_plain_words_alone(tmp_path: Path) -> None:
    (tmp_path / "toy.json").write_text('{"file": "green", "token": "red", "password": "correct horse"}')
    environ = {
        "TOKENIZERS_PARALLELISM": "false-false",
        "API_KEY": "short",
        "MY_SECRET": " blue-blue\n",
        "NAME": "yellow",
    }
    veil = Veil(environ, tmp_path, ["toy", "absent"])
    text = "green red false-false short blue-blue yellow correct horse"
    assert veil.over({"a": [text, 5, None]}) == {"a": ["green red false-false short (hidden) yellow (hidden)", 5, None]}
    veil.hide_setting("toy", "file", "NAME")
    assert veil.over(("green yellow",)) == ["(hidden) (hidden)"]


HANG = "import threading; threading.Event().wait()"


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order's `what` is code to run."""
    monkeypatch.setattr(children, "_START", "import sys, json; exec(json.loads(sys.argv[1])[0]) # {path}")


@pytest.mark.usefixtures("code")
def test_processes_run_side_by_side_and_none_outlives_the_deadline() -> None:
    answer = "import sys; print('noise'); sys.stderr.write('{\"n\": %d}\\n')"
    orders = [Order(answer % number, {}, 60) for number in range(20)]
    ended = run_all(orders, os.environ, Deadline(60))
    assert [(one.answer, one.printed.strip(), one.code) for one in ended] == [({"n": n}, "noise", 0) for n in range(20)]
    ended = run_all([Order(HANG, {}, 60)] * 3 + [Order(HANG, {}, 0.1)], os.environ, Deadline(0.6))
    assert [(one.answer, one.code) for one in ended] == [(None, None)] * 4


@pytest.mark.usefixtures("code")
def test_those_that_hang_do_not_keep_others_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "SLOW", 0.05)
    monkeypatch.setattr(children, "AT_ONCE", 1)
    orders = [*[Order(HANG, {}, 60)] * 3, Order("import sys; sys.stderr.write('{}')", {}, 60)]
    ended = run_all(orders, os.environ, Deadline(4))
    assert ended[3].answer == {}
    (late,) = run_all([Order(HANG, {}, 60)], os.environ, Deadline(0))
    assert (late.code, late.seconds) == (None, 0.0)


@pytest.mark.usefixtures("code")
def test_what_floods_is_read_and_cut() -> None:
    (ended,) = run_all([Order("print('x' * 10_000_000)", {}, 60)], os.environ, Deadline(60))
    assert (ended.code, len(ended.printed)) == (0, children.MOST_KEPT)


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    (ended,) = run_all([Order("load", {}, 60)], os.environ, Deadline(60))
    assert ended.answer is None
    assert "no process could be started" in ended.said
