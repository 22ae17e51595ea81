"""What a caller may hand in for a task, checked before any call: the service itself would take nonsense."""

from __future__ import annotations

from ats_core import UsageError
from ats_core.text.fold import clean


def title_of(value: object) -> str:
    """A title. Raises UsageError for a blank one."""
    title = _text(value, "title")
    if not title.strip():
        raise UsageError("a task needs a title", hint="give it at least one character that shows")
    return title


def content_of(value: object) -> str:
    """A body; None is an empty one. Raises UsageError for what is no text."""
    return "" if value is None else _text(value, "content")


def tags_of(value: object) -> list[str]:
    """Tags in the order given, each once; None is none. Raises UsageError for what is no text, or blank."""
    if value is None:
        return []
    if not isinstance(value, list | tuple | set | frozenset):
        raise UsageError(f"tags must be a list of texts, not {type(value).__name__}")
    tags = [_text(tag, "a tag").strip() for tag in value]
    if not all(tags):
        raise UsageError("a tag is blank")
    return list(dict.fromkeys(tags))


def project_id_of(value: object) -> str:
    """A list's id. Raises UsageError for a blank one."""
    project_id = _text(value, "project")
    if not project_id.strip():
        raise UsageError("the project's id is blank")
    return project_id


def completes(status: object) -> bool:
    """Whether the wanted status is `"done"`. Raises UsageError where it is neither that nor `"open"`."""
    if status not in ("open", "done"):
        raise UsageError(f"unknown status {status!r}", hint='a task is "open" or "done"')
    return status == "done"


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{what} must be a text, not {type(value).__name__}")
    return clean(value)
