"""Tasks to the sections of a search index. The only place where the corpus is folded and tokenised."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from hashlib import blake2b
from itertools import chain

from ats_core.index.layout import Buffer
from ats_core.models import Task
from ats_core.text.analyser import Analyser
from ats_core.text.fold import fold

SEPARATOR = b"\xff"
"""Between folded texts: a byte that UTF-8 never holds, so that no query can match across two tasks."""


class _Texts:
    """Strings end to end in one buffer, a separator after each, with the start of each."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.starts = array("Q")

    def add(self, text: str) -> None:
        self.starts.append(len(self.buffer))
        self.buffer += text.encode("utf-8", "replace")
        self.buffer += SEPARATOR

    def sections(self, name: str) -> dict[str, Buffer]:
        self.starts.append(len(self.buffer))
        return {name: self.buffer, f"{name}_starts": self.starts.tobytes()}


def embedded_text(task: Task) -> str:
    """The text of a task that an embedder is given."""
    return "\n".join(part for part in (task.title, task.content, " ".join(task.tags)) if part)


def text_digest(text: str) -> bytes:
    """16 bytes that name a text: the key of its vector within an embedding space."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def build_sections(tasks: Iterable[Task], analyser: Analyser) -> dict[str, Buffer]:
    """The sections that `SearchIndex` reads, see there. Cost is linear in the text: about 0.1 ms a task of 1 KB."""
    ids, titles, bodies = _Texts(), _Texts(), _Texts()
    done, digests = bytearray(), bytearray()
    lengths = array("I")
    postings: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    id_list = []
    projects: dict[str, int] = {}
    project_of = array("I")
    for ordinal, task in enumerate(tasks):
        id_list.append(task.id)
        ids.add(task.id)
        titles.add(fold(task.title).strip())  # a blank around a title does not make it another
        bodies.add(fold(task.content))
        done.append(task.status == "done")
        project_of.append(projects.setdefault(task.project_id, len(projects)))
        digests += text_digest(embedded_text(task))
        title_terms = analyser.terms(task.title)
        frequencies = Counter(title_terms)
        frequencies.update(chain(analyser.terms(task.content), *map(analyser.terms, task.tags)))
        lengths.append(frequencies.total())
        in_title = set(title_terms)
        for term, frequency in frequencies.items():
            posting = postings[term]
            posting.append(ordinal)
            posting.append(frequency << 1 | (term in in_title))
    project_ids = _Texts()
    for project_id in projects:
        project_ids.add(project_id)
    return {
        **ids.sections("ids"),
        **project_ids.sections("projects"),
        "project_of": project_of.tobytes(),
        "ids_sorted": array("I", sorted(range(len(id_list)), key=lambda at: id_list[at].encode())).tobytes(),
        **titles.sections("titles"),
        **bodies.sections("bodies"),
        "done": done,
        "digests": digests,
        "lengths": lengths.tobytes(),
        **_vocabulary(postings),
    }


def _vocabulary(postings: dict[str, array[int]]) -> dict[str, Buffer]:
    terms = _Texts()
    starts = array("Q")
    lists: list[bytes] = []
    position = 0
    for encoded, term in sorted((term.encode("utf-8", "replace"), term) for term in postings):
        terms.add(encoded.decode())
        starts.append(position)
        position += len(postings[term])
        lists.append(postings[term].tobytes())
    starts.append(position)
    return {**terms.sections("terms"), "postings_starts": starts.tobytes(), "postings": b"".join(lists)}
