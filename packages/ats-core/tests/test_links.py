"""What a task's text points to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ats_core import Engine, Task

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "see https://a.example/x, and (https://b.example/y_(z)).",
            [("https://a.example/x", None), ("https://b.example/y_(z)", None)],
        ),
        (
            "[text](https://a.example/q?x=1&y=2#f) <https://c.example>",
            [("https://a.example/q?x=1&y=2#f", None), ("https://c.example", None)],
        ),
        (
            "[[Target Note]] and [[target note|shown]] and [[Nowhere]]",
            [("Target Note", "target1"), ("target note|shown", "target1"), ("Nowhere", None)],
        ),
        (
            "https://ticktick.com/webapp/#p/p/tasks/target1",
            [("https://ticktick.com/webapp/#p/p/tasks/target1", "target1")],
        ),
        ("as in target1, twice target1", [("target1", "target1")]),
        ("itself: source1", []),
        ("http:// alone, short ids such as t1", []),
        ("", []),
    ],
)
def test_addresses_titles_and_ids(
    make_store: MakeStore, open_engine: OpenEngine, content: str, expected: list[tuple[str, str | None]]
) -> None:
    tasks = [
        Task(id="source1", title="Source", content=content, project_id="p"),
        Task(id="target1", title="Target note", project_id="p"),
        Task(id="t1", title="Short", project_id="p"),
    ]
    task, links = open_engine(make_store(tasks)).links("source1")
    assert task.id == "source1"
    assert [(link.text, link.task and link.task.id) for link in links] == expected
