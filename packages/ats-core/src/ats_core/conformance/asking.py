"""Every call that only reads, ready to be made of an adapter: what is broken, timed and listened to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ats_core.conformance.results import Finding, Skipped
from ats_core.conformance.rules import DEADLINE, ERRORS, GIL, TIME_OUT, TYPES
from ats_core.conformance.subject import Subject
from ats_core.conformance.timing import Timed
from ats_core.conformance.watched import ForeignError, Watched
from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, ContractError
from ats_core.fanout import TIMED_OUT, describe
from ats_core.models import Task

SINCE = "2000-01-01T00:00:00Z"

OWN_TIME_OUT = 35.0
"""Seconds after which a hook that is given no deadline is too late: half a minute, and some grace."""


class Call(NamedTuple):
    """A call by the name of its hook; `bounded` where it is given a deadline."""

    name: str
    make: Callable[[Watched, Deadline], Any]
    bounded: bool = False


class Probe(NamedTuple):
    """What is asked for: a task that exists, its project, a query that finds it, and the corpus."""

    project_id: str
    task: Task
    query: str
    corpus: Corpus

    @classmethod
    def of(cls, subject: Subject) -> Probe:
        """The first task of the store.

        :raises Skipped: there is none.
        """
        project_id, task = subject.some_tasks()[0]
        return cls(project_id, task, query_of(task), subject.corpus())

    @classmethod
    def at_random(cls, subject: Subject) -> Probe:
        """The same, or what no store has, where only the asking matters."""
        try:
            return cls.of(subject)
        except Skipped:
            return cls("none", Task(id="none", title="Anything at all"), "Anything at all", Corpus.of([]))


def query_of(task: Task) -> str:
    """The first words of a task's title."""
    return " ".join(task.title.split()[:3]) or task.id


def storage_calls(probe: Probe) -> Iterator[Call]:
    """The required hooks that ask the store."""
    place, task_id = probe.project_id, probe.task.id
    yield Call("list_projects", lambda adapter, until: adapter.list_projects())
    yield Call("list_tasks_in_project", lambda adapter, until: adapter.list_tasks_in_project(place))
    yield Call("get_task", lambda adapter, until: adapter.get_task(place, task_id))


def bounded_calls(subject: Subject, probe: Probe) -> Iterator[Call]:
    """The calls that are given a deadline, of the hooks that the adapter implements."""
    has = subject.adapter.has
    query, task = probe.query, probe.task
    if has("bulk_fetch"):
        yield Call("bulk_fetch", lambda adapter, until: adapter.bulk_fetch(until), True)
    if has("list_completed_tasks"):
        yield Call("list_completed_tasks", lambda adapter, until: adapter.list_completed_tasks(SINCE, until), True)
    if has("search_by_query"):
        yield Call("search_by_query", lambda adapter, until: adapter.search_by_query(query, 5, until), True)
    if has("embedding_space"):
        yield Call("embeddings", lambda adapter, until: adapter.embeddings([query], "query", until), True)
        yield Call("embeddings", lambda adapter, until: adapter.embeddings([query], "document", until), True)
    for branch in subject.adapter.branches() if has("branches") else ():
        yield _branch_call(branch.name, probe)
    if has("hybrid_backend"):
        yield Call(
            "search", lambda adapter, until: list(backend_of(adapter).search(query, 5, "dense", None, until)), True
        )
        yield Call("similar", lambda adapter, until: list(backend_of(adapter).similar(task, 5, None, until)), True)


def local_calls(subject: Subject) -> Iterator[Call]:
    """The calls of hooks that say something about the adapter itself."""
    for hook in ("revision", "embedding_space", "branches", "hybrid_backend", "cache_scope", "settings"):
        if hook in subject.adapter.implemented:
            yield _local_call(hook)


def all_calls(subject: Subject, probe: Probe) -> Iterator[Call]:
    """Everything that reads."""
    yield from storage_calls(probe)
    yield Call("url_for", lambda adapter, until: adapter.url_for(probe.project_id, probe.task.id))
    yield from bounded_calls(subject, probe)
    yield from local_calls(subject)
    if subject.adapter.has("auth_status"):
        yield Call("auth_status", lambda adapter, until: adapter.auth_status())
    if subject.adapter.has("hybrid_backend"):
        yield Call("status", lambda adapter, until: dict(backend_of(adapter).status()))


def backend_of(adapter: Watched) -> Any:
    """Its hybrid backend.

    :raises Skipped: there is none now.
    """
    found = adapter.need("hybrid_backend").hybrid_backend()
    if found is None:
        raise Skipped("hybrid_backend is None here")
    return found


def _branch_call(name: str, probe: Probe) -> Call:
    def run(adapter: Watched, until: Deadline) -> Any:
        for branch in adapter.branches():
            if branch.name == name:
                return list(branch.run(probe.query, probe.corpus, until))
        raise Skipped(f"no branch {name} now")

    return Call(f"branch {name}", run, True)


def _local_call(hook: str) -> Call:
    return Call(hook, lambda adapter, until: adapter.raw(hook))


def ask(subject: Subject, call: Call, adapter: Watched, seconds: float) -> Timed:
    """Make a call, with `seconds` as its deadline where it takes one."""
    most = seconds + subject.grace if call.bounded else min(OWN_TIME_OUT, subject.seconds / 2)
    return subject.timed(call.name, lambda: call.make(adapter, Deadline(seconds)), most)


def too_late(subject: Subject, call: Call, done: Timed, seconds: float) -> Iterator[Finding]:
    """What is wrong with how long a call took."""
    if not call.bounded:
        if done.outcome.status == TIMED_OUT:
            yield TIME_OUT.broken(f"{call.name} had not come back {done.seconds:.1f} s after it began")
    elif done.seconds > seconds + subject.grace:
        after = f"{done.seconds:.1f} s after it began"
        yield DEADLINE.broken(
            f"{call.name} was given {seconds:g} s and had not come back {after}"
            if done.outcome.status == TIMED_OUT
            else f"{call.name} was given {seconds:g} s and came back {after}"
        )
        if done.held > subject.grace:
            yield GIL.broken(f"{call.name} let no other thread run for {done.held:.1f} s")


def wrong_error(name: str, error: BaseException | None) -> Iterator[Finding]:
    """What is wrong with an exception where a failure was to be expected."""
    if isinstance(error, ContractError):
        yield TYPES.broken(error.message)
    elif isinstance(error, ForeignError) or not isinstance(error, (AtsError, Skipped, type(None))):
        yield ERRORS.broken(f"{name} ended with {describe(error)}, which is none of ats_core's errors")
