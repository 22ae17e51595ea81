"""Dates as the service gives them and takes them: an all-day task is on its own day, wherever the reader is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.mapping import dates
from ats_adapter_ticktick.mapping.dates import day_of, due_date, instant, stamp, zone
from ats_adapter_ticktick.writes.due import due_fields, on_wire
from ats_adapter_ticktick.writes.zones import UTC_ZONE, Zone, in_zone, user_zone
from ats_core import UsageError
from ats_core.text.dates import ABSENT, moment
from hypothesis import given
from hypothesis import strategies as st

ZONES = ("UTC", "Asia/Shanghai", "America/Los_Angeles", "Pacific/Auckland", "Pacific/Honolulu", "Asia/Kolkata")

LiveIn = Callable[[str], None]


@pytest.fixture
def live_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[LiveIn]:
    """`live_in(zone)`: what the process takes for local time, until the test is over."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield move
    monkeypatch.undo()
    time.tzset()


def zoned(name: str) -> Zone:
    found = Zone.of(name)
    assert found is not None
    return found


@pytest.mark.parametrize("host", ["UTC", "America/Los_Angeles", "Asia/Shanghai"])
def test_an_all_day_task_is_due_on_the_day_of_its_own_zone(host: str, live_in: LiveIn) -> None:
    live_in(host)
    record = {"isAllDay": True, "dueDate": "2026-05-28T16:00:00.000+0000", "timeZone": "Asia/Shanghai"}
    assert due_date(record) == "2026-05-29"


@pytest.mark.parametrize("value", [True, 1, "true", "1"])
def test_all_day_may_come_in_the_types_of_other_clients(value: object) -> None:
    record = {"isAllDay": value, "dueDate": "2026-05-28T16:00:00+0000", "timeZone": "Asia/Shanghai"}
    assert due_date(record) == "2026-05-29"


@pytest.mark.parametrize("value", [False, 0, "false", None, [], {}, "yes"])
def test_what_is_not_all_day_keeps_its_time(value: object) -> None:
    record = {"isAllDay": value, "dueDate": "2026-05-28T16:00:00.000+0000", "timeZone": "Asia/Shanghai"}
    assert due_date(record) == "2026-05-28T16:00:00.000+0000"


@pytest.mark.parametrize(
    "text",
    ["2026-05-28T16:00:00.000+0000", "2026-05-28T16:00:00+0000", "2026-05-28T16:00:00Z", "2026-05-29T00:00+08:00"],
)
def test_a_time_stays_as_it_came_and_core_understands_it(text: str) -> None:
    assert due_date({"dueDate": text}) == text
    assert moment(due_date({"dueDate": text})) == moment("2026-05-28T16:00:00+00:00") != ABSENT


def test_a_time_without_an_offset_is_utc_as_the_service_reads_it(live_in: LiveIn) -> None:
    live_in("Asia/Shanghai")
    assert due_date({"dueDate": "2026-05-28T16:00:00"}) == "2026-05-28T16:00:00+00:00"


def test_a_bare_day_is_a_day() -> None:
    for all_day in (True, False):
        assert due_date({"dueDate": "2026-05-29", "isAllDay": all_day, "timeZone": "Asia/Shanghai"}) == "2026-05-29"


@pytest.mark.parametrize("value", [None, "", "soon", "2026-13-01T00:00:00Z", 1780000000000, True, [], {"at": 1}, "20"])
def test_a_date_that_cannot_be_read_is_none(value: object) -> None:
    assert due_date({"dueDate": value, "isAllDay": True}) is None
    assert stamp(value) is None
    assert instant(value) is None


@pytest.mark.parametrize(
    "name", [None, "", "Mars/Phobos", "../etc/passwd", "America", "a\0b", 8, ["UTC"], "\ud83d", "x" * 999]
)
@pytest.mark.parametrize("host", ["UTC", "Asia/Shanghai"])
def test_without_a_known_zone_an_all_day_date_is_the_nearest_midnight(name: object, host: str, live_in: LiveIn) -> None:
    live_in(host)
    for text, day in {
        "2026-05-29T00:00:00.000+0000": "2026-05-29",  # UTC
        "2026-05-28T16:00:00.000+0000": "2026-05-29",  # Shanghai
        "2026-05-28T11:00:00.000+0000": "2026-05-29",  # Auckland in summer
        "2026-05-29T07:00:00.000+0000": "2026-05-29",  # Los Angeles
        "2026-05-29T10:00:00.000+0000": "2026-05-29",  # Honolulu
        "2026-05-29T00:00:00+0800": "2026-05-29",
    }.items():
        assert due_date({"isAllDay": True, "dueDate": text, "timeZone": name}) == day


def test_missing_time_zone_data_costs_the_zone_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import zoneinfo

    def missing(name: str) -> object:
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", missing)
    dates._zone.cache_clear()
    try:
        assert zone("Asia/Shanghai") is None
        assert zone("Etc/UTC") is UTC
        record = {"isAllDay": True, "dueDate": "2026-05-28T16:00:00.000+0000", "timeZone": "Asia/Shanghai"}
        assert due_date(record) == "2026-05-29"
    finally:
        dates._zone.cache_clear()


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+0000", "9999-12-31T23:00:00+0000"])
@pytest.mark.parametrize("name", ["America/Los_Angeles", "Asia/Shanghai", "Nowhere"])
def test_the_ends_of_the_calendar_cost_the_field_at_most(text: str, name: str) -> None:
    assert due_date({"isAllDay": True, "dueDate": text, "timeZone": name}) in (None, text[:10])


@given(st.dates(date(1970, 1, 2), date(2200, 1, 1)), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_a_day_that_is_written_is_the_day_that_is_read(day: date, own: str, user: str) -> None:
    for record in ({}, {"timeZone": own}):
        fields = due_fields(day.isoformat(), record, zoned(user))
        assert due_date(record | fields) == day.isoformat()
        assert fields["startDate"] == fields["dueDate"]
        assert fields["isAllDay"] is True


@given(st.datetimes(datetime(1950, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)), st.sampled_from(ZONES))
def test_a_time_that_is_written_is_the_instant_that_is_read(at: datetime, name: str) -> None:
    text = at.astimezone(zoned(name).rules).isoformat()
    assert instant(due_fields(text, {}, zoned(name))["dueDate"]) == at.replace(microsecond=0)


def test_a_day_is_sent_as_local_midnight_with_offset_and_zone() -> None:
    assert due_fields("2026-05-29", {}, zoned("Asia/Shanghai")) == {
        "dueDate": "2026-05-29T00:00:00+0800",
        "startDate": "2026-05-29T00:00:00+0800",
        "isAllDay": True,
        "timeZone": "Asia/Shanghai",
    }


def test_a_day_of_a_task_with_a_zone_is_the_midnight_there() -> None:
    fields = due_fields("2026-05-29", {"timeZone": "America/Los_Angeles"}, zoned("Asia/Shanghai"))
    assert fields["dueDate"] == "2026-05-29T00:00:00-0700"
    assert "timeZone" not in fields


def test_a_midnight_that_the_clocks_leave_out_is_still_that_day() -> None:
    fields = due_fields("2026-04-24", {}, zoned("Africa/Cairo"))
    assert due_date(fields) == "2026-04-24"


def test_a_day_without_any_known_zone_is_a_day_in_utc() -> None:
    fields = due_fields("2026-05-29", {}, None)
    assert (fields["dueDate"], fields["timeZone"]) == ("2026-05-29T00:00:00+0000", "UTC")


def test_a_time_without_an_offset_is_sent_in_the_users_zone() -> None:
    fields = due_fields("2026-05-29T14:30", {}, zoned("Asia/Shanghai"))
    assert fields["dueDate"] == "2026-05-29T14:30:00+0800"
    assert (fields["isAllDay"], fields["timeZone"]) == (False, "Asia/Shanghai")


def test_a_time_without_an_offset_goes_by_the_machines_clock_where_its_zone_has_no_name(live_in: LiveIn) -> None:
    live_in("CST-8")
    assert user_zone() is None
    fields = due_fields("2026-05-29 14:30", {}, user_zone())
    assert fields["dueDate"] == "2026-05-29T14:30:00+0800"
    assert "timeZone" not in fields
    assert in_zone(datetime(2026, 5, 29, 14, 30), None).isoformat() == "2026-05-29T14:30:00+08:00"


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("2026-05-29T14:30:00Z", "2026-05-29T14:30:00+0000"),
        ("2026-05-29t14:30:00z", "2026-05-29T14:30:00+0000"),
        ("2026-05-29T14:30:59.987-07:00", "2026-05-29T14:30:59-0700"),
        (" 2026-05-29T14:30+0530 ", "2026-05-29T14:30:00+0530"),
    ],
)
def test_a_time_keeps_its_offset(text: str, sent: str) -> None:
    assert due_fields(text, {}, zoned("Asia/Shanghai"))["dueDate"] == sent


@pytest.mark.parametrize(
    "value",
    ["", " ", "soon", "tomorrow", "2026", "2026-13-01", "2026-02-30", "29.05.2026", "20260529", "2026-W22-5",
     "2026-05-29T", "2026-05-29T25:00", "2026-05-29T14:30+99:00", "0001-01-01", "9999-12-31T23:59:59-07:00",
     "２０２６-05-29", 20260529, True, b"2026-05-29", ["2026-05-29"]],
)  # fmt: skip
def test_what_is_no_date_is_refused(value: object) -> None:
    with pytest.raises(UsageError) as refused:
        due_fields(value, {}, zoned("Asia/Shanghai"))
    assert repr(value) in refused.value.message
    assert "\n" not in refused.value.message


def test_a_local_mean_time_is_sent_in_utc() -> None:
    assert on_wire(datetime(1850, 1, 1, tzinfo=zoned("Asia/Shanghai").rules)) == "1849-12-31T15:54:17+0000"


TIMED = {
    "startDate": "2026-10-19T07:00:00.000+0000",  # 09:00 in Berlin
    "dueDate": "2026-10-21T15:00:00.000+0000",  # 17:00
    "isAllDay": False,
    "timeZone": "Europe/Berlin",
}
ALL_DAY = {
    "startDate": "2026-10-18T22:00:00.000+0000",  # the 19th
    "dueDate": "2026-10-20T22:00:00.000+0000",  # the 21st
    "isAllDay": True,
    "timeZone": "Europe/Berlin",
}


@pytest.mark.parametrize(
    ("record", "due", "start"),
    [
        (TIMED, "2026-10-23T17:00+02:00", "2026-10-21T09:00:00+0200"),
        (TIMED, "2026-10-26T17:00+01:00", "2026-10-24T09:00:00+0200"),  # summer time ends in between
        (TIMED, "2026-10-23", "2026-10-21T00:00:00+0200"),
        (ALL_DAY, "2026-10-23", "2026-10-21T00:00:00+0200"),
        (ALL_DAY, "2026-10-26", "2026-10-24T00:00:00+0200"),
        (ALL_DAY, "2026-10-23T12:00+02:00", "2026-10-21T12:00:00+0200"),
        (TIMED | {"startDate": TIMED["dueDate"]}, "2026-10-23T17:00+02:00", "2026-10-23T17:00:00+0200"),
        (TIMED | {"startDate": None}, "2026-10-23T17:00+02:00", "2026-10-23T17:00:00+0200"),
        (TIMED | {"startDate": "odd"}, "2026-10-23T17:00+02:00", "2026-10-23T17:00:00+0200"),
        (TIMED | {"startDate": "2026-11-30T00:00:00+0000"}, "2026-10-23T17:00+02:00", "2026-10-23T17:00:00+0200"),
        (TIMED | {"dueDate": None}, "2026-10-23T17:00+02:00", "2026-10-19T09:00:00+0200"),
        (TIMED | {"dueDate": None}, "2026-10-01T17:00+02:00", "2026-10-01T17:00:00+0200"),
    ],
)
def test_a_new_due_date_keeps_the_length_of_the_task(record: dict[str, Any], due: str, start: str) -> None:
    assert due_fields(due, record, None)["startDate"] == start


def test_a_short_task_that_becomes_all_day_begins_and_ends_on_that_day() -> None:
    record = TIMED | {"startDate": "2026-10-21T14:00:00.000+0000"}
    fields = due_fields("2026-10-23", record, None)
    assert fields["startDate"] == fields["dueDate"] == "2026-10-23T00:00:00+0200"


@pytest.mark.parametrize(
    ("record", "due"),
    [
        (ALL_DAY, "2026-10-21"),
        (TIMED, "2026-10-21T17:00+02:00"),
        (TIMED, "2026-10-21T15:00:00.400Z"),
        ({}, None),
        ({"startDate": "2026-10-21T15:00:00Z"}, None),
    ],
)
def test_the_due_date_that_is_there_is_no_change(record: dict[str, Any], due: str | None) -> None:
    assert due_fields(due, record, zoned("Asia/Shanghai")) == {}


@pytest.mark.parametrize(("record", "due"), [(ALL_DAY, "2026-10-21T00:00+02:00"), (TIMED, "2026-10-21")])
def test_a_day_and_a_time_are_not_the_same_due_date(record: dict[str, Any], due: str) -> None:
    assert due_fields(due, record, None)["isAllDay"] is not record["isAllDay"]


def test_clearing_sends_null_for_both_dates() -> None:
    assert due_fields(None, ALL_DAY, None) == {"dueDate": None, "startDate": None}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        (":Asia/Shanghai", "Asia/Shanghai"),
        ("/usr/share/zoneinfo/Asia/Shanghai", "Asia/Shanghai"),
        (":/usr/share/zoneinfo/posix/Asia/Shanghai", "Asia/Shanghai"),
        ("", "UTC"),
    ],
)
def test_the_users_zone_is_what_tz_names(value: str, name: str) -> None:
    found = user_zone({"TZ": value})
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("value", ["CST-8", "Nowhere/Land", "/etc/passwd", "../x"])
def test_a_tz_without_an_iana_name_names_no_zone(value: str) -> None:
    assert user_zone({"TZ": value}) is None


def test_without_tz_the_users_zone_is_the_systems_link(tmp_path: Path) -> None:
    target = tmp_path / "zoneinfo.default" / "Asia" / "Shanghai"
    target.parent.mkdir(parents=True)
    target.touch()
    link = tmp_path / "localtime"
    assert user_zone({}, link) is None
    link.symlink_to(target)
    assert user_zone({}, link) == zoned("Asia/Shanghai")
    assert user_zone({"TZ": ""}, link) == UTC_ZONE


def test_a_day_is_never_more_than_a_day_off_its_instant() -> None:
    for hour in range(24):
        at = datetime(2026, 5, 29, hour, tzinfo=UTC)
        day = day_of(at, None)
        assert day is not None
        assert abs(datetime(day.year, day.month, day.day, tzinfo=UTC) - at) < timedelta(days=1)
