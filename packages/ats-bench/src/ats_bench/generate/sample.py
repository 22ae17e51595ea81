"""A sample of tasks that does justice to every project and every age."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ats_core.models import Task
from ats_core.text.dates import moment


def sample(tasks: Sequence[Task], count: int, random: Random) -> list[int]:
    """The positions of `count` tasks, or of all if there are no more, in corpus order.

    Every project has its share by size, and one task at least as long as there are places. Within a project the tasks
    are put in order of age (those without a time first) and cut into as many equal stretches as there are places: one
    task is drawn from each. The same `random` gives the same sample.
    """
    projects: dict[str, list[int]] = {}
    for position, task in enumerate(tasks):
        projects.setdefault(task.project_id, []).append(position)
    chosen: list[int] = []
    for positions, places in zip(projects.values(), shares([len(p) for p in projects.values()], count), strict=True):
        by_age = sorted(positions, key=lambda position: (moment(tasks[position].modified_time or ""), position))
        chosen += [by_age[_draw(len(by_age), places, stretch, random)] for stretch in range(places)]
    return sorted(chosen)


def shares(sizes: Sequence[int], places: int) -> list[int]:
    """How many of the places each group gets: one for each, the largest first, and the rest by largest remainder.

    No group gets more than its size; ties go to the earlier one.
    """
    order = sorted(range(len(sizes)), key=lambda at: (-sizes[at], at))
    given = [0] * len(sizes)
    for at in order[:places]:
        given[at] = 1
    left = min(places, sum(sizes)) - sum(given)
    rest = sum(sizes) - sum(given)
    if left <= 0 or rest <= 0:
        return given
    exact = [(size - had) * left / rest for size, had in zip(sizes, given, strict=True)]
    by_remainder = sorted(range(len(sizes)), key=lambda at: (-(exact[at] % 1), at))
    short = left - sum(int(part) for part in exact)
    extra = set(by_remainder[:short])
    return [had + int(exact[at]) + (at in extra) for at, had in enumerate(given)]


def _draw(size: int, places: int, stretch: int, random: Random) -> int:
    first, end = stretch * size // places, (stretch + 1) * size // places
    return first + int(random.random() * (end - first))
