"""Tasks to the sections of a search index. The only place where the corpus is folded and tokenised."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b

from ats_core.index.facets import FacetsBuilder
from ats_core.index.layout import Buffer
from ats_core.index.terms import TermsBuilder
from ats_core.index.texts import TextsBuilder
from ats_core.models import Task
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold


def embedded_text(task: Task) -> str:
    """The text of a task that an embedder is given."""
    return "\n".join(part for part in (task.title, task.content, " ".join(task.tags)) if part)


def text_digest(text: str) -> bytes:
    """16 bytes that name a text: the key of its vector within an embedding space."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def build_sections(tasks: Iterable[Task], analyser: Analyser) -> tuple[dict[str, Buffer], int]:
    """The sections that `SearchIndex` reads, see there, and the number of terms of all tasks.

    Cost is linear in the text: about 0.1 ms a task of 1 KB.
    """
    ids, titles, bodies = TextsBuilder("ids"), TextsBuilder("titles"), TextsBuilder("bodies")
    terms, facets = TermsBuilder(analyser), FacetsBuilder()
    digests = bytearray()
    id_list = []
    for ordinal, task in enumerate(tasks):
        id_list.append(task.id.encode("utf-8", "replace"))
        ids.add(task.id)
        titles.add(fold(task.title).strip())  # a blank around a title does not make it another
        bodies.add(fold(task.content))
        digests += text_digest(embedded_text(task))
        terms.add(ordinal, task)
        facets.add(ordinal, task)
    sections = {
        **ids.sections(),
        "ids_sorted": array("I", sorted(range(len(id_list)), key=id_list.__getitem__)).tobytes(),
        **titles.sections(),
        **bodies.sections(),
        "digests": digests,
        **terms.sections(),
        **facets.sections(),
    }
    return sections, terms.total_length
