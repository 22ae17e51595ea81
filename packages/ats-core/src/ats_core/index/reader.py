"""Reading a search index, from a mapped file or from memory: the same bytes, the same code."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from mmap import mmap

from ats_core.index.build import build_sections
from ats_core.index.layout import Buffer, DamagedError, laid_out, unpack
from ats_core.index.texts import SEPARATOR, Texts
from ats_core.models import Task
from ats_core.text.analyser import Analyser

INDEX_VERSION = 3
"""Counts up whenever a section changes its meaning."""


MOST_POSTINGS = 2_000
"""Terms whose postings an index remembers the place of: a question asks for each several times."""


class SearchIndex:
    """What the rankers read. Positions are ordinals: places in corpus order, from 0.

    `titles` and `bodies` hold folded text; `lengths` the number of terms of each task; `terms` and `all_postings` with
    `postings_starts` are the inverted index; `words` are all words of the corpus, folded, ascending, and
    `word_terms` the place of each one's term among `terms` (a word that has two terms is there twice; words and terms
    of tasks that are gone may be left). `projects` are the ids of the projects and `project_of` each task's place
    among them; `done` is one byte a task; `due` and `modified` are moments (see `text.dates`). `digests` holds 16 bytes
    a task, the key of its vector, `contents` 16 bytes that name its texts; `task_spans` says where each task lies in
    the cache file (start, end), None where there is no file.

    :raises DamagedError: not a whole index of this version.
    """

    def __init__(self, buffer: bytes | mmap) -> None:
        header, sections, start = unpack(buffer)
        if header.meta.get("version") != INDEX_VERSION:
            raise DamagedError("another version of the index")
        self.meta: Mapping[str, str | int | list[int] | None] = header.meta
        try:
            self.lengths = sections["lengths"].cast("I")
            self.done = sections["done"]
            self.digests = sections["digests"]
            self.contents = sections["contents"]
            self.project_of = sections["project_of"].cast("I")
            self.due = sections["due"].cast("q")
            self.modified = sections["modified"].cast("q")
            self._tag_tasks = sections["tag_tasks"].cast("I")
            self._tag_tasks_starts = sections["tag_tasks_starts"].cast("Q")
            self.word_terms = sections["word_terms"].cast("I")
            self.titles, self.bodies, self.projects, self._tags, self._ids, self.terms, self.words = (
                Texts(
                    buffer,
                    start + header.sections[name][0],
                    header.sections[name][1],
                    sections[f"{name}_starts"],
                )
                for name in ("titles", "bodies", "projects", "tags", "ids", "terms", "words")
            )
            self._ids_sorted = sections["ids_sorted"].cast("I")
            self.all_postings = sections["postings"].cast("I")
            self.postings_starts = sections["postings_starts"].cast("Q")
            spans = sections.get("task_spans")
            self.task_spans = None if spans is None else spans.cast("Q")
        except (KeyError, TypeError) as error:
            raise DamagedError("a section is missing or has the wrong size") from error
        self.size = len(self.lengths)
        self._seen: dict[str, int] = {}
        self._found: dict[str, memoryview] = {}
        total = self.meta.get("total_length")
        self.average_length = total / self.size if self.size and isinstance(total, int) else 0.0

    def postings(self, term: str) -> memoryview:
        """Pairs (ordinal, frequency * 2 + in title), flat, by ascending ordinal; empty for an unknown term."""
        postings = self._found.get(term)
        if postings is None:
            if len(self._found) >= MOST_POSTINGS:
                self._found.clear()
            place = self._place_of_term(term)
            self._found[term] = postings = self.all_postings[:0] if place < 0 else self.postings_at(place)
        return postings

    def _place_of_term(self, term: str) -> int:
        """The place of a term among `terms`, -1 where it is not there."""
        encoded = term.encode("utf-8", "replace")
        at = self.terms.first_from(encoded)
        return at if at < len(self.terms) and self.terms[at] == encoded else -1

    def postings_at(self, place: int) -> memoryview:
        """As `postings`, of the term at a place among `terms`."""
        return self.all_postings[self.postings_starts[place] : self.postings_starts[place + 1]]

    def document_frequency(self, place: int) -> int:
        """How many tasks hold the term at a place among `terms`."""
        return (self.postings_starts[place + 1] - self.postings_starts[place]) // 2

    def terms_of_words(self, part: bytes, *, opens: bool, closes: bool) -> list[int]:
        """The terms of the words that contain a part, begin with it, end with it, or are it: their places."""
        matching = self.words.matching(part, opens=opens, closes=closes)
        return list(dict.fromkeys(self.word_terms[word] for word in matching))

    def words_of_terms(self, terms: Iterable[str], beginnings: Iterable[str]) -> list[str]:
        """The words, folded, that have one of these terms, of those with one of these beginnings."""
        places = {self._place_of_term(term) for term in terms} - {-1}
        found: list[str] = []
        for beginning in map(str.encode, beginnings):
            first, beyond = self.words.first_from(beginning), self.words.first_from(beginning + SEPARATOR)
            terms_of = enumerate(self.word_terms[first:beyond].tolist(), first)
            found += [self.words[word].decode() for word, term in terms_of if term in places]
        return list(dict.fromkeys(found))

    def terms_containing(self, part: bytes) -> list[int]:
        """The places of the terms that contain a part."""
        return list(self.terms.matching(part))

    def terms_beginning(self, part: bytes) -> list[int]:
        """The places of the terms that begin with a part."""
        return list(self.terms.matching(part, opens=True))

    def idf(self, document_frequency: int) -> float:
        """Inverse document frequency, ln(1 + (N - df + 0.5) / (df + 0.5)): above 0 for every df from 0 to N."""
        return math.log(1 + (self.size - document_frequency + 0.5) / (document_frequency + 0.5))

    def task_id(self, ordinal: int) -> str:
        """The id of the task at this place."""
        task_id = self._ids[ordinal].decode()
        self._seen[task_id] = ordinal
        return task_id

    def ordinal(self, task_id: str) -> int | None:
        """The place of the task with this id, None where there is none."""
        seen = self._seen.get(task_id)  # most ids that are asked for came from here
        if seen is not None:
            return seen
        encoded = task_id.encode("utf-8", "replace")
        order = self._ids_sorted
        at = bisect_left(range(len(order)), encoded, key=lambda place: self._ids[order[place]])
        return order[at] if at < len(order) and self._ids[order[at]] == encoded else None

    def places(self) -> dict[bytes, int]:
        """The place of every task by its encoded id."""
        return {task_id: ordinal for ordinal, task_id in enumerate(self._ids.all())}

    def ordinals_by_prefix(self, prefix: str) -> list[int]:
        """The places of the tasks whose id begins with `prefix`, by ascending id."""
        encoded = prefix.encode("utf-8", "replace")
        order = self._ids_sorted
        at = bisect_left(range(len(order)), encoded, key=lambda place: self._ids[order[place]])
        found = []
        while at < len(order) and self._ids[order[at]].startswith(encoded):
            found.append(order[at])
            at += 1
        return found

    def project_place(self, project_id: str) -> int:
        """The place of a project among `projects`, -1 where no task is in it."""
        encoded = project_id.encode("utf-8", "replace")
        return next((place for place in range(len(self.projects)) if self.projects[place] == encoded), -1)

    def within(self, project_ids: Collection[str]) -> list[int]:
        """The ordinals of the tasks of these projects, ascending."""
        places = {self.project_place(project_id) for project_id in project_ids}
        return [ordinal for ordinal, place in enumerate(self.project_of) if place in places]

    def tagged(self, folded_tag: str) -> memoryview:
        """The ordinals of the tasks that carry a tag (see `facets.fold_tag`), ascending; empty for an unknown one."""
        encoded = folded_tag.encode("utf-8", "replace")
        for place in range(len(self._tags)):
            if self._tags[place] == encoded:
                return self._tag_tasks[self._tag_tasks_starts[place] : self._tag_tasks_starts[place + 1]]
        return self._tag_tasks[:0]

    def digest(self, ordinal: int) -> bytes:
        """The key of the task's vector: a digest of the text that an embedder is given."""
        return bytes(self.digests[16 * ordinal : 16 * ordinal + 16])


def packed_at(postings: memoryview, ordinal: int) -> int:
    """What some postings say of one task, frequency * 2 + in title; 0 where it is not among them."""
    at = bisect_left(range(len(postings) // 2), ordinal, key=lambda place: postings[2 * place])
    return int(postings[2 * at + 1]) if 2 * at < len(postings) and postings[2 * at] == ordinal else 0


LITTLE_TEXT = 200_000
"""Bytes of bodies up to which a full build costs less than importing numpy for a merge does."""


def index_tasks(
    tasks: Sequence[Task],
    analyser: Analyser,
    *,
    identity: list[int] | None = None,
    task_spans: bytes | None = None,
    older: SearchIndex | None = None,
) -> bytes:
    """Build an index over tasks in corpus order (ids unique), as the bytes that `SearchIndex` reads.

    `identity` and `task_spans` tie it to the cache file that holds the same tasks. What is unchanged since `older`, if
    that is by the same analyser, is taken over.
    """
    return b"".join(index_pieces(tasks, analyser, identity=identity, task_spans=task_spans, older=older))


def index_pieces(
    tasks: Sequence[Task],
    analyser: Analyser,
    *,
    identity: list[int] | None = None,
    task_spans: bytes | None = None,
    older: SearchIndex | None = None,
) -> list[Buffer]:
    """As `index_tasks`, in pieces to be written one after the other."""
    if older is not None and (older.meta.get("analyser") != analyser.key or older.bodies.size < LITTLE_TEXT):
        older = None
    sections = build_sections(tasks, analyser, older)
    total_length = sum(memoryview(sections["lengths"]).cast("I"))
    if task_spans is not None:
        sections["task_spans"] = task_spans
    meta: dict[str, str | int | list[int] | None] = {
        "version": INDEX_VERSION,
        "analyser": analyser.key,
        "total_length": total_length,
        "identity": identity,
    }
    return laid_out(sections, meta)
