"""Values of a payload by their path (`a`, `a.b`, `a[].b`, `a[0]`), and the part of a payload that was asked for."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

from .refusal import beyond, malformed

Payload = dict[str, Any]

_STEP = re.compile(r'(?P<dot>\.)?(?:"(?P<quoted>[^"]+)"|(?P<key>[\w-]+))|\[(?P<index>\d*)\]')


def steps(path: str) -> list[str | int | None]:
    """The path's keys, indexes, and None for each `[]`.

    :raises Refusal: 400, it is no path.
    """
    found: list[str | int | None] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or (step["index"] is None and bool(step["dot"]) == (at == 0)):
            break
        at = step.end()
        index = step["index"]
        found.append(step["quoted"] or step["key"] if index is None else int(index) if index else None)
    if at < len(path) or not found or not isinstance(found[0], str):
        raise malformed(f"Invalid path: {path}")
    return found


def values(payload: Payload, path: str) -> list[Any]:
    """What the path leads to, arrays as they are; empty where it leads nowhere."""
    return list(_walk(payload, steps(path)))


def flat_values(payload: Payload, path: str) -> list[Any]:
    """What the path leads to, the elements of an array each by itself."""
    found: list[Any] = []
    for value in values(payload, path):
        found.extend(value) if isinstance(value, list) else found.append(value)
    return found


def _walk(value: Any, path: list[str | int | None]) -> Iterator[Any]:
    if not path:
        yield value
        return
    step, *rest = path
    if isinstance(step, str):
        if isinstance(value, dict) and step in value:
            yield from _walk(value[step], rest)
    elif isinstance(value, list):
        elements = value if step is None else value[step : step + 1]
        for element in elements:
            yield from _walk(element, rest)


def selected(payload: Payload, with_payload: Any) -> Payload | None:
    """The part of a payload that `with_payload` asks for: all, nothing, or some of its keys."""
    if with_payload is None or with_payload is False:
        return None
    if with_payload is True:
        return copy.deepcopy(payload)
    if isinstance(with_payload, dict) and set(with_payload) == {"exclude"}:
        dropped = top_level(with_payload["exclude"])
        return {key: copy.deepcopy(value) for key, value in payload.items() if key not in dropped}
    kept = top_level(with_payload["include"] if isinstance(with_payload, dict) else with_payload)
    return {key: copy.deepcopy(value) for key, value in payload.items() if key in kept}


def top_level(keys: Any) -> set[str]:
    """The keys of a selector, which this fake knows at the top level only."""
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise malformed("data did not match any variant of untagged enum WithPayloadInterface")
    if any(len(steps(key)) > 1 for key in keys):
        raise beyond("nested keys in `with_payload`")
    return {str(steps(key)[0]) for key in keys}
