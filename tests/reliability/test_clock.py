"""A clock that jumps: what lies in the future is not fresh, and nothing is older than it can be."""

from __future__ import annotations

import pytest
from reliability.harness import Ats

HOUR, YEAR = 3600, 365 * 86_400


@pytest.mark.parametrize("shift", [-HOUR, YEAR])
def test_a_copy_is_not_fresh_after_the_clock_has_jumped(ats: Ats, shift: int) -> None:
    ats.find("number1x")
    found = ats.find("number1x", TEST_CLOCK_SHIFT=str(shift))
    assert found.ids == ["t1"]
    assert ats.asked("fetch") == ["fetch"] * 2
    assert found.answer["corpus"]["ageMs"] < 60_000
    again = ats.find("number1x", TEST_CLOCK_SHIFT=str(shift))
    assert again.answer["corpus"]["fromCache"], "from now on that is the time"


@pytest.mark.parametrize("shift", [-HOUR, YEAR])
def test_no_age_is_negative(ats: Ats, shift: int) -> None:
    ats.find("number1x")
    found = ats.find("number1x", "--cached", TEST_CLOCK_SHIFT=str(shift))
    assert found.answer["corpus"]["ageMs"] >= 0
    assert found.answer["corpus"]["stale"]
    ats.plan(fetch_error="HTTP 503")
    found = ats.find("number1x", TEST_CLOCK_SHIFT=str(shift))
    assert found.answer["corpus"]["ageMs"] >= 0
    status = ats("cache", "status", TEST_CLOCK_SHIFT=str(shift))
    assert status.code == 0, status
    assert "-" not in [word[:1] for word in status.out.split() if word[1:2].isdigit()], status.out


def test_a_note_of_a_failed_fetch_does_not_outlive_a_clock_that_went_back(ats: Ats) -> None:
    ats.find("number1x")
    ats.plan(fetch_error="HTTP 503")
    assert ats.find("number1x", TEST_CLOCK_SHIFT=str(HOUR)).answer["corpus"]["stale"]
    ats.plan()
    assert not ats.find("number1x", TEST_CLOCK_SHIFT=str(-HOUR)).answer["corpus"]["stale"]


def test_the_log_is_written_whatever_the_time(ats: Ats) -> None:
    ats.find("number1x", TEST_CLOCK_SHIFT=str(-HOUR))
    assert len(ats.log_lines()) == 1
