"""`ats get --extract`: the data in a task."""

import pytest
from ats_cli.extract import extract
from ats_core import NotFoundError, Task, UsageError

FENCED = 'Before\n```json\n{"a": [1, 2]}\n```\nafter\n~~~ JSON\n{}\n~~~\n'
FRONT = "---\ntitle: Über\ndate: 2026-01-02\ntags: [a, b]\n---\nThe body.\n"


def task(content: str) -> Task:
    return Task(id="t", title="T", content=content, raw={"id": "t", "custom": {"x": None}})


def test_raw_is_the_stores_own_record() -> None:
    text, value = extract(task(""), "raw")
    assert value == {"id": "t", "custom": {"x": None}}
    assert text.startswith('{\n  "id": "t"')


@pytest.mark.parametrize(("content", "value"), [('[1, {"a": "é"}]', [1, {"a": "é"}]), (FENCED, {"a": [1, 2]})])
def test_json_is_the_body_or_its_first_fenced_block(content: str, value: object) -> None:
    assert extract(task(content), "json")[1] == value


def test_yaml_is_the_front_matter_as_it_stands_and_as_a_value() -> None:
    text, value = extract(task(FRONT), "yaml")
    assert text == "title: Über\ndate: 2026-01-02\ntags: [a, b]"
    assert value == {"title": "Über", "date": "2026-01-02", "tags": ["a", "b"]}


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("json", "no data", "holds no JSON"),
        ("json", "42", "holds no JSON"),
        ("json", "[NaN]", "holds no JSON"),
        ("json", "```json\n{broken\n```", "holds no JSON"),
        ("yaml", "text\n---\na: 1\n---\n", "has no front matter"),
        ("yaml", "---\na: [1\n---\n", "is no YAML"),
        ("yaml", "---\n!!python/object/apply:os.system ['true']\n---\n", "is no YAML"),
    ],
)
def test_what_is_not_there_is_said(kind: str, content: str, said: str) -> None:
    with pytest.raises(NotFoundError, match=said):
        extract(task(content), kind)


def test_another_kind_is_refused() -> None:
    with pytest.raises(UsageError, match="'toml', expected raw, json, yaml"):
        extract(task(""), "toml")
