"""What the README shows is true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ats_adapter_memory import MemoryAdapter
    from ats_core import Task

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_code_runs() -> None:
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})


def test_each_form_shown_can_be_read(
    open_file: Callable[..., MemoryAdapter], tasks_of: Callable[[MemoryAdapter], list[Task]]
) -> None:
    shown = blocks("jsonl") + blocks("json")
    assert len(shown) == 3
    for text in shown:
        assert tasks_of(open_file(text))[0].title == "Renew passport"


def test_every_setting_is_in_the_table(open_file: Callable[..., MemoryAdapter]) -> None:
    for setting in open_file("").settings():
        assert f"| `{setting.key}` | `{setting.env}` |" in README
