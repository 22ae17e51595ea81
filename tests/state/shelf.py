"""The store behind the kept state files: two accounts' shelves of notes, and an embedder that needs no model."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from ats_core import AdapterConfig, Deadline, Project, StoreError, Task, hookimpl

DIMENSION = 16

PROJECTS = (Project(id="kitchen", name="Kitchen"), Project(id="garden", name="Garden", kind="notes"))
_NAMES = {project.id: project.name for project in PROJECTS}


def _task(project_id: str, task_id: str, title: str, content: str = "", **fields: object) -> Task:
    return Task(
        id=task_id, title=title, content=content, project_id=project_id, project_name=_NAMES[project_id], **fields
    )


TASKS = (
    _task("kitchen", "knives", "Sharpen the kitchen knives", "Stone 1000, then 6000.", tags=("tools", "Yearly")),
    _task("kitchen", "oven", "Descale the oven", "Citric acid, one hour at 80 °C.", due_date="2026-03-14"),
    _task("kitchen", "bread", "Sourdough bread, Straße recipe", "Feed the starter in the evening.\nBake at 240."),
    _task("kitchen", "cpp", "C++ notes & R&D budget", "認証システムのトークン更新"),
    _task("kitchen", "done", "Buy a new kettle", status="done"),
    _task("garden", "roses", "Prune the roses", "Above an outward bud.", modified_time="2026-02-01T08:00:00Z"),
    _task("garden", "pond", "Clean the pond pump", "Rinse the sponge, never with soap.", raw={"kind": "NOTE"}),
    _task("garden", "soil", "Soil test", "See https://example.org/soil and the roses."),
)


class Shelf:
    """An adapter without a revision, so that a copy's age decides; it counts what it is asked for.

    `account` names whose shelf it is. Projects in `failing` cannot be read; a shelf that is `locked` answers nothing.
    """

    def __init__(self, account: str, *, failing: frozenset[str] = frozenset(), locked: bool = False) -> None:
        self.config = AdapterConfig(name="shelf")
        self.account = account
        self.failing = failing
        self.locked = locked
        self.read: list[str] = []
        self.embedded: list[str] = []

    @hookimpl
    def cache_scope(self) -> str:
        return f"shelf.example/{self.account}"

    @hookimpl
    def list_projects(self) -> list[Project]:
        self.read.append("projects")
        if self.locked:
            raise StoreError("the shelf is locked")
        return list(PROJECTS)

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> list[Task]:
        self.read.append(project_id)
        if self.locked or project_id in self.failing:
            raise StoreError("HTTP 500")
        return [task for task in TASKS if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return next((task for task in TASKS if (task.project_id, task.id) == (project_id, task_id)), None)

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"https://shelf.example/{project_id}/{task_id}"

    @hookimpl
    def embedding_space(self) -> str:
        return f"shelf/words/{DIMENSION}"

    @hookimpl
    def embeddings(self, texts: list[str], kind: str, deadline: Deadline) -> np.ndarray:
        if kind == "document":
            self.embedded += texts
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row[crc32(word.encode()) % DIMENSION] += 1
        return rows
