"""Which form a file has is told by its content, and whatever can be read is read."""

from __future__ import annotations

import json

import pytest
from ats_adapter_memory.parse import Form, parse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

A, B = {"id": "a", "title": "Renew passport"}, {"id": "b", "title": "Water the plants"}
JSONL = json.dumps(A) + "\n" + json.dumps(B) + "\n"
BROKEN = '{"id": "x", "tit'


def ids(data: str | bytes, name: str = "tasks.jsonl") -> list[str]:
    return [task.id for task in parse(data.encode() if isinstance(data, str) else data, name).tasks]


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (JSONL, Form.LINES),
        (json.dumps([A, B]), Form.ARRAY),
        (json.dumps([A, B], indent=2), Form.ARRAY),
        (json.dumps({"tasks": [A, B]}), Form.OBJECT),
        (json.dumps({"projects": [], "tasks": [A, B]}, indent="\t"), Form.OBJECT),
        (json.dumps({"version": 3, "tasks": [A, B]}), Form.OBJECT),
    ],
)
@pytest.mark.parametrize("name", ["tasks.json", "tasks.jsonl", "tasks"])
def test_each_form_is_told_by_content_not_by_name(data: str, form: Form, name: str) -> None:
    parsed = parse(data.encode(), name)
    assert parsed.form is form
    assert [task.id for task in parsed.tasks] == ["a", "b"]
    assert parsed.warnings == []


@pytest.mark.parametrize("data", [JSONL, json.dumps([A, B]), json.dumps({"tasks": [A, B]}, indent=1)])
def test_bom_crlf_and_blank_lines_do_not_matter(data: str) -> None:
    assert ids(b"\xef\xbb\xbf" + data.encode()) == ["a", "b"]
    assert ids(data.replace("\n", "\r\n")) == ["a", "b"]
    assert ids("\n\r\n  \n" + data.replace("\n", "\n\n \t\n") + "\n\n") == ["a", "b"]


def test_a_last_line_without_an_end_counts() -> None:
    assert ids(JSONL.rstrip("\n")) == ["a", "b"]


@pytest.mark.parametrize("data", ["", "\n", " \r\n\t\n", "\ufeff", "\ufeff\n"])
@pytest.mark.parametrize("name", ["tasks.json", "tasks.jsonl"])
def test_a_blank_file_is_an_empty_corpus(data: str, name: str) -> None:
    parsed = parse(data.encode(), name)
    assert (parsed.tasks, parsed.warnings) == ([], [])


@pytest.mark.parametrize("data", ["[]", '{"tasks": []}', '{"tasks": null}', '{"projects": []}'])
def test_no_tasks_is_an_empty_corpus(data: str) -> None:
    parsed = parse(data.encode(), "x")
    assert (parsed.tasks, parsed.warnings) == ([], [])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_single_object_is_one_task(indent: int | None) -> None:
    assert ids(json.dumps(A, indent=indent)) == ["a"]
    assert ids(json.dumps(A | {"tasks": "three of them"}, indent=indent)) == ["a"]


def test_a_single_object_with_tasks_is_the_object_form() -> None:
    assert ids(json.dumps({"tasks": [A]})) == ["a"]
    assert ids(json.dumps({"id": "all", "title": "My tasks", "tasks": [A]})) == ["a"]


def test_lines_that_have_tasks_of_their_own_are_lines() -> None:
    assert ids(json.dumps(A | {"tasks": []}) + "\n" + json.dumps(B | {"tasks": []})) == ["a", "b"]


@pytest.mark.parametrize("first", [BROKEN, "not json", "[1, 2", "\0\0\0", "{", "\ufeff\ufeff"])
def test_a_broken_line_is_named_and_skipped_wherever_it_stands(first: str) -> None:
    for at, lines in enumerate([[first, *JSONL.splitlines()], [json.dumps(A), first, json.dumps(B)]], 1):
        if at == 1 and first == "{":
            continue  # a document that goes on over lines begins like this
        parsed = parse("\n".join(lines).encode(), "f")
        assert [task.id for task in parsed.tasks] == ["a", "b"]
        (warning,) = parsed.warnings
        assert warning.startswith(f"f: line {at} is not JSON")
        assert warning.endswith("skipped")
        assert warning.isprintable()


def test_line_numbers_count_blank_lines() -> None:
    (warning,) = parse(b'\n\n{"id": "1"}\n\n}\n', "f").warnings
    assert warning.startswith("f: line 5 ")


def test_a_line_that_is_not_utf8_costs_that_line() -> None:
    parsed = parse(b'{"id": "1", "title": "caf\xe9"}\n{"id": "2"}\n', "f")
    assert [task.id for task in parsed.tasks] == ["2"]
    assert parsed.warnings == ["f: line 1 is not UTF-8; skipped"]


def test_a_line_nested_too_deeply_costs_that_line() -> None:
    parsed = parse(b'{"id": "1", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b'}\n{"id": "2"}\n', "f")
    assert [task.id for task in parsed.tasks] == ["2"]
    assert parsed.warnings == ["f: line 1 is nested too deeply; skipped"]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("7", "a number"),
        ("null", "null"),
        ('"text"', "a text"),
        ("[]", "an array"),
        ("true", "true or false"),
    ],
)
def test_a_record_that_is_no_object_is_named_and_skipped(odd: str, said: str) -> None:
    a = json.dumps(A)
    for data, unit in (
        (f"{a}\n{odd}\n", "line"),
        (f"[{a}, {odd}]", "task"),
        (f'{{"tasks": [{a}, {odd}]}}', "task"),
    ):
        parsed = parse(data.encode(), "f")
        assert [task.id for task in parsed.tasks] == ["a"]
        assert parsed.warnings == [f"f: {unit} 2 is {said}, not an object; skipped"]


def test_a_record_without_id_and_title_is_skipped() -> None:
    parsed = parse(b'{"content": "?"}\n{"id": null}\n{"id": "1"}\n', "f")
    assert [task.id for task in parsed.tasks] == ["1"]
    assert len(parsed.warnings) == 2
    assert parsed.warnings[0] == "f: line 1 has neither id nor title; skipped"


def test_many_skipped_records_are_counted_not_listed() -> None:
    parsed = parse(json.dumps([A, *range(1000)]).encode(), "f")
    assert len(parsed.warnings) == 11
    assert parsed.warnings[-1] == "f: 990 more records skipped"


def test_lone_surrogates_become_the_replacement_character_and_pairs_stay() -> None:
    line = r'{"id": "\ud83d1", "title": "plan \ud83d", "content": "\ud83d\ude00", "\udc00": {"x": ["\udfff"]}}'
    for data in (line, f"[{line}]", f'{{"tasks": [{line}]}}', f"{json.dumps(A)}\n{line}"):
        task = parse(data.encode(), "f").tasks[-1]
        assert (task.id, task.title, task.content) == ("\ufffd1", "plan \ufffd", "😀")
        assert task.raw["\ufffd"] == {"x": ["\ufffd"]}


def test_surrogates_that_were_written_as_bytes_are_read_too() -> None:
    assert parse(b'{"id": "1", "title": "plan \xed\xa0\xbd"}', "f").tasks[0].title == "plan \ufffd"


def test_what_only_lax_json_allows_is_read() -> None:
    parsed = parse(b'{"id": "1", "title": "a\tb\x00c", "n": NaN, "i": -Infinity, "big": 1e999, "s": "\\ud83d"}', "f")
    assert parsed.tasks[0].title == "a\tb\0c"
    assert [parsed.tasks[0].raw[key] for key in ("n", "i", "big")] == [None, None, None]


def test_a_body_of_five_megabytes_is_read_whole() -> None:
    body = "wörd " * 1_000_000
    assert parse(json.dumps(A | {"content": body}).encode(), "f").tasks[0].content == body


def test_duplicate_ids_are_kept_as_they_are() -> None:
    assert ids('{"id": 1, "title": "one"}\n{"id": "1", "title": "two"}\n') == ["1", "1"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "id",
    "title",
    "content",
    "projectId",
    "projectName",
    "tags",
    "dueDate",
    "modifiedTime",
    "status",
    "x",
]
odd_records = st.dictionaries(st.sampled_from(KEYS), json_values, max_size=10)


@settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(odd_records, min_size=1, max_size=5))
def test_every_form_gives_the_same_tasks_whatever_their_fields_hold(records: list[dict[str, object]]) -> None:
    lines = parse("\n".join(map(json.dumps, [A, *records])).encode(), "f")
    array = parse(json.dumps([A, *records], indent=2).encode(), "f")
    wrapped = parse(json.dumps({"tasks": [A, *records]}, ensure_ascii=True).encode(), "f")
    assert lines.tasks == array.tasks == wrapped.tasks
    assert len(lines.tasks) + len(lines.warnings) >= 1 + len(records)
    for task in lines.tasks:
        assert task.id
        assert task.project_id
        assert task.project_name
        assert task.status in ("open", "done")
        json.dumps(task.title + task.content + "".join(task.tags), ensure_ascii=False).encode()
