"""The service's own search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ats_adapter_ticktick.corpus.lists import Lists
from ats_adapter_ticktick.corpus.rows import Row, read_rows
from ats_adapter_ticktick.corpus.seen import Seen

if TYPE_CHECKING:
    from ats_core import Deadline, Task

    from ats_adapter_ticktick.api.endpoints import TickTickApi


def search(api: TickTickApi, query: str, known: Seen | None, deadline: Deadline) -> list[Task]:
    """The tasks that the service finds, open and completed, in its order; one request."""
    rows = api.search(query, deadline)
    tasks, _ = read_rows(map(Row, rows), Lists.remembered(known or Seen()).meeting(rows))
    return tasks
