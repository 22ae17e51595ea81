"""Tasks to the sections of a search index. The only place where the corpus is folded and tokenised."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

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
    ids, titles, bodies = TextsBuilder("ids"), TextsBuilder("titles"), TextsBuilder("bodies")
    terms, facets = TermsBuilder(analyser), FacetsBuilder()
    digests, contents = bytearray(), bytearray()
    id_list, sources = [], []
    places = {} if older is None else older.places()
    for ordinal, task in enumerate(tasks):
        task_id, content = task.id.encode("utf-8", "replace"), content_digest(task)
        source = places.get(task_id, -1)
        if older is not None and source >= 0 and older.contents[16 * source : 16 * source + 16] != content:
            source = -1
        if older is not None and source >= 0:
            titles.add_encoded(older.titles[source])
            bodies.add_encoded(older.bodies[source])
            digests += older.digest(source)
        else:
            titles.add(fold(task.title).strip())  # a blank around a title does not make it another
            bodies.add(fold(task.content))
            digests += text_digest(embedded_text(task))
            terms.add(ordinal, task)
        contents += content
        sources.append(source)
        id_list.append(task_id)
        ids.add_encoded(task_id)
        facets.add(ordinal, task)
    return {
        **ids.sections(),
        "ids_sorted": array("I", sorted(range(len(id_list)), key=id_list.__getitem__)).tobytes(),
        **titles.sections(),
        **bodies.sections(),
        "digests": digests,
        "contents": contents,
        **(terms.sections() if older is None else _merged(older, sources, terms)),
        **facets.sections(),
    }


def _merged(older: SearchIndex, sources: Sequence[int], terms: TermsBuilder) -> dict[str, Buffer]:
    from ats_core.index.update import merged_terms

    return merged_terms(older, sources, terms)
