"""A hybrid backend of the adapter's own keeps the protocol."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from ats_core.conformance.asking import Probe, backend_of
from ats_core.conformance.checks.ranking import as_candidates, ranking_faults
from ats_core.conformance.results import CAPABILITIES, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.conformance.watched import ForeignError
from ats_core.deadline import Deadline
from ats_core.errors import AtsError
from ats_core.fanout import describe
from ats_core.hookspecs import HybridBackend
from ats_core.models import Candidate, TaskScope

METHODS = Rule(
    "backend-methods",
    "The backend has the methods `search`, `similar`, `sync` and `status`, with the arguments given here, in this"
    " order.",
    "add the method, or name its arguments as the protocol does",
)
BACKEND_LIMIT = Rule(
    "backend-limit",
    "`search` and `similar` return `limit` candidates at most, and `similar` leaves the task itself out.",
    "ask the store for one more where the task itself may be among them, drop it, and cut",
)
SCOPE = Rule(
    "backend-scope",
    "Where a `scope` is given, every candidate is in it.",
    "filter by scope before the cut, by scope.projects where that is not None",
)
COSINE = Rule(
    "backend-cosine",
    "A `dense_only` backend gives each candidate's cosine as its score.",
    "set score to the cosine, from -1 to 1, not to a distance",
)
STATUS = Rule(
    "backend-status",
    "`status` returns a mapping within seconds, whatever is broken, and does not raise.",
    "give each part a time-out of its own, and put what failed into the mapping",
)

_SECONDS = 30.0
_STATUS_SECONDS = 10.0
_ROUNDING = 1e-3


def the_backend_has_its_methods(subject: Subject) -> Iterator[Finding]:
    """All four, with the arguments of the protocol."""
    backend = backend_of(subject.adapter)
    for name in ("search", "similar", "sync", "status"):
        method = getattr(backend, name, None)
        expected = list(inspect.signature(getattr(HybridBackend, name)).parameters)[1:]
        if not callable(method):
            yield METHODS.broken(f"the backend has no method {name}")
            continue
        try:
            inspect.signature(method).bind(*expected)
        except TypeError as error:
            yield METHODS.broken(f"the backend's {name} cannot be called with ({', '.join(expected)}): {error}")


def the_backend_ranks(subject: Subject) -> Iterator[Finding]:
    """`search` in each mode that it is asked for, and `similar`."""
    backend = backend_of(subject.adapter)
    probe = Probe.of(subject)
    dense_only = bool(getattr(backend, "dense_only", False))
    for limit in (1, 5):
        for mode in ("dense",) if dense_only else ("hybrid", "dense"):
            name = f"the backend's search ({mode})"
            found = _asked(name, partial(backend.search, probe.query, limit, mode, None, Deadline(_SECONDS)))
            yield from _faults(name, found, limit, probe)
            if dense_only and not all(_is_cosine(candidate.score) for candidate in found):
                yield COSINE.broken(f"{name} gave a score that is no cosine")
        alike = _asked("similar", partial(backend.similar, probe.task, limit, None, Deadline(_SECONDS)))
        yield from _faults("similar", alike, limit, probe)
        if any(candidate.id == probe.task.id for candidate in alike):
            yield BACKEND_LIMIT.broken("similar gave the task itself")


def the_backend_stays_in_scope(subject: Subject) -> Iterator[Finding]:
    """A scope of one task, of one project, and of nothing."""
    backend = backend_of(subject.adapter)
    probe = Probe.of(subject)
    mates = [task.id for task in probe.corpus if task.project_id == probe.project_id]
    for scope in (TaskScope([probe.task.id]), TaskScope(mates, [probe.project_id]), TaskScope()):
        for name, ask in {
            "search": partial(backend.search, probe.query, 5, "dense", scope, Deadline(_SECONDS)),
            "similar": partial(backend.similar, probe.task, 5, scope, Deadline(_SECONDS)),
        }.items():
            outside = [candidate.id for candidate in _asked(name, ask) if candidate.id not in scope]
            if outside:
                yield SCOPE.broken(f"{name} within {len(scope)} tasks gave {outside[0]!r}, which is none of them")


def the_backend_says_how_it_is(subject: Subject) -> Iterator[Finding]:
    """`status` answers."""
    backend = backend_of(subject.adapter)
    done = subject.timed("status", backend.status, _STATUS_SECONDS)
    if done.outcome.exception is not None:
        yield STATUS.broken(f"status raised {describe(done.outcome.exception)}")
    elif done.outcome.value is None:
        yield STATUS.broken(f"status had not come back after {done.seconds:.0f} s, or gave None")
    elif not isinstance(done.outcome.value, Mapping):
        yield STATUS.broken(f"status gave {type(done.outcome.value).__name__}")


def _asked(name: str, call: Callable[[], Any]) -> list[Candidate]:
    """The candidates.

    :raises Skipped: it says that it cannot answer now, for instance before the first sync.
    """
    try:
        ranking = call()
    except AtsError as error:
        raise Skipped(f"{name} cannot answer: {describe(error)}") from error
    except Exception as error:
        raise ForeignError(f"{name} raised {describe(error)}") from error
    return as_candidates(ranking, name)


def _faults(name: str, found: list[Candidate], limit: int, probe: Probe) -> Iterator[Finding]:
    if len(found) > limit:
        yield BACKEND_LIMIT.broken(f"{name} gave {len(found)} candidates for a limit of {limit}")
    yield from ranking_faults(name, found, probe.corpus)


def _is_cosine(score: float | None) -> bool:
    return score is not None and abs(score) <= 1 + _ROUNDING


CHECKS = (
    Check(CAPABILITIES, the_backend_has_its_methods, (METHODS,)),
    Check(CAPABILITIES, the_backend_ranks, (BACKEND_LIMIT, COSINE)),
    Check(CAPABILITIES, the_backend_stays_in_scope, (SCOPE,)),
    Check(CAPABILITIES, the_backend_says_how_it_is, (STATUS,)),
)
