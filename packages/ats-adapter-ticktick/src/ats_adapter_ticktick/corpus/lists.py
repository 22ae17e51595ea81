"""The lists of an account in their order: the Inbox, which the service does not list, before the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from ats_core import Project

from ats_adapter_ticktick.corpus.seen import Seen
from ats_adapter_ticktick.mapping.project import INBOX, inbox_project, is_inbox, project_of
from ats_adapter_ticktick.mapping.scalars import flag, text


class Lists(NamedTuple):
    """The Inbox, and the others in the service's order, ids unique."""

    inbox: Project
    others: tuple[Project, ...]

    @classmethod
    def of(cls, records: Iterable[Any], known: Seen | None) -> Lists:
        """From the answer of GET /project; an Inbox that it should hold counts once.

        :param known: what was seen before; the Inbox' real id is in it.
        """
        projects = {project.id: project for project in map(project_of, records) if project is not None}
        listed = next((project for project in projects.values() if is_inbox(project.id)), None)
        inbox = listed or inbox_project(INBOX if known is None else known.inbox)
        return cls(inbox, tuple(project for project in projects.values() if not is_inbox(project.id)))

    @classmethod
    def remembered(cls, known: Seen) -> Lists:
        """As they were seen last."""
        return cls(inbox_project(known.inbox), tuple(item for item in known.projects if not is_inbox(item.id)))

    def meeting(self, rows: Iterable[Any]) -> Lists:
        """With what only tasks tell: the Inbox' real id, and lists that the service did not list."""
        met = dict.fromkeys(text(row.get("projectId")) for row in rows if isinstance(row, dict))
        listed = {"", *(project.id for project in self.others)}
        unlisted = [Project(id=item, name=item) for item in met if item not in listed and not is_inbox(item)]
        real = next((item for item in met if is_inbox(item) and item != INBOX), self.inbox.id)
        inbox = self.inbox if self.inbox.id == real else inbox_project(real)
        return Lists(inbox, (*self.others, *unlisted))

    def without(self, gone: Collection[str]) -> Lists:
        """Without some lists; the Inbox always stays."""
        return self._replace(others=tuple(project for project in self.others if project.id not in gone))

    @property
    def all(self) -> tuple[Project, ...]:
        return (self.inbox, *self.others)

    @property
    def names(self) -> dict[str, str]:
        """Project names by id."""
        return {project.id: project.name for project in self.all}


def is_closed(project: Project) -> bool:
    """Whether a list is archived: still there with its open tasks, but out of the user's sight."""
    return flag(project.raw.get("closed"))
