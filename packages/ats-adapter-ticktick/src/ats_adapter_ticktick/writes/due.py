"""A due date as the user writes it, and the fields in which the service keeps it.

A day becomes its local midnight with the offset, in the task's own zone; a time keeps its offset, or gets the user's:
the service would read a bare one as UTC. `startDate` goes along with `dueDate` always, since the service, given the
due date alone, moves the start onto it, and the length of the task would be lost.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core import UsageError

from ats_adapter_ticktick.mapping.dates import day_of, instant
from ats_adapter_ticktick.mapping.scalars import flag
from ats_adapter_ticktick.writes.zones import UTC_ZONE, Zone, in_zone

if TYPE_CHECKING:
    from collections.abc import Mapping

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*", re.ASCII)

CLEARED = {"dueDate": None, "startDate": None}
"""The service ignores `""`. It drops the repeat with the date: nothing repeats without one."""


class Due(NamedTuple):
    """A due date: whole seconds, with a zone; the day's midnight if `all_day`."""

    at: datetime
    all_day: bool


def due_fields(value: object, record: Mapping[str, Any], user: Zone | None) -> dict[str, Any]:
    """The fields that give a task this due date, `{}` where it has it already.

    :param value: `2026-05-29`, or a time such as `2026-05-29T14:30` with or without an offset; None for no date.
    :param record: the task as it is, `{}` for a new one.
    :raises UsageError: it is neither.
    """
    if value is None:
        return dict(CLEARED) if record.get("dueDate") else {}
    own = Zone.of(record.get("timeZone"))
    where = own or user or UTC_ZONE
    try:
        due = _parse(value, where, user)
        if _has(record, due):
            return {}
        fields = {
            "dueDate": on_wire(due.at),
            "startDate": on_wire(_start(record, due, where.rules)),
            "isAllDay": due.all_day,
        }
    except (ValueError, OverflowError):
        raise UsageError(
            f"due date {value!r} is neither a day nor a time",
            hint="write 2026-05-29, or 2026-05-29T14:30, with or without an offset such as +02:00",
        ) from None
    if own is None and (user is not None or due.all_day):
        fields["timeZone"] = where.name
    return fields


def on_wire(at: datetime) -> str:
    """A time in the service's documented form: `2026-05-29T00:00:00+0800`."""
    offset = at.utcoffset()
    if offset is None or offset.total_seconds() % 60:  # the local mean times of before about 1900
        at = at.astimezone(UTC)
    text = at.isoformat(timespec="seconds")
    return text[:-3] + text[-2:]


def _parse(value: object, where: Zone, user: Zone | None) -> Due:
    text = value.strip().upper() if isinstance(value, str) else ""
    if _DAY.fullmatch(text):
        due = Due(_midnight(date.fromisoformat(text), where.rules), True)
    elif _TIME.fullmatch(text):
        at = datetime.fromisoformat(text).replace(microsecond=0)
        due = Due(at if at.tzinfo is not None else in_zone(at, user), False)
    else:
        raise ValueError(text)
    due.at.astimezone(UTC)  # the calendar's first and last hours exist in one zone and not in another
    return due


def _has(record: Mapping[str, Any], due: Due) -> bool:
    at = instant(record.get("dueDate"))
    if at is None or flag(record.get("isAllDay")) != due.all_day:
        return False
    if due.all_day:
        return day_of(at, record.get("timeZone")) == due.at.date()
    return at.replace(microsecond=0) == due.at


def _start(record: Mapping[str, Any], due: Due, rules: tzinfo) -> datetime:
    """As long before the new due date as it was before the old one, on the wall; a bare start stays where it is."""
    old_due, old_start = instant(record.get("dueDate")), instant(record.get("startDate"))
    if old_start is None:
        return due.at
    start = old_start.astimezone(rules)
    if old_due is None:
        return min(start, due.at)
    end = old_due.astimezone(rules)
    if due.all_day:
        days = max(end.date() - start.date(), timedelta())
        return _midnight(due.at.date() - days, rules)
    # Two times of one zone differ by what the wall's clock shows, also where summer time lies between them.
    return due.at.astimezone(rules) - max(end - start, timedelta())


def _midnight(day: date, rules: tzinfo) -> datetime:
    return datetime.combine(day, time.min, rules)
