"""A question over a corpus, with what several branches need to know about it computed once."""

from __future__ import annotations

from functools import cached_property
from threading import Lock

from ats_core.branches.keyword import Literal
from ats_core.branches.ranked import Scope
from ats_core.branches.sparse_arrays import AnySparseScores, score_sparse
from ats_core.cache.opened import OpenedCorpus
from ats_core.corpus import Corpus
from ats_core.filters import Selection
from ats_core.index.reader import SearchIndex
from ats_core.models import TaskScope
from ats_core.text.analyser import Analyser
from ats_core.text.matches import Matcher


class Question:
    """What is asked, of what, within which scope.

    `text` is the cleaned query, `terms` its analysed terms, `candidates` how many a branch may give. `selection` are
    the filters, `scope` what they leave of the corpus. `one_of_many` says that the process answers more than one
    question. `warnings` gathers what branches want people to know.
    """

    def __init__(
        self,
        text: str,
        opened: OpenedCorpus,
        analyser: Analyser,
        *,
        selection: Selection,
        candidates: int,
        one_of_many: bool = False,
    ) -> None:
        self.text = text
        self.opened = opened
        self.analyser = analyser
        self.terms = analyser.query_terms(text)
        self.selection = selection
        self.scope: Scope = selection.scope()
        self.candidates = candidates
        self._one_of_many = one_of_many
        self.warnings: list[str] = []
        if self.scope is not None and 1 not in self.scope:
            self.warnings.append(f"the filters leave none of {self.index.size} tasks: {', '.join(selection.names)}")
        self._lock = Lock()
        self._sparse_scores: AnySparseScores | None = None

    @property
    def corpus(self) -> Corpus:
        return self.opened.corpus

    @property
    def index(self) -> SearchIndex:
        return self.opened.index

    @property
    def sparse_scores(self) -> AnySparseScores:
        """The sparse score of every match: for the branch, and for a hit's coverage. Computed once, by any thread."""
        with self._lock:
            if self._sparse_scores is None:
                self._sparse_scores = score_sparse(
                    self.terms, self.index, self.candidates, one_of_many=self._one_of_many
                )
            return self._sparse_scores

    @cached_property
    def matcher(self) -> Matcher:
        """Finds what is asked for in a text."""
        return Matcher(self.text, self.terms, self.analyser, self.index.words_of_terms)

    @cached_property
    def literal(self) -> Literal:
        """The question as a literal, for the branch and for the titles that are exactly it."""
        return Literal(self.text, self.index)

    @cached_property
    def exact_titles(self) -> frozenset[str]:
        """The ids of the tasks whose title is exactly the query."""
        return frozenset(self.index.task_id(ordinal) for ordinal in self.literal.exact_titles())

    @cached_property
    def exact_id(self) -> str | None:
        """The id that the query is, where a task within the scope has it."""
        ordinal = self.index.ordinal(self.text)
        return None if ordinal is None or (self.scope is not None and not self.scope[ordinal]) else self.text

    @cached_property
    def pinned(self) -> list[str]:
        """The ids of the tasks whose title or id is exactly the query, in corpus order."""
        ids = self.exact_titles | ({self.exact_id} if self.exact_id is not None else set())
        return sorted(ids, key=lambda task_id: self.index.ordinal(task_id) or 0)

    @cached_property
    def scope_ids(self) -> TaskScope | None:
        """The scope as a backend receives it: a set of ids, None for the whole corpus."""
        if self.scope is None:
            return None
        ids = (self.index.task_id(ordinal) for ordinal, within in enumerate(self.scope) if within)
        return TaskScope(ids, self.selection.projects_alone())

    def tie_break(self, task_id: str) -> tuple[bool, int]:
        """For fusion: whether the title is not exactly the query, and the place in corpus order."""
        ordinal = self.index.ordinal(task_id)
        return task_id not in self.exact_titles, self.index.size if ordinal is None else ordinal
