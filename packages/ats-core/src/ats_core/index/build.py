"""Tasks to the sections of a search index. The only place where the corpus is folded and tokenised."""

from __future__ import annotations

import gc
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ats_core.digest import blake2b
from ats_core.index.facets import FacetsBuilder
from ats_core.index.layout import Buffer
from ats_core.index.terms import TermsBuilder
from ats_core.index.texts import TextsBuilder
from ats_core.models import Task
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold

if TYPE_CHECKING:
    from ats_core.index.reader import SearchIndex


def embedded_text(task: Task) -> str:
    """The text of a task that an embedder is given."""
    return "\n".join(part for part in (task.title, task.content, " ".join(task.tags)) if part)


def text_digest(text: str) -> bytes:
    """16 bytes that name a text: the key of its vector within an embedding space."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def content_digest(task: Task) -> bytes:
    """16 bytes that name all of a task that is indexed as text: as long as they stay, its postings do."""
    return text_digest("\0".join((task.title, task.content, *task.tags)))


def build_sections(tasks: Sequence[Task], analyser: Analyser, older: SearchIndex | None = None) -> dict[str, Buffer]:
    """The sections that `SearchIndex` reads, see there.

    Cost is linear in the text: about 0.1 ms a task of 1 KB; a tenth of it for a task that is unchanged since `older`,
    an index by the same analyser.
    """
    with _uncollected():
        return _built(tasks, analyser, older)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: all that is made is kept, and looking it through time and again took a tenth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _built(tasks: Sequence[Task], analyser: Analyser, older: SearchIndex | None) -> dict[str, Buffer]:
    ids, titles, bodies = TextsBuilder("ids"), TextsBuilder("titles"), TextsBuilder("bodies")
    terms, facets = TermsBuilder(analyser), FacetsBuilder()
    id_list = [task.id.encode("utf-8", "replace") for task in tasks]
    contents = [content_digest(task) for task in tasks]
    sources = [-1] * len(tasks) if older is None else unchanged_since(older, id_list, contents)
    digests = bytearray()
    for ordinal, (task, source) in enumerate(zip(tasks, sources, strict=True)):
        if older is not None and source >= 0:
            titles.add_encoded(older.titles[source])
            bodies.add_encoded(older.bodies[source])
            digests += older.digest(source)
        else:
            titles.add(fold(task.title).strip())  # a blank around a title does not make it another
            bodies.add(fold(task.content))
            digests += text_digest(embedded_text(task))
            terms.add(ordinal, task)
        ids.add_encoded(id_list[ordinal])
        facets.add(ordinal, task)
    return {
        **ids.sections(),
        "ids_sorted": array("I", sorted(range(len(id_list)), key=id_list.__getitem__)).tobytes(),
        **titles.sections(),
        **bodies.sections(),
        "digests": digests,
        "contents": b"".join(contents),
        **(terms.sections() if older is None else _merged(older, sources, terms)),
        **facets.sections(),
    }


def unchanged_since(older: SearchIndex, ids: Sequence[bytes], contents: Sequence[bytes]) -> list[int]:
    """For each task its ordinal in an older index, -1 where it is not there, or its texts are others.

    A task that has changed its place among the others counts as changed: what is left is in the order that it was in.
    """
    places = older.places()
    sources = [places.get(task_id, -1) for task_id in ids]
    for ordinal, (source, content) in enumerate(zip(sources, contents, strict=True)):
        if source >= 0 and older.contents[16 * source : 16 * source + 16] != content:
            sources[ordinal] = -1
    in_order = longest_ascending(sources)
    return [source if source in in_order else -1 for source in sources]


def longest_ascending(numbers: Iterable[int]) -> set[int]:
    """The longest ascending part of a sequence without repeats, negative numbers left out (Fredman 1975)."""
    ends: list[int] = []  # ends[n] is the least number that ends an ascending part of n + 1 numbers
    before: dict[int, int] = {}
    for number in numbers:
        if number >= 0:
            length = bisect_left(ends, number)
            before[number] = ends[length - 1] if length else -1
            ends[length : length + 1] = [number]
    part: set[int] = set()
    number = ends[-1] if ends else -1
    while number >= 0:
        part.add(number)
        number = before[number]
    return part


def _merged(older: SearchIndex, sources: Sequence[int], terms: TermsBuilder) -> dict[str, Buffer]:
    from ats_core.index.update import merged_terms

    return merged_terms(older, sources, terms)
