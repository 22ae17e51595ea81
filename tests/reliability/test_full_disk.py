"""A disk that is full, a home that cannot be written, no home at all: the search answers, and says so once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from pwd import getpwuid

import pytest
from reliability.harness import Ats, temporary_files

TOO_MUCH = [{"id": f"t{n}", "title": f"task number{n}x", "content": f"word{n} " * 300} for n in range(400)]
"""Tasks of 1 MB together: more than the small disk holds."""

WITHOUT_PRIVILEGE = (
    "import ctypes, os, sys\n"
    "if os.getuid() == 0:\n"
    "    for capability in (1, 2):\n"  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH: what makes root ignore permissions
    "        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
LITTLE_ROOM = (
    "import os, resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def launcher(script: str) -> tuple[str, ...]:
    return (sys.executable, "-c", script)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 200 KB, where we may mount one."""
    place = tmp_path / "disk"
    place.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    options = ["-t", "tmpfs", "-o", "size=200k,mode=700", "tmpfs", str(place)]
    if not (mount and unmount) or subprocess.run([mount, *options], capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here: RLIMIT_FSIZE stands in")
    try:
        yield place
    finally:
        subprocess.run([unmount, "--lazy", str(place)], check=True)


def test_a_full_disk_costs_a_warning_and_no_answer(ats: Ats, small_disk: Path) -> None:
    ats = Ats(ats.folder / "small", state=small_disk / "state")
    ats.plan(tasks=TOO_MUCH)
    for fetches in (1, 2):
        found = ats.find("number7x")
        assert found.ids == ["t7"]
        (warning,) = found.answer["warnings"]
        assert "No space left on device" in warning
        assert ats.asked("fetch") == ["fetch"] * fetches
    assert temporary_files(small_disk) == []


def test_a_full_disk_keeps_the_old_copy(ats: Ats, small_disk: Path) -> None:
    ats = Ats(ats.folder / "small", state=small_disk / "state")
    ats.find("number1x")
    before = ats.cache.read_bytes()
    ats.plan(tasks=TOO_MUCH)
    found = ats.find("number7x", "--fresh")
    assert found.ids == ["t7"]
    assert len(found.answer["warnings"]) == 1
    assert ats.cache.read_bytes() == before
    ats.plan()
    assert ats.find("number1x").ids == ["t1"]
    assert len(ats.asked("fetch")) == 2, "the old copy still answers"


def test_a_disk_without_a_single_byte_left(ats: Ats, small_disk: Path) -> None:
    ats = Ats(ats.folder / "small", state=small_disk / "state")
    ats.find("number1x")
    with open(small_disk / "ballast", "wb", buffering=0) as ballast:
        while True:
            try:
                ballast.write(bytes(4096))
            except OSError:
                break
    ats.plan(space="s")
    found = ats.find("number1x", "--fresh")
    assert found.ids[0] == "t1"
    assert [w for w in found.answer["warnings"] if "could not be cached" in w]
    assert all("No space left" in w for w in found.answer["warnings"])


def test_files_that_may_not_grow_cost_a_warning_and_no_answer(ats: Ats) -> None:
    ats.find("number1x")
    before = ats.cache.read_bytes()
    ats.plan(tasks=TOO_MUCH)
    process = ats.start("find", "--json", "--fresh", "number7x", prefix=launcher(LITTLE_ROOM))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert b'"id":"t7"' in out
    assert out.count(b"could not be cached") == 1
    assert b"File too large" in out
    assert ats.cache.read_bytes() == before
    assert temporary_files(ats.state) == []


@pytest.mark.parametrize("cached", [False, True])
def test_a_home_that_may_not_be_written(ats: Ats, cached: bool) -> None:
    if cached:
        ats.find("number1x")
    ats.state.mkdir(exist_ok=True)
    os.chmod(ats.state, 0o500)
    try:
        process = ats.start("find", "--json", "number1x", prefix=launcher(WITHOUT_PRIVILEGE))
        out, err = process.communicate(timeout=60)
    finally:
        os.chmod(ats.state, 0o700)
    assert process.returncode == 0, err
    assert b'"id":"t1"' in out
    assert out.count(b"Permission denied") == (not cached)
    assert len(ats.asked("fetch")) == 1


def test_a_config_folder_that_is_not_ours(ats: Ats) -> None:
    ats.find("number1x")
    (ats.state / "config.json").write_text("{}")
    os.chmod(ats.state, 0)
    try:
        process = ats.start("find", "--json", "number1x", prefix=launcher(WITHOUT_PRIVILEGE))
        out, err = process.communicate(timeout=60)
    finally:
        os.chmod(ats.state, 0o700)
    assert process.returncode == 0, err
    assert b'"id":"t1"' in out
    assert out.count(b"Permission denied") == 1
    assert len(ats.asked("fetch")) == 2


@pytest.mark.parametrize("home", [None, ""])
def test_no_home(ats: Ats, tmp_path: Path, home: str | None) -> None:
    cache = tmp_path / "elsewhere" / "cache.json"  # or the test would write into the account's real home
    places = {"ATS_CORPUS_CACHE": str(cache), "ATS_USAGE_LOG": str(cache.with_name("log.jsonl"))}
    found = ats.find("number1x", HOME=home, ATS_CONFIG_DIR=None, **places)
    assert (found.ids, found.answer["warnings"]) == (["t1"], [])
    shown = ats("config", "show", "--json", HOME=home, ATS_CONFIG_DIR=None, **places)
    assert shown.code == 0, shown
    assert str(Path(getpwuid(os.getuid()).pw_dir, ".config", "ats")) in shown.out


@pytest.mark.parametrize("there", [False, True])
def test_a_home_that_is_no_folder(ats: Ats, tmp_path: Path, there: bool) -> None:
    home = tmp_path / "home"
    if there:
        home.write_text("a file")
    found = ats.find("number1x", HOME=str(home), ATS_CONFIG_DIR=None)
    assert found.ids == ["t1"]
    assert len(found.answer["warnings"]) == there
