"""Times and dates as numbers, and the dates that people type: the same day for every reader, wherever he is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from ats_core.text.dates import ABSENT, Bound, moment, parse_bound
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati", "Pacific/Niue")


@pytest.fixture
def live_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """`live_in(zone)`: what the process takes for local time, until the test is over."""

    def move(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def noon(day: str = "2026-12-01") -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00").astimezone()


def bound(text: str, *, past: bool = False) -> Bound:
    return parse_bound(text, noon(), past=past)


def test_an_instant_is_the_same_however_its_zone_is_written() -> None:
    same = {
        moment(text)
        for text in (
            "2026-05-28T16:00:00Z",
            "2026-05-28T16:00:00.000+0000",
            "2026-05-28T16:00:00+00:00",
            "2026-05-29T00:00:00+08:00",
            "2026-05-28 16:00:00Z",
            "2026-05-28T16:00:00.123456789Z",
            "20260528T160000Z",
        )
    }
    assert same == {2 * int(datetime(2026, 5, 28, 16, tzinfo=UTC).timestamp())}


@pytest.mark.parametrize("zone", ZONES)
def test_an_instant_without_a_zone_is_local(zone: str, live_in: Callable[[str], None]) -> None:
    live_in(zone)
    assert moment("2026-05-28T16:00:00") == 2 * int(datetime(2026, 5, 28, 16).astimezone().timestamp())


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "soon",
        "2026",
        "2026-13-01",
        "2026-02-30",
        "28.05.2026",
        "2026-05-28T25:00",
        "5",
        "today",
        "１０文字以上の文字列",
    ],
)
def test_what_is_no_time_is_absent(text: str) -> None:
    assert moment(text) == ABSENT


def test_absent_is_before_all_times() -> None:
    for text in ("0001-01-01", "9999-12-31", "1969-12-31T23:59:59Z", "0001-01-01T00:00:00Z"):
        assert ABSENT < moment(text) < 2**63


@pytest.mark.parametrize("zone", ZONES)
def test_an_all_day_task_is_compared_by_its_day_whatever_the_zone_of_the_reader(
    zone: str, live_in: Callable[[str], None]
) -> None:
    live_in(zone)
    due = moment("2026-05-29")
    assert due & 1
    assert due == moment("2026-05-29") != moment("2026-05-29T00:00:00")
    for limit, before in (("2026-05-28", False), ("2026-05-29", False), ("2026-05-30", True)):
        assert parse_bound(limit, noon(), past=False).is_after(due) is before
    for today, before in (("2026-05-28", False), ("2026-05-29", False), ("2026-05-30", True)):
        assert parse_bound("today", noon(today), past=False).is_after(due) is before
        tomorrow = (date.fromisoformat(today) - timedelta(days=1)).isoformat()
        assert parse_bound("tomorrow", noon(tomorrow), past=False).is_after(due) is before


@pytest.mark.parametrize("zone", ZONES)
def test_a_date_in_a_filter_is_the_local_midnight(zone: str, live_in: Callable[[str], None]) -> None:
    live_in(zone)
    midnight = datetime(2026, 12, 3).astimezone()
    limit = bound("2026-12-03")
    assert limit.instant == midnight.timestamp()
    assert not limit.is_after(moment(midnight.isoformat()))
    assert limit.is_after(moment((midnight - timedelta(seconds=1)).isoformat()))


@pytest.mark.parametrize(
    ("text", "past", "days"),
    [
        ("7d", False, 7),
        ("7d", True, -7),
        ("2w", False, 14),
        ("2w", True, -14),
        ("-7d", False, -7),
        ("-7d", True, -7),
        ("+7d", True, 7),
        ("+2w", True, 14),
        ("0d", False, 0),
        (" 7D ", False, 7),
    ],
)
def test_a_distance_counts_from_now_as_its_sign_or_the_filter_says(text: str, past: bool, days: int) -> None:
    there = noon() + timedelta(days=days)
    assert bound(text, past=past) == Bound(there.timestamp(), (there.date() - date(1970, 1, 1)).days)


@pytest.mark.parametrize(("text", "day"), [("yesterday", 30), ("today", 1), ("tomorrow", 2), ("TODAY", 1)])
def test_named_days_are_local_midnights(text: str, day: int) -> None:
    assert bound(text) == bound(f"2026-{11 if day == 30 else 12}-{day:02}")
    assert bound(text, past=True) == bound(text)


@pytest.mark.parametrize("zone", ZONES)
def test_a_time_in_a_filter_may_have_a_zone_or_is_local(zone: str, live_in: Callable[[str], None]) -> None:
    live_in(zone)
    for text in ("2026-12-03T10:00:00Z", "2026-12-03t10:00:00z", "2026-12-03T18:00+08:00", "2026-12-03 10:00:00+00:00"):
        assert bound(text).instant == datetime(2026, 12, 3, 10, tzinfo=UTC).timestamp()
        assert bound(text).day == (datetime.fromtimestamp(bound(text).instant).date() - date(1970, 1, 1)).days
    assert bound("2026-12-03T10:00").instant == datetime(2026, 12, 3, 10).timestamp()


def test_a_midnight_at_which_the_clocks_change_is_that_days_own(live_in: Callable[[str], None]) -> None:
    live_in("Europe/Berlin")
    day = timedelta(days=1).total_seconds()
    assert bound("2026-03-30").instant - bound("2026-03-29").instant == day - 3600
    assert bound("2026-10-26").instant - bound("2026-10-25").instant == day + 3600


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "7", "d", "7m", "7 d", "--7d", "7dd", "1.5d", "123456d", "2026-13-01", "2026-02-30", "01.12.2026",
     "2026-12-01T99:00", "0001-01-01", "next week"],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says: the filter says what was expected
        bound(text)


@pytest.mark.parametrize("text", ["99999w", "-99999d", "9999-12-31", "1900-01-01", "9999-12-31T23:59:59Z"])
def test_far_away_is_a_date_too(text: str) -> None:
    assert bound(text).is_after(moment("1800-01-01")) is True or text.startswith("-")


instants = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)).map(
    lambda at: at.replace(microsecond=0)
)
days = st.dates(date(1900, 1, 1), date(2200, 1, 1))


@at_any_pace
@given(instants, instants, st.integers(-23 * 60, 23 * 60))
def test_instants_are_ordered_as_they_follow(one: datetime, other: datetime, minutes: int) -> None:
    shifted = other.astimezone(timezone(timedelta(minutes=minutes)))
    assert (moment(one.isoformat()) < moment(shifted.isoformat())) == (one < other)
    limit = parse_bound(shifted.isoformat(), noon(), past=False)
    assert limit.is_after(moment(one.isoformat())) == (one < other)


@at_any_pace
@given(days, days)
def test_days_are_ordered_as_they_follow(one: date, other: date) -> None:
    assert (moment(one.isoformat()) < moment(other.isoformat())) == (one < other)
    assert parse_bound(other.isoformat(), noon(), past=False).is_after(moment(one.isoformat())) == (one < other)


@at_any_pace
@given(st.integers(0, 5000), st.sampled_from("dw"), st.booleans())
def test_a_longer_distance_lies_further_away(amount: int, unit: str, past: bool) -> None:
    limits = [bound(f"{more}{unit}", past=past) for more in (amount, amount + 1, amount + 2)]
    for nearer, further in pairwise(limits):
        assert (further < nearer) if past else (nearer < further)
