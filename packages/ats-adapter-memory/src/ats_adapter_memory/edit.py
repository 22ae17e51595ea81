"""Changes to JSON text that leave every character outside the change as it was.

Re-encoding a whole file would rewrite what its owner chose: `1.10`, `\\u00e9`, indentation, a key given
twice. All functions take text that `parse` has read, decoded with `surrogateescape` so that any byte comes
back as it was.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_adapter_memory.parse import Form

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ats_adapter_memory.records import Record

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"\{[ \t]*\r?\n([ \t]*)")
_decoder = json.JSONDecoder(strict=False)


class Span(NamedTuple):
    start: int
    end: int


class Member(NamedTuple):
    """A key of an object, where `"key": value` stands as a whole, and where its value does."""

    key: str
    whole: Span
    value: Span


def add_record(text: str, form: Form, record: Record) -> str:
    """The file's text with one more record at its end, laid out like the one before it."""
    if form is Form.LINES:
        return _add_line(text, record)
    if form is Form.ONE:
        # JSON has line ends only between tokens, so that joining the lines keeps every value.
        return _add_line("".join(line.strip() for line in text.split("\n")), record)
    if not text.removeprefix("\ufeff").strip():
        text += "[]\n"
    at = _start(text)
    if form is Form.OBJECT:
        tasks = _last(members(text, at), "tasks")
        if tasks is None or text[tasks.value.start] != "[":
            text = set_member(text, at, "tasks", "[]")
            tasks = _last(members(text, at), "tasks")
        assert tasks is not None  # noqa: S101 - for mypy
        at = tasks.value.start
    spans = items(text, at)
    like, margin = ("", "") if not spans else (text[slice(*spans[-1])], _margin(text, spans[-1].start))
    return _append(text, at, spans, _render(record, like, margin))


def change_record(text: str, form: Form, position: int, changed: Mapping[str, Any]) -> str:
    """The file's text with new values for some keys of the record at `position`; see `Parsed`."""
    start, end = _record_span(text, form, position)
    record = text[start:end]
    for key, value in changed.items():
        record = set_member(record, 0, key, json.dumps(value, ensure_ascii=False))
    return text[:start] + record + text[end:]


def set_member(text: str, at: int, key: str, value: str) -> str:
    """The text where the object that opens at `at` has this JSON as the value of `key`."""
    found = members(text, at)
    member = _last(found, key)
    if member is not None:
        return text[: member.value.start] + value + text[member.value.end :]
    colon = ": " if not found or text[found[0].value.start - 1].isspace() else ":"
    return _append(text, at, [member.whole for member in found], f"{json.dumps(key)}{colon}{value}")


def items(text: str, at: int) -> list[Span]:
    """Where each value of the array that opens at `at` stands."""
    spans = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        end = _end(text, at)
        spans.append(Span(at, end))
        at = _next(text, end)
    return spans


def members(text: str, at: int) -> list[Member]:
    """Each member of the object that opens at `at`."""
    found = []
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, end = _decoder.raw_decode(text, at)
        start = _skip(text, _skip(text, end) + 1)
        end = _end(text, start)
        found.append(Member(key, Span(at, end), Span(start, end)))
        at = _next(text, end)
    return found


def _record_span(text: str, form: Form, position: int) -> Span:
    at = _start(text)
    if form is Form.LINES:
        start = at if position == 0 else 0
        for _ in range(position):
            start = text.index("\n", start) + 1
        start = _skip(text, start)
        return Span(start, _end(text, start))
    if form is Form.ONE:
        return Span(at, _end(text, at))
    if form is Form.OBJECT:
        tasks = _last(members(text, at), "tasks")
        assert tasks is not None  # noqa: S101 - a record was found in it
        at = tasks.value.start
    return items(text, at)[position]


def _add_line(text: str, record: Record) -> str:
    newline = "\r\n" if text.find("\r\n") + 1 == text.find("\n") > 0 else "\n"
    if text.removeprefix("\ufeff") and not text.endswith("\n"):
        text += newline
    at = _start(text)
    end = text.find("\n", at)
    first = Span(at, len(text) if end < 0 else end)
    return text + _render(record, text[slice(*first)], "") + newline


def _append(text: str, opening: int, spans: list[Span], new: str) -> str:
    if not spans:
        return text[: opening + 1] + new + text[_skip(text, opening + 1) :]
    last = spans[-1]
    gap = text[spans[-2].end : last.start] if len(spans) > 1 else "," + text[opening + 1 : last.start]
    return text[: last.end] + gap + new + text[last.end :]


def _render(record: Record, like: str, margin: str) -> str:
    """The record as JSON, spaced and indented as the text `like`, whose own line is indented by `margin`."""
    if "\n" not in like:
        separators = (", ", ": ") if not like or '": ' in like else (",", ":")
        return json.dumps(record, ensure_ascii=False, separators=separators)
    indent = _INDENT.match(like)
    unit = indent[1].removeprefix(margin) if indent else "  "
    newline = "\r\n" if "\r\n" in like else "\n"
    return json.dumps(record, ensure_ascii=False, indent=unit).replace("\n", newline + margin)


def _margin(text: str, at: int) -> str:
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before if before.isspace() else ""


def _last(found: list[Member], key: str) -> Member | None:
    """The member that counts: of a key given twice, readers take the last."""
    return next((member for member in reversed(found) if member.key == key), None)


def _start(text: str) -> int:
    return _skip(text, 1 if text.startswith("\ufeff") else 0)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _end(text: str, at: int) -> int:
    end: int = _decoder.raw_decode(text, at)[1]
    return end


def _next(text: str, end: int) -> int:
    at = _skip(text, end)
    return _skip(text, at + 1) if text[at] == "," else at
