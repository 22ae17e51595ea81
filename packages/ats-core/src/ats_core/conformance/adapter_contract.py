"""The checks as a test class that the tests of an adapter inherit. pytest is needed to run it, not to import it."""

from __future__ import annotations

from typing import Any

from ats_core.conformance.checks import CHECKS
from ats_core.conformance.results import FAILED, SKIPPED, Check
from ats_core.conformance.running import run_check
from ats_core.conformance.subject import Subject


class AdapterContract:
    """Inherit it and define one fixture, `subject`, which gives a `Subject` over your adapter:

        class TestShelf(AdapterContract):
            @pytest.fixture
            def subject(self, tmp_path):
                return Subject(ShelfAdapter, settings={...}, environ={...}, state_dir=tmp_path, write=True)

    Each check is a test: `test_projects_are_listed`, ... One that does not apply (the capability is not there) is
    skipped, and says why. Give the store at least two projects with two tasks each, or there is little to look at.
    """


def _test_of(check: Check) -> Any:
    def test(self: AdapterContract, subject: Subject) -> None:
        __tracebackhide__ = True
        result = run_check(check, subject)
        if result.status == SKIPPED:
            import pytest

            pytest.skip(result.reason or "")
        if result.status == FAILED:
            raise AssertionError("\n".join(map(str, result.findings)))

    test.__name__ = f"test_{check.name}"
    test.__qualname__ = f"AdapterContract.{test.__name__}"
    test.__doc__ = check.run.__doc__
    return test


for _check in CHECKS:
    setattr(AdapterContract, f"test_{_check.name}", _test_of(_check))
