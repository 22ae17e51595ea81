"""What the commands that write have in common: reading what was given, and showing what came of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from ats_core.engine import Engine
from ats_core.errors import UsageError
from ats_core.library import resolve_project
from ats_core.models import Task, TaskDraft, TaskPatch
from ats_core.text.dates import due_date

from ats_cli import shapes
from ats_cli.options import joined_words
from ats_cli.session import Session
from ats_cli.show.inert import one_line

STATUSES = ("open", "done")


def title_and_body(words: list[str], content: str | None) -> tuple[str, str]:
    """The title, and what follows its first line where both come from stdin.

    :raises UsageError: the title is blank, or two things are to be read from stdin.
    """
    if words == ["-"] and content == "-":
        raise UsageError("title and body cannot both be read from stdin", hint="the body follows the title's line")
    text = joined_words(words).strip()
    title, _, body = text.partition("\n") if words == ["-"] else (text, "", "")
    if not title.strip():
        raise UsageError("the title is blank", hint="try: ats create Renew passport")
    return title.strip(), body.strip("\n")


def draft_of(
    engine: Engine,
    title: str,
    body: str,
    *,
    content: str | None,
    project: str | None,
    tags: Sequence[str],
    due: str | None,
) -> TaskDraft:
    """What `ats create` was told to make.

    :raises UsageError: a date that is none.
    :raises NotFoundError: no such project.
    """
    return TaskDraft(
        title=title,
        content=body if content is None else joined_words([content]),
        project_id=None if project is None else _project_id(engine, project),
        tags=tuple(tags),
        due_date=None if due is None else _due_date(due),
    )


def patch_of(
    engine: Engine,
    *,
    title: str | None,
    content: str | None,
    project: str | None,
    tags: Sequence[str],
    no_tags: bool,
    due: str | None,
    status: str | None,
) -> TaskPatch:
    """What `ats update` was told to change.

    :raises UsageError: nothing, a value that cannot be, or two that exclude each other.
    :raises NotFoundError: no such project.
    """
    if tags and no_tags:
        raise UsageError("--tag and --no-tags exclude each other", hint="give one of them")
    if title is not None and not title.strip():
        raise UsageError("the title is blank", hint="a task needs one")
    if status not in (None, *STATUSES):
        raise UsageError(f"status is {status!r}, expected {' or '.join(STATUSES)}")
    changes: dict[str, Any] = {
        "title": None if title is None else title.strip(),
        "status": status,
        "project_id": None if project is None else _project_id(engine, project),
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    if content is not None:
        changes["content"] = joined_words([content]) or None
    if tags or no_tags:
        changes["tags"] = tuple(tags) or None
    if due is not None:
        changes["due_date"] = _due_date(due)
    if not changes:
        raise UsageError("nothing to change was given", hint="see: ats update --help")
    return TaskPatch(**changes)


def _project_id(engine: Engine, name: str) -> str:
    return resolve_project(engine.projects(), name).id


def _due_date(text: str) -> str | None:
    """The date that a word means; None for none."""
    if text.strip().lower() in ("none", ""):
        return None
    try:
        return due_date(text, datetime.now().astimezone())
    except ValueError:
        hint = "a date is 2026-12-31, 2026-12-31T09:00, today, tomorrow, 7d or 2w"
        raise UsageError(f"due is {text!r}, expected a date", hint=hint) from None


def show_plan(session: Session, action: str, change: TaskDraft | TaskPatch, task: Task | None = None) -> None:
    """What would be sent, in the words that the adapter would be given."""
    sent = msgspec.to_builtins(change)
    if session.json:
        target = task and {"id": task.id, "title": task.title, "projectId": task.project_id}
        session.write_json({"dryRun": True, "action": action, "task": target, "sent": sent})
        return
    of = f" {task.id} ({task.title})" if task else ""
    fields = "".join(f"  {key}: {msgspec.json.encode(value).decode()}\n" for key, value in sent.items())
    session.write(one_line(f"would {action}{of}:") + "\n" + fields)


def show_written(session: Session, engine: Engine, done: str, task: Task) -> None:
    """The task as it is stored now."""
    url = engine.url(task)
    if session.json:
        session.write_json({"action": done, "task": shapes.task(task, url=url) | {"content": task.content}})
        return
    session.write("".join(f"{one_line(text)}\n" for text in (f"{done} {task.id} {task.title}", url) if text))
