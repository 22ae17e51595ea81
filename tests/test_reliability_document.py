"""docs/reliability.md names for each fault the tests that prove it, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "reliability.md"
COLUMNS = ["fault", "what happens", "what the user sees", "proven by"]


class Row(NamedTuple):
    fault: str
    happens: str
    seen: str
    proven_by: str

    @property
    def tests(self) -> list[str]:
        return re.findall(r"`(tests/[\w/]+\.py::test_\w+)`", self.proven_by)


def rows() -> list[Row]:
    lines = [line for line in DOCUMENT.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == COLUMNS
    return [Row(*row) for row in cells[2:]]


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.fault)
def test_a_fault_is_proven_by_tests_that_exist(row: Row) -> None:
    assert all(row), "a cell is empty"
    assert row.tests
    assert re.sub(r"`[^`]+`", "", row.proven_by).strip() == "", "something else than a test is named"
    for test in row.tests:
        path, _, name = test.partition("::")
        assert name in names_of_tests(ROOT / path), test


def test_every_test_of_reliability_proves_a_fault() -> None:
    named = {test for row in rows() for test in row.tests if test.startswith("tests/reliability/")}
    written = {
        f"{path.relative_to(ROOT).as_posix()}::{name}"
        for path in sorted((ROOT / "tests" / "reliability").glob("test_*.py"))
        for name in names_of_tests(path)
    }
    assert written == named
