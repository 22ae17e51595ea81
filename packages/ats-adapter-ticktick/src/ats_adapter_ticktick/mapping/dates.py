"""The service's dates: an instant for a timed task, a day of the wall for an all-day one.

An all-day task's date is the instant of its local midnight, so the day in UTC may be the one before. It is read in the
task's own time zone, whatever the zone of the host.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ats_adapter_ticktick.mapping.scalars import flag

if TYPE_CHECKING:
    from collections.abc import Mapping

_TO_NEXT_MIDNIGHT = timedelta(hours=13)
_DAY_ONLY = len("2026-12-01")


def due_date(record: Mapping[str, Any]) -> str | None:
    """When a task is due: `2026-05-29` for an all-day one, else the instant with its offset; None if unreadable."""
    value = record.get("dueDate")
    at = instant(value)
    if at is None or not isinstance(value, str):
        return None
    if len(value) == _DAY_ONLY:
        return value
    if flag(record.get("isAllDay")):
        day = day_of(at, record.get("timeZone"))
        return None if day is None else day.isoformat()
    return stamp(value)


def stamp(value: object) -> str | None:
    """A date string as it came, with an offset added where it has none; None if unreadable."""
    at = _parse(value)
    if at is None:
        return None
    return str(value) if at.tzinfo is not None else at.replace(tzinfo=UTC).isoformat()


def instant(value: object) -> datetime | None:
    """A date string as a time with a zone; without an offset it is UTC, as the service itself reads it."""
    at = _parse(value)
    return at if at is None or at.tzinfo is not None else at.replace(tzinfo=UTC)


def day_of(at: datetime, zone_name: object) -> date | None:
    """The day of an all-day date in its task's zone; None beyond the calendar.

    Where the zone is missing or unknown, the nearest midnight counts: the date is a local midnight, and zones lie
    between -10 and +13 hours for all but a few islands. UTC's own midnights stay what they are.
    """
    where = zone(zone_name)
    try:
        if where is not None:
            return at.astimezone(where).date()
        return at.date() if at.time() == time.min else (at.astimezone(UTC) + _TO_NEXT_MIDNIGHT).date()
    except OverflowError:
        return None


def zone(name: object) -> tzinfo | None:
    """The zone of an IANA name; None for an unknown one, and for all but UTC where there is no time zone data."""
    return _zone(name) if isinstance(name, str) and name else None


@lru_cache(maxsize=512)
def _zone(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # not found; no name of a zone; a folder of the zone data
        return UTC if name in ("UTC", "Etc/UTC", "GMT", "Etc/GMT") else None


def _parse(value: object) -> datetime | None:
    if type(value) is not str:
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None
