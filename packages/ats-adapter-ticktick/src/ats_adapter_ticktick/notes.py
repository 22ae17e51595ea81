"""`notes_find`: the notes of the wiki project whose title one half remembers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from unicodedata import category

from ats_core import Branch, Candidate
from ats_core.branches.title_match import NAME, title_match
from ats_core.text.fold import fold

if TYPE_CHECKING:
    from ats_core import Corpus, Deadline

LIMIT = 20

_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")


class WikiProject:
    """The list that holds the user's notes, known by what the user called it: its id, its name, or its name without
    what decorates it on either side (an emoji, signs, punctuation)."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted.strip()
        self._folded = fold(wanted).strip()
        self._bare = bare(wanted)

    def among(self, projects: Iterable[tuple[str, str]]) -> frozenset[str]:
        """The ids of the lists that fit best: by id, else by name, else by bare name; several that fit equally well.

        :param projects: pairs (id, name).
        """
        named = list(projects)
        for fits in (
            lambda project_id, name: project_id == self._wanted,
            lambda project_id, name: fold(name).strip() == self._folded,
            lambda project_id, name: bool(self._bare) and bare(name) == self._bare,
        ):
            fitting = frozenset(project_id for project_id, name in named if fits(project_id, name))
            if fitting:
                return fitting
        return frozenset()


def bare(name: str) -> str:
    """A name folded, without what stands before its first and after its last letter or digit."""
    folded = fold(_KEYCAP.sub(" ", name))
    first = next((at for at, character in enumerate(folded) if category(character)[0] in "LN"), len(folded))
    # A mark belongs to the letter before it, unless that is an emoji.
    last = next((at for at in range(len(folded), first, -1) if category(folded[at - 1])[0] in "LN"), first)
    while last < len(folded) and category(folded[last])[0] == "M":
        last += 1
    return folded[first:last]


def notes_branch(wiki: WikiProject) -> Branch:
    """The branch: title match, see `ats_core.branches.title_match`, over the notes of the wiki project alone."""

    def run(query: str, corpus: Corpus, deadline: Deadline) -> list[Candidate]:
        notes: dict[str, list[tuple[int, str, str]]] = {}
        names: dict[str, str] = {}
        for ordinal, task in enumerate(corpus):
            names.setdefault(task.project_id, task.project_name)
            notes.setdefault(task.project_id, []).append((ordinal, task.id, task.title))
        within = sorted(note for project_id in wiki.among(names.items()) for note in notes[project_id])
        ids = {ordinal: task_id for ordinal, task_id, _ in within}
        ranking = title_match(query, ((ordinal, title) for ordinal, _, title in within), LIMIT)
        return [Candidate(id=ids[ordinal], score=score) for ordinal, score in ranking]

    return Branch(NAME, run)
