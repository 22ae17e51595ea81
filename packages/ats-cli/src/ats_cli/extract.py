"""Parts of a task that are data: the store's own record, and JSON or YAML front matter in its body."""

import json
import re
from typing import Any

from ats_core.errors import NotFoundError, UsageError
from ats_core.models import Task

KINDS = ("raw", "json", "yaml")

_FENCED = re.compile(r"^(`{3,}|~{3,})[ \t]*json\b[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE)


def extract(task: Task, kind: str) -> tuple[str, Any]:
    """What `ats get --extract` prints, and the same as a value that JSON can hold.

    `raw` is the record as the store gave it; `json` the body if it is JSON, else the first block fenced as such;
    `yaml` the front matter of the body.

    :raises UsageError: no such kind.
    :raises NotFoundError: the task holds nothing of the kind.
    """
    if kind == "raw":
        value = dict(task.raw)
        return json.dumps(value, ensure_ascii=False, indent=2), value
    if kind == "json":
        return _json(task)
    if kind == "yaml":
        return _yaml(task)
    raise UsageError(f"extract is {kind!r}, expected {', '.join(KINDS)}")


def _json(task: Task) -> tuple[str, Any]:
    candidates = [task.content, *(match.group(2) for match in _FENCED.finditer(task.content))]
    for text in candidates:
        try:
            value = json.loads(text, parse_constant=_refuse)
        except ValueError:
            continue
        if text is not task.content or isinstance(value, (dict, list)):
            return json.dumps(value, ensure_ascii=False, indent=2), value
    raise NotFoundError(
        f"the body of {task.id} holds no JSON", hint="it has to be JSON as a whole, or have a block fenced as ```json"
    )


def _refuse(constant: str) -> None:
    raise ValueError(constant)  # NaN and infinities are no JSON


def _yaml(task: Task) -> tuple[str, Any]:
    match = _FRONT_MATTER.match(task.content)
    if match is None:
        raise NotFoundError(f"the body of {task.id} has no front matter", hint="it begins and ends with a line ---")
    text = match.group(1)
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise NotFoundError(f"the front matter of {task.id} is no YAML: {problem}", hint="mend it in its app") from None
    # Dates and the like have no JSON of their own: as they would be written.
    return text.rstrip("\n"), json.loads(json.dumps(value, default=str, skipkeys=True))
