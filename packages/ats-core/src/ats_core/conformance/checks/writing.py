"""What is written is there, whole, and nothing else has changed. Only with leave to write."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ats_core.conformance.agreement import differences, unknown_id
from ats_core.conformance.results import WRITES, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.conformance.tasks import DUE, complete, eventually, fully_written, holds, project_of, written
from ats_core.conformance.watched import ForeignError
from ats_core.errors import AtsError, NotFoundError, ReadOnlyAdapterError, UsageError
from ats_core.fanout import describe
from ats_core.models import Task, TaskDraft, TaskPatch

READ_ONLY = Rule(
    "read-only",
    "An adapter that cannot write leaves this hook out, or raises `ReadOnlyAdapterError` from it.",
    "remove the hook, or raise ReadOnlyAdapterError with a hint that says where to write instead",
)
CREATED = Rule(
    "create-task-there",
    "It returns the task as stored, with its id and project, and from then on `get_task` and the listing give the"
    " same.",
    "read the task back from the store after the write, and drop what you keep of the listing",
)
WHOLE = Rule(
    "create-task-whole",
    "Every field of the draft is stored; what the store cannot hold is refused with `UsageError`, and not dropped.",
    "map the field, or raise UsageError where the draft sets it",
)
PARTIAL = Rule(
    "update-task-partial",
    "A field of the patch that is UNSET stays as it is.",
    "send the store only what is set (`is not UNSET`), or read the task first and merge",
)
CLEARS = Rule(
    "update-task-clears",
    "A field of the patch that is None is cleared.",
    "send the store its own empty value: do not test the field by its truth, for None is not UNSET",
)
RETURNS = Rule(
    "update-task-returns",
    "It returns the task as stored afterwards, as `get_task` gives it.",
    "read the task back from the store after the write",
)
STATUS = Rule(
    "update-task-status",
    '`status="done"` completes the task, `"open"` opens it again.',
    "translate the two words into what the store calls them",
)
UPDATE_UNKNOWN = Rule(
    "update-task-unknown",
    "For an unknown task it raises `NotFoundError`, and nothing is written.",
    "look the task up first where the store would make a new one",
)
REVISION_FOLLOWS = Rule(
    "revision-follows",
    "It is another string after every write, so that the next search finds what was written.",
    "let the write change what revision looks at, or return None",
)


def it_writes_or_says_that_it_cannot(subject: Subject) -> Iterator[Finding]:
    """`create_task` makes a task, or raises `ReadOnlyAdapterError`."""
    adapter = subject.need("create_task")
    try:
        made = adapter.create_task(TaskDraft(title="ATS conformance kit", project_id=project_of(subject)))
    except ReadOnlyAdapterError as error:
        raise Skipped(f"read-only: {describe(error)}") from error
    except ForeignError as error:
        yield READ_ONLY.broken(describe(error))
    else:
        complete(subject, made)


def a_created_task_is_there(subject: Subject) -> Iterator[Finding]:
    """`get_task` and the listing know it at once."""
    with written(subject, content="Made by the conformance kit.") as (adapter, made):
        if not made.id or not made.project_id:
            yield CREATED.broken(f"create_task returned a task with id {made.id!r} and project {made.project_id!r}")
            return
        found = eventually(subject, partial(adapter.get_task, made.project_id, made.id))
        if found is None:
            yield CREATED.broken("get_task does not know the task that create_task returned")
        elif differing := differences(made, found):
            yield CREATED.broken(f"get_task differs from what create_task returned in {', '.join(differing)}")
        listed = eventually(
            subject,
            lambda: next((task for task in adapter.list_tasks_in_project(made.project_id) if task.id == made.id), None),
        )
        if listed is None:
            yield CREATED.broken("the listing of its project lacks the task that create_task returned")
        elif differing := differences(made, listed):
            yield CREATED.broken(f"the listing differs from what create_task returned in {', '.join(differing)}")


def a_draft_is_stored_whole(subject: Subject) -> Iterator[Finding]:
    """Title, body, tags and due date, each by itself, as each may be refused by itself."""
    wanted: dict[str, Any] = {"content": "First line\nsecond: ü ☕", "tags": ("kit",), "due_date": DUE}
    for field, value in wanted.items():
        try:
            with written(subject, **{field: value}) as (_, made):
                if not holds(made, field, value):
                    yield WHOLE.broken(f"{field} was {value!r} in the draft and is {getattr(made, field)!r}")
        except UsageError:
            continue


def a_partial_update_loses_nothing(subject: Subject) -> Iterator[Finding]:
    """One field at a time, and none at all; what is returned is what is stored."""
    with fully_written(subject) as (adapter, made):
        before = made
        patches: dict[str, Any] = {"title": f"{before.title} (changed)", "content": "Another body."}
        for field, value in patches.items():
            returned = adapter.update_task(before.project_id, before.id, TaskPatch(**{field: value}))
            stored = eventually(subject, partial(adapter.get_task, before.project_id, before.id))
            if not holds(returned, field, value):
                yield RETURNS.broken(f"{field} was set to {value!r} and is returned as {getattr(returned, field)!r}")
            if stored is None or differences(returned, stored):
                yield RETURNS.broken("get_task gives another task than update_task returned")
                return
            lost = [other for other in differences(before, stored) if other != field]
            if lost:
                yield PARTIAL.broken(f"a patch of {field} alone changed {', '.join(lost)}")
            before = stored
        adapter.update_task(before.project_id, before.id, TaskPatch())
        after = adapter.get_task(before.project_id, before.id)
        if after is None or differences(before, after):
            yield PARTIAL.broken("a patch that sets nothing changed the task")


def none_clears(subject: Subject) -> Iterator[Finding]:
    """Body, tags and due date become empty, and only the one that was told to."""
    patches = {"content": TaskPatch(content=None), "tags": TaskPatch(tags=None), "due_date": TaskPatch(due_date=None)}
    with fully_written(subject) as (adapter, made):
        before = made
        for field, patch in patches.items():
            empty = getattr(Task(id="", title=""), field)
            if getattr(before, field) == empty:
                continue
            adapter.update_task(before.project_id, before.id, patch)
            stored = adapter.get_task(before.project_id, before.id)
            if stored is None or getattr(stored, field) != empty:
                yield CLEARS.broken(f"{field}=None left {None if stored is None else getattr(stored, field)!r}")
                continue
            if lost := [other for other in differences(before, stored) if other != field]:
                yield PARTIAL.broken(f"{field}=None changed {', '.join(lost)}")
            before = stored


def done_is_done(subject: Subject) -> Iterator[Finding]:
    """Completed, and not open in the listing any more."""
    subject.need("update_task")
    with written(subject) as (adapter, made):
        returned = adapter.update_task(made.project_id, made.id, TaskPatch(status="done"))
        if returned.status != "done":
            yield STATUS.broken(f'status="done" was returned as {returned.status!r}')
        listed = [task for task in adapter.list_tasks_in_project(made.project_id) if task.id == made.id]
        if listed and listed[0].status != "done":
            yield STATUS.broken('status="done" left the task open in the listing')


def an_update_of_an_unknown_task_is_refused(subject: Subject) -> Iterator[Finding]:
    """Nothing is made in its place."""
    subject.need("update_task")
    with written(subject) as (adapter, made):
        missing = unknown_id(made.id)
        try:
            adapter.update_task(made.project_id, missing, TaskPatch(title="ATS conformance kit: never to be seen"))
        except NotFoundError:
            return
        except AtsError as error:
            yield UPDATE_UNKNOWN.broken(f"update_task of an unknown task raised {describe(error)}")
        else:
            yield UPDATE_UNKNOWN.broken("update_task of an unknown task raised nothing")


def the_revision_follows_a_write(subject: Subject) -> Iterator[Finding]:
    """A cached corpus must not count as fresh after a write."""
    before = subject.need("revision").revision()
    if before is None:
        raise Skipped("revision is None here")
    with written(subject) as (adapter, _):
        if eventually(subject, lambda: adapter.revision() != before or None) is None:
            yield REVISION_FOLLOWS.broken(f"revision is {before!r} before and after create_task")


CHECKS = (
    Check(WRITES, it_writes_or_says_that_it_cannot, (READ_ONLY,)),
    Check(WRITES, a_created_task_is_there, (CREATED,)),
    Check(WRITES, a_draft_is_stored_whole, (WHOLE,)),
    Check(WRITES, a_partial_update_loses_nothing, (PARTIAL, RETURNS)),
    Check(WRITES, none_clears, (CLEARS, PARTIAL)),
    Check(WRITES, done_is_done, (STATUS,)),
    Check(WRITES, an_update_of_an_unknown_task_is_refused, (UPDATE_UNKNOWN,)),
    Check(WRITES, the_revision_follows_a_write, (REVISION_FOLLOWS,)),
)
