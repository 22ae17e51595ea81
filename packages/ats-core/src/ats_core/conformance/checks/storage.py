"""The required hooks that ask the store agree with each other, and give what the models promise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ats_core.conformance.agreement import differences, persisting, unknown_id
from ats_core.conformance.results import CONTRACT, Check, Finding, Rule
from ats_core.conformance.rules import TYPES
from ats_core.conformance.subject import MOST_PROJECTS, Subject
from ats_core.errors import AtsError
from ats_core.fanout import describe
from ats_core.models import Project, Task

PROJECTS_UNIQUE = Rule(
    "list-projects-unique",
    "No two projects have the same id.",
    "use the id by which the store itself tells its projects apart",
)
PROJECTS_STABLE = Rule(
    "list-projects-order",
    "Projects come in the order in which the store shows them, the same one each time.",
    "keep the store's order; a set has none",
)
TASKS_UNIQUE = Rule(
    "list-tasks-unique",
    "No task id occurs twice, in one project or in two: core keeps the first and drops the others.",
    "where the store's ids are unique within a project only, put the project's id before them",
)
TASKS_PROJECT = Rule(
    "list-tasks-project",
    "A task's `project_id` is that of the project that was asked for, or empty.",
    "set project_id=project_id on every task of the listing",
)
TASKS_UNKNOWN = Rule(
    "list-tasks-unknown",
    "For an unknown project it returns `[]`.",
    "return [] where the store does not know the project",
)
STATUS = Rule(
    "status",
    'A task\'s `status` is `"open"` or `"done"`; core takes anything else for open.',
    'translate the store\'s own word: "done" for what is completed, "open" for the rest',
)
GET_AGREES = Rule(
    "get-task-agrees",
    "It gives the task as the listing gives it: id, title, content, project, tags, due date and status.",
    "make both with one function from the store's record to a Task; the listing needs whole bodies, for they are"
    " what is searched",
)
GET_UNKNOWN = Rule(
    "get-task-unknown",
    "For an unknown task it returns None.",
    "return None where the store does not know the id, and raise only where it could not be asked",
)


def projects_are_listed(subject: Subject) -> Iterator[Finding]:
    """`list_projects` gives projects, each id once, in a steady order."""
    projects = subject.adapter.list_projects()
    for project in projects:
        if not project.id:
            yield TYPES.broken(f"project {project.name!r} has an empty id")
    for project_id in _repeated(project.id for project in projects):
        yield PROJECTS_UNIQUE.broken(f"project id {project_id!r} occurs twice")
    again = [project.id for project in subject.adapter.list_projects()]
    first = [project.id for project in projects]
    if again != first and sorted(again) == sorted(first):
        yield PROJECTS_STABLE.broken("two calls of list_projects gave the projects in different orders")


def tasks_are_listed(subject: Subject) -> Iterator[Finding]:
    """`list_tasks_in_project` gives the project's tasks, each id once in all projects."""
    seen: list[str] = []
    for project in subject.projects()[:MOST_PROJECTS]:
        for task in subject.adapter.list_tasks_in_project(project.id):
            seen.append(task.id)
            if not task.id:
                yield TYPES.broken(f"task {task.title!r} of project {project.id!r} has an empty id")
            if task.project_id not in ("", project.id):
                yield TASKS_PROJECT.broken(f"project {project.id!r} lists task {task.id!r} of {task.project_id!r}")
    for task_id in _repeated(seen):
        yield TASKS_UNIQUE.broken(f"task id {task_id!r} occurs twice")


def fields_have_their_types(subject: Subject) -> Iterator[Finding]:
    """What core would mend in silence: a number for a title, a word for a status that it does not know."""
    subject.walk()  # skips the check where the store cannot be read
    adapter = subject.adapter
    for project in list(adapter.raw("list_projects"))[:MOST_PROJECTS]:
        if isinstance(project, Project):
            yield from _wrong_types(project, {"name": str, "kind": str})
            for task in adapter.raw("list_tasks_in_project", project_id=str(project.id)):
                if isinstance(task, Task):
                    yield from _wrong_fields(task)


def an_unknown_project_has_no_tasks(subject: Subject) -> Iterator[Finding]:
    """`list_tasks_in_project` gives `[]` where there is no such project."""
    project_id = unknown_id(subject.projects()[0].id)
    try:
        tasks = subject.adapter.list_tasks_in_project(project_id)
    except AtsError as error:
        yield TASKS_UNKNOWN.broken(f"list_tasks_in_project of the unknown {project_id!r} raised {describe(error)}")
        return
    if tasks:
        yield TASKS_UNKNOWN.broken(f"list_tasks_in_project of the unknown {project_id!r} gave {len(tasks)} tasks")


def get_task_agrees_with_the_listing(subject: Subject) -> Iterator[Finding]:
    """`get_task` finds what is listed, and says the same of it."""

    def compare() -> Iterator[Finding]:
        for project_id, listed in subject.some_tasks():
            where = f"get_task({project_id!r}, {listed.id!r})"
            task = subject.adapter.get_task(project_id, listed.id)
            if task is None:
                yield GET_AGREES.broken(f"{where} is None, though the task is listed")
            elif task.id != listed.id:
                yield GET_AGREES.broken(f"{where} gave the task {task.id!r}")
            elif differing := differences(listed, task):
                yield GET_AGREES.broken(f"{where} differs from the listing in {', '.join(differing)}")

    yield from persisting(subject, compare)


def an_unknown_task_is_none(subject: Subject) -> Iterator[Finding]:
    """`get_task` gives None where there is no such task, in a known project and in an unknown one."""
    project_id, task = subject.some_tasks()[0]
    missing = unknown_id(task.id)
    for place in (project_id, unknown_id(project_id)):
        try:
            found = subject.adapter.get_task(place, missing)
        except AtsError as error:
            yield GET_UNKNOWN.broken(f"get_task of the unknown {missing!r} raised {describe(error)}")
            return
        if found is not None:
            yield GET_UNKNOWN.broken(f"get_task of the unknown {missing!r} gave the task {found.id!r}")
            return


def _repeated(ids: Iterable[str]) -> list[str]:
    return [one for one, count in Counter(ids).items() if count > 1]


def _wrong_fields(task: Task) -> Iterator[Finding]:
    yield from _wrong_types(
        task,
        {
            "title": str,
            "content": str,
            "project_name": str,
            "due_date": str | None,
            "modified_time": str | None,
            "tags": (tuple, list),
        },
    )
    if isinstance(task.tags, (tuple, list)) and not all(isinstance(tag, str) for tag in task.tags):
        yield TYPES.broken(f"task {task.id!r} has a tag that is no str")
    if task.status not in ("open", "done"):
        yield STATUS.broken(f"task {task.id!r} has the status {task.status!r}")


def _wrong_types(record: Project | Task, fields: dict[str, Any]) -> Iterator[Finding]:
    for field, kind in fields.items():
        value = getattr(record, field)
        if not isinstance(value, kind):
            yield TYPES.broken(f"{type(record).__name__} {record.id!r} has a {field} of type {type(value).__name__}")


CHECKS = (
    Check(CONTRACT, projects_are_listed, (PROJECTS_UNIQUE, PROJECTS_STABLE)),
    Check(CONTRACT, tasks_are_listed, (TASKS_UNIQUE, TASKS_PROJECT)),
    Check(CONTRACT, fields_have_their_types, (STATUS,)),
    Check(CONTRACT, an_unknown_project_has_no_tasks, (TASKS_UNKNOWN,)),
    Check(CONTRACT, get_task_agrees_with_the_listing, (GET_AGREES,)),
    Check(CONTRACT, an_unknown_task_is_none, (GET_UNKNOWN,)),
)
