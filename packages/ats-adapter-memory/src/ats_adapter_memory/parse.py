"""A file's bytes to tasks: which form it has, what each record says, and what had to be skipped.

The form is told by the content, whatever the file is called: an array of tasks, an object with `tasks` (and
`projects`), or JSONL with a task a line.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from ats_core import Project, StoreError, Task

from ats_adapter_memory.decode import decode
from ats_adapter_memory.records import Record, read_project, read_task
from ats_adapter_memory.snapshot import settle

if TYPE_CHECKING:
    from collections.abc import Iterable

HINT = "give it a JSON array of tasks, an object with a tasks array, or one JSON object a line"

_BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_NAMED = 10
"""How many skipped records are named one by one; the rest is counted."""


class Form(Enum):
    """How a file holds its records."""

    ARRAY = auto()
    OBJECT = auto()
    LINES = auto()
    ONE = auto()
    """A single task, written over several lines."""


class Parsed(NamedTuple):
    """`tasks[i]` is record `positions[i]` of the file: an index into its array, or into its lines."""

    form: Form
    declared: list[Project]
    tasks: list[Task]
    positions: list[int]
    warnings: list[str]


def parse(data: bytes, where: str) -> Parsed:
    """Read a file's bytes; `where` names it in messages. Raises StoreError where they hold no tasks at all.

    Tasks are in the file's order, duplicates included, each with an id and a project. A blank file is an
    empty corpus.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise StoreError(f"{where} is UTF-16", hint="save it as UTF-8")
    body = data.removeprefix(_BOM)
    text = body.strip(_SPACE)
    if not text:
        return Parsed(Form.ARRAY if where.lower().endswith(".json") else Form.LINES, [], [], [], [])
    first, _, rest = text.partition(b"\n")
    if rest and (text[:1] not in b"[{" or _is_json(first)):
        return _lines(body, where)
    try:
        value = decode(text)
    except ValueError as error:
        # A first line that ends in the midst of a value begins a document, not a line of JSONL that got torn.
        if not rest or first.rstrip(_SPACE).endswith((b"[", b"{", b",", b":")):
            raise StoreError(f"{where}: {error}", hint=HINT) from None
        return _lines(body, where)
    if isinstance(value, list):
        return _records(Form.ARRAY, value, where)
    if not isinstance(value, dict):
        raise StoreError(f"{where} holds {_kind(value)}, not tasks", hint=HINT)
    if _is_container(value):
        return _object(value, where)
    return _records(Form.ONE, [value], where) if rest else _lines(body, where)


def _is_json(line: bytes) -> bool:
    try:
        decode(line)
    except ValueError:
        return False
    return True


def _is_container(value: Record) -> bool:
    if "tasks" in value:
        return isinstance(value["tasks"], list) or not ("id" in value or "title" in value)
    return isinstance(value.get("projects"), list) and not ("id" in value or "title" in value)


def _object(value: Record, where: str) -> Parsed:
    records, listed = value.get("tasks"), value.get("projects")
    for key, part in (("tasks", records), ("projects", listed)):
        if not (part is None or isinstance(part, list)):
            raise StoreError(f"{where}: {key} is {_kind(part)}, not an array", hint=HINT)
    projects: dict[str, Project] = {}
    skipped = []
    for number, record in enumerate(listed or (), 1):
        project = read_project(record)
        if project is None:
            skipped.append(f"project {number} has neither id nor name")
        elif project.id in projects:
            skipped.append(f"project {number} repeats the id {project.id!r}")
        else:
            projects[project.id] = project
    return _records(Form.OBJECT, records or [], where, list(projects.values()), skipped)


def _records(
    form: Form, records: list[Any], where: str, declared: Iterable[Project] = (), skipped: Iterable[str] = ()
) -> Parsed:
    reader = _Reader(where, "task", skipped)
    for position, record in enumerate(records):
        reader.take(position, record)
    return reader.parsed(form, list(declared))


def _lines(body: bytes, where: str) -> Parsed:
    reader = _Reader(where, "line")
    take = reader.take
    reason = ""
    for position, line in enumerate(body.split(b"\n")):
        if line and not line.isspace():
            try:
                record = decode(line)
            except ValueError as error:
                reason = str(error).partition(",")[0]
                reader.skip(position, f"is {reason}")
            else:
                take(position, record)
    if not reader.objects:
        raise StoreError(f"{where}: no line of it is a JSON object" + (f" ({reason})" if reason else ""), hint=HINT)
    return reader.parsed(Form.LINES, [])


class _Reader:
    """Collects the tasks of one file, and a line about each record that is none."""

    def __init__(self, where: str, unit: str, skipped: Iterable[str] = ()) -> None:
        self.objects = 0
        self._where = where
        self._unit = unit
        self._tasks: list[Task] = []
        self._positions: list[int] = []
        self._skipped = list(skipped)

    def take(self, position: int, record: Any) -> None:
        if type(record) is not dict:
            self.skip(position, f"is {_kind(record)}, not an object")
            return
        self.objects += 1
        task = read_task(record)
        if task is None:
            self.skip(position, "has neither id nor title")
            return
        self._tasks.append(task)
        self._positions.append(position)

    def skip(self, position: int, reason: str) -> None:
        self._skipped.append(f"{self._unit} {position + 1} {reason}")

    def parsed(self, form: Form, declared: list[Project]) -> Parsed:
        warnings = [f"{self._where}: {line}; skipped" for line in self._skipped[:_NAMED]]
        if len(self._skipped) > _NAMED:
            warnings.append(f"{self._where}: {len(self._skipped) - _NAMED} more records skipped")
        made_up = _fill_ids(self._tasks)
        if made_up:
            who = "1 task has no id: its id is" if made_up == 1 else f"{made_up} tasks have no id: their ids are"
            warnings.append(f"{self._where}: {who} made from the content and will change with it")
        return Parsed(form, declared, settle(declared, self._tasks), self._positions, warnings)


def _fill_ids(tasks: list[Task]) -> int:
    """Give an id to each task that has none, in place; return how many those were.

    The id is a hash of the record, the same in whatever order its keys stand. Of several identical records
    the second gets `-2`, and so on. No id that the file itself has is ever given.
    """
    missing = [index for index, task in enumerate(tasks) if not task.id]
    if not missing:
        return 0
    from hashlib import sha256

    taken = {task.id for task in tasks}
    copies: dict[str, int] = {}
    for index in missing:
        record = {key: value for key, value in tasks[index].raw.items() if key != "id"}
        digest = sha256(msgspec.json.encode(record, order="deterministic")).hexdigest()[:16]
        task_id = digest
        while task_id in taken:
            copies[digest] = copies.get(digest, 1) + 1
            task_id = f"{digest}-{copies[digest]}"
        taken.add(task_id)
        tasks[index] = msgspec.structs.replace(tasks[index], id=task_id)
    return len(missing)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a text" if isinstance(value, str) else "an array" if isinstance(value, list) else "an object"
