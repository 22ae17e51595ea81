"""When a repeating task falls due next: as much of RRULE as a demo needs (FREQ, INTERVAL, BYDAY of a week)."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from .dates import moment, written

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def advanced(task: Mapping[str, Any], now: datetime) -> dict[str, str]:
    """The dates that the task has after its completion.

    Counted from its due date, or from `now` with `repeatFrom` "1", on the clock of its own time zone. `startDate`
    keeps its distance. Rules of other kinds come back every day.
    """
    due = moment(task.get("dueDate")) or now
    start = moment(task.get("startDate")) or due
    zone = _zone(task.get("timeZone"))
    base = due.astimezone(zone)
    if task.get("repeatFrom") == "1":
        base = datetime.combine(now.astimezone(zone).date(), base.timetz())
    try:
        following = _after(base, _rule(str(task.get("repeatFlag", "")))).astimezone(UTC)
    except (ValueError, OverflowError):  # after the year 9999
        return {}
    return {"dueDate": written(following), "startDate": written(following - (due - start))}


def _rule(flag: str) -> dict[str, str]:
    _, _, parts = flag.partition(":")
    return dict(part.split("=", 1) for part in parts.split(";") if "=" in part)


def _zone(name: Any) -> ZoneInfo:
    try:
        return ZoneInfo(str(name))
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def _after(base: datetime, rule: dict[str, str]) -> datetime:
    """One occurrence after `base`, at the same time of the day."""
    every = int(rule["INTERVAL"]) if rule.get("INTERVAL", "").isdigit() else 1
    match rule.get("FREQ"):
        case "WEEKLY":
            days = [_DAYS.index(day) for day in rule.get("BYDAY", "").split(",") if day in _DAYS]
            later = [day for day in days if day > base.weekday()]
            if later:
                return base + timedelta(days=min(later) - base.weekday())
            return base + timedelta(weeks=every, days=min(days) - base.weekday() if days else 0)
        case "MONTHLY":
            return _months_later(base, every)
        case "YEARLY":
            return _months_later(base, 12 * every)
        case _:
            return base + timedelta(days=every)


def _months_later(base: datetime, months: int) -> datetime:
    years, month = divmod(base.month - 1 + months, 12)
    year = base.year + years
    return base.replace(year=year, month=month + 1, day=min(base.day, calendar.monthrange(year, month + 1)[1]))
