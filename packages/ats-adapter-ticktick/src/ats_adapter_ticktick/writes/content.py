"""An edited body, taken apart into what belongs in the text field and what is the checklist.

A task's content ends with its checklist. Whoever reads it, changes a word and sends it back sends the checklist too: it
must not land in the text, and a change to it cannot be told from a new text, so it is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from ats_core import UsageError

from ats_adapter_ticktick.mapping.body import checklist, shown_field, tail
from ats_adapter_ticktick.mapping.scalars import text

if TYPE_CHECKING:
    from collections.abc import Mapping

_BOX = re.compile(r"[-*+] \[[ xX]\](?:\s|$)")


def content_fields(new: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """The field that gives a task this body, `{}` where it has it already. The checklist stays as it is.

    :raises UsageError: lines of the checklist were changed, added, or left out in part.
    """
    field = shown_field(record)
    old = text(record.get(field))
    ends = (_without_end(new, tail(record)), _without_end(new, checklist(record)))
    kept = next((rest for rest in ends if rest is not None), new)
    known = _boxes(text(record.get("content"))) + _boxes(text(record.get("desc")))
    if checklist(record) and _boxes(kept) - known:
        raise UsageError(
            "checklist items cannot be edited through content",
            hint="leave the checklist's lines out, or at the end as they are",
        )
    return {} if _plain(kept) == _plain(old) else {field: kept}


def _without_end(whole: str, end: str) -> str | None:
    """The text above its last lines, None where it does not end with them."""
    whole, end = _plain(whole).rstrip(), _plain(end).rstrip()
    if not end:
        return None
    if whole == end:
        return ""
    return whole.removesuffix("\n" + end) if whole.endswith("\n" + end) else None


def _boxes(body: str) -> Counter[str]:
    lines = (line.strip() for line in body.splitlines())
    return Counter(line for line in lines if _BOX.match(line))


def _plain(body: str) -> str:
    return body.replace("\r\n", "\n")
