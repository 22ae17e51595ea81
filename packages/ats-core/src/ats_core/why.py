"""Why one task did or did not show for a query: its place in each branch, what fusion made of it, and the cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ats_core.answer import Ballots
from ats_core.evidence import coverage
from ats_core.fusion.fused import Fused
from ats_core.models import Candidate, CorpusReport, Model, Task
from ats_core.retrieval.question import Question

SHOWN, BELOW_LIMIT, NO_CANDIDATE = "shown", "below the limit", "no candidate"
FILTERED, NOT_IN_CORPUS = "filtered", "not in the corpus"


class TermMatch(Model, frozen=True, kw_only=True):
    """One term of the analysed query: its idf, in how many tasks it stands, and whether this task holds it."""

    term: str
    idf: float
    tasks: int
    held: bool


class BranchPlace(Model, frozen=True, kw_only=True):
    """Where one branch has the task.

    `rank` is its place among all that the branch can rank (None: it does not rank it), `score` the branch's own;
    `voted` tells whether it was among the `cut` candidates that the branch may give.
    """

    name: str
    status: str
    rank: int | None
    score: float | None
    cut: int
    voted: bool
    error: str | None = None


class Why(Model, frozen=True, kw_only=True):
    """The story of one task and one query.

    `outcome` is `"shown"`, `"below the limit"`, `"no candidate"` (no branch gave it), `"filtered"` or
    `"not in the corpus"`. `place` and `score` are those after fusion, among `fused` candidates; `filters` the names of
    the filters that exclude it; `warnings` those of the search.
    """

    query: str
    reference: str
    outcome: str
    limit: int
    corpus: CorpusReport
    task: Task | None = None
    place: int | None = None
    score: float | None = None
    fused: int = 0
    covered: float = 0.0
    filters: tuple[str, ...] = ()
    branches: tuple[BranchPlace, ...] = ()
    terms: tuple[TermMatch, ...] = ()
    warnings: tuple[str, ...] = ()
    hint: str | None = None


def not_in_corpus(query: str, reference: str, limit: int, corpus: CorpusReport, nearest: Sequence[str]) -> Why:
    """The story of a task that nobody could find, since it is not there."""
    age = f"the corpus is {corpus.age_ms / 60_000:.0f} min old: --fresh refetches it"
    return Why(
        query=query,
        reference=reference,
        outcome=NOT_IN_CORPUS,
        limit=limit,
        corpus=corpus,
        hint=f"{age}; nearest titles: {'; '.join(nearest)}" if nearest else age,
    )


def explain(
    task: Task,
    question: Question,
    *,
    ballots: Ballots,
    ranking: Sequence[Fused],
    deep: Ballots,
    corpus: CorpusReport,
    reference: str,
    limit: int,
    warnings: Sequence[str],
) -> Why:
    """Put the story together.

    :param ballots: of the ordinary search, `ranking` what fusion made of them.
    :param deep: of the same question without a cut.
    """
    filters = tuple(question.selection.failing(task))
    place = next((at for at, item in enumerate(ranking, 1) if item.id == task.id), None)
    ordinal = question.index.ordinal(task.id)
    outcome = NO_CANDIDATE if place is None else SHOWN if place <= limit else BELOW_LIMIT
    return Why(
        query=question.text,
        reference=reference,
        outcome=FILTERED if filters else outcome,
        limit=limit,
        corpus=corpus,
        task=task,
        place=place,
        score=ranking[place - 1].score if place is not None else None,
        fused=len(ranking),
        covered=0.0 if ordinal is None else coverage(question, ordinal).share,
        filters=filters,
        branches=tuple(_places(task.id, question.candidates, ballots, deep)),
        terms=tuple(_terms(question, ordinal)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _places(task_id: str, cut: int, ballots: Ballots, deep: Ballots) -> Iterator[BranchPlace]:
    for report in ballots.reports:
        votes = [found.votes[report.name] for found in (ballots, deep) if report.name in found.votes]
        # What the search saw goes first: without a cut hybrid merges longer lists, and so ranks in another order.
        ranked: dict[str, Candidate] = {}
        for candidate in (candidate for vote in votes for candidate in vote.candidates):
            ranked.setdefault(candidate.id, candidate)
        known = ranked.get(task_id)
        yield BranchPlace(
            name=report.name,
            status=report.status,
            rank=None if known is None else list(ranked).index(task_id) + 1,
            score=None if known is None else known.score,
            cut=cut,
            voted=ballots.candidate(report.name, task_id) is not None,
            error=report.error,
        )


def _terms(question: Question, ordinal: int | None) -> Iterator[TermMatch]:
    for term in question.terms:
        ordinals = question.index.postings(term).tolist()[::2]
        yield TermMatch(term=term, idf=question.index.idf(len(ordinals)), tasks=len(ordinals), held=ordinal in ordinals)
