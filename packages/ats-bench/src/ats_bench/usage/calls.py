"""The usage log as calls: one line at a time, those of the wanted days, whatever else the file holds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from ats_core.errors import AtsError, ConfigError
from ats_core.usage_log import UsageReader

OPENING = frozenset({"get", "open", "url"})
"""Tools that read one task: what a person does with a good answer."""

_BY_ID = OPENING | {"similar"}
"""Tools whose `query` is a reference to a task and no question."""


class Call(NamedTuple):
    """One line of the log. `at` is in seconds since the epoch, the end of the call to the second.

    `results` and `duration_ms` are None where the line does not say; `error` is `""` where there was none.
    """

    at: float
    tool: str
    query: str
    query_length: int
    results: int | None
    top_id: str
    error: str
    degraded: bool
    duration_ms: float | None
    pid: int | None

    @property
    def is_search(self) -> bool:
        """Whether it asked a question in words."""
        return self.tool not in _BY_ID

    @property
    def is_empty(self) -> bool:
        """Whether it was answered, with no hit."""
        return not self.error and self.results == 0


class Log:
    """The calls of a log file and the one that was rotated away, oldest first, from `since` on.

    Each iteration reads the files anew, a line at a time. `skipped` counts the lines that are no calls, of the
    iteration that went furthest.
    """

    def __init__(self, path: Path, since: float = -math.inf) -> None:
        self.path = path
        self.skipped = 0
        self._since = since

    def __iter__(self) -> Iterator[Call]:
        reader = UsageReader(self.path)
        not_calls = 0
        try:
            for line in reader:
                call = read_call(line)
                if call is None:
                    not_calls += 1
                elif call.at >= self._since:
                    yield call
        except OSError as error:
            raise AtsError(
                f"the usage log {self.path} cannot be read: {error.strerror}",
                hint="mend its permissions, or give --log",
            ) from error
        finally:
            self.skipped = max(self.skipped, reader.skipped + not_calls)


def read_call(line: Mapping[str, Any]) -> Call | None:
    """The call that a line of the log describes, None where it has no time or no tool.

    Other tools write this format too: what is missing or of an odd type counts as not said.
    """
    at, tool = _instant(line.get("ts")), line.get("tool")
    if at is None or not isinstance(tool, str) or not tool:
        return None
    meta = line.get("meta")
    if not isinstance(meta, dict):
        meta = {}
    query, error = line.get("query"), line.get("error")
    query = query if isinstance(query, str) else ""
    top_id, length = line.get("topId"), _count(line.get("queryLen"))
    return Call(
        at=at,
        tool=tool.replace("_", "-"),
        query=query,
        query_length=len(query) if length is None else length,
        results=_count(line.get("resultCount")),
        top_id=str(top_id) if isinstance(top_id, (str, int)) else "",
        error=error if isinstance(error, str) else "unknown" if error else "",
        degraded=meta.get("degraded") is True,
        duration_ms=_milliseconds(meta.get("durationMs")),
        pid=_count(line.get("pid")),
    )


def first_moment(days: int, now: datetime) -> datetime:
    """The local midnight at which the last `days` days began, today being one of them. `now` is local, with a zone."""
    day = (now - timedelta(days=days - 1)).date()
    # A time without a zone is local by the rules of that very day, summer time included.
    return datetime(day.year, day.month, day.day).astimezone()


def need_log(path: Path) -> Path:
    """The log that was asked for by name.

    :raises ConfigError: there is no such file, nor one that was rotated away.
    """
    if not path.exists() and not path.with_name(f"{path.name}.1").exists():
        raise ConfigError(f"no usage log at {path}", hint="ATS_USAGE_LOG or --log says where it is")
    return path


def timestamp(at: float) -> str:
    """An instant as the log has it."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _instant(text: Any) -> float | None:
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _milliseconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return None
    return float(value)
