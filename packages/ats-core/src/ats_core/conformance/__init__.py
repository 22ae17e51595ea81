"""The conformance kit: does an adapter keep the contract of `ats_core.hookspecs`?

In the test suite of an adapter, with pytest (`ats-core[test]`), a test a check:

    from ats_core.conformance import AdapterContract, Subject

    class TestShelf(AdapterContract):
        @pytest.fixture
        def subject(self, tmp_path):
            return Subject(ShelfAdapter, settings={"file": "shelf.json"}, state_dir=tmp_path, write=True)

Anywhere else, without pytest (it is what `ats adapter test` does):

    from ats_core.conformance import run_checks, Subject

    for result in run_checks(Subject(ShelfAdapter)):
        print(result.status, result.check, *result.findings)

Each finding says what was seen, which sentence of `docs/hooks.md` it breaks, and how to mend it. The checks only read,
unless `write` is true. `CHECKS` are all of them, `RULES` all sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ats_core.conformance.adapter_contract import AdapterContract
from ats_core.conformance.checks import CHECKS
from ats_core.conformance.results import LEVELS, Check, CheckResult, Finding, Rule
from ats_core.conformance.rules import GENERAL
from ats_core.conformance.running import run_check, run_each
from ats_core.conformance.subject import Subject

__all__ = [
    "CHECKS",
    "LEVELS",
    "RULES",
    "AdapterContract",
    "Check",
    "CheckResult",
    "Finding",
    "Rule",
    "Subject",
    "run_check",
    "run_checks",
]

RULES: tuple[Rule, ...] = tuple(dict.fromkeys((*GENERAL, *(rule for check in CHECKS for rule in check.rules))))
"""Every sentence that a check holds an adapter to."""


def run_checks(
    subject: Subject,
    *,
    levels: Sequence[str] = LEVELS,
    on_result: Callable[[CheckResult], None] = lambda result: None,
) -> list[CheckResult]:
    """Run all checks of some levels; never raises, whatever the adapter does.

    :param on_result: told of each result as it comes.
    """
    return run_each(subject, [check for check in CHECKS if check.level in levels], on_result)
