"""Times as stores give them, as numbers that can be compared, and the dates that people type into a filter.

An instant is its seconds since the epoch, times two. A date without a time (an all-day task) is a day of the wall and
no instant: it is kept as the seconds of its midnight in UTC, times two plus one, so that it is told apart and compared
by the day, whatever the zone of the reader.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

ABSENT = -(1 << 63)
"""The number of a time that is missing or cannot be read."""

_EPOCH = date(1970, 1, 1)
_DAY = 86_400
_RELATIVE = re.compile(r"([+-]?)(\d{1,5})([dw])")
_NAMED = {"yesterday": -1, "today": 0, "tomorrow": 1}


def moment(text: str | None) -> int:
    """The number of an ISO 8601 time or date; `ABSENT` for all else. A time without a zone is taken as local."""
    if not text:
        return ABSENT
    try:
        if len(text) == len("2026-12-01"):
            return 2 * (date.fromisoformat(text) - _EPOCH).days * _DAY + 1
        return 2 * int(datetime.fromisoformat(text).timestamp())
    except (ValueError, OverflowError, OSError):
        return ABSENT


class Bound(NamedTuple):
    """A limit in time: the instant (seconds since the epoch), and the day on the reader's wall, as a day number."""

    instant: float
    day: int

    def is_after(self, number: int) -> bool:
        """Whether a moment lies before this bound; a bare date does if its day is an earlier one."""
        return number // 2 // _DAY < self.day if number & 1 else number / 2 < self.instant


def parse_bound(text: str, now: datetime, *, past: bool) -> Bound:
    """What a person means by a date in a filter, at `now`, which is local and has a zone.

    An ISO date (its local midnight) or time; `today`, `tomorrow`, `yesterday`; or a distance such as `7d` and `2w`,
    into the past or the future as `past` says, or as its sign says.

    :raises ValueError: none of these.
    """
    text = text.strip().lower()
    relative = _RELATIVE.fullmatch(text)
    if text in _NAMED:
        return _midnight(now.date() + timedelta(days=_NAMED[text]))
    if relative:
        sign, amount, unit = relative.groups()
        days = int(amount) * (7 if unit == "w" else 1)
        backwards = sign == "-" or (not sign and past)
        there = now + timedelta(days=-days if backwards else days)
        return Bound(there.timestamp(), (there.date() - _EPOCH).days)
    try:
        if len(text) == len("2026-12-01"):
            return _midnight(date.fromisoformat(text.upper()))
        there = datetime.fromisoformat(text.upper()).astimezone()  # a small z is no zone to Python
        return Bound(there.timestamp(), (there.date() - _EPOCH).days)
    except OverflowError as error:
        raise ValueError(text) from error


def due_date(text: str, now: datetime) -> str:
    """What a person means by the date of a new task, at `now`, which is local: an ISO date, or an ISO time as it is.

    :raises ValueError: neither of these, nor `today`, `tomorrow`, or a distance such as `7d` or `2w`.
    """
    text = text.strip()
    if text.lower() in _NAMED or _RELATIVE.fullmatch(text.lower()):
        bound = parse_bound(text, now, past=False)
        return (_EPOCH + timedelta(days=bound.day)).isoformat()
    parse_bound(text, now, past=False)
    return text.upper()


def _midnight(day: date) -> Bound:
    # A time without a zone is local by the rules of that very day, summer time included.
    return Bound(datetime(day.year, day.month, day.day).timestamp(), (day - _EPOCH).days)
