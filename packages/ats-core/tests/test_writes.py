"""A write through ATS: the next call finds what was just written, whatever the cache holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ats_core import Engine, FindResult, Task, TaskDraft

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]


def as_stored(draft: TaskDraft) -> Task:
    return Task(id="new", title=draft.title, project_id="q")


@pytest.mark.parametrize("hooks", [{}, {"revision": lambda: None}], ids=["no revision", "a revision it cannot tell"])
def test_a_created_task_is_found_by_the_next_call(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, hooks: dict[str, Any]
) -> None:
    def create_task(draft: TaskDraft) -> Task:
        return as_stored(draft)

    store = make_store(create_task=create_task, **hooks)
    engine = open_engine(store)
    engine.find("passport")
    engine.create(TaskDraft(title="Zebra crossing"))
    for again in (engine, open_engine(store)):
        result = again.find("zebra")
        assert ids(result) == ["new"]
        assert result.hits[0].task.project_name == "Work"
    assert store.fetches == 1


def test_clearing_removes_the_copy_with_completed_tasks_too(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    done = [Task(id="t6", title="Expired passport", project_id="p", status="done")]
    store = make_store(list_completed_tasks=lambda: done)
    engine = open_engine(store)
    engine.find("passport")
    assert "t6" in ids(engine.find("passport", include_completed=True))
    assert len(engine.state.clear()) == 2
    done.clear()
    assert "t6" not in ids(open_engine(store).find("passport", include_completed=True))
