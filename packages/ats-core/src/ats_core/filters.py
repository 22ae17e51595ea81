"""Filters: which tasks an answer may hold. They apply before every cut, so that a small scope is never starved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from ats_core.branches.ranked import Scope
from ats_core.cache.opened import OpenedCorpus
from ats_core.errors import UsageError
from ats_core.index.facets import fold_tag
from ats_core.library import resolve_project
from ats_core.models import Task
from ats_core.text.dates import ABSENT, Bound, moment, parse_bound

STATUSES = ("open", "done", "any")


class Filters(NamedTuple):
    """What a call asked for; the default is every open task.

    `project` is an id, a name or the beginning of one, `tags` must all be there, `status` is open, done or any. Dates
    are what `parse_bound` reads: due before the bound, due at it or later, modified at it or later.
    """

    project: str | None = None
    tags: tuple[str, ...] = ()
    status: str = "open"
    due_before: str | None = None
    due_after: str | None = None
    modified_after: str | None = None

    def check(self, now: datetime) -> None:
        """Refuse what no corpus could make sense of, before one is fetched.

        :raises UsageError: a status or a date that cannot be read.
        """
        if self.status not in STATUSES:
            raise UsageError(f"status is {self.status!r}, expected {', '.join(STATUSES)}")
        self.bounds(now)

    def bounds(self, now: datetime) -> dict[str, Bound]:
        """The dates by name (`due_before`, ...), those that were given."""
        given = {name: getattr(self, name) for name in ("due_before", "due_after", "modified_after")}
        return {
            name: _bound(name, text, now, past=name == "modified_after")
            for name, text in given.items()
            if text is not None
        }

    @property
    def wants_completed(self) -> bool:
        return self.status != "open"


class _Test(NamedTuple):
    """One filter, ready to be applied: its name, whether a task passes, and a byte a task of the corpus (1: passes).

    `whole` is the id of the project that it asks for, where it is the filter for one.
    """

    name: str
    passes: Callable[[Task], bool]
    mask: Callable[[], bytes]
    whole: str | None = None


class Selection:
    """The filters of a call, resolved against a corpus.

    :raises UsageError: a status or a date that cannot be read, or a project that several fit.
    :raises NotFoundError: no such project.
    """

    def __init__(self, filters: Filters, opened: OpenedCorpus, now: datetime) -> None:
        self._opened = opened
        self._tests = list(_tests(filters, opened, now))

    @property
    def names(self) -> list[str]:
        """What the filters are called."""
        return [test.name for test in self._tests]

    def scope(self) -> Scope:
        """The tasks of the corpus that pass, None where all do."""
        masks = [test.mask() for test in self._tests]
        if not masks:
            return None
        scope = masks[0] if len(masks) == 1 else _all_of(masks)
        return scope if 0 in scope else None

    def projects_alone(self) -> frozenset[str] | None:
        """The projects that the scope is all of, None where another filter, too, takes something away."""
        wholes = [test.whole for test in self._tests if test.whole is not None]
        others = [test.mask() for test in self._tests if test.whole is None]
        return frozenset(wholes) if wholes and all(0 not in mask for mask in others) else None

    def accepts(self, task: Task) -> bool:
        """Whether a task from outside of the corpus passes."""
        return all(test.passes(task) for test in self._tests)

    def failing(self, task: Task) -> list[str]:
        """The names of the filters that exclude a task."""
        return [test.name for test in self._tests if not test.passes(task)]


def _all_of(masks: Iterable[bytes]) -> bytes:
    """The bytes that are 1 in every mask; as whole numbers, since a loop over bytes costs 50 times as much."""
    masks = list(masks)
    common = int.from_bytes(masks[0], "little")
    for mask in masks[1:]:
        common &= int.from_bytes(mask, "little")
    return common.to_bytes(len(masks[0]), "little")


def _tests(filters: Filters, opened: OpenedCorpus, now: datetime) -> Iterable[_Test]:
    index = opened.index
    filters.check(now)
    if filters.status != "any":
        wanted = filters.status == "done"
        as_wanted = bytes([not wanted, wanted]) + bytes(254)
        yield _Test(
            f"status {filters.status}",
            lambda task: (task.status == "done") is wanted,
            lambda: bytes(index.done).translate(as_wanted),
        )
    if filters.project is not None:
        project = resolve_project(list(opened.header.projects), filters.project)
        place = index.project_place(project.id)
        yield _Test(
            f"project {project.name}",
            lambda task: task.project_id == project.id,
            lambda: bytes(map(place.__eq__, index.project_of)),
            project.id,
        )
    for tag in filters.tags:
        yield _tag_test(tag, opened)
    for name, bound in filters.bounds(now).items():
        said = f"{name.replace('_', ' ')} {getattr(filters, name)}"
        if name == "modified_after":
            yield _date_test(said, bound, index.modified, lambda task: task.modified_time, before=False)
        else:
            yield _date_test(said, bound, index.due, lambda task: task.due_date, before=name == "due_before")


def _tag_test(tag: str, opened: OpenedCorpus) -> _Test:
    folded = fold_tag(tag)

    def mask() -> bytes:
        passing = bytearray(opened.index.size)
        for ordinal in opened.index.tagged(folded):
            passing[ordinal] = 1
        return bytes(passing)

    return _Test(f"tag {tag}", lambda task: folded in map(fold_tag, task.tags), mask)


def _date_test(
    name: str, bound: Bound, numbers: memoryview, read: Callable[[Task], str | None], *, before: bool
) -> _Test:
    def passes(number: int) -> bool:
        return number != ABSENT and bound.is_after(number) is before

    return _Test(name, lambda task: passes(moment(read(task))), lambda: bytes(map(passes, numbers)))


def _bound(name: str, text: str, now: datetime, *, past: bool) -> Bound:
    try:
        return parse_bound(text, now, past=past)
    except ValueError:
        raise UsageError(
            f"{name.replace('_', '-')} is {text!r}, expected a date",
            hint="a date is 2026-12-31, today, tomorrow, 7d or 2w",
        ) from None
