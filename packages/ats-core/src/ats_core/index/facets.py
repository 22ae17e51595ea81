"""What filters read of a task: project, status, tags and dates."""

from __future__ import annotations

from array import array
from functools import cache

from ats_core.index.layout import Buffer
from ats_core.index.texts import TextsBuilder
from ats_core.models import Task
from ats_core.text.dates import moment
from ats_core.text.fold import fold


class FacetsBuilder:
    """The sections of all facets.

    `projects` are ids and `project_of` each task's place among them; `done` is one byte a task; `tags` are folded and
    `tag_tasks` the ordinals that carry each; `due` and `modified` are moments (see `text.dates`).
    """

    def __init__(self) -> None:
        self._projects: dict[str, int] = {}
        self._project_of = array("I")
        self._done = bytearray()
        self._tags: dict[str, array[int]] = {}
        self._due, self._modified = array("q"), array("q")
        self._fold_tag = cache(fold_tag)

    def add(self, ordinal: int, task: Task) -> None:
        self._project_of.append(self._projects.setdefault(task.project_id, len(self._projects)))
        self._done.append(task.status == "done")
        for tag in dict.fromkeys(map(self._fold_tag, task.tags)):
            self._tags.setdefault(tag, array("I")).append(ordinal)
        self._due.append(moment(task.due_date))
        self._modified.append(moment(task.modified_time))

    def sections(self) -> dict[str, Buffer]:
        projects, tags = TextsBuilder("projects"), TextsBuilder("tags")
        tag_starts, tag_tasks = array("Q", [0]), array("I")
        for project_id in self._projects:
            projects.add(project_id)
        for tag, ordinals in self._tags.items():
            tags.add(tag)
            tag_tasks += ordinals
            tag_starts.append(len(tag_tasks))
        return {
            **projects.sections(),
            **tags.sections(),
            "project_of": self._project_of.tobytes(),
            "done": self._done,
            "tag_tasks_starts": tag_starts.tobytes(),
            "tag_tasks": tag_tasks.tobytes(),
            "due": self._due.tobytes(),
            "modified": self._modified.tobytes(),
        }


def fold_tag(tag: str) -> str:
    """The form in which tags are compared: a store may keep `ai_work` and show `AI_Work`, people type `#ai_work`."""
    return fold(tag).strip().removeprefix("#")
