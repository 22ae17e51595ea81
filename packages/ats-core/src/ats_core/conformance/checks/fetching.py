"""`bulk_fetch` gives what walking the projects gives; completed tasks are done; a revision holds still."""

from __future__ import annotations

from collections.abc import Iterator

from ats_core.conformance.agreement import differences, persisting
from ats_core.conformance.asking import SINCE
from ats_core.conformance.results import CAPABILITIES, Check, Finding, Rule
from ats_core.conformance.rules import TYPES
from ats_core.conformance.subject import FETCH_SECONDS, Subject
from ats_core.deadline import Deadline
from ats_core.models import Task

BULK_EQUALS = Rule(
    "bulk-fetch-equals",
    "It gives the tasks that walking the projects gives, the same in every field, and no others.",
    "make the tasks of both with one function, and page through to the end",
)
BULK_ORDER = Rule(
    "bulk-fetch-order",
    "Tasks come in project order, then in the store's order: corpus order breaks ties everywhere.",
    "sort by the place that list_projects gives the project, and keep the listing's order within it",
)
COMPLETED = Rule(
    "completed-done",
    'Each task of it has the status `"done"`.',
    'give them status="done", whatever the store calls it',
)
REVISION = Rule(
    "revision-stable",
    "It stays the same for as long as nothing changes, and is a string that is not empty, or None.",
    "derive it from the store's own mark of change (size and time of a file, a counter), not from the clock",
)


def bulk_fetch_equals_the_walk(subject: Subject) -> Iterator[Finding]:
    """Project by project, the same ids with the same fields."""
    subject.need("bulk_fetch")

    def compare() -> Iterator[Finding]:
        fetched = subject.bulk()
        failed = {project.id for project in fetched.failed}
        by_project: dict[str, list[Task]] = {}
        for task in fetched.tasks:
            by_project.setdefault(task.project_id, []).append(task)
        listed = [project.id for project in subject.projects()]
        for project_id in by_project.keys() - set(listed) - failed:
            yield BULK_EQUALS.broken(f"bulk_fetch gives tasks of {project_id!r}, a project that is not listed")
        for project_id, tasks in subject.walk().items():
            if project_id not in failed:
                yield from _compare(project_id, tasks, by_project.get(project_id, []))

    yield from persisting(subject, compare)


def _compare(project_id: str, walked: list[Task], bulk: list[Task]) -> Iterator[Finding]:
    ours, theirs = {task.id: task for task in walked}, {task.id: task for task in bulk}
    if missing := ours.keys() - theirs.keys():
        yield BULK_EQUALS.broken(f"bulk_fetch lacks {len(missing)} of project {project_id!r}: {min(missing)!r}, ...")
    if surplus := theirs.keys() - ours.keys():
        yield BULK_EQUALS.broken(
            f"bulk_fetch has {len(surplus)} that project {project_id!r} does not list: {min(surplus)!r}, ..."
        )
    for task_id in ours.keys() & theirs.keys():
        if differing := differences(ours[task_id], theirs[task_id]):
            yield BULK_EQUALS.broken(f"task {task_id!r} differs in bulk_fetch in {', '.join(differing)}")
    if ours.keys() == theirs.keys() and list(ours) != list(theirs):
        yield BULK_ORDER.broken(f"bulk_fetch gives the tasks of {project_id!r} in another order than the listing")


def bulk_fetch_keeps_project_order(subject: Subject) -> Iterator[Finding]:
    """Tasks of a project stand together, and projects as they are listed."""
    subject.need("bulk_fetch")

    def compare() -> Iterator[Finding]:
        runs: list[str] = []
        for task in subject.bulk().tasks:
            if not runs or runs[-1] != task.project_id:
                runs.append(task.project_id)
        listed = [project.id for project in subject.projects() if project.id in runs]
        known = [project_id for project_id in runs if project_id in listed]
        if known != listed:
            yield BULK_ORDER.broken(f"bulk_fetch gives the projects as {known[:6]}, list_projects as {listed[:6]}")

    yield from persisting(subject, compare)


def completed_tasks_are_done(subject: Subject) -> Iterator[Finding]:
    """What `list_completed_tasks` gives is completed."""
    adapter = subject.need("list_completed_tasks")
    subject.projects()
    for task in adapter.raw("list_completed_tasks", since=SINCE, deadline=Deadline(FETCH_SECONDS)):
        if not isinstance(task, Task):
            yield TYPES.broken(f"list_completed_tasks gave a {type(task).__name__}")
        elif task.status != "done":
            yield COMPLETED.broken(f"completed task {task.id!r} has the status {task.status!r}")


def the_revision_holds_still(subject: Subject) -> Iterator[Finding]:
    """Asking for it, and reading the store, changes nothing."""
    adapter = subject.need("revision")
    before = adapter.revision()
    adapter.list_projects()
    after = adapter.revision()
    if before == "":
        yield REVISION.broken("revision is an empty string")
    # A store in use may change once between the two; it does not change every time.
    if before != after and adapter.revision() != after:
        yield REVISION.broken(f"revision was {before!r}, then {after!r}, and nothing had been written")


CHECKS = (
    Check(CAPABILITIES, bulk_fetch_equals_the_walk, (BULK_EQUALS, BULK_ORDER)),
    Check(CAPABILITIES, bulk_fetch_keeps_project_order, (BULK_ORDER,)),
    Check(CAPABILITIES, completed_tasks_are_done, (COMPLETED,)),
    Check(CAPABILITIES, the_revision_holds_still, (REVISION,)),
)
