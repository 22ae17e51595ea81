"""What the kit can break it breaks, and demands our errors, in time, and no silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ats_core.conformance.asking import (
    Call,
    Probe,
    all_calls,
    ask,
    bounded_calls,
    too_late,
    wrong_error,
)
from ats_core.conformance.breaking import MISSING, with_files, with_host, without_secrets
from ats_core.conformance.checks.ranking import SHORT
from ats_core.conformance.network import no_network, refusing_host, silent_host
from ats_core.conformance.results import FAULTS, Check, Finding, Skipped
from ats_core.conformance.rules import DEADLINE, ERRORS, NO_EMPTY_ANSWER, TIME_OUT
from ats_core.conformance.subject import Subject
from ats_core.errors import AtsError
from ats_core.fanout import OK
from ats_core.hookspecs import AdapterConfig
from ats_core.models import Fetched

_SECONDS = 3.0
"""The deadline of a call that fails at once where it is right."""


def without_a_network_its_errors_are_ours(subject: Subject) -> Iterator[Finding]:
    """No connection can be made, no name looked up."""
    calls = _prepared(subject)
    with no_network():
        yield from _broken(subject, subject.away(), calls, "without a network")


def a_host_that_refuses_gives_our_errors(subject: Subject) -> Iterator[Finding]:
    """Each host that a setting names is a port of this machine that nobody listens at."""
    calls = _prepared(subject)
    with refusing_host() as port:
        config = with_host(subject, port)
        if config is None:
            raise Skipped("no setting names a host")
        yield from _broken(subject, config, calls, "with a host that refuses")


def a_host_that_is_silent_costs_no_more_than_the_deadline(subject: Subject) -> Iterator[Finding]:
    """Each host takes the connection and never answers."""
    calls = list(bounded_calls(subject, Probe.of(subject)))
    with silent_host() as port:
        config = with_host(subject, port)
        if config is None:
            raise Skipped("no setting names a host")
        if not calls:
            raise Skipped("no hook takes a deadline")
        yield from _broken(subject, config, calls, "with a host that is silent", seconds=SHORT)


def an_expired_deadline_ends_at_once(subject: Subject) -> Iterator[Finding]:
    """A hook that is called too late answers, or raises one of our errors, but does not begin to wait."""
    calls = list(bounded_calls(subject, Probe.of(subject)))
    if not calls:
        raise Skipped("no hook takes a deadline")
    yield from _broken(subject, None, calls, "with a deadline that has passed", seconds=0.0, may_be_empty=True)


def broken_files_give_our_errors(subject: Subject) -> Iterator[Finding]:
    """Each file that a setting names is missing, damaged, or a folder."""
    calls = _prepared(subject)
    broken = list(with_files(subject))
    if not broken:
        raise Skipped("no setting names a file")
    for how, config in broken:
        yield from _broken(subject, config, calls, f"with {how}", may_be_empty=how != MISSING)


def without_a_login_its_errors_are_ours(subject: Subject) -> Iterator[Finding]:
    """No credential is there."""
    calls = _prepared(subject)
    config = without_secrets(subject)
    if config is None:
        raise Skipped("no setting is secret")
    yield from _broken(subject, config, calls, "without a login")


def _prepared(subject: Subject) -> list[Call]:
    return list(all_calls(subject, Probe.of(subject)))


def _broken(
    subject: Subject,
    config: AdapterConfig | None,
    calls: Iterable[Call],
    how: str,
    *,
    seconds: float = _SECONDS,
    may_be_empty: bool = False,
) -> Iterator[Finding]:
    """Make the calls of an adapter whose world is broken."""
    try:
        adapter = subject.adapter if config is None else subject.make(config)
    except AtsError as error:
        yield from _where(wrong_error("making it", error), how)
        return
    for call in calls:
        done = ask(subject, call, adapter, seconds)
        yield from _where(too_late(subject, call, done, seconds), how)
        yield from _where(wrong_error(call.name, done.outcome.exception), how)
        if done.outcome.status == OK and not may_be_empty and _says_nothing(call, done.outcome.value):
            yield NO_EMPTY_ANSWER.broken(f"{call.name} found nothing, and raised nothing ({how})")


def _says_nothing(call: Call, value: object) -> bool:
    """Whether a call that does find something answers as if there were nothing."""
    if isinstance(value, Fetched):
        return not value.tasks and not value.failed
    return call.name in ("list_projects", "list_tasks_in_project", "get_task") and not value


def _where(findings: Iterable[Finding], how: str) -> Iterator[Finding]:
    for finding in findings:
        yield msgspec.structs.replace(finding, problem=f"{finding.problem} ({how})")


CHECKS = (
    Check(FAULTS, without_a_network_its_errors_are_ours, (ERRORS, NO_EMPTY_ANSWER)),
    Check(FAULTS, a_host_that_refuses_gives_our_errors, (ERRORS, NO_EMPTY_ANSWER, TIME_OUT)),
    Check(FAULTS, a_host_that_is_silent_costs_no_more_than_the_deadline, (DEADLINE, ERRORS)),
    Check(FAULTS, an_expired_deadline_ends_at_once, (DEADLINE, ERRORS)),
    Check(FAULTS, broken_files_give_our_errors, (ERRORS, NO_EMPTY_ANSWER)),
    Check(FAULTS, without_a_login_its_errors_are_ours, (ERRORS, NO_EMPTY_ANSWER)),
)
