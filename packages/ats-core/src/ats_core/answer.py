"""From fused candidates to hits: tasks, provenance, snippets, addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ats_core.errors import AtsError
from ats_core.fanout import Outcome
from ats_core.fusion.fused import BranchRanking, Fused, Share
from ats_core.models import BranchReport, Candidate, Contribution, Hit, Snippet, Standing, Task, WithinExplain
from ats_core.plugins.adapter import Adapter
from ats_core.retrieval.question import Question
from ats_core.retrieval.vote import Vote
from ats_core.snippet import make_snippet


class Ballots:
    """The votes of the branches that answered, in branch order, and the report on all of them."""

    def __init__(self, outcomes: Sequence[Outcome[Vote]]) -> None:
        self.votes = {outcome.name: outcome.value for outcome in outcomes if outcome.value is not None}
        self._candidates = {
            (name, candidate.id): candidate for name, vote in self.votes.items() for candidate in vote.candidates
        }
        self.reports = tuple(map(_report, outcomes))

    def rankings(self) -> list[BranchRanking]:
        """What fusion is given."""
        return [
            BranchRanking(name, [candidate.id for candidate in vote.candidates]) for name, vote in self.votes.items()
        ]

    def own_scores(self) -> list[Fused]:
        """The rankings one after the other, each candidate with the branch's own score (or 1/rank if it gave none)."""
        own: dict[str, Fused] = {}
        for name, vote in self.votes.items():
            for rank, candidate in enumerate(vote.candidates, 1):
                score = 1 / rank if candidate.score is None else candidate.score
                own.setdefault(candidate.id, Fused(candidate.id, score, (Share(name, rank, score),)))
        return list(own.values())

    def candidate(self, branch: str, task_id: str) -> Candidate | None:
        """What a branch said about a task, None where it did not rank it."""
        return self._candidates.get((branch, task_id))

    def passage(self, task_id: str) -> str | None:
        """The part of its text that earned a task its place, where a branch said so."""
        carried = (self._candidates.get((name, task_id)) for name in self.votes)
        return next((candidate.passage for candidate in carried if candidate is not None and candidate.passage), None)

    def task(self, task_id: str) -> Task | None:
        """The task that came with a candidate from outside the corpus."""
        carried = (self._candidates.get((name, task_id)) for name in self.votes)
        return next((candidate.task for candidate in carried if candidate is not None and candidate.task), None)


def make_hits(fused: Iterable[Fused], ballots: Ballots, question: Question, adapter: Adapter) -> list[Hit]:
    """Hits for the fused candidates that are to be shown, in their order."""
    return [_hit(item, ballots, question, adapter) for item in fused]


def _hit(item: Fused, ballots: Ballots, question: Question, adapter: Adapter) -> Hit:
    own = question.corpus.get(item.id)
    task = own or ballots.task(item.id)
    if task is None:
        raise LookupError(f"a vote holds {item.id!r}, which is neither in the corpus nor came with its task")
    return Hit(
        task=task,
        score=item.score,
        sources=tuple(share.branch for share in item.shares if share.rank is not None),
        explain=tuple(_contribution(share, ballots.candidate(share.branch, item.id)) for share in item.shares),
        url=url_of(adapter, task),
        snippet=_snippet(task, ballots.passage(item.id), question, indexed=own is not None),
    )


def _snippet(task: Task, passage: str | None, question: Question, *, indexed: bool) -> Snippet:
    """From the passage that a branch named, unless only another part of the body holds words of the query."""
    named = None if passage is None else make_snippet(passage, question.matcher)
    if named is not None and named.marks:
        return named
    whole = make_snippet(task.content, question.matcher, indexed=indexed)
    return whole if named is None or whole.marks else named


def url_of(adapter: Adapter, task: Task) -> str | None:
    """The task's address, None where the adapter fails to make one: that is no reason to lose the hit."""
    try:
        return adapter.url_for(task.project_id, task.id)
    except AtsError:
        return None


def _contribution(share: Share, candidate: Candidate | None) -> Contribution:
    standings = (candidate.within if candidate else None) or {}
    return Contribution(
        source=share.branch,
        rank=share.rank,
        contribution=share.contribution,
        score=candidate.score if candidate else None,
        within=tuple(_parts(share, standings) if share.parts else _standings(standings)),
    )


def _standings(standings: Mapping[str, Standing | tuple[int | None, float | None]]) -> Iterator[WithinExplain]:
    for name, standing in standings.items():
        if isinstance(standing, Standing):
            yield WithinExplain(source=name, rank=standing.rank, score=standing.score)


def _parts(
    share: Share, standings: Mapping[str, Standing | tuple[int | None, float | None]]
) -> Iterator[WithinExplain]:
    for part in share.parts:
        standing = standings.get(part.name)
        # A branch that is its own only part (sparse, without vectors) has no standings: its rank is that of the part.
        rank = standing.rank if isinstance(standing, Standing) else share.rank if part.name == share.branch else None
        yield WithinExplain(source=part.name, rank=rank, score=part.score, contribution=part.contribution)


def _report(outcome: Outcome[Vote]) -> BranchReport:
    vote = outcome.value
    if vote is None:
        return BranchReport(
            name=outcome.name, status=outcome.status, elapsed_ms=outcome.elapsed_ms, error=outcome.error
        )
    return BranchReport(
        name=outcome.name,
        status="degraded" if vote.degraded else outcome.status,
        count=len(vote.candidates),
        elapsed_ms=outcome.elapsed_ms,
        error=vote.degraded,
        dropped=vote.dropped,
    )
