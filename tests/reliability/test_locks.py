"""A holder of the fetch lock that dies or stops: the next caller goes on, and the lock file stays."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from reliability.harness import Ats, ended


@contextmanager
def fetching(ats: Ats, **plan: object) -> Iterator[subprocess.Popen[bytes]]:
    """A search that is in the middle of a fetch that takes long."""
    known = len(ats.asked("fetch"))
    ats.plan(fetch_seconds=20, **plan)
    process = ats.start("find", "--json", "number1x", ATS_FETCH_TIMEOUT_MS="25000")
    try:
        while len(ats.asked("fetch")) == known:
            assert process.poll() is None, ended(process)
        yield process
    finally:
        process.kill()
        process.communicate()


def lock_files(ats: Ats) -> dict[str, int]:
    return {path.name: os.stat(path).st_ino for path in ats.state.glob("*.lock")}


def test_a_holder_that_is_killed_frees_the_lock(ats: Ats) -> None:
    with fetching(ats) as holder:
        locks = lock_files(ats)
        ats.plan()
        waiter = ats.start("find", "--json", "number1x")
        holder.send_signal(signal.SIGKILL)
        found = ended(waiter)
    assert (found.ids, found.answer["degraded"], found.err) == (["t1"], False, "")
    assert len(ats.asked("fetch")) == 2
    assert locks
    assert lock_files(ats) == locks, "nobody deletes a lock file"


@pytest.mark.parametrize("cached", [False, True])
def test_a_holder_that_is_stopped_does_not_stop_the_next_caller(ats: Ats, cached: bool) -> None:
    if cached:
        ats.find("number1x", TEST_CLOCK_SHIFT="-600")
    with fetching(ats) as holder:
        holder.send_signal(signal.SIGSTOP)
        locks = lock_files(ats)
        ats.plan()
        found = ats.find("number1x", ATS_FETCH_TIMEOUT_MS="200")
        assert (found.ids, found.answer["degraded"]) == (["t1"], False)
        assert ats.find("number2x").answer["corpus"]["fromCache"]
    assert lock_files(ats) == locks


def test_a_holder_that_wakes_up_late_does_not_replace_what_was_fetched_after_it(ats: Ats) -> None:
    ats.plan(fetch_seconds=1.0, tasks=1)
    late = ats.start("find", "--json", "number0x", ATS_FETCH_TIMEOUT_MS="25000")
    while not ats.asked("fetch"):
        assert late.poll() is None, ended(late)
    late.send_signal(signal.SIGSTOP)
    ats.plan()
    ats.find("number1x", ATS_FETCH_TIMEOUT_MS="200")
    before = ats.cache.read_bytes()
    ats.plan(tasks=1)
    late.send_signal(signal.SIGCONT)
    assert ended(late).ids == ["t0"]
    assert ats.cache.read_bytes() == before
    assert ats.find("number1x").ids == ["t1"]
