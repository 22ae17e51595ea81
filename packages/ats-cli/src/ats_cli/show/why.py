"""The story of one task and one query, as lines."""

from collections.abc import Iterator, Sequence

from ats_core.why import FILTERED, NO_CANDIDATE, NOT_IN_CORPUS, BranchPlace, TermMatch, Why

from ats_cli.show.hits import corpus, demo_lines, head, number
from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, line
from ats_cli.show.table import table
from ats_cli.show.units import counted

_ANSWERED = ("ok", "degraded")


def why_lines(story: Why) -> Iterator[Line]:
    """The task, what became of it, where each branch has it, which of the query's words it holds, and the corpus."""
    if story.task is None:
        yield line("", Span(one_line(story.reference), "title"))
    else:
        yield line("", f"{one_line(story.task.id)}  ", *head(story.task))
    yield line("", one_line(_outcome(story)))
    if story.hint:
        yield line("", one_line(story.hint))
    if story.branches and story.outcome != FILTERED:
        yield line("")
        rows = [[place.name, number(place.rank), number(place.score), _candidacy(place)] for place in story.branches]
        yield from table(["branch", "rank", "own score", "candidate?"], rows, right=(1, 2))
    if story.terms:
        yield line("")
        yield line("", one_line(_words(story.terms)))
        yield line("", f"covers {story.covered:.0%} of what the query says")
    yield line("")
    yield line("", Span(one_line(corpus(story.corpus)), "faint"))
    yield from demo_lines(story.corpus)


def _outcome(story: Why) -> str:
    if story.outcome == NOT_IN_CORPUS:
        return f"{story.outcome}: no such id, no beginning of one, and no such title"
    if story.outcome == FILTERED:
        return f"{story.outcome}: left out by {', '.join(story.filters)}"
    if story.outcome == NO_CANDIDATE:
        if any(place.rank is not None for place in story.branches):
            return f"{story.outcome}: no branch has it high enough"
        silent = any(place.status not in _ANSWERED for place in story.branches)
        return f"{story.outcome}: no branch {'that answered ' if silent else ''}ranks it"
    return f"{story.outcome}: place {story.place} of {story.fused}, score {number(story.score)} (limit {story.limit})"


def _candidacy(place: BranchPlace) -> str:
    """Whether the branch voted for the task, and if it did not, why."""
    if place.voted:
        said = "yes"
    elif place.status not in _ANSWERED:
        return f"{place.status}: {place.error}" if place.error else place.status
    elif place.rank is None:
        said = "does not rank it"
    else:
        said = f"no: beyond the {counted(place.cut, 'candidate')}"
    return f"{said} (degraded: {place.error})" if place.error else said


def _words(terms: Sequence[TermMatch]) -> str:
    """The terms of the query as the index has them, those that the task holds first."""
    said = []
    for label, held in (("has", True), ("lacks", False)):
        words = [f"{match.term} (in {_tasks(match.tasks)})" for match in terms if match.held is held]
        if words:
            said.append(f"{label}: {', '.join(words)}")
    return "; ".join(said)


def _tasks(count: int) -> str:
    return counted(count, "task") if count else "no task"
