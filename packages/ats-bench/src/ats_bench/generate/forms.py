"""The ways in which a task is half remembered: known-item questions made of its own words.

Each form gives a question to which this task alone is the answer, as far as words can tell, or None where the task is
not made for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeAlias

from ats_core.models import Task
from ats_core.text.fold import fold

from ats_bench.generate.words import Holders, is_unspaced, words

RARE_WORDS = 3
_TRIES = 8
_SHORTEST = 3
"""Letters of a word that people remember; two where words are written without spaces between them."""
_TYPO_LETTERS = 5
"""Letters of a word in which a typo leaves something to recognise."""


class Known:
    """What the forms have to know of the corpus: which tasks hold a word, and which title stands there twice."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.holders = Holders(tasks)
        self.titles = [[fold(word) for word in words(task.title)] for task in tasks]
        self._title_counts: dict[tuple[str, ...], int] = {}
        for title in self.titles:
            key = tuple(sorted(title))
            self._title_counts[key] = self._title_counts.get(key, 0) + 1

    def has_own_title(self, position: int) -> bool:
        """Whether no other title is made of the same words."""
        return self._title_counts[tuple(sorted(self.titles[position]))] == 1

    def is_only_title_with(self, position: int, kept: Sequence[str]) -> bool:
        """Whether no other title holds all of these words."""
        wanted = {fold(word) for word in kept}
        return not any(wanted.issubset(self.titles[at]) for at in self.holders.common(kept) if at != position)


Form: TypeAlias = Callable[[Task, int, Known, Random], str | None]


def rare_words(task: Task, position: int, known: Known, random: Random) -> str | None:
    """The three rarest words of the body that are not in the title, the longer of equally rare ones, as they stand."""
    body = _memorable(words(task.content), but=known.titles[position])
    rarest = sorted(body, key=lambda word: (known.holders.count(word), -len(word), body[word]))[:RARE_WORDS]
    if len(rarest) < RARE_WORDS or known.holders.common(rarest) != {position}:
        return None
    return " ".join(sorted(rarest, key=lambda word: body[word]))


def title_part(task: Task, position: int, known: Known, random: Random) -> str | None:
    """The title without a third to a half of its words, in its order."""
    title = words(task.title)
    if len(title) < 3:
        return None
    for _ in range(_TRIES):
        dropped = random.randint(max(len(title) // 3, 1), len(title) // 2)
        places = sorted(random.sample(range(len(title)), len(title) - dropped))
        kept = [title[at] for at in places]
        if _memorable(kept) and known.is_only_title_with(position, kept):
            return " ".join(kept)
    return None


def title_reordered(task: Task, position: int, known: Known, random: Random) -> str | None:
    """The words of the title in another order; none where only pieces of a text without spaces could be mixed."""
    title = words(task.title)
    if is_unspaced(task.title) or len(set(title)) < 2 or not known.has_own_title(position):
        return None
    while (mixed := random.sample(title, len(title))) == title:
        pass
    return " ".join(mixed)


def title_typo(task: Task, position: int, known: Known, random: Random) -> str | None:
    """The title with one typo, of the kind that fingers make, in a word that is long enough to be recognised."""
    title = words(task.title)
    places = [at for at, word in enumerate(title) if len(word) >= _TYPO_LETTERS and word.isalpha()]
    if not places or not known.has_own_title(position):
        return None
    at = random.choice(places)
    mistyped = _mistyped(title[at], random)
    return " ".join([*title[:at], mistyped, *title[at + 1 :]])


def tag_and_word(task: Task, position: int, known: Known, random: Random) -> str | None:
    """A tag, and the commonest word that still tells the task from the others that hold the tag's words."""
    tags = [tag for tag in task.tags if words(tag)]
    if not tags:
        return None
    tag = random.choice(tags)
    spoken = words(tag)
    text = _memorable(words(f"{task.title}\n{task.content}"), but=[fold(word) for word in spoken])
    tagged = known.holders.common(spoken)
    for word in sorted(text, key=lambda word: (-known.holders.count(word), text[word])):
        if known.holders.is_alone(position, word, tagged):
            return f"{tag} {word}"
    return None


FORMS: dict[str, Form] = {
    "rare-words": rare_words,
    "title-part": title_part,
    "title-reordered": title_reordered,
    "title-typo": title_typo,
    "tag-and-word": tag_and_word,
}
"""By the tag that each of their questions carries."""


def _memorable(found: Iterable[str], but: Sequence[str] = ()) -> dict[str, int]:
    """The words without digits that are long enough, once each, with their place; but not these (folded) ones."""
    left_out = set(but)
    kept: dict[str, tuple[str, int]] = {}
    for place, word in enumerate(found):
        folded = fold(word)
        shortest = _SHORTEST if word[0] < "\u0e00" else 2
        if len(word) >= shortest and word[0].isalpha() and not any(map(str.isdigit, word)) and folded not in left_out:
            kept.setdefault(folded, (word, place))
    return dict(kept.values())


def _mistyped(word: str, random: Random) -> str:
    """Two neighbours swapped, a letter left out, or one typed twice; never the first."""
    at = random.randrange(1, len(word) - 1)
    slips = [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
    ]
    return random.choice([slip for slip in slips if slip != word])
