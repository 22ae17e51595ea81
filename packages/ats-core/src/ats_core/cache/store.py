"""Which corpus answers a call: the cached copy while it is fresh, else a new fetch, else an expired copy."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ats_core.cache.fetch import fetch_corpus
from ats_core.cache.file import SCHEMA, Copy, DamagedCopyError, Header, read_copy, write_copy
from ats_core.cache.opened import OpenedCorpus, open_copy, open_tasks
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, LoginRequiredError, NotFoundError
from ats_core.fanout import describe
from ats_core.lock import locked_path
from ats_core.models import CorpusReport, Fetched
from ats_core.plugins.adapter import Adapter
from ats_core.text.analyser import Analyser

CLOCK_SLACK = 2.0
"""Seconds by which a copy may lie in the future and still be fresh: clocks of two hosts differ by as much."""


class Policy(NamedTuple):
    """Where the corpus is kept and for how long it is fresh. Times in seconds. `path` None: no cache."""

    path: Path | None
    time_to_live: float
    fetch_timeout: float


class Loaded(NamedTuple):
    """A corpus that is ready to be searched, and what to say about it."""

    opened: OpenedCorpus
    report: CorpusReport
    warnings: tuple[str, ...]


class CorpusStore:
    """The corpus of one adapter and account. Safe to use from several threads and processes.

    `scope` names the account: no copy of another scope is ever read or overwritten.
    """

    def __init__(
        self,
        adapter: Adapter,
        scope: str,
        policy: Policy,
        analyser: Callable[[], Analyser],
        fetch: Callable[[Adapter, Deadline], tuple[Fetched, list[str]]] = fetch_corpus,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._adapter = adapter
        self._scope = scope
        self._policy = policy
        self._analyser = analyser
        self._fetch_from = fetch
        self._clock = clock
        self._opened: OpenedCorpus | None = None

    def load(self, *, fresh: bool = False, cached: bool = False) -> Loaded:
        """The corpus, fetched only if it must be.

        :param fresh: take no copy from before this call.
        :param cached: answer from any copy, and fetch nothing.
        :raises StoreError: there is neither a corpus nor an expired copy.
        :raises NotFoundError: `cached`, and there is no copy.
        """
        warnings: list[str] = []
        try:
            return self._load(warnings, fresh=fresh, cached=cached)
        except DamagedCopyError as error:  # a header that was whole, and tasks that are not
            warnings.append(f"the corpus cache is ignored: {error}")
            if cached:
                raise NotFoundError("the cached corpus is damaged", hint="run the search without --cached") from error
            return self._fetch(None, warnings)

    def _load(self, warnings: list[str], *, fresh: bool, cached: bool) -> Loaded:
        called_at = self._clock()
        copy = self._read(warnings)
        if cached:
            if copy is None:
                raise NotFoundError("there is no cached corpus yet", hint="run the search without --cached once")
            return self._answer(copy, warnings, stale=not self._is_fresh(copy, warnings))
        if copy is not None and not fresh and self._is_fresh(copy, warnings):
            return self._answer(copy, warnings)
        with self._single_flight():
            # Whoever held the lock before us may have fetched what we need.
            copy = self._read(warnings)
            # Not a later one than now: that is from before the clock went back.
            since_the_call = copy is not None and called_at <= copy.header.fetched_at <= self._clock()
            if copy is not None and (since_the_call or (not fresh and self._is_fresh(copy, warnings))):
                return self._answer(copy, warnings)
            return self._fetch(copy, warnings)

    def _fetch(self, expired: Copy | None, warnings: list[str]) -> Loaded:
        started = self._clock()
        revision = self._revision(warnings)
        try:
            fetched, said = self._fetch_from(self._adapter, Deadline(self._policy.fetch_timeout))
        except AtsError as error:
            if expired is None:
                raise
            hint = f" ({error.hint})" if isinstance(error, LoginRequiredError) and error.hint else ""
            warnings.append(f"the corpus could not be fetched, this is an older copy: {describe(error)}{hint}")
            return self._answer(expired, warnings, stale=True)
        header = Header(
            schema=SCHEMA,
            adapter=self._adapter.name,
            scope=self._scope,
            fetched_at=started,
            demo=self._adapter.demo,
            revision=revision,
            failed=tuple(fetched.failed),
            projects=tuple(fetched.projects),
            warnings=tuple(said),
        )
        opened = self._keep(header, fetched, warnings)
        return Loaded(opened, self._report(opened, from_cache=False), self._said(opened, warnings))

    def _keep(self, header: Header, fetched: Fetched, warnings: list[str]) -> OpenedCorpus:
        tasks = list(fetched.tasks)
        path = self._path()
        if path is not None:
            try:
                identity, spans = write_copy(path, header, tasks)
            except OSError as error:
                warnings.append(f"the corpus could not be cached in {path}: {describe(error)}")
            else:
                return self._remember(
                    open_tasks(tasks, header, self._analyser(), path=path, identity=identity, spans=spans)
                )
        return self._remember(open_tasks(tasks, header, self._analyser()))

    def _answer(self, copy: Copy, warnings: list[str], *, stale: bool = False) -> Loaded:
        opened = self._opened
        if opened is None or opened.identity != copy.identity:
            opened = self._remember(open_copy(copy, self._analyser()))
        return Loaded(opened, self._report(opened, from_cache=True, stale=stale), self._said(opened, warnings))

    def _remember(self, opened: OpenedCorpus) -> OpenedCorpus:
        self._opened = opened
        return opened

    def _read(self, warnings: list[str]) -> Copy | None:
        path = self._path()
        if path is None:
            return None
        try:
            copy = read_copy(path)
        except DamagedCopyError as error:
            warning = f"the corpus cache {path} is ignored: {error}"
            if warning not in warnings:
                warnings.append(warning)
            return None
        return copy if copy is not None and self._is_ours(copy.header) else None

    def _path(self) -> Path | None:
        """The file of this scope: the plain name, unless that holds another scope's copy (the demo's gives way)."""
        plain = self._policy.path
        if plain is None:
            return None
        key = blake2b(f"{self._adapter.name}\0{self._scope}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        own = plain.with_name(f"{plain.stem}-{key}{plain.suffix}")
        if os.path.exists(own):  # false in a folder that we may not enter, where Path.exists() raises
            return own
        try:
            other = read_copy(plain)
        except DamagedCopyError:
            return plain
        return plain if other is None or other.header.demo or self._is_ours(other.header) else own

    def _is_ours(self, header: Header) -> bool:
        return (header.adapter, header.scope) == (self._adapter.name, self._scope)

    def _is_fresh(self, copy: Copy, warnings: list[str]) -> bool:
        if self._policy.time_to_live <= 0:
            return False
        revision = self._revision(warnings)
        if revision is not None:
            return revision == copy.header.revision
        age = self._clock() - copy.header.fetched_at
        return -CLOCK_SLACK <= age < self._policy.time_to_live

    def _revision(self, warnings: list[str]) -> str | None:
        """The store's revision; None, with a warning, where the adapter fails to tell: the age decides then."""
        try:
            return self._adapter.revision()
        except AtsError as error:
            if error.message not in warnings:
                warnings.append(error.message)
            return None

    def _single_flight(self) -> AbstractContextManager[object]:
        """Hold the fetch lock of this scope, so that cold calls at the same time make one fetch.

        Without a place for the lock, and behind a holder that hangs, it goes on without: an extra fetch is better than
        no answer.
        """
        path = self._path()
        if path is None:
            return nullcontext()
        return locked_path(path.with_name(f"{path.name}.lock"), self._policy.fetch_timeout)

    def _report(self, opened: OpenedCorpus, *, from_cache: bool, stale: bool = False) -> CorpusReport:
        header = opened.header
        return CorpusReport(
            adapter=header.adapter,
            demo=header.demo,
            size=len(opened.corpus),
            from_cache=from_cache,
            age_ms=max(0.0, (self._clock() - header.fetched_at) * 1000),
            stale=stale,
            sources_failed=header.failed,
        )

    def _said(self, opened: OpenedCorpus, warnings: list[str]) -> tuple[str, ...]:
        failed = [
            f"project {project.name or project.id} is missing: {project.error}" for project in opened.header.failed
        ]
        return (*warnings, *opened.header.warnings, *failed, *opened.warnings)
