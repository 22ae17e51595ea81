"""What was sent, compared with what the service stored: it answers 200 to what it ignores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_core import StoreError

from ats_adapter_ticktick.mapping.dates import instant
from ats_adapter_ticktick.mapping.scalars import flag, number, text
from ats_adapter_ticktick.mapping.task import is_done
from ats_adapter_ticktick.writes.existing import same_place

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_TEXTS = ("title", "content", "desc", "items", "tags")
_DATES = ("dueDate", "startDate", "repeatFlag", "reminders")
KEPT = (*_TEXTS, *_DATES, "priority", "parentId")
"""What a write must not lose."""

_SHOWN = 80


def check_taken(sent: Mapping[str, Any], stored: Mapping[str, Any], also: str = "") -> None:
    """Compare each field that was sent with the stored one: dates as instants, tags whatever their case and order.

    :param also: what a failure should say besides, such as that the task exists now.
    :raises StoreError: names the first field that differs and what is stored.
    """
    for name, value in sent.items():
        if not _same(name, value, stored.get(name)):
            raise StoreError(f"TickTick did not take {name}: it has {_shown(stored.get(name))} now{also}")


def check_kept(
    before: Mapping[str, Any], stored: Mapping[str, Any], changed: Collection[str], spared: Collection[str] = ()
) -> None:
    """Make sure that a write emptied no field that it did not name, and did not open a task again.

    :param spared: further fields that may have been emptied.
    :raises StoreError: names the field that is gone and what was there.
    """
    for name in KEPT:
        if name not in changed and name not in spared and before.get(name) and not stored.get(name):
            raise StoreError(f"TickTick dropped {name}, which was {_shown(before[name])}")
    if "status" not in changed and is_done(before) and not is_done(stored):
        raise StoreError("TickTick opened the task again")


def _same(name: str, sent: Any, stored: Any) -> bool:
    if name == "projectId":
        return same_place(sent, text(stored))
    return _comparable(name, sent) == _comparable(name, stored)


def _comparable(name: str, value: Any) -> object:
    """A field's value in a form that is the same where it means the same."""
    match name:
        case "dueDate" | "startDate":
            at = instant(value)
            return at.replace(microsecond=0) if at is not None else value or None
        case "isAllDay":
            return flag(value)
        case "status":
            return number(value) or 0
        case "tags":
            return sorted(text(tag).casefold() for tag in value) if isinstance(value, list) else []
        case "title":
            return text(value).split()
    return _plain(text(value))


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n").strip()


def _shown(value: Any) -> str:
    """A stored value on one line, cut where it is long."""
    if value is None or value in ("", []):
        return "nothing"
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
