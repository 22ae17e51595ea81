"""Question files: JSONL, one question a line.

    {"id": "q1", "question": "how do I undo a deployment", "gold_task_ids": ["rel-rollback"], "tags": ["paraphrase"]}
    {"id": "q2", "question": "yoga class times", "no_answer": true}

`gold_task_id` may stand for a list of one. A bad line is named by its number, and the rest of the file is still read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from ats_core.atomic import open_file
from ats_core.errors import UsageError
from ats_core.text.fold import clean


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question. `id` is unique in its file.

    `gold_task_ids` are the tasks that answer it, each once; `no_answer` says that no task does. `origin` tells where
    the question came from (`"generated"`, `"usage"`, `"written"`, ...), None where the file does not say.
    """

    id: str
    question: str
    gold_task_ids: tuple[str, ...] = ()
    no_answer: bool = False
    tags: tuple[str, ...] = ()
    origin: str | None = None
    gold_project_id: str | None = None

    @property
    def eligible(self) -> bool:
        """Whether an answer to it can be judged: it has gold, or says that there is none."""
        return bool(self.gold_task_ids) or self.no_answer


def read_questions(path: Path) -> tuple[list[Question], list[str]]:
    """The questions of a file, and what is wrong with it, one line each, by line number.

    A line that is no question is left out. A question with neither gold nor `no_answer` is a problem too, but it is
    kept (`eligible` is false), so that a report can count it.

    :raises UsageError: the file cannot be read.
    """
    try:
        with open_file(path) as file:
            content = file.read()
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", hint="give a question file, or make one: ats bench init"
        ) from error
    questions: list[Question] = []
    problems: list[str] = []
    lines_of: dict[str, int] = {}
    for number, line in _lines(content):
        try:
            question, remarks = _question(line, number)
            if question.id in lines_of:
                raise ValueError(f"the id {question.id!r} stands on line {lines_of[question.id]} already")
        except ValueError as error:
            problems.append(f"line {number}: {error}")
            continue
        lines_of[question.id] = number
        questions.append(question)
        problems += [f"line {number}: {remark}" for remark in remarks]
    return questions, problems


def append_question(path: Path, question: Question) -> None:
    """Append one question, as a line of its own also where the file ends in the middle of one.

    :raises UsageError: the file cannot be written.
    """
    line = encode_question(question) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":
                    line = b"\n" + line
            file.write(line)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def encode_question(question: Question) -> bytes:
    """A question as a line of a file, without the newline; what is not set is left out."""
    fields = {name: value for name in question.__struct_fields__ if (value := getattr(question, name))}
    return msgspec.json.encode(fields)


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _question(line: bytes, number: int) -> tuple[Question, list[str]]:
    """Read one line. :raises ValueError: it is no question; the message says why."""
    try:
        record = json.loads(line)  # not msgspec, which refuses a lone surrogate: cleaned, it is a question all the same
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    if record.get("accepted") is False:
        raise ValueError("a candidate that nobody accepted yet (set accepted to true, or delete the line)")
    text = record.get("question")
    if not isinstance(text, str) or not clean(text).strip():
        raise ValueError("the question is missing or blank")
    remarks: list[str] = []
    gold = _gold(record, remarks)
    no_answer = _no_answer(record)
    if gold and no_answer:
        remarks.append("it has gold and no_answer: no_answer is ignored")
    elif not gold and not no_answer:
        remarks.append("it has neither gold nor no_answer, so it cannot be scored")
    question = Question(
        id=_identifier(record.get("id"), f"line-{number}"),
        question=clean(text).strip(),
        gold_task_ids=gold,
        no_answer=no_answer and not gold,
        tags=_strings(record, "tags"),
        origin=_optional(record, "origin"),
        gold_project_id=_optional(record, "gold_project_id"),
    )
    return question, remarks


def _gold(record: Mapping[str, Any], remarks: list[str]) -> tuple[str, ...]:
    listed = list(_strings(record, "gold_task_ids"))
    if record.get("gold_task_id") is not None:
        single = _identifier(record["gold_task_id"], "")
        if single not in listed:
            listed.append(single)
    gold = tuple(dict.fromkeys(identifier for identifier in listed if identifier))
    if len(gold) < len(listed):
        remarks.append("a gold id stands there twice, or is empty; each counts once")
    return gold


def _no_answer(record: Mapping[str, Any]) -> bool:
    value = record.get("no_answer", False)
    if value not in (None, True, False):
        raise ValueError(f"no_answer is {value!r}, expected true or false")
    return bool(value)


def _strings(record: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = record.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{key} is no list")
    return tuple(_identifier(item, "") for item in value)


def _identifier(value: Any, default: str) -> str:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ValueError(f"{value!r} is no id: expected text")
    return clean(str(value)).strip() or default


def _optional(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    if value is None:
        return None
    return _identifier(value, "") or None
