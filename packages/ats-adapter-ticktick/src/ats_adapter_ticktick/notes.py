"""`notes_find`: the notes of the wiki project whose title one half remembers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
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

    def among(self, names: Mapping[str, str]) -> frozenset[str]:
        """The ids of the lists that fit best: by id, else by name, else by bare name; several that fit equally well.

        :param names: by id.
        """
        for fits in (
            lambda project_id, name: project_id == self._wanted,
            lambda project_id, name: fold(name).strip() == self._folded,
            lambda project_id, name: bool(self._bare) and bare(name) == self._bare,
        ):
            fitting = frozenset(project_id for project_id, name in names.items() if fits(project_id, name))
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


def notes_branch(find_notes: Callable[[Corpus], Collection[str]]) -> Branch:
    """The branch: title match, see `ats_core.branches.title_match`, over the tasks of some lists alone.

    :param find_notes: the ids of these lists.
    """

    def run(query: str, corpus: Corpus, deadline: Deadline) -> list[Candidate]:
        notes = {ordinal: corpus[ordinal] for ordinal in corpus.within(find_notes(corpus))}
        ranking = title_match(query, ((ordinal, note.title) for ordinal, note in notes.items()), LIMIT)
        return [Candidate(id=notes[ordinal].id, score=score) for ordinal, score in ranking]

    return Branch(NAME, run)


def named_in(corpus: Corpus) -> dict[str, str]:
    """The names of the lists by id, as far as their tasks tell: reads all of them."""
    return {task.project_id: task.project_name for task in corpus}
