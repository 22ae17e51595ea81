"""kill -9 at any moment: no file that cannot be read, no litter after the next run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from reliability.harness import HERE, PATIENCE, Ats, ended, temporary_files

DEATHS = 50


@pytest.mark.parametrize("what", ["cache", "vectors"])
def test_fifty_writers_killed_leave_no_unreadable_file_and_no_litter(tmp_path: Path, what: str) -> None:
    ran = subprocess.run(
        [sys.executable, str(HERE / "killed_writer.py"), what, str(DEATHS), str(tmp_path / "state")],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    found = json.loads(ran.stdout)
    assert found["killed"] == DEATHS
    assert (found["unreadable"], found["wrong"], found["left over"]) == ([], [], [])
    assert found["littered"] > 0, "no writer was hit while it wrote: the test has lost its point"


def test_a_sync_killed_under_ten_searches_harms_none_of_them_and_the_next_one_goes_on(ats: Ats) -> None:
    ats.plan(tasks=640, space="s", embed="slow")
    sync = ats.start("sync", "--json")
    while len(ats.asked("embed document")) < 3:  # it embeds by now
        assert sync.poll() is None, ended(sync)
    searches = [ats.start("find", "--json", f"number{n}x") for n in range(10)]
    sync.kill()
    assert ended(sync).code == -signal.SIGKILL
    for number, search in enumerate(searches):
        result = ended(search)
        assert result.code == 0, result
        assert result.ids[0] == f"t{number}"
    ats.plan(tasks=640, space="s")
    again = ats("sync", "--json")
    assert again.code == 0, again
    assert temporary_files(ats.state) == []
    assert ats("semantic", "--json", "task number7x").ids[0] == "t7"
