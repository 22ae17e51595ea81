"""Every list read by itself, a few at a time, until one answer says that going on is in vain."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core import (
    AtsError,
    FailedProject,
    LoginRequiredError,
    Project,
    RateLimitedError,
    StoreError,
    StoreTimeoutError,
)
from ats_core.fanout import OK, FanOut, Job, Outcome, attempt

from ats_adapter_ticktick.corpus.lists import Lists, is_closed
from ats_adapter_ticktick.corpus.outcomes import error_of
from ats_adapter_ticktick.corpus.rows import Row, rows_of
from ats_adapter_ticktick.mapping.project import INBOX, is_inbox
from ats_adapter_ticktick.mapping.scalars import text

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi

Data = dict[str, Any] | None
"""The answer for one list; None where there is no such list any more."""

AT_ONCE = 6
LONG_WAIT = 5.0
"""Seconds from which on people are told how long the rate limit will keep them waiting."""

_logger = logging.getLogger("ats_adapter_ticktick")


class ByList(NamedTuple):
    """`lists` without those that are gone; the `rows` of all others in order; `failed` lists; `warnings` about archived
    ones that cannot be read."""

    lists: Lists
    rows: list[Row]
    failed: list[FailedProject]
    warnings: list[str]


def read_by_list(
    api: TickTickApi,
    lists: Lists,
    filtered: Sequence[Any],
    deadline: Deadline,
    outlook: Callable[[int], float],
) -> ByList:
    """Read all lists, the Inbox first and archived ones last.

    A rate limit that outlasts the deadline ends it: the lists that are left fail at once, for the same reason.

    :param filtered: rows of a cut filter: for a list that fails, those it has are better than none.
    :param outlook: seconds that so many more requests will take under the rate limit.
    :raises LoginRequiredError: the service refuses the login.
    :raises StoreError: all lists failed, and there are no rows of the filter either.
    """
    _announce(len(lists.all), outlook(len(lists.all)), deadline)
    reading = _Reading(api, inbox_has_tasks=any(_is_in(row, lists.inbox) for row in filtered if isinstance(row, dict)))
    jobs = [reading.job(project) for project in sorted(lists.all, key=is_closed)]
    outcomes = {outcome.name: outcome for outcome in FanOut().run(jobs, deadline, workers=AT_ONCE)}
    for outcome in outcomes.values():
        if isinstance(outcome.exception, LoginRequiredError):
            raise outcome.exception
    if not filtered and all(outcome.status != OK for outcome in outcomes.values()):
        raise error_of(outcomes[lists.inbox.id])
    return _sorted_out(lists, outcomes, filtered)


class _Reading:
    """Makes the requests; after a refusal that holds for all of them it makes no more.

    :param inbox_has_tasks: whether an answer without any for the Inbox cannot be right.
    """

    def __init__(self, api: TickTickApi, *, inbox_has_tasks: bool) -> None:
        self._api = api
        self._inbox_has_tasks = inbox_has_tasks
        self._lock = Lock()
        self._refusal: AtsError | None = None
        self._is_login_good: bool | None = None

    def job(self, project: Project) -> Job[Data]:
        asked = INBOX if is_inbox(project.id) else project.id

        def run(deadline: Deadline) -> Data:
            if self._refusal is not None:
                raise self._refusal
            try:
                data = self._api.project_data(asked, deadline)
                if data is None and asked == INBOX and self._inbox_has_tasks:
                    raise StoreError("TickTick gave nothing where there are tasks")
                return data
            except LoginRequiredError as error:
                if self._still_logged_in(deadline):
                    raise StoreError(f"this list is closed to us: {error.message}") from error
                self._refusal = error
                raise
            except RateLimitedError as error:
                self._refusal = error
                raise

        return Job(project.id, run)

    def _still_logged_in(self, deadline: Deadline) -> bool:
        """Whether a list that is refused is no more than that. Asked once: a list that somebody shared and closed must
        not keep us from all others."""
        with self._lock:
            if self._is_login_good is None:
                answer = attempt(Job("the lists", self._api.projects), deadline)
                self._is_login_good = not isinstance(answer.exception, LoginRequiredError)
            return self._is_login_good


def _sorted_out(lists: Lists, outcomes: dict[str, Outcome[Data]], filtered: Sequence[Any]) -> ByList:
    gone = {name for name, outcome in outcomes.items() if outcome.status == OK and outcome.value is None}
    read = ByList(lists.without(gone), [], [], [])
    for project in read.lists.all:
        outcome = outcomes[project.id]
        if outcome.status == OK:
            read.rows.extend(rows_of(outcome.value, project.id))
            continue
        read.rows.extend(Row(row) for row in filtered if isinstance(row, dict) and _is_in(row, project))
        if is_closed(project) and _is_final(outcome):
            read.warnings.append(f"the archived list {project.name} cannot be read: {outcome.error}")
        else:
            read.failed.append(_failed(project, outcome))
    return read


def _is_in(row: dict[str, Any], project: Project) -> bool:
    project_id = text(row.get("projectId"))
    return project_id == project.id or (is_inbox(project_id) and is_inbox(project.id))


def _is_final(outcome: Outcome[Data]) -> bool:
    """Whether asking again would end the same way. Archived lists are not worth an answer that is degraded for good."""
    return outcome.exception is not None and not isinstance(outcome.exception, RateLimitedError | StoreTimeoutError)


def _failed(project: Project, outcome: Outcome[Data]) -> FailedProject:
    wait = outcome.exception.retry_after if isinstance(outcome.exception, RateLimitedError) else None
    return FailedProject(id=project.id, name=project.name, error=outcome.error or "failed", retry_after=wait)


def _announce(count: int, wait: float, deadline: Deadline) -> None:
    """Say beforehand how long it will take: by the log, whose warnings reach people on stderr as it happens."""
    if wait < LONG_WAIT:
        return
    span = f"{wait:.0f} s" if wait < 120 else f"{wait / 60:.0f} min"
    then = "" if wait < deadline.remaining() else "; what is read in time is kept, and the next call goes on from there"
    _logger.warning("ats: under the rate limit, reading %d lists takes about %s%s", count, span, then)
