"""`ats ticktick export`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from ats_core import ConfigError, Engine, UsageError
from ats_core.atomic import write_atomically

from ats_adapter_ticktick.commands.kit import command_app, counted, quiet, warn
from ats_adapter_ticktick.parts import Parts

if TYPE_CHECKING:
    from ats_core import Project, Task


def build(parts: Parts) -> typer.Typer:
    """The command over these parts."""
    app = command_app()

    @app.command()
    def export(
        file: Annotated[str, typer.Argument(metavar="FILE", help="A new file; - writes to stdout.")],
        include_completed: Annotated[
            bool, typer.Option("--include-completed", help="Completed tasks too, as far back as searches go.")
        ] = False,
        force: Annotated[bool, typer.Option("--force", help="Replace FILE where it exists.")] = False,
    ) -> None:
        """Write all tasks to a file that the memory adapter reads, to search and to measure without the service.

        They come from the cache where it is fresh. The file is for your eyes only (0600).

        \b
        Examples:
          ats ticktick export tasks.json
          ATS_MEMORY_FILE=tasks.json ats find --adapter memory passport
        """
        path = None if file == "-" else Path(os.path.realpath(Path(file).expanduser()))
        if path is not None and path.exists() and not force:
            raise UsageError(f"{file} is there already", hint="give another FILE, or --force")
        document, count = _document(parts, include_completed=include_completed)
        if path is None:
            sys.stdout.write(document.decode())
            return
        try:
            write_atomically(path, [document])
        except OSError as error:
            raise ConfigError(f"{file} cannot be written: {error.strerror}", hint="give another FILE") from error
        sys.stdout.write(f"{counted(count, 'task')} written to {file}\n")

    return app


def _document(parts: Parts, *, include_completed: bool) -> tuple[bytes, int]:
    """The file's content, and the number of its tasks."""
    with quiet():
        engine = Engine.open(parts.config.environ, parts.config.name, {"usage_disable": True})
        loaded = engine.corpus(include_completed=include_completed)
    for warning in loaded.warnings:
        warn(warning)
    projects = [_project(project) for project in loaded.opened.header.projects]
    tasks = [_task(task) for task in loaded.opened.corpus]
    lines = b",\n".join(map(msgspec.json.encode, tasks))
    return b'{"projects": %b,\n"tasks": [\n%b\n]}\n' % (msgspec.json.encode(projects), lines), len(tasks)


def _project(project: Project) -> dict[str, Any]:
    return {"id": project.id, "name": project.name, "kind": project.kind}


def _task(task: Task) -> dict[str, Any]:
    record = {
        "id": task.id,
        "title": task.title,
        "content": task.content,
        "projectId": task.project_id,
        "projectName": task.project_name,
        "tags": list(task.tags),
        "dueDate": task.due_date,
        "modifiedTime": task.modified_time,
        "status": task.status,
    }
    return {name: value for name, value in record.items() if value not in (None, [], "")} | {"title": task.title}
