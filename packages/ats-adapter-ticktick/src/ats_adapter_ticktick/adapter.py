"""The adapter: the hooks, and nothing behind them that is not needed yet."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Any

from ats_core import (
    AdapterConfig,
    AuthStatus,
    Branch,
    ConfigError,
    Deadline,
    Fetched,
    HybridBackend,
    Project,
    Setting,
    Task,
    TaskDraft,
    TaskPatch,
    hookimpl,
)

from ats_adapter_ticktick.parts import Parts, call_deadline

if TYPE_CHECKING:
    from collections.abc import Sequence


class TickTickAdapter:
    """Tasks and notes of a TickTick or Dida365 account.

    Constructing touches no network and imports nothing that takes time. A setting that is wrong fails the hooks, not
    the constructor, since `ats config set` has to be able to mend it; the first hook that needs the service raises
    LoginRequiredError where there is no login.

    The hook `search_by_query` is there only where the setting `native_search` is on: the service's search costs a
    request a question, of the hundred a minute that all else has to do with, and a round trip out of the budget.
    """

    def __init__(self, config: AdapterConfig) -> None:
        self._parts = Parts(config)
        self._lock = Lock()
        self._warnings: list[str] = []
        with suppress(ConfigError):
            if self._parts.options().native_search:
                from ats_adapter_ticktick.native import NativeSearch

                # Lent to this one object: core takes a hook that is there for a branch that is wanted.
                self.search_by_query = NativeSearch(self._parts).search_by_query

    def take_warnings(self) -> list[str]:
        """What was odd about the last fetch, a line each, given once: core adds them to the answer's warnings."""
        with self._lock:
            warnings, self._warnings = self._warnings, []
        return warnings

    def _warn(self, lines: Sequence[str]) -> None:
        with self._lock:
            self._warnings += [line for line in lines if line not in self._warnings]

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        from ats_adapter_ticktick.corpus.read import list_projects

        account = self._parts.account()
        return list_projects(account.api(), account.seen.read(), call_deadline())

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        from ats_adapter_ticktick.corpus.read import list_tasks

        return list_tasks(self._parts.api(), project_id, call_deadline())

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        from ats_adapter_ticktick.corpus.read import get_task

        return get_task(self._parts.api(), project_id, task_id, call_deadline())

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        from ats_adapter_ticktick.links import task_url

        return task_url(self._parts.options().web_url, project_id, task_id)

    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Fetched:
        from ats_adapter_ticktick.corpus.fetch import fetch_corpus

        account = self._parts.account()
        gathered = fetch_corpus(account.api(), deadline, account.seen.read(), account.pacer().outlook)
        account.seen.write(gathered.seen)
        self._warn(gathered.warnings)
        return gathered.fetched

    @hookimpl
    def list_completed_tasks(self, since: str, deadline: Deadline) -> Sequence[Task]:
        from ats_adapter_ticktick.corpus.completed import list_completed, since_of

        account = self._parts.account()
        begin = since_of(since, self._parts.options().completed_days)
        found = list_completed(account.api(), begin, deadline, account.seen.read())
        account.seen.note_cut(found.cut)
        self._warn(found.warnings)
        return found.tasks

    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        from ats_adapter_ticktick.writes import create_task

        return create_task(self._parts.api(), draft, call_deadline())

    @hookimpl
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        from ats_adapter_ticktick.writes import update_task

        return update_task(self._parts.api(), project_id, task_id, patch, call_deadline())

    @hookimpl
    def branches(self) -> Sequence[Branch] | None:
        """`notes_find`, unless it is known that there is no wiki project. After every fetch that is known."""
        from ats_adapter_ticktick.notes import WikiProject, named_in, notes_branch

        wiki = WikiProject(self._parts.options().wiki_project)
        seen = self._parts.account().seen.read()
        if seen is None:
            return [notes_branch(lambda corpus: wiki.among(named_in(corpus)))]
        known = wiki.among(seen.names)
        return [notes_branch(lambda corpus: known)] if known else None

    @hookimpl
    def hybrid_backend(self) -> HybridBackend | None:
        return self._parts.account().backend()

    @hookimpl
    def auth_status(self) -> AuthStatus:
        return self._parts.credentials().status()

    @hookimpl
    def auth_login(self, browser: bool, port: int | None) -> str:
        from ats_adapter_ticktick.auth.login import login

        return login(self._parts.options(), browser, port)

    @hookimpl
    def auth_exchange(self, code: str) -> str:
        from ats_adapter_ticktick.auth.exchange import exchange

        return exchange(self._parts.options(), code)

    @hookimpl
    def auth_logout(self) -> str:
        from ats_adapter_ticktick.auth.logout import logout

        account = self._parts.account()
        said = logout(self._parts.options())
        if self._parts.account().scope == account.scope:
            return said  # a token of the environment's, which still stands: all that is kept here is still its own
        return "; ".join([said, *account.forget()])

    @hookimpl
    def cache_scope(self) -> str:
        return self._parts.credentials().scope()

    @hookimpl
    def settings(self) -> Sequence[Setting]:
        from ats_adapter_ticktick import options
        from ats_adapter_ticktick.hybrid import options as hybrid

        return [*options.settings(), *hybrid.settings()]

    @hookimpl
    def commands(self) -> Any:
        from ats_adapter_ticktick.commands.app import make_app

        return make_app(self._parts)
