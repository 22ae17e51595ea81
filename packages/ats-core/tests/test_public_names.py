"""What `ats_core` itself offers: every public name, loaded when it is asked for and not before."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import ats_core
import msgspec
import pytest

PROMISED = [
    *["hookimpl", "AdapterConfig", "Setting", "Project", "Task", "TaskDraft", "TaskPatch", "Fetched", "Candidate"],
    *["Branch", "Corpus", "Deadline", "Engine", "FindResult", "Hit"],
]
"""Those that the design names; besides them, the errors."""

HEAVY = ["numpy", "filelock", "Stemmer", "rapidfuzz", "pluggy", "msgspec", "importlib.metadata"]


def modules_after(code: str) -> set[str]:
    """The modules that a fresh process has loaded after running some code."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    return set(json.loads(ran.stdout))


@pytest.mark.parametrize("name", ats_core.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(ats_core, name) is not None


def test_the_promised_names_and_every_error_are_public() -> None:
    from ats_core import errors

    every_error = [name for name, value in vars(errors).items() if isinstance(value, type) and name.endswith("Error")]
    assert len(every_error) > 10
    assert set(PROMISED + every_error) <= set(ats_core.__all__)


def test_names_are_sorted_listed_and_importable_all_at_once() -> None:
    assert dir(ats_core) == sorted(ats_core.__all__)
    assert len(set(ats_core.__all__)) == len(ats_core.__all__)
    namespace: dict[str, object] = {}
    exec("from ats_core import *", namespace)
    assert set(ats_core.__all__) <= set(namespace)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'ats_core' has no attribute 'Nonsense'"):
        ats_core.Nonsense  # noqa: B018


def test_a_name_is_the_object_of_its_module() -> None:
    from ats_core.engine import Engine
    from ats_core.models import Task

    assert ats_core.Engine is Engine
    assert ats_core.Task is Task


def test_importing_the_package_imports_nothing_that_costs() -> None:
    bare = modules_after("")
    assert modules_after("import ats_core") - bare <= {"ats_core", "__future__", "typing"} | modules_after(
        "from __future__ import annotations; import typing"
    )


@pytest.mark.parametrize(
    ("name", "absent"),
    [
        ("UsageError", HEAVY),
        ("Deadline", HEAVY),
        ("Task", ["numpy", "filelock", "Stemmer", "rapidfuzz", "pluggy", "ats_core.engine"]),
        ("Corpus", ["numpy", "filelock", "Stemmer", "rapidfuzz", "pluggy", "ats_core.engine"]),
        ("hookimpl", ["numpy", "filelock", "Stemmer", "rapidfuzz", "ats_core.engine"]),
        ("Engine", ["numpy", "filelock", "rapidfuzz"]),
    ],
)
def test_a_name_loads_what_it_needs_and_no_more(name: str, absent: list[str]) -> None:
    assert modules_after(f"from ats_core import {name}") & set(absent) == set()


def test_the_version_is_that_of_the_distribution() -> None:
    assert ats_core.__version__ == version("ats-core")
    assert ats_core.__version__.startswith(f"{ats_core.CONTRACT}.")


@pytest.mark.parametrize(
    ("made", "json_keys"),
    [
        (ats_core.Project(id="p", name="P"), ["id", "name", "kind", "raw"]),
        (
            ats_core.Task(id="t", title="T"),
            [
                *["id", "title", "content", "projectId", "projectName", "tags", "dueDate", "modifiedTime"],
                *["status", "raw"],
            ],
        ),
    ],
)
def test_models_need_little_are_frozen_and_write_camel_case(made: msgspec.Struct, json_keys: list[str]) -> None:
    assert list(json.loads(msgspec.json.encode(made))) == json_keys
    with pytest.raises(AttributeError):
        made.id = "other"
    with pytest.raises(TypeError):
        type(made)("t", "T")


def test_a_patch_tells_unset_from_none() -> None:
    assert json.loads(msgspec.json.encode(ats_core.TaskPatch(due_date=None, title="T"))) == {
        "title": "T",
        "dueDate": None,
    }
