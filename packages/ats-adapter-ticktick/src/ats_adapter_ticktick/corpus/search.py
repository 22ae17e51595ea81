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
    """The tasks that the service finds, open and completed, in its order.

    One request, and one more for the names of the lists where no fetch has seen them.
    """
    rows = api.search(query, deadline)
    lists = Lists.of(api.projects(deadline), None) if known is None and rows else Lists.remembered(known or Seen())
    tasks, _ = read_rows(map(Row, rows), lists.meeting(rows))
    return tasks
