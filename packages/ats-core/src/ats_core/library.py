"""Finding one task by what a person would call it: its id, its exact title, or the beginning of its id."""

from __future__ import annotations

from ats_core.branches.keyword import exact_titles
from ats_core.branches.ranked import Scope
from ats_core.cache.opened import OpenedCorpus
from ats_core.errors import NotFoundError, UsageError
from ats_core.models import Project, Task
from ats_core.text.fold import clean, fold

_MOST_LISTED = 10


def resolve_task(opened: OpenedCorpus, reference: str) -> Task:
    """The task of this id, else the only one of this exact (folded) title, else the only one whose id begins so.

    :raises UsageError: several tasks fit; the message lists them.
    :raises NotFoundError: none does; `nearest` holds the three closest titles.
    """
    reference = clean(reference).strip()
    if not reference:
        raise UsageError("the id or title is blank", hint="give an id, the beginning of one, or a title")
    index, corpus = opened.index, opened.corpus
    exact = index.ordinal(reference)
    if exact is not None:
        return corpus[exact]
    fitting = exact_titles(reference, index) or index.ordinals_by_prefix(reference)
    if len(fitting) == 1:
        return corpus[fitting[0]]
    if fitting:
        listed = "; ".join(f"{corpus[at].id} ({corpus[at].title})" for at in fitting[:_MOST_LISTED])
        more = f"; and {len(fitting) - _MOST_LISTED} more" if len(fitting) > _MOST_LISTED else ""
        raise UsageError(f"{reference!r} fits {len(fitting)} tasks: {listed}{more}", hint="give a whole id")
    nearest = nearest_titles(opened, reference)
    hint = f"nearest titles: {'; '.join(nearest)}" if nearest else "the corpus is empty"
    raise NotFoundError(f"no task {reference!r} in the corpus", hint=hint, nearest=nearest)


def nearest_titles(
    opened: OpenedCorpus, text: str, count: int = 3, least: float = 0.0, scope: Scope = None
) -> tuple[str, ...]:
    """The titles closest to a text by edit distance, best first, each once.

    :param least: of 100, what a title must come to (rapidfuzz's `WRatio`).
    :param scope: the tasks that are looked at.
    """
    from rapidfuzz import fuzz, process

    titles = {
        ordinal: opened.index.titles[ordinal].decode()
        for ordinal in range(opened.index.size)
        if scope is None or scope[ordinal]
    }
    # A few more than asked for: two tasks may have one title.
    matches = process.extract(fold(text), titles, scorer=fuzz.WRatio, limit=count * 4, score_cutoff=least)
    found = dict.fromkeys(opened.corpus[ordinal].title for _, _, ordinal in matches)
    return tuple(list(found)[:count])


def resolve_project(projects: list[Project], reference: str) -> Project:
    """The project of this id, else the only one of this name, else the only one whose name begins so.

    Names are compared folded, and without what decorates their beginning (an emoji, a sign) where that is needed.

    :raises UsageError: several fit; the message lists them.
    :raises NotFoundError: none does; the hint lists what there is.
    """
    reference = clean(reference).strip()
    name = fold(reference)
    for fits in (
        lambda project: project.id == reference,
        lambda project: fold(project.name).strip() == name,
        lambda project: undecorated(project.name) == undecorated(reference),
        lambda project: bool(name) and fold(project.name).strip().startswith(name),
        lambda project: bool(name) and undecorated(project.name).startswith(name),
    ):
        fitting = [project for project in projects if fits(project)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            listed = "; ".join(f"{project.id} ({project.name})" for project in fitting[:_MOST_LISTED])
            raise UsageError(f"{reference!r} fits {len(fitting)} projects: {listed}", hint="give an id")
    known = ", ".join(project.name for project in projects[:_MOST_LISTED]) or "none"
    raise NotFoundError(f"no project {reference!r}", hint=f"projects: {known}")


def undecorated(name: str) -> str:
    """The folded name without the signs before its first letter or digit; the whole one if it has none of those."""
    folded = fold(name).strip()
    start = next((at for at, character in enumerate(folded) if character.isalnum()), 0)
    return folded[start:]
