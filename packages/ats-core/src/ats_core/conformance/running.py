"""Running checks: each on a thread of its own, with a limit, and whatever an adapter does is a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

import msgspec

from ats_core.conformance.results import FAILED, PASSED, SKIPPED, WRITES, Check, CheckResult, Finding, Skipped
from ats_core.conformance.rules import RAISING, TIME_OUT, TYPES
from ats_core.conformance.subject import Subject
from ats_core.conformance.timing import timed
from ats_core.errors import AtsError, ConfigError, ContractError, LoginRequiredError
from ats_core.fanout import TIMED_OUT, describe

MOST_FINDINGS = 10
"""Findings of one check: ten thousand tasks with one fault are one fault."""


def run_each(
    subject: Subject, checks: Iterable[Check], on_result: Callable[[CheckResult], None] = lambda result: None
) -> list[CheckResult]:
    """Run checks one after the other.

    :param on_result: told of each result as it comes.
    """
    results = []
    for check in checks:
        results.append(run_check(check, subject))
        on_result(results[-1])
    return results


def run_check(check: Check, subject: Subject) -> CheckResult:
    """Run one check. Never raises, whatever the adapter does, and takes no longer than `subject.seconds`."""
    findings: list[Finding] = []
    done = timed(check.name, lambda: _collect(check, subject, findings), subject.seconds)
    reason = done.outcome.value
    if done.outcome.status == TIMED_OUT:
        hanging = " and ".join(subject.calls.give_up()) or "the check"
        findings.append(TIME_OUT.broken(f"{hanging} did not come back within {subject.seconds:g} s"))
    elif done.outcome.exception is not None:
        findings.append(RAISING.broken(f"the check ended with {describe(done.outcome.exception)}"))
    return CheckResult(
        level=check.level,
        check=check.name,
        status=FAILED if findings else SKIPPED if reason is not None else PASSED,
        findings=tuple(findings),
        reason=None if findings else reason,
        elapsed_ms=done.seconds * 1000,
    )


def _collect(check: Check, subject: Subject, findings: list[Finding]) -> str | None:
    """Gather what a check finds; the reason where it was skipped."""

    def note(finding: Finding) -> None:
        findings.append(msgspec.structs.replace(finding, problem=subject.scrubbed(finding.problem)))

    if check.level == WRITES and not subject.write:
        return "writing was not asked for"
    try:
        for finding in islice(check.run(subject), MOST_FINDINGS):
            note(finding)
    except Skipped as skipped:
        return subject.scrubbed(str(skipped))
    except ContractError as error:
        note(TYPES.broken(error.message))
    except AtsError as error:
        finding = RAISING.broken(f"{type(error).__name__}: {describe(error)}")
        # Without its login or settings an adapter is right to raise, and cannot be tested.
        mends = isinstance(error, (LoginRequiredError, ConfigError)) and error.hint
        note(msgspec.structs.replace(finding, mend=error.hint) if mends else finding)
    return None
