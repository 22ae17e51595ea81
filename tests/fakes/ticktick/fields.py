"""What the fields of a request body do to a task: lenient reading, and a partial update that keeps the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .dates import moment, written
from .refusal import invalid

Record = dict[str, Any]
"""An object of the API, with the API's own names."""

IGNORED = object()
"""A value that the service silently does not take."""

TITLE_BYTES = 1 << 20
KINDS = ("TEXT", "NOTE", "CHECKLIST")
_DATES = ("startDate", "dueDate")


def changes(body: Record) -> Record:
    """The fields that this body sets, coerced; a date it clears is None.

    Null clears a date and is ignored elsewhere; what cannot be read is ignored. Raises Refused for a blank or an
    oversized title.
    """
    read: Record = {}
    for name, coerce in _FIELDS.items():
        if name not in body:
            continue
        value = None if body[name] is None and name in _DATES else coerce(body[name])
        if value is not IGNORED:
            read[name] = value
    check_title(read.get("title", "unchanged"))
    return read


def check_title(title: str) -> None:
    """Raises Refused for a title that the service does not take."""
    if not title.strip():
        raise invalid("title must not be blank")
    if len(title.encode(errors="replace")) >= TITLE_BYTES:
        raise invalid("title is too long")


def apply(record: Record, changed: Record) -> None:
    """Changes the record in place, with what the service makes follow from it."""
    if changed.get("dueDate") and not changed.get("startDate"):
        changed = changed | {"startDate": changed["dueDate"]}
    for name, value in changed.items():
        if value is None or (name in ("repeatFlag", "parentId") and value == ""):
            record.pop(name, None)
        else:
            record[name] = value
    if not record.get("dueDate") and changed.keys() & {"dueDate", "repeatFlag"}:
        record.pop("repeatFlag", None)
    if changed.keys() & {"dueDate", "repeatFlag"}:
        _settle_repeat_from(record)


def _settle_repeat_from(record: Record) -> None:
    if "repeatFlag" in record:
        record.setdefault("repeatFrom", "2")
    else:
        record.pop("repeatFrom", None)


def shown(record: Record) -> Record:
    """The record as an answer carries it: an empty `desc` or `items` is left out."""
    return {name: value for name, value in record.items() if value or name not in ("desc", "items")}


def listed(value: Any) -> list[Any]:
    """A list as it is, nothing as an empty one, anything else as a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def whole(value: Any) -> Any:
    """A whole number, also from digits in a string; else IGNORED."""
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return IGNORED


def text(value: Any) -> Any:
    """A string; a scalar becomes one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else IGNORED


def _truth(value: Any) -> Any:
    if isinstance(value, str):
        return value.lower() == "true"
    return bool(value) if isinstance(value, int) else IGNORED


def _date(value: Any) -> Any:
    at = moment(value)
    return written(at) if at else IGNORED


def _kind(value: Any) -> Any:
    return value if value in KINDS else IGNORED


def _texts(value: Any) -> Any:
    if not isinstance(value, list):
        return IGNORED
    return [read for read in map(text, value) if read is not IGNORED]


def _items(value: Any) -> Any:
    """Checklist items as sent, each with its own fields coerced; ids are the account's business."""
    if not isinstance(value, list):
        return IGNORED
    items = []
    for position, sent in enumerate(entry for entry in value if isinstance(entry, dict)):
        item: Record = {"title": "", "status": 0, "isAllDay": False, "sortOrder": position}
        for name, coerce in _ITEM_FIELDS.items():
            read = coerce(sent[name]) if sent.get(name) is not None else IGNORED
            if read is not IGNORED:
                item[name] = read
        items.append(item)
    return items


_ITEM_FIELDS: dict[str, Callable[[Any], Any]] = {
    "id": text,
    "title": text,
    "status": whole,
    "completedTime": _date,
    "startDate": _date,
    "isAllDay": _truth,
    "sortOrder": whole,
    "timeZone": text,
}

_FIELDS: dict[str, Callable[[Any], Any]] = {
    "title": text,
    "content": text,
    "desc": text,
    "isAllDay": _truth,
    "startDate": _date,
    "dueDate": _date,
    "timeZone": text,
    "reminders": _texts,
    "tags": _texts,
    "repeatFlag": text,
    "repeatFrom": text,
    "priority": whole,
    "status": whole,
    "sortOrder": whole,
    "kind": _kind,
    "items": _items,
    "parentId": text,
}
