"""One task, whole."""

from collections.abc import Iterator

from ats_core.models import Task

from ats_cli.show.hits import body, head, when
from ats_cli.show.inert import one_line
from ats_cli.show.lines import Line, Span, joined, line


def task_lines(task: Task, url: str | None) -> Iterator[Line]:
    """Title and place, id, time and address, then the body."""
    yield line("", *head(task))
    modified = f"modified {when(task.modified_time)}" if task.modified_time else ""
    about = [Span(one_line(part), "faint") for part in (task.id, modified, url or "")]
    yield line("", *joined("  ", about))
    if task.content.strip():
        yield line("")
        yield from body(task.content, "")
