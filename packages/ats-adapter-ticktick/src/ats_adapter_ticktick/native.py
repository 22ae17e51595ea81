"""The branch `native`: the service's own search, as a hook that an adapter may borrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ats_core import Candidate, Deadline, hookimpl

if TYPE_CHECKING:
    from ats_core import Ranking

    from ats_adapter_ticktick.parts import Parts


class NativeSearch:
    """Asks the service as the account of these parts."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Ranking:
        """What the service finds, in its order. Each comes with its task: the corpus has no completed ones.

        All of them, whatever the limit, since core filters before it cuts.
        """
        from ats_adapter_ticktick.corpus.search import search

        account = self._parts.account()
        found = search(account.api(), query, account.seen.read(), deadline)
        return [Candidate(id=task.id, task=task) for task in found]
