"""Native search and branches of the adapter's own: what they return is a ranking of tasks that are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ats_core.conformance.asking import Probe, ask, bounded_calls, too_late, wrong_error
from ats_core.conformance.results import CAPABILITIES, Check, Finding, Rule
from ats_core.conformance.rules import DEADLINE, GIL
from ats_core.conformance.subject import Subject
from ats_core.conformance.watched import ForeignError
from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, ContractError
from ats_core.fanout import describe
from ats_core.models import Candidate
from ats_core.plugins.boundary import as_candidate
from ats_core.retrieval.foreign import RESERVED

RANKING = Rule(
    "ranking",
    "A ranking is best first: each id once, and scores, where it gives them, are finite and never rise.",
    "sort by score, descending, and give no score where you have none",
)
KNOWN = Rule(
    "ranking-known",
    "A candidate is in the corpus, or carries its `task`: core drops any other.",
    "give Candidate(id=..., task=...) for what the listing lacks, and the listing's ids for the rest",
)
LIMIT = Rule(
    "search-limit",
    "It returns `limit` candidates at most.",
    "pass the limit on to the store, or cut the list",
)
ANY_TEXT = Rule(
    "search-any-text",
    "The query is text as a user typed it, never a query language: no character in it makes the hook raise.",
    "quote or escape the query for the store, and return [] where nothing of it is left",
)
BRANCH_NAMES = Rule(
    "branches-names",
    "Each branch has a name of its own, which none of core's branches has (`hybrid`, `dense`, `sparse`, `keyword`,"
    " `native`, `id`).",
    "rename the branch, for instance to what it looks at",
)

LIMITS = (1, 5)
ODD_QUERIES = ("(", '"', "*", "\\", "-x", "a AND (b", "%", "[a", "C++", "\N{HOT BEVERAGE}", "'; --", "a" * 2000)
_SECONDS = 30.0
SHORT = 0.5
"""The deadline that a hook is given to see whether it keeps it."""


def native_search_ranks(subject: Subject) -> Iterator[Finding]:
    """The store's own search gives a ranking, no longer than it was asked for."""
    adapter = subject.need("search_by_query")
    probe = Probe.of(subject)
    for limit in LIMITS:
        ranking = adapter.raw("search_by_query", query=probe.query, limit=limit, deadline=Deadline(_SECONDS))
        candidates = as_candidates(ranking, "search_by_query")
        if len(candidates) > limit:
            yield LIMIT.broken(f"search_by_query gave {len(candidates)} candidates for a limit of {limit}")
        yield from ranking_faults("search_by_query", candidates, probe.corpus)


def native_search_takes_any_text(subject: Subject) -> Iterator[Finding]:
    """Brackets, quotes and operators are text."""
    adapter = subject.need("search_by_query")
    for query in ODD_QUERIES:
        try:
            adapter.search_by_query(query, 5, Deadline(_SECONDS))
        except AtsError as error:
            yield ANY_TEXT.broken(f"search_by_query for {query[:20]!r} raised {describe(error)}")


def branches_have_names(subject: Subject) -> Iterator[Finding]:
    """No name is taken."""
    taken = set(RESERVED)
    for branch in subject.need("branches").branches():
        if branch.name in taken or not branch.name.strip():
            yield BRANCH_NAMES.broken(f"the branch name {branch.name!r} is taken")
        taken.add(branch.name)


def branches_rank(subject: Subject) -> Iterator[Finding]:
    """Each branch gives a ranking, for a query that means something and for odd ones."""
    branches = subject.need("branches").branches()
    probe = Probe.of(subject)
    for branch in branches:
        name = f"branch {branch.name}"
        try:
            candidates = as_candidates(branch.run(probe.query, probe.corpus, Deadline(_SECONDS)), name)
        except AtsError:
            raise
        except Exception as error:
            raise ForeignError(f"{name} raised {describe(error)}") from error
        yield from ranking_faults(name, candidates, probe.corpus)
        for query in ODD_QUERIES:
            try:
                as_candidates(branch.run(query, probe.corpus, Deadline(_SECONDS)), name)
            except Exception as error:  # noqa: BLE001 - a branch may raise anything
                yield ANY_TEXT.broken(f"{name} for {query[:20]!r} raised {describe(error)}")


def deadlines_are_kept(subject: Subject) -> Iterator[Finding]:
    """What is given half a second is back after it, and lets others run meanwhile."""
    probe = Probe.of(subject)
    for call in bounded_calls(subject, probe):
        done = ask(subject, call, subject.adapter, SHORT)
        yield from too_late(subject, call, done, SHORT)
        yield from wrong_error(call.name, done.outcome.exception)


def as_candidates(ranking: object, whose: str) -> list[Candidate]:
    """The entries of a ranking.

    :raises ContractError: one of them is neither a candidate nor a task.
    """
    if not isinstance(ranking, Iterable) or isinstance(ranking, (str, bytes)):
        raise ContractError(f"{whose} gave {type(ranking).__name__}, and a ranking was expected")
    return [as_candidate(item) for item in ranking]


def ranking_faults(whose: str, candidates: list[Candidate], corpus: Corpus) -> Iterator[Finding]:
    """What is wrong with a ranking."""
    if len({candidate.id for candidate in candidates}) < len(candidates):
        yield RANKING.broken(f"{whose} gave an id twice")
    scores = [candidate.score for candidate in candidates if candidate.score is not None]
    if not all(map(math.isfinite, scores)):
        yield RANKING.broken(f"{whose} gave a score that is no finite number")
    elif any(later > earlier for earlier, later in pairwise(scores)):
        yield RANKING.broken(f"{whose} gave a score that is higher than the one before it")
    for candidate in candidates:
        if candidate.task is None and corpus.get(candidate.id) is None:
            yield KNOWN.broken(f"{whose} gave {candidate.id!r}, which is not in the corpus and has no task with it")
            return


CHECKS = (
    Check(CAPABILITIES, native_search_ranks, (RANKING, KNOWN, LIMIT)),
    Check(CAPABILITIES, native_search_takes_any_text, (ANY_TEXT,)),
    Check(CAPABILITIES, branches_have_names, (BRANCH_NAMES,)),
    Check(CAPABILITIES, branches_rank, (RANKING, KNOWN, ANY_TEXT)),
    Check(CAPABILITIES, deadlines_are_kept, (DEADLINE, GIL)),
)
