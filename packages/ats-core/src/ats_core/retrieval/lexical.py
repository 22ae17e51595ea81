"""The branches that read words: keyword, sparse and title match."""

from __future__ import annotations

from collections.abc import Iterator

from ats_core.branches import keyword, sparse, title_match
from ats_core.deadline import Deadline
from ats_core.fanout import Job
from ats_core.models import Candidate
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote, own_vote

ID = "id"

NOTE_KINDS = frozenset({"note", "notes"})


def keyword_job(question: Question) -> Job[Vote]:
    """The query as a literal substring."""

    def run(_: Deadline) -> Vote:
        return own_vote(question, question.literal.rank(question.scope, question.candidates))

    return Job(keyword.NAME, run)


def id_job(question: Question) -> Job[Vote]:
    """The task whose id the query is: asked only where there is one, for no ranker reads ids."""
    return Job(ID, lambda _: Vote([Candidate(id=question.text)] if question.exact_id is not None else []))


def sparse_job(question: Question) -> Job[Vote]:
    """Exact tokens, weighted."""
    return Job(
        sparse.NAME,
        lambda _: own_vote(question, question.sparse_scores.top(question.candidates, question.scope)),
    )


def notes_find_job(question: Question) -> Job[Vote]:
    """Title match among the notes."""
    return Job(
        title_match.NAME,
        lambda _: own_vote(
            question, title_match.title_match(question.text, _note_titles(question), question.candidates)
        ),
    )


def _note_titles(question: Question) -> Iterator[tuple[int, str]]:
    """Titles of the projects of notes; of the whole corpus where the store does not tell notes from tasks."""
    index = question.index
    notes = {project.id for project in question.opened.header.projects if project.kind.casefold() in NOTE_KINDS}
    wanted = {place for place in range(len(index.projects)) if index.projects[place].decode() in notes}
    for ordinal in range(index.size):
        if question.scope is not None and not question.scope[ordinal]:
            continue
        if not notes or index.project_of[ordinal] in wanted:
            yield ordinal, index.titles[ordinal].decode()
