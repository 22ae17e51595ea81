"""The whole corpus with the fewest requests that are complete.

Two where they do: all lists, and the filter for open tasks. The filter's answer is cut at 200 rows without a sign, so
one of 200 is taken for cut, and every list is read by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from ats_core import FailedProject, Fetched, LoginRequiredError, Project, RateLimitedError
from ats_core.cache.partial import in_project_order
from ats_core.fanout import FanOut, Job, Outcome

from ats_adapter_ticktick.api.endpoints import CAP
from ats_adapter_ticktick.corpus.by_list import ByList, read_by_list
from ats_adapter_ticktick.corpus.lists import Lists
from ats_adapter_ticktick.corpus.outcomes import error_of
from ats_adapter_ticktick.corpus.rows import Row, read_rows, unreadable_warning
from ats_adapter_ticktick.corpus.seen import Seen

if TYPE_CHECKING:
    from ats_core import Deadline

    from ats_adapter_ticktick.api.endpoints import TickTickApi

MARGIN = 1.0
"""Seconds before the deadline at which reading ends, so that what was read is handed over in time."""


class Gathered(NamedTuple):
    """The outcome of a fetch: what core gets, lines for people, and what to remember."""

    fetched: Fetched
    warnings: list[str]
    seen: Seen


def fetch_corpus(
    api: TickTickApi,
    deadline: Deadline,
    known: Seen | None = None,
    outlook: Callable[[int], float] = lambda requests: 0.0,
) -> Gathered:
    """All open tasks in project order, the Inbox first, within a list in the service's order.

    What was read is kept whatever happens afterwards: a list that failed is named in `Fetched.failed`, with the time
    after which it may be asked again, and core asks for these alone.

    :param known: what an earlier fetch saw; its names help out where the lists cannot be read.
    :param outlook: seconds that so many more requests will take under the rate limit.
    :raises LoginRequiredError: the service refuses the login, at whatever point.
    :raises StoreError: nothing was fetched.
    """
    started = time.time()
    until = deadline.less(min(MARGIN, deadline.remaining() / 10))
    listed, filtered = FanOut().run([Job("the lists", api.projects), Job("the open tasks", api.open_tasks)], until)
    rows = filtered.value or []
    is_cut = filtered.value is None or len(rows) >= CAP
    _raise_if_vain(listed, filtered, is_cut and known is None)
    lists, warnings, missing = _lists(listed, known)
    lists = lists.meeting(rows)
    if is_cut:
        read = read_by_list(api, lists, rows, until, outlook)
    else:
        read = ByList(lists, [Row(row) for row in rows], [], [])
    cut = () if known is None else known.cut
    read = read._replace(failed=[*read.failed, *missing])
    return _gathered(read, warnings, Seen(at=started, by_list=is_cut, cut=cut))


def _raise_if_vain(listed: Outcome[Any], filtered: Outcome[Any], needs_lists: bool) -> None:
    """Raise what failed, where the login is refused, nothing is there, or more requests would be refused as well.

    :param needs_lists: whether there is no going on without the lists.
    """
    failed = [outcome for outcome in (listed, filtered) if outcome.value is None]
    for outcome in failed:
        if isinstance(outcome.exception, LoginRequiredError):
            raise outcome.exception
    if isinstance(filtered.exception, RateLimitedError) or len(failed) == 2:
        raise error_of(filtered)
    if listed in failed and needs_lists:
        raise error_of(listed)


def _lists(listed: Outcome[list[Any]], known: Seen | None) -> tuple[Lists, list[str], list[FailedProject]]:
    """The lists; where they could not be read, those of the last fetch and a line about it, or what is missing."""
    if listed.value is not None:
        return Lists.of(listed.value, known), [], []
    if known is not None:
        said = f"the lists could not be read, their names are those of the last fetch: {listed.error}"
        return Lists.remembered(known), [said], []
    return Lists.remembered(Seen()), [], [FailedProject(id="", name="the names of the lists", error=listed.error or "")]


def _gathered(read: ByList, warnings: list[str], seen: Seen) -> Gathered:
    lists = read.lists.meeting(row.record for row in read.rows)
    # Only a task tells the Inbox' real id; whatever is said of the Inbox has to be said under that.
    alias = read.lists.inbox.id
    failed = [
        msgspec.structs.replace(project, id=lists.inbox.id) if project.id == alias else project
        for project in read.failed
    ]
    tasks, unreadable = read_rows(read.rows, lists)
    tasks = in_project_order(tasks, lists.all)
    return Gathered(
        Fetched(tasks=tasks, failed=failed, projects=lists.all),
        [*warnings, *read.warnings, *unreadable_warning(unreadable)],
        msgspec.structs.replace(
            seen,
            inbox=lists.inbox.id,
            projects=tuple(Project(id=item.id, name=item.name, kind=item.kind) for item in lists.all),
        ),
    )
