"""Projects come from the file's list and from the tasks; corpus order is theirs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ats_adapter_memory import MemoryAdapter
from ats_core import Deadline, Project, Task

if TYPE_CHECKING:
    from collections.abc import Callable

TASKS = [
    {"id": "1", "title": "one", "projectId": "z"},
    {"id": "2", "title": "two", "projectId": "home"},
    {"id": "3", "title": "three"},
    {"id": "4", "title": "four", "projectId": "z", "projectName": "Zoo"},
    {"id": "5", "title": "five", "projectId": 7},
    {"id": "6", "title": "six", "projectName": "Home"},
    {"id": "7", "title": "seven", "projectName": "Garden"},
]
FILE = {
    "projects": [{"id": "empty", "name": "Empty"}, {"id": "home", "name": "Home", "kind": "NOTE"}],
    "tasks": TASKS,
}


def test_declared_projects_come_first_then_those_the_tasks_name(
    open_file: Callable[..., MemoryAdapter],
) -> None:
    projects = open_file(json.dumps(FILE)).list_projects()
    assert [(project.id, project.name) for project in projects] == [
        ("empty", "Empty"),
        ("home", "Home"),
        ("z", "Zoo"),
        ("default", "Tasks"),
        ("7", "7"),
        ("Garden", "Garden"),
    ]
    assert [project.kind for project in projects[:2]] == ["tasks", "notes"]
    assert projects[1].raw == FILE["projects"][1]


def test_the_corpus_is_in_project_order_then_file_order(open_file: Callable[..., MemoryAdapter]) -> None:
    fetched = open_file(json.dumps(FILE)).bulk_fetch(Deadline(5))
    assert [task.id for task in fetched.tasks] == ["2", "6", "1", "4", "3", "5", "7"]
    assert [task.project_name for task in fetched.tasks] == [
        "Home",
        "Home",
        "Zoo",
        "Zoo",
        "Tasks",
        "7",
        "Garden",
    ]


def test_bulk_fetch_equals_the_walk(open_file: Callable[..., MemoryAdapter]) -> None:
    for adapter in (open_file(json.dumps(FILE)), open_file("\n".join(map(json.dumps, TASKS)))):
        fetched = adapter.bulk_fetch(Deadline(5))
        projects = adapter.list_projects()
        walked = [task for project in projects for task in adapter.list_tasks_in_project(project.id)]
        assert list(fetched.tasks) == walked
        assert len(walked) == len(TASKS)
        assert list(fetched.projects) == list(projects)
        assert not fetched.failed


def test_a_declared_name_counts_more_than_a_task_s(open_file: Callable[..., MemoryAdapter]) -> None:
    file = {
        "projects": [{"id": "p", "name": "New"}],
        "tasks": [{"id": "1", "projectId": "p", "projectName": "Old"}],
    }
    assert open_file(json.dumps(file)).list_tasks_in_project("p")[0].project_name == "New"


def test_a_declared_default_project_keeps_its_name(open_file: Callable[..., MemoryAdapter]) -> None:
    file = {"projects": [{"id": "default", "name": "Inbox"}], "tasks": [{"id": "1"}]}
    assert open_file(json.dumps(file)).list_tasks_in_project("default")[0].project_name == "Inbox"


def test_odd_projects_are_named_and_skipped(
    open_file: Callable[..., MemoryAdapter], tasks_of: Callable[[MemoryAdapter], list[Task]]
) -> None:
    listed = ["Home", {"name": "Work"}, {"id": 3}, None, {}, {"id": "Home"}]
    adapter = open_file(json.dumps({"projects": listed, "tasks": [{"id": "1"}]}))
    assert [(project.id, project.name) for project in adapter.list_projects()] == [
        ("Home", "Home"),
        ("Work", "Work"),
        ("3", "3"),
        ("default", "Tasks"),
    ]
    said = [warning.partition(": ")[2] for warning in adapter.take_warnings()]
    assert said == [
        "project 4 has neither id nor name; skipped",
        "project 5 has neither id nor name; skipped",
        "project 6 repeats the id 'Home'; skipped",
    ]
    assert len(tasks_of(adapter)) == 1


def test_in_memory_the_same_holds() -> None:
    adapter = MemoryAdapter.of(
        [
            Task(id="1", title="a"),
            Task(id="2", title="b", project_id="p"),
            Task(id="3", title="c", project_id="q"),
        ],
        projects=[Project(id="q", name="Q")],
    )
    assert [(project.id, project.name) for project in adapter.list_projects()] == [
        ("q", "Q"),
        ("default", "Tasks"),
        ("p", "p"),
    ]
    assert [(task.id, task.project_name) for task in adapter.bulk_fetch(Deadline(5)).tasks] == [
        ("3", "Q"),
        ("1", "Tasks"),
        ("2", "p"),
    ]


def test_unknown_projects_and_tasks() -> None:
    adapter = MemoryAdapter.of([Task(id="1", title="a", project_id="p")])
    assert list(adapter.list_tasks_in_project("nope")) == []
    assert adapter.get_task("p", "nope") is None
    assert adapter.get_task("nope", "1") is None
    task = adapter.get_task("p", "1")
    assert task is not None
    assert task.title == "a"
