"""Whether two readings of a task say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ats_core.conformance.results import Finding
from ats_core.conformance.subject import Subject
from ats_core.models import Task

FIELDS = ("title", "content", "tags", "due_date", "status")


def differences(one: Task, other: Task, fields: Sequence[str] = FIELDS) -> list[str]:
    """The fields in which two tasks differ. A project's id that one of them lacks is no difference."""
    found = [field for field in fields if getattr(one, field) != getattr(other, field)]
    if one.project_id and other.project_id and one.project_id != other.project_id:
        found.append("project_id")
    return found


def persisting(subject: Subject, compare: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """What a comparison of two readings finds twice: between two readings a store that people use may change."""
    if any(True for _ in compare()):
        subject.forget()
        yield from compare()


_FLIPPED = str.maketrans("0123456789abcdef", "fedcba9876543210")
_RANDOM = 16
"""An id of so many characters is not counted up: turned round it is nobody's."""


def unknown_id(known: str) -> str:
    """An id that the store does not have, of the same form as one that it has."""
    if known.isdecimal():
        return f"{known}987654"
    flipped = known.translate(_FLIPPED)
    return flipped if flipped != known and len(known) >= _RANDOM else f"{known}-unknown"
