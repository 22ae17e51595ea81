"""What a store holds at one moment, and what every store can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
from ats_core import NotFoundError, Project, Task, TaskDraft, TaskPatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DEFAULT_PROJECT = Project(id="default", name="Tasks")
"""Where tasks are that name no project."""


class Store(Protocol):
    """Where tasks are kept. Every method may be called from several threads at once."""

    def read(self) -> Snapshot:
        """The store as it is now; the same object for as long as nothing changed."""
        ...

    def revision(self) -> str | None:
        """A string that changes with the content, None where the store cannot be seen."""
        ...

    def scope(self) -> str:
        """A string that no other store has."""
        ...

    def url(self, task_id: str) -> str:
        """The address of a task."""
        ...

    def create(self, draft: TaskDraft) -> Task:
        """Add a task. Raises NotFoundError for an unknown project."""
        ...

    def update(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        """Change a task. Raises NotFoundError for an unknown task or project."""
        ...


class Snapshot(NamedTuple):
    """Projects in order, their tasks in corpus order, and what was odd about them."""

    projects: tuple[Project, ...]
    groups: dict[str, list[Task]]
    warnings: tuple[str, ...] = ()

    @property
    def tasks(self) -> list[Task]:
        """All tasks: project order, then the store's own."""
        return [task for group in self.groups.values() for task in group]

    def tasks_in(self, project_id: str) -> list[Task]:
        """The tasks of one project, `[]` for an unknown one."""
        return list(self.groups.get(project_id, ()))

    def find(self, project_id: str, task_id: str) -> Task | None:
        """The first task of this id in this project."""
        return next((task for task in self.groups.get(project_id, ()) if task.id == task_id), None)


def snapshot(declared: Sequence[Project], tasks: Iterable[Task], warnings: Iterable[str] = ()) -> Snapshot:
    """Group settled tasks (see `settle`): declared projects first, then others as tasks first name them."""
    projects = {project.id: project for project in declared}
    groups: dict[str, list[Task]] = {project_id: [] for project_id in projects}
    for task in tasks:
        group = groups.get(task.project_id)
        if group is None:
            group = groups[task.project_id] = []
            projects[task.project_id] = Project(id=task.project_id, name=task.project_name)
        group.append(task)
    return Snapshot(tuple(projects.values()), groups, tuple(warnings))


def settle(declared: Iterable[Project], tasks: Sequence[Task]) -> list[Task]:
    """The same tasks in the same order, each with a project's id and name.

    A declared project's name counts for its tasks, else the task's own, else the first that a task of that
    project has, else the id. A task that has only a project's name is in the project so named.
    """
    names: dict[str, str] = {}
    ids: dict[str, str] = {}
    for project in declared:
        names.setdefault(project.id, project.name)
        ids.setdefault(project.name, project.id)
    first: dict[str, str] = {}
    homes: list[str] = []
    for task in tasks:
        name = task.project_name
        home = task.project_id or ids.get(name) or name or DEFAULT_PROJECT.id
        homes.append(home)
        if not first.get(home):
            first[home] = name
    first[DEFAULT_PROJECT.id] = first.get(DEFAULT_PROJECT.id) or DEFAULT_PROJECT.name
    settled = []
    for task, home in zip(tasks, homes, strict=True):
        name = names.get(home) or task.project_name or first[home] or home
        if task.project_id != home or task.project_name != name:
            task = msgspec.structs.replace(task, project_id=home, project_name=name)  # noqa: PLW2901
        settled.append(task)
    return settled


def known_project(projects: Iterable[Project], project_id: str) -> Project:
    """The project of this id. Raises NotFoundError."""
    known = {DEFAULT_PROJECT.id: DEFAULT_PROJECT} | {project.id: project for project in projects}
    if project_id not in known:
        raise NotFoundError(f"no project {project_id!r}", hint="there are: " + ", ".join(list(known)[:20]))
    return known[project_id]


def unknown_task(project_id: str, task_id: str) -> NotFoundError:
    """The error for a task that is not there."""
    return NotFoundError(f"no task {task_id!r} in project {project_id!r}")


def new_id(tasks: Iterable[Task]) -> str:
    """A short random id that none of the tasks has."""
    from uuid import uuid4

    taken = {task.id for task in tasks}
    while (task_id := uuid4().hex[:12]) in taken:
        pass
    return task_id
