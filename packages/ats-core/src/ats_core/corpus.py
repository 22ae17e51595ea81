"""The corpus as rankers see it: a lazy, immutable sequence of tasks in corpus order.

Corpus order is project order, then the store's order; it breaks ties everywhere. A position in it is called an
*ordinal*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import overload

from ats_core.models import Task


class Corpus(Sequence[Task]):
    """`len(corpus)` tasks, decoded when they are asked for.

    `read(ordinal)` gives the task at a position, `locate(task_id)` the position of an id or None, and `within` those of
    all tasks of some projects, where that is known without reading them. All must be safe to call from several threads.
    """

    __slots__ = ("_locate", "_read", "_size", "_within")

    def __init__(
        self,
        size: int,
        read: Callable[[int], Task],
        locate: Callable[[str], int | None],
        within: Callable[[Collection[str]], list[int]] | None = None,
    ) -> None:
        self._size = size
        self._read = read
        self._locate = locate
        self._within = within

    @classmethod
    def of(cls, tasks: Sequence[Task]) -> Corpus:
        """A corpus over tasks that are in memory already. Ids must be unique."""
        ordinals = {task.id: ordinal for ordinal, task in enumerate(tasks)}
        return cls(len(tasks), tasks.__getitem__, ordinals.get)

    def get(self, task_id: str) -> Task | None:
        """The task of this id, None where the corpus has none."""
        ordinal = self._locate(task_id)
        return None if ordinal is None else self._read(ordinal)

    def ordinal(self, task_id: str) -> int | None:
        """The position of this id in corpus order, None where the corpus has none."""
        return self._locate(task_id)

    def within(self, project_ids: Collection[str]) -> list[int]:
        """The positions of all tasks of these projects, ascending. With an index no task is decoded for it."""
        if self._within is not None:
            return self._within(project_ids)
        return [ordinal for ordinal, task in enumerate(self) if task.project_id in project_ids]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Task]:
        return map(self._read, range(self._size))

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Task]: ...
    def __getitem__(self, index: int | slice) -> Task | Sequence[Task]:
        if isinstance(index, slice):
            return [self._read(ordinal) for ordinal in range(self._size)[index]]
        return self._read(range(self._size)[index])
