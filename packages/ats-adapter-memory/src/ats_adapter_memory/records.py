"""One record of a file and the task it stands for, in both directions.

Reading never fails: a field of the wrong type costs that field, not the task. Keys ATS does not know stay in
`raw`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ats_core import Project, Task, TaskDraft, TaskPatch, UsageError
from msgspec import UNSET

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Record = dict[str, Any]

_DONE_WORDS = frozenset({"done", "complete", "completed", "2", "true"})


def read_task(record: Record) -> Task | None:
    """The task of a record, None for one that has neither an id nor a title.

    The id is `""` where it is missing, and so are the project's id and name: whoever reads the whole file
    fills them in.
    """
    get = record.get
    task_id = text(get("id"))
    if not task_id and "title" not in record:
        return None
    return Task(
        id=task_id,
        title=text(get("title")),
        content=text(get("content")),
        project_id=text(get("projectId")),
        project_name=text(get("projectName")),
        tags=_tags(get("tags")),
        due_date=text(get("dueDate")) or None,
        modified_time=text(get("modifiedTime")) or None,
        status="done" if _is_done(get("status")) else "open",
        raw=record,
    )


def read_project(record: object) -> Project | None:
    """The project of a record or of a bare name, None for anything else."""
    if isinstance(record, str):
        return Project(id=record, name=record) if record else None
    if not isinstance(record, dict):
        return None
    project_id, name = text(record.get("id")), text(record.get("name"))
    if not (project_id or name):
        return None
    kind = "notes" if text(record.get("kind")).casefold() in ("note", "notes") else "tasks"
    return Project(id=project_id or name, name=name or project_id, kind=kind, raw=record)


def text(value: object) -> str:
    """A string as it is, a number in decimal, `""` for anything else."""
    if type(value) is str:
        return value
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _tags(value: object) -> tuple[str, ...]:
    if not value:
        return ()
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    return tuple(filter(None, map(text, value))) if isinstance(value, list) else ()


def _is_done(value: object) -> bool:
    if value is None or value == "open":
        return False
    if isinstance(value, str):
        return value.strip().casefold() in _DONE_WORDS
    return value is True or value == 2


def write_task(task: Task) -> Record:
    """The record of a task that has none of its own."""
    return {
        "id": task.id,
        "title": task.title,
        "content": task.content,
        "projectId": task.project_id,
        "projectName": task.project_name,
        "tags": list(task.tags),
        "dueDate": task.due_date,
        "modifiedTime": task.modified_time,
        "status": task.status,
    }


def draft_record(task_id: str, draft: TaskDraft, project: Project | None) -> Record:
    """The record of a new task; without a project it names none."""
    record: Record = {"id": task_id, "title": clean(draft.title), "content": clean(draft.content)}
    if project is not None:
        record |= {"projectId": project.id, "projectName": project.name}
    record["tags"] = _clean_tags(draft.tags)
    if draft.due_date is not None:
        record["dueDate"] = clean(draft.due_date)
    return record | {"modifiedTime": now()}


def changes(record: Mapping[str, Any], patch: TaskPatch, project: Project | None) -> Record:
    """The keys that a patch gives a new value, and these alone; `project` is where it moves the task.

    Raises UsageError for a status that is neither open nor done.
    """
    changed: Record = {}
    if patch.title is not UNSET:
        changed["title"] = clean(patch.title)
    if patch.content is not UNSET:
        changed["content"] = clean(patch.content or "")
    if project is not None:
        changed |= {"projectId": project.id, "projectName": project.name}
    if patch.tags is not UNSET:
        changed["tags"] = _clean_tags(patch.tags or ())
    if patch.due_date is not UNSET and (patch.due_date is not None or "dueDate" in record):
        changed["dueDate"] = None if patch.due_date is None else clean(patch.due_date)
    if patch.status is not UNSET:
        changed["status"] = _status(record.get("status"), patch.status)
    return changed | {"modifiedTime": now()} if changed else changed


def _status(old: object, new: str) -> object:
    """`new` in the terms in which the file has it: words, flags, or TickTick's 0 and 2."""
    if new not in ("open", "done"):
        raise UsageError(f"unknown status {new!r}", hint='a task is "open" or "done"')
    done = new == "done"
    if _is_done(old) == done and old is not None:
        return old
    if isinstance(old, bool):
        return done
    if isinstance(old, int):
        return 2 if done else 0
    return new


def now() -> str:
    """This moment as the files have it: UTC, milliseconds, `+0000`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+0000"


def _clean_tags(tags: Iterable[str]) -> list[str]:
    return [clean(tag) for tag in tags]


def clean(value: str) -> str:
    """The text with each lone surrogate as U+FFFD: it could not be encoded otherwise."""
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
