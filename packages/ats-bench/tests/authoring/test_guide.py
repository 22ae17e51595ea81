"""What the README says is true."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from ats_bench.commands import COMMANDS
from ats_bench.generate.forms import FORMS
from ats_bench.questions import read_questions

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.strip().splitlines()]


def test_the_questions_that_are_shown_can_be_read(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```jsonl\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "q.jsonl"
    path.write_text(shown)
    questions, problems = read_questions(path)
    assert (len(questions), problems) == (3, [])
    assert all(question.eligible for question in questions)


def test_the_widths_are_those_that_the_script_prints() -> None:
    script: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("interval_widths.py")))
    printed = rows("\n".join(script["table"]()))
    (shown,) = re.findall(r"(\| questions \| hit@1.*?)\n\n", README, re.DOTALL)
    written = rows(shown)
    assert written[:2] == printed[:2]
    for ours, theirs in zip(written[2:], printed[2:], strict=True):
        # Another numpy may draw other numbers.
        assert all(abs(float(a) - float(b)) <= 0.03 for a, b in zip(ours, theirs, strict=True))


def test_every_command_and_every_form_is_described() -> None:
    (table,) = re.findall(r"\| command \|.*?\n\n", README, re.DOTALL)
    described = set(re.findall(r"[a-z]+(?:-[a-z]+)?", table))
    assert set(COMMANDS) <= described
    assert all(f"| `{form}` |" in README for form in FORMS)


def test_every_option_that_is_shown_is_one_that_the_command_has(bench: Any) -> None:
    for name, options in re.findall(r"ats bench ([a-z-]+)([^|`#\n&]*)", README):
        if name in COMMANDS:
            shown = set(re.findall(r"--[a-z-]+", options))
            assert shown <= set(re.findall(r"--[a-z-]+", bench(name, "--help").out)), name
