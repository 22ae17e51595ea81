"""Which corpus answers a call: the cached copy while it is fresh, else a new fetch, else an expired copy."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

import msgspec

from ats_core.cache.fetch import distinct, fetch_corpus, fetch_projects
from ats_core.cache.file import SCHEMA, Copy, DamagedCopyError, Header, decode_tasks, write_copy, written_at
from ats_core.cache.freshness import Freshness, Policy
from ats_core.cache.inventory import remove_copy
from ats_core.cache.opened import OpenedCorpus, index_path, open_copy, open_tasks
from ats_core.cache.partial import in_project_order, is_whole_wanted, retry_at, with_kept
from ats_core.cache.place import CachePlace
from ats_core.cache.report import corpus_report, corpus_warnings
from ats_core.cache.setbacks import Setback, Setbacks, forget_setback
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, LoginRequiredError, NotFoundError, RateLimitedError, StoreError
from ats_core.fanout import FanOut, describe
from ats_core.models import CorpusReport, Fetched, Project, Task
from ats_core.plugins.adapter import Adapter
from ats_core.text.analyser import Analyser

WAIT_FOR_FETCH = 1.0
"""Seconds by which a waiter outlasts the time that the fetch it waits for has, to hear how that ended."""


class Loaded(NamedTuple):
    """A corpus that is ready to be searched, and what to say about it."""

    opened: OpenedCorpus
    report: CorpusReport
    warnings: tuple[str, ...]


class CorpusStore:
    """The corpus of one adapter and account. Safe to use from several threads and processes.

    `scope` names the account: no copy of another scope is ever read or overwritten. Each fetch runs in a context that
    `on_fetch` gives.
    """

    def __init__(
        self,
        adapter: Adapter,
        scope: str,
        policy: Policy,
        analyser: Callable[[], Analyser],
        fetch: Callable[[Adapter, Deadline, FanOut], tuple[Fetched, list[str]]] = fetch_corpus,
        *,
        on_fetch: Callable[[], AbstractContextManager[object]] = nullcontext,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.adapter_name = adapter.name
        self._adapter = adapter
        self._scope = scope
        self._policy = policy
        self._place = CachePlace(policy.path, adapter.name, scope)
        self._freshness = Freshness(adapter, policy, clock)
        self._setbacks = Setbacks(self._place, clock)
        self._analyser = analyser
        self._fetch_from = fetch
        self._on_fetch = on_fetch
        self._clock = clock
        self._fetches = FanOut()
        self._opened: OpenedCorpus | None = None

    @property
    def stuck(self) -> bool:
        """Whether a fetch that was given up on still runs."""
        return self._fetches.stuck

    def load(self, *, fresh: bool = False, cached: bool = False) -> Loaded:
        """The corpus, fetched only if it must be.

        :param fresh: take no copy from before this call.
        :param cached: answer from any copy, and fetch nothing.
        :raises StoreError: there is neither a corpus nor an expired copy.
        :raises NotFoundError: `cached`, and there is no copy.
        """
        called_at = self._clock()
        warnings: list[str] = []
        try:
            return self._load(called_at, warnings, fresh=fresh or self._policy.time_to_live <= 0, cached=cached)
        except DamagedCopyError as error:  # a header that was whole, and tasks that are not
            warnings.append(f"the corpus cache is ignored: {error}")
            if cached:
                raise NotFoundError("the cached corpus is damaged", hint="run the search without --cached") from error
        with self._fetch_lock():
            copy = self._place.read(warnings)
            if copy is None or not self._freshness.is_fetched_since(called_at, copy):
                return self._fetch(None, warnings)
        return self._answer(copy, warnings)

    def _load(self, called_at: float, warnings: list[str], *, fresh: bool, cached: bool) -> Loaded:
        copy = self._place.read(warnings)
        if cached:
            if copy is None:
                raise NotFoundError("there is no cached corpus yet", hint="run the search without --cached once")
            return self._answer(copy, warnings, stale=not self._freshness.is_fresh(copy, warnings))
        if copy is not None and not fresh:
            answer = self._without_fetch(copy, warnings)
            if answer is not None:
                return answer
        with self._fetch_lock(self._awaited(called_at)):
            # Whoever held the lock before us may have fetched what we need, or failed to.
            copy, setback = self._place.read(warnings), self._setbacks.last()
            if setback is not None and self._setbacks.answers(setback, called_at, copy, fresh=fresh):
                return self._answer_after(setback, copy, warnings)
            if copy is None or not self._freshness.is_fetched_since(called_at, copy):
                if copy is None or fresh or not self._freshness.is_fresh(copy, warnings):
                    return self._fetch(copy, warnings)
                if self._freshness.is_retry_due(copy):
                    retry = self._fetch if is_whole_wanted(copy.header.failed) else self._retry_failed
                    return retry(copy, warnings)
        return self._answer(copy, warnings)

    def _without_fetch(self, copy: Copy, warnings: list[str]) -> Loaded | None:
        """The copy, where it is fresh, or where the store is not to be asked yet; else None."""
        if self._freshness.is_fresh(copy, warnings):
            return None if self._freshness.is_retry_due(copy) else self._answer(copy, warnings)
        setback = self._setbacks.last()
        if setback is None or self._clock() >= setback.due:
            return None
        return self._answer_after(setback, copy, warnings)

    def _fetch(self, expired: Copy | None, warnings: list[str]) -> Loaded:
        started = self._clock()
        revision = self._freshness.revision(warnings)
        try:
            with self._on_fetch():
                fetched, said = self._fetch_from(self._adapter, self._fetch_deadline(), self._fetches)
        except LoginRequiredError as error:  # costs the store nothing, and the next call may come after the login
            if expired is None:
                raise
            hint = f" ({error.hint})" if error.hint else ""
            setback = self._setbacks.note(f"{describe(error)}{hint}", revision, wait=0)
            return self._answer_after(setback, expired, warnings)
        except AtsError as error:
            wait = error.retry_after if isinstance(error, RateLimitedError) else None
            setback = self._setbacks.note(describe(error), revision, wait=wait)
            if expired is None:
                raise
            return self._answer_after(setback, expired, warnings)
        if expired is not None and expired.header.count and not fetched.tasks and not fetched.failed:
            # A store that forgot everything has more often lost its way: the empty answer has to be given twice.
            first = self._setbacks.last()
            if first is None or not first.empty or first.at < expired.header.fetched_at:
                reason = f"the store answered with no tasks, where it had {expired.header.count}"
                return self._answer_after(self._setbacks.note(reason, revision, empty=True), expired, warnings)
        tasks, failed = list(fetched.tasks), list(fetched.failed)
        if failed and expired is not None:
            older, as_of = decode_tasks(expired)[0], expired.header.fetched_at
            tasks, failed = with_kept(tasks, failed, fetched.projects, older, as_of)
        header = Header(
            schema=SCHEMA,
            adapter=self._adapter.name,
            scope=self._scope,
            fetched_at=started,
            demo=self._adapter.demo,
            revision=revision,
            count=len(tasks),
            failed=tuple(failed),
            retry_at=retry_at(failed, self._clock()),
            projects=tuple(fetched.projects),
            warnings=tuple(said),
        )
        opened = self._keep(header, tasks, warnings, expired)
        return self._loaded(opened, warnings, from_cache=False)

    def _retry_failed(self, copy: Copy, warnings: list[str]) -> Loaded:
        """Ask the failed projects again, and only them; what the others gave stays as it is."""
        header = copy.header
        before = {project.id: project for project in header.failed}
        asked = [Project(id=project.id, name=project.name) for project in header.failed]
        try:
            with self._on_fetch():
                asked_again = fetch_projects(self._adapter, asked, self._fetch_deadline(), self._fetches)
                tasks, failed = distinct(asked_again[0])[0], asked_again[1]
        except AtsError as error:
            due = retry_at(header.failed, self._clock()) or 0.0
            setback = self._setbacks.note(describe(error), None, wait=due - self._clock(), partial=True)
            return self._answer_after(setback, copy, warnings)
        still = {project.id for project in failed}
        # Of a task that has moved into one of them, the older place goes.
        moved = {task.id for task in tasks}
        rest = [
            task
            for task in decode_tasks(copy)[0]
            if task.id not in moved and (task.project_id in still or task.project_id not in before)
        ]
        fetched = in_project_order([*rest, *tasks], header.projects)
        header = msgspec.structs.replace(
            header,
            count=len(fetched),
            failed=tuple(
                msgspec.structs.replace(project, kept=before[project.id].kept, as_of=before[project.id].as_of)
                for project in failed
            ),
            retry_at=retry_at(failed, self._clock()),
        )
        opened = self._keep(header, fetched, warnings, copy)
        return self._loaded(opened, warnings, from_cache=True)

    def _fetch_lock(self, until: Callable[[], bool] = lambda: False) -> AbstractContextManager[object]:
        return self._place.lock(self._policy.fetch_timeout + WAIT_FOR_FETCH, until)

    def _fetch_deadline(self) -> Deadline:
        return Deadline(self._policy.fetch_timeout)

    def _awaited(self, called_at: float) -> Callable[[], bool]:
        """Tells whether another process has fetched since a call: forty that wait need not queue up for the lock then.

        It looks at the index, which is written last: without it each of the forty would build one.
        """
        path = self._place.path()
        seen = None if path is None else written_at(index_path(path))

        def is_there() -> bool:
            nonlocal seen
            if path is None or written_at(index_path(path)) == seen:
                return False
            seen = written_at(index_path(path))
            copy = self._place.read([])
            return copy is not None and self._freshness.is_fetched_since(called_at, copy)

        return is_there

    def _answer_after(self, setback: Setback, copy: Copy | None, warnings: list[str]) -> Loaded:
        """The older copy, in place of what could not be fetched."""
        if copy is None:
            raise StoreError(setback.reason, hint="another process asked the store meanwhile; try again")
        if setback.partial:
            warnings.append(f"asking again failed: {setback.reason}")
            return self._answer(copy, warnings, stale=not self._freshness.is_fresh(copy, warnings))
        what = "" if setback.empty else "the corpus could not be fetched, "
        warnings.append(f"{what}this is an older copy: {setback.reason}")
        return self._answer(copy, warnings, stale=True)

    @property
    def path(self) -> Path | None:
        """Where this scope's copy lies or would lie; None where there is no cache."""
        return self._place.path()

    def outlook(self) -> str:
        """What the next search will do, in a few words."""
        return self._freshness.outlook(self._place.read([]), self._setbacks.last())

    def written(self, task: Task) -> None:
        """Take over a task that was just written to the store, so that the next call finds it.

        Where the store has a revision, it tells by itself that the copy is old. Where the copy cannot be brought up to
        date it is dropped: a refetch is slow, an answer without what was just written is wrong.
        """
        if self._freshness.revision([]) is not None:
            return
        with self._fetch_lock():
            copy = self._place.read([])
            if copy is None:
                return
            try:
                tasks = [other for other in decode_tasks(copy)[0] if other.id != task.id]
                names = {project.id: project.name for project in copy.header.projects}
                if task.project_id not in names:
                    raise DamagedCopyError("a task of an unknown project")
                if not task.project_name:
                    task = msgspec.structs.replace(task, project_name=names[task.project_id])
                tasks = in_project_order([*tasks, task], copy.header.projects)
                write_copy(copy.path, msgspec.structs.replace(copy.header, count=len(tasks)), tasks)
            except (DamagedCopyError, OSError):
                remove_copy(copy.path)

    def _keep(self, header: Header, tasks: list[Task], warnings: list[str], replaced: Copy | None) -> OpenedCorpus:
        path = self._place.path()
        if path is not None and not self._is_superseded(header, replaced):
            try:
                identity, spans = write_copy(path, header, tasks)
            except OSError as error:
                said = any(warning.startswith(f"the corpus cache {path} is ignored") for warning in warnings)
                if not (said and isinstance(error, (FileExistsError, PermissionError))):
                    warnings.append(f"the corpus could not be cached in {path}: {describe(error)}")
            else:
                forget_setback(path)
                return self._remember(
                    open_tasks(tasks, header, self._analyser(), path=path, identity=identity, spans=spans)
                )
        return self._remember(open_tasks(tasks, header, self._analyser()))

    def _is_superseded(self, header: Header, replaced: Copy | None) -> bool:
        """Whether another process has written meanwhile: it gave up on the lock, while we were stopped in a fetch."""
        there = self._place.read([])
        if there is None:
            return False
        return there.header.fetched_at >= header.fetched_at if replaced is None else there.identity != replaced.identity

    def _answer(self, copy: Copy, warnings: list[str], *, stale: bool = False) -> Loaded:
        opened = self._opened
        if opened is None or opened.identity != copy.identity:
            opened = self._remember(open_copy(copy, self._analyser()))
        return self._loaded(opened, warnings, from_cache=True, stale=stale)

    def _remember(self, opened: OpenedCorpus) -> OpenedCorpus:
        self._opened = opened
        return opened

    def _loaded(self, opened: OpenedCorpus, warnings: list[str], *, from_cache: bool, stale: bool = False) -> Loaded:
        now = self._clock()
        report = corpus_report(opened, now, from_cache=from_cache, stale=stale)
        return Loaded(opened, report, (*warnings, *corpus_warnings(opened, now)))
