"""Completed and abandoned tasks. An answer of 200 rows is cut without a sign, so its range is halved and asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core import LoginRequiredError, Task, UsageError
from ats_core.cache.fetch import COMPLETED_DAYS
from ats_core.fanout import FanOut, Job, Outcome

from ats_adapter_ticktick.api.endpoints import CAP
from ats_adapter_ticktick.corpus.fetch import MARGIN
from ats_adapter_ticktick.corpus.lists import Lists
from ats_adapter_ticktick.corpus.outcomes import error_of
from ats_adapter_ticktick.corpus.rows import Row, read_rows, unreadable_warning
from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.mapping.dates import instant
from ats_adapter_ticktick.mapping.project import INBOX

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi

AT_ONCE = 4
MOST_REQUESTS = 120
"""An end even for a server that answers 200 rows to whatever it is asked: 5,000 completed tasks take about 60."""

CLOCK_SLACK = timedelta(days=1)
"""How far the range goes beyond now: the service's clock is not ours."""

_SECOND = timedelta(seconds=1)
_EPOCH = datetime.fromtimestamp(0, UTC)


class Completed(NamedTuple):
    """The tasks, the last completed first; lines for people; and what is incomplete."""

    tasks: list[Task]
    warnings: list[str]
    cut: list[str]


class _Part(NamedTuple):
    """What one request asks for: a range of time, its ends included, and lists; none means all of them."""

    start: datetime
    end: datetime
    projects: tuple[str, ...] = ()

    def halves(self, known: Sequence[str]) -> list[_Part]:
        """Two parts that make up this one: of time, or, of one second, of lists; none where it cannot be divided.

        :param known: the ids of all lists.
        """
        if self.end - self.start > _SECOND:
            seconds = int((self.end - self.start) / _SECOND) // 2
            middle = self.start + timedelta(seconds=seconds)
            return [self._replace(end=middle), self._replace(start=middle)]
        projects = self.projects or tuple(known)
        half = len(projects) // 2
        return [self._replace(projects=projects[:half]), self._replace(projects=projects[half:])] if half else []

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%d %H:%M:%S} to {self.end:%Y-%m-%d %H:%M:%S} UTC"


def list_completed(
    api: TickTickApi, since: datetime, deadline: Deadline, known: Seen | None, *, now: datetime | None = None
) -> Completed:
    """All tasks that were completed or abandoned since then.

    Where only some of the requests fail, the rest is kept, and the warnings say so.

    :param known: the lists as they were seen last, for names, and to divide a second by.
    :raises LoginRequiredError: the service refuses the login.
    :raises StoreError: the first request failed, so there is nothing.
    """
    deadline = deadline.less(min(MARGIN, deadline.remaining() / 10))
    since = max(since, _EPOCH).replace(microsecond=0)
    end = max((now or datetime.now(UTC)).replace(microsecond=0) + CLOCK_SLACK, since)
    lists = Lists.remembered(known or Seen())
    ids = [project.id for project in lists.all if project.id != INBOX]
    rows, warnings, cut = _read_parts(api, _Part(since, end), deadline, ids)
    (outcome,) = FanOut().run([Job("the abandoned tasks", api.abandoned)], deadline)
    if outcome.value is None:
        _raise_login(outcome)
        warnings.append(f"abandoned tasks are missing: {outcome.error}")
    else:
        rows += [row for row in outcome.value if _is_since(row, since)]
        if len(outcome.value) >= CAP:
            cut.append("abandoned tasks")
    if cut:
        warnings.append(f"the service gives only {CAP} of each of these: {', '.join(cut)}")
    tasks, unreadable = read_rows(map(Row, sorted(rows, key=_ended, reverse=True)), lists)
    return Completed(tasks, [*warnings, *unreadable_warning(unreadable)], cut)


def since_of(text: str, days: int) -> datetime:
    """From when on completed tasks are wanted: since an instant, but so many days ago where the user chose that.

    :param text: an ISO 8601 instant; without an offset it is UTC.
    :param days: the setting `completed_days`.
    :raises UsageError: it is none.
    """
    if days != COMPLETED_DAYS:
        return datetime.now(UTC) - timedelta(days=days)
    at = instant(text)
    if at is None:
        raise UsageError(f"since is {text!r}, expected an ISO 8601 instant")
    return at.astimezone(UTC)


def _read_parts(
    api: TickTickApi, whole: _Part, deadline: Deadline, known: Sequence[str]
) -> tuple[list[Any], list[str], list[str]]:
    """The rows of all parts, warnings about parts that failed, and the parts that stay cut."""
    rows: list[Any] = []
    failed: list[Outcome[Any]] = []
    cut: list[str] = []
    parts, asked = [whole], 0
    while parts:
        asked += len(parts)
        outcomes = FanOut().run([_job(api, part) for part in parts], deadline, workers=AT_ONCE)
        divided: list[_Part] = []
        for part, outcome in zip(parts, outcomes, strict=True):
            _raise_login(outcome)
            if outcome.value is None:
                failed.append(outcome)
                continue
            rows += outcome.value
            halves = part.halves(known) if len(outcome.value) >= CAP else []
            if len(outcome.value) >= CAP and (not halves or asked >= MOST_REQUESTS):
                cut.append(f"completed {part}")
            else:
                divided += halves
        if failed and not rows:
            raise error_of(failed[0])
        parts = divided
    return rows, [f"some completed tasks are missing: {failed[0].error}"] if failed else [], cut


def _job(api: TickTickApi, part: _Part) -> Job[list[Any]]:
    start, end = (at.strftime("%Y-%m-%dT%H:%M:%S+0000") for at in (part.start, part.end))
    return Job(f"completed tasks {part}", lambda until: api.completed(start, end, until, part.projects))


def _raise_login(outcome: Outcome[Any]) -> None:
    if isinstance(outcome.exception, LoginRequiredError):
        raise outcome.exception


def _ended(row: Any) -> datetime:
    """When a task was completed, as far as it says."""
    if not isinstance(row, dict):
        return _EPOCH
    return instant(row.get("completedTime")) or instant(row.get("modifiedTime")) or _EPOCH


def _is_since(row: Any, since: datetime) -> bool:
    """Whether a task ended within the range, or does not say when."""
    at = _ended(row)
    return at == _EPOCH or at >= since
