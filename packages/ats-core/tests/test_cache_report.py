"""What people are told about the projects that a corpus lacks: each by name, unless that would be a flood."""

from __future__ import annotations

from ats_core import FailedProject
from ats_core.cache.file import SCHEMA, Header
from ats_core.cache.opened import open_tasks
from ats_core.cache.report import corpus_warnings
from ats_core.text.analyser import Analyser

NOW = 1_000_000.0


def told(*failed: FailedProject) -> tuple[str, ...]:
    header = Header(schema=SCHEMA, adapter="shop", scope="me", fetched_at=NOW, failed=failed, warnings=("odd",))
    return corpus_warnings(open_tasks([], header, Analyser("none")), NOW)


def test_each_project_has_a_line_that_says_how_old_what_stands_in_for_it_is() -> None:
    home = FailedProject(id="p", name="Home", error="HTTP 500")
    work = FailedProject(id="q", error="HTTP 500", kept=3, as_of=NOW - 150)
    assert told(home, work) == (
        "odd",
        "project Home is missing: HTTP 500",
        "project q is as of 2 min ago: HTTP 500",
    )


def test_what_is_no_project_has_a_line_of_its_own() -> None:
    assert told(FailedProject(id="", name="completed tasks", error="HTTP 500"))[1:] == (
        "completed tasks are missing: HTTP 500",
    )


def test_many_that_failed_alike_share_one_line() -> None:
    limited = [FailedProject(id=str(number), name=f"List {number}", error="rate limited") for number in range(108)]
    other = FailedProject(id="x", name="Home", error="HTTP 500")
    assert told(*limited, other) == (
        "odd",
        "108 projects are missing: rate limited (List 0, List 1, List 2, ...)",
        "project Home is missing: HTTP 500",
    )
    assert len(told(*limited[:3])) == 1 + 3
