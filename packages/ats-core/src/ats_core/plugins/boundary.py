"""Where values of an adapter come in: checked for type, cleaned once, so that nothing behind has to.

An adapter's integer id becomes its decimal string, None becomes the field's empty value, lone surrogates U+FFFD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeVar

from ats_core.errors import ContractError
from ats_core.hookspecs import Branch
from ats_core.models import Candidate, FailedProject, Fetched, Project, Standing, Task
from ats_core.text.fold import clean

T = TypeVar("T")
R = TypeVar("R")


def as_task(value: object) -> Task:
    """A task with every field of the type it should have.

    :raises ContractError: not a `Task`, or a field that no reading can save.
    """
    if not isinstance(value, Task):
        raise ContractError(f"a Task was expected, not {type(value).__name__}")
    return Task(
        id=as_id(value.id),
        title=_text(value.title),
        content=_text(value.content),
        project_id=as_id(value.project_id) if value.project_id is not None else "",
        project_name=_text(value.project_name),
        tags=tuple(as_list(value.tags or (), _text)),
        due_date=_optional_text(value.due_date),
        modified_time=_optional_text(value.modified_time),
        status="done" if value.status == "done" else "open",
        raw=value.raw if isinstance(value.raw, Mapping) else {},
    )


def as_project(value: object) -> Project:
    """A project with clean id and name.

    :raises ContractError: not a `Project`.
    """
    if not isinstance(value, Project):
        raise ContractError(f"a Project was expected, not {type(value).__name__}")
    return Project(
        id=as_id(value.id),
        name=_text(value.name),
        kind=_text(value.kind),
        raw=value.raw if isinstance(value.raw, Mapping) else {},
    )


def as_fetched(value: object) -> Fetched:
    """What `bulk_fetch` returned, as `Fetched`."""
    if isinstance(value, Fetched):
        return Fetched(
            tasks=as_list(value.tasks, as_task),
            failed=as_list(value.failed, as_failed_project),
            projects=as_list(value.projects, as_project),
        )
    return Fetched(tasks=as_list(value, as_task))


def as_failed_project(value: object) -> FailedProject:
    """A project that failed, with clean id, name and reason."""
    failed = as_instance(value, FailedProject)
    return FailedProject(
        id=as_id(failed.id),
        name=_text(failed.name),
        error=_text(failed.error),
        retry_after=_optional_number(failed.retry_after),
    )


def as_branch(value: object) -> Branch:
    """A branch whose name is a string and that can be run."""
    branch = as_instance(value, Branch)
    if not callable(branch.run):
        raise ContractError(f"the run of branch {branch.name} was expected to be callable")
    return branch._replace(name=clean(as_instance(branch.name, str)))


def as_backend(value: Any) -> Any:
    """A hybrid backend, or None. What it lacks beside its search shows when it is asked for that."""
    if value is not None and not callable(getattr(value, "search", None)):
        raise ContractError(f"an object with the method search was expected, not {type(value).__name__}")
    return value


def as_candidate(value: object) -> Candidate:
    """An entry of a ranking, as a `Candidate` with its inner standings in one form.

    :raises ContractError: neither a `Candidate` nor a `Task`, or a field that no reading can save.
    """
    if isinstance(value, Task):
        task = as_task(value)
        return Candidate(id=task.id, task=task)
    if not isinstance(value, Candidate):
        raise ContractError(f"a Candidate or a Task was expected, not {type(value).__name__}")
    within = {str(name): _standing(standing) for name, standing in (value.within or {}).items()}
    return Candidate(
        id=as_id(value.id),
        score=_optional_number(value.score),
        task=None if value.task is None else as_task(value.task),
        within=within or None,
        passage=_optional_text(value.passage),
    )


def as_id(value: object) -> str:
    """An id as a string.

    :raises ContractError: neither a string nor an integer.
    """
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise ContractError(f"an id was expected (a string or an integer), not {type(value).__name__}")


def as_list(value: object, convert: Callable[[Any], R]) -> list[R]:
    """Every item of a sequence, converted.

    :raises ContractError: not iterable, or a string.
    """
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
        raise ContractError(f"a sequence was expected, not {type(value).__name__}")
    return [convert(item) for item in value]


def as_instance(value: object, expected: type[T]) -> T:
    """The value itself.

    :raises ContractError: it is of another type.
    """
    if not isinstance(value, expected):
        raise ContractError(f"{expected.__name__} was expected, not {type(value).__name__}")
    return value


def as_optional_string(value: object) -> str | None:
    """A clean string, or None."""
    return None if value is None else clean(as_instance(value, str))


def _standing(value: object) -> Standing:
    if isinstance(value, Standing):
        rank, score = value.rank, value.score
    elif isinstance(value, Sequence) and len(value) == 2:
        rank, score = value
    else:
        raise ContractError(f"a standing was expected (rank, score), not {type(value).__name__}")
    place = _optional_number(rank)
    if place is not None and not isfinite(place):
        raise ContractError(f"a rank was expected, not {place}")
    return Standing(rank=None if place is None else int(place), score=_optional_number(score))


def _optional_number(value: Any) -> float | None:
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        raise ContractError(f"a number was expected, not {type(value).__name__}") from None


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else "" if value is None else clean(str(value))


def _optional_text(value: object) -> str | None:
    return None if value is None else _text(value)
