"""What a distribution wants of core is judged where it failed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest
from ats_core.plugins.needs import misfit, requirements


@pytest.fixture(autouse=True)
def version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ats_core.__version__", "0.1.4")


@pytest.mark.parametrize(
    "needs",
    [
        "",
        "ats-core",
        "ats-core>=0.1,<0.2",
        "ats_core <0.2,>=0.1",
        "Ats.Core (>=0.1.4)",
        "ats-core[local]>=0.1",
        "ats-core~=0.1.2",
        "ats-core==0.1.*",
        "ats-core!=0.1.3",
        'ats-core>=9; extra == "next"',
        'ats-core>=9; python_version < "3"',
        "ats-core>=0.1 and what not",
    ],
)
def test_a_range_that_holds_this_core_is_no_misfit(needs: str) -> None:
    assert misfit(needs) is None


@pytest.mark.parametrize(
    "needs",
    [
        "ats-core>=0.2",
        "ats-core>=0.2,<0.3",
        "ats-core<0.1.4",
        "ats-core (<0.1)",
        "ats-core>0.1.4",
        "ats-core==0.1.3",
        "ats-core~=0.0.9",
        'ats-core>=9; python_version > "3"',
    ],
)
def test_one_that_does_not_is_told_with_both_versions(needs: str) -> None:
    assert misfit(needs) == f"it needs {needs}, and this is ats-core 0.1.4"


def test_a_pre_release_is_of_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ats_core.__version__", "0.2.0rc1")
    assert misfit("ats-core>=0.1,<0.3") is None
    assert misfit("ats-core>=0.2,<0.3") is not None


def test_only_the_lines_about_core_are_kept() -> None:
    lines = ["pluggy>=1", " ats-core>=0.1", "ats-core-extra>=9", "ats-cores", 'ats_core[test]; extra == "test"']
    assert requirements(lines) == 'ats-core>=0.1\nats_core[test]; extra == "test"'


def test_the_usual_form_is_judged_without_a_library(python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    code = """
import sys
from ats_core.plugins.needs import misfit
print(misfit("ats-core>=9,<10") is not None, misfit("ats-core<9,>=0.1"), "packaging" in sys.modules)
"""
    assert python(code).stdout == "True None False\n"
