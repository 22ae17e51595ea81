"""The service's dates: it writes UTC with milliseconds, and reads nearly any ISO 8601 time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def moment(value: Any) -> datetime | None:
    """The instant that a date string means, in UTC; a naive one is UTC. None where it is malformed or has no time."""
    if not isinstance(value, str) or "T" not in value:
        return None
    try:
        read = datetime.fromisoformat(value)
        return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def written(at: datetime) -> str:
    """As an answer carries it: `2026-10-02T09:00:00.000+0000`."""
    utc = at.astimezone(UTC)
    return utc.strftime("%Y-%m-%dT%H:%M:%S.") + f"{utc.microsecond // 1000:03d}+0000"
