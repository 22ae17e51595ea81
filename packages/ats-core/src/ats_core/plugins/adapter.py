"""An adapter or plugin as the engine sees it: its name, its capabilities, and one typed method a hook.

Every call translates a foreign exception in one place, with the cause kept, and checks what came back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ats_core.deadline import Deadline
from ats_core.errors import AtsError, ContractError, ReadOnlyAdapterError, StoreError
from ats_core.fanout import describe
from ats_core.hookspecs import REQUIRED, AuthStatus, Branch, HybridBackend, Setting
from ats_core.models import Fetched, Project, Ranking, Task, TaskDraft, TaskPatch
from ats_core.plugins.boundary import (
    as_backend,
    as_branch,
    as_fetched,
    as_instance,
    as_list,
    as_optional_string,
    as_project,
    as_task,
)
from ats_core.plugins.registration import Hooks, RegistrationError
from ats_core.text.fold import clean

_ABOUT_ITSELF = frozenset({"branches", "hybrid_backend", "commands", "embedding_space"})
"""Hooks whose None means that the capability is not there after all."""


class Plugin:
    """An object with hook implementations. `label` names it in messages.

    :raises RegistrationError: its hooks break the contract.
    """

    def __init__(self, name: str, implementation: object, *, label: str | None = None) -> None:
        self.name = name
        self.label = label or name
        self._implementation = implementation
        self._hooks = Hooks(implementation)
        self.implemented = self._hooks.names
        if ("embeddings" in self.implemented) != ("embedding_space" in self.implemented):
            raise RegistrationError("embeddings and embedding_space come as a pair: implement both or neither")

    def has(self, hook: str) -> bool:
        """Whether the capability is there: implemented and, for what it says about itself, not None."""
        return hook in self.implemented and (hook not in _ABOUT_ITSELF or self._call(hook) is not None)

    def embedding_space(self) -> str:
        """The name of its embedding space."""
        result: str = self._checked("embedding_space", lambda value: clean(as_instance(value, str)))
        return result

    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        """What its embedder returned, as it came: `vectors.embedder` checks it."""
        return self._call("embeddings", texts=texts, kind=kind, deadline=deadline)

    def branches(self) -> list[Branch]:
        """Its own branches, none where it has none."""
        result: list[Branch] = self._checked("branches", lambda value: as_list(value or [], as_branch))
        return result

    def _call(self, hook: str, **arguments: Any) -> Any:
        try:
            return self._hooks.call(hook, **arguments)
        except (AtsError, KeyboardInterrupt):
            raise
        except BaseException as error:  # no plugin ends the process of those who asked it something
            raise StoreError(f"{self.label}: {hook} failed: {describe(error)}") from error

    def _checked(self, hook: str, convert: Any, **arguments: Any) -> Any:
        value = self._call(hook, **arguments)
        try:
            return convert(value)
        except ContractError as error:
            raise ContractError(f"{self.label}: {hook} broke its contract: {error.message}") from error
        except (AtsError, KeyboardInterrupt):
            raise
        except BaseException as error:  # a generator runs only while it is read
            raise StoreError(f"{self.label}: {hook} failed: {describe(error)}") from error


class Adapter(Plugin):
    """An adapter: a plugin that has a store.

    `demo` is true where it serves built-in sample data.

    :raises RegistrationError: its hooks break the contract, or a required one is missing.
    """

    def __init__(self, name: str, implementation: object, *, label: str | None = None) -> None:
        super().__init__(name, implementation, label=label)
        missing = [hook for hook in REQUIRED if hook not in self.implemented]
        if missing:
            raise RegistrationError(f"required hooks are missing: {', '.join(missing)}")

    @property
    def demo(self) -> bool:
        try:
            return bool(getattr(self._implementation, "demo", False))
        except (Exception, SystemExit):  # noqa: BLE001 - a property of somebody's, asked on every search
            return False

    def take_warnings(self) -> list[str]:
        """What the adapter wants people to know about its last fetch (its method `take_warnings`), once."""
        take = getattr(self._implementation, "take_warnings", None)
        try:
            return [clean(str(warning)) for warning in take()] if callable(take) else []
        except (Exception, SystemExit) as error:  # noqa: BLE001 - what it wanted to say is no reason to lose the tasks
            return [f"{self.label}: take_warnings failed: {describe(error)}"]

    def list_projects(self) -> list[Project]:
        result: list[Project] = self._checked("list_projects", lambda value: as_list(value, as_project))
        return result

    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        result: list[Task] = self._checked(
            "list_tasks_in_project", lambda value: as_list(value, as_task), project_id=project_id
        )
        return result

    def get_task(self, project_id: str, task_id: str) -> Task | None:
        result: Task | None = self._checked(
            "get_task",
            lambda value: None if value is None else as_task(value),
            project_id=project_id,
            task_id=task_id,
        )
        return result

    def url_for(self, project_id: str, task_id: str) -> str:
        result: str = self._checked(
            "url_for", lambda value: as_instance(value, str), project_id=project_id, task_id=task_id
        )
        return result

    def bulk_fetch(self, deadline: Deadline) -> Fetched:
        result: Fetched = self._checked("bulk_fetch", as_fetched, deadline=deadline)
        return result

    def list_completed_tasks(self, since: str, deadline: Deadline) -> list[Task]:
        result: list[Task] = self._checked(
            "list_completed_tasks", lambda value: as_list(value, as_task), since=since, deadline=deadline
        )
        return result

    def revision(self) -> str | None:
        result: str | None = self._checked("revision", as_optional_string)
        return result

    def cache_scope(self) -> str | None:
        result: str | None = self._checked("cache_scope", as_optional_string)
        return result

    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Ranking:
        result: Ranking = self._call("search_by_query", query=query, limit=limit, deadline=deadline)
        return result

    def hybrid_backend(self) -> HybridBackend | None:
        result: HybridBackend | None = self._checked("hybrid_backend", as_backend)
        return result

    def create_task(self, draft: TaskDraft) -> Task:
        self._need_write("create_task")
        result: Task = self._checked("create_task", as_task, draft=draft)
        return result

    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        self._need_write("update_task")
        result: Task = self._checked("update_task", as_task, project_id=project_id, task_id=task_id, patch=patch)
        return result

    def auth_status(self) -> AuthStatus:
        result: AuthStatus = self._checked("auth_status", lambda value: as_instance(value, AuthStatus))
        return result

    def auth_login(self, browser: bool, port: int | None) -> str:
        """Log in; may wait for a browser."""
        return self._said("auth_login", browser=browser, port=port)

    def auth_exchange(self, code: str) -> str:
        """Finish a login with what the user pasted."""
        return self._said("auth_exchange", code=code)

    def auth_logout(self) -> str:
        """Forget the login."""
        return self._said("auth_logout")

    def _said(self, hook: str, **arguments: Any) -> str:
        result: str = self._checked(hook, lambda value: clean(as_instance(value, str)), **arguments)
        return result

    def settings(self) -> list[Setting]:
        result: list[Setting] = self._checked(
            "settings", lambda value: as_list(value or [], lambda setting: as_instance(setting, Setting))
        )
        return result

    def commands(self) -> Any:
        """Its typer app, None where it has none."""
        return self._call("commands")

    def _need_write(self, hook: str) -> None:
        if hook not in self.implemented:
            raise ReadOnlyAdapterError(
                f"{self.label} is read-only: it does not implement {hook}",
                hint="change the task in its own app",
            )
