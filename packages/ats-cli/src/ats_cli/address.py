"""A task and where it is to be seen."""

from ats_core.engine import Engine
from ats_core.errors import NotFoundError
from ats_core.models import Task


def address_of(engine: Engine, reference: str, *, tool: str) -> tuple[Task, str]:
    """The task that a reference names, and its address.

    :param tool: what the usage log is to call it.
    :raises NotFoundError: there is no such task, or it has no address.
    """
    task = engine.get(reference, tool=tool)
    url = engine.url(task)
    if not url:
        raise NotFoundError(f"the task {task.id} has no address", hint=f"to read it: ats get {task.id}")
    return task, url
