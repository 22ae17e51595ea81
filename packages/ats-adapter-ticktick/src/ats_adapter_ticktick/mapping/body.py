"""A task's searchable text, put together from `content`, `desc` and the checklist, and taken apart again for a write.

The text that the apps show comes first: `desc` of a checklist, `content` of all else. The other one follows where it
has something else to say, then the checklist, a line an item: `- [ ] open`, `- [x] done`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ats_adapter_ticktick.mapping.scalars import number, text

if TYPE_CHECKING:
    from collections.abc import Mapping


def shown_field(record: Mapping[str, Any]) -> str:
    """The name of the field that holds the text which the apps show."""
    return "desc" if record.get("kind") == "CHECKLIST" else "content"


def body(record: Mapping[str, Any]) -> str:
    """All searchable text of a task, nothing twice."""
    shown = text(record.get(shown_field(record)))
    rest = tail(record)
    return "\n".join((shown, rest)) if rest and shown.strip() else rest or shown


def tail(record: Mapping[str, Any]) -> str:
    """What `body` puts below the text that the apps show."""
    shown = shown_field(record)
    hidden = text(record.get("content" if shown == "desc" else "desc"))
    if not hidden and not record.get("items"):
        return ""
    seen = {"", text(record.get(shown)).strip()}
    parts = []
    for part in (hidden, checklist(record)):
        if part.strip() not in seen:
            seen.add(part.strip())
            parts.append(part)
    return "\n".join(parts)


def checklist(record: Mapping[str, Any]) -> str:
    """The checklist in the order of the apps, without items that say nothing; `""` for none."""
    items = record.get("items")
    if not isinstance(items, list):
        return ""
    rows = [item for item in items if isinstance(item, dict)]
    rows.sort(key=lambda item: number(item.get("sortOrder")) or 0)
    lines = ((" ".join(text(item.get("title")).split()), number(item.get("status"))) for item in rows)
    return "\n".join(f"- [{'x' if status in (1, 2) else ' '}] {title}" for title, status in lines if title)
