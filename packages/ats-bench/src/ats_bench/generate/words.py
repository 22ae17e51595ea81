"""The words of a text as they are written, and how many tasks of a corpus hold each."""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Sequence

from ats_core.models import Task
from ats_core.text.fold import fold
from ats_core.text.tokens import word_spans

PIECE = 4
"""Characters in a piece of a text that is written without spaces."""


def words(text: str) -> list[str]:
    """The words in order, as written; a run without spaces between words comes in pieces of four characters."""
    found = []
    for start, end, unspaced in word_spans(text):
        if unspaced:
            found += [text[at : min(at + PIECE, end)] for at in range(start, end, PIECE)]
        else:
            found.append(text[start:end])
    return found


def is_unspaced(text: str) -> bool:
    """Whether some of the text is in a script that is written without spaces between words."""
    return any(unspaced for _, _, unspaced in word_spans(text))


class Holders:
    """Which tasks hold a word, compared folded. Tasks are known by their position."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._holders: dict[str, array[int]] = {}
        for position, task in enumerate(tasks):
            for word in {fold(word) for word in words(_text(task))}:
                self._holders.setdefault(word, array("I")).append(position)

    def count(self, word: str) -> int:
        """How many tasks hold the word."""
        return len(self._holders.get(fold(word), ()))

    def is_alone(self, position: int, word: str, among: Container[int]) -> bool:
        """Whether of these tasks this one alone holds the word; it must be one of them, and hold it."""
        return all(at == position or at not in among for at in self._holders.get(fold(word), ()))

    def common(self, asked: Iterable[str]) -> set[int]:
        """The positions of the tasks that hold all of these words."""
        lists = sorted((self._holders.get(fold(word), array("I")) for word in asked), key=len)
        if not lists:
            return set()
        found = set(lists[0])
        for positions in lists[1:]:
            found.intersection_update(positions)
        return found


def _text(task: Task) -> str:
    return "\n".join((task.title, task.content, *task.tags))
