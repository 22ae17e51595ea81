"""The table of fusion methods: what stands in it can be set and is used, and a further method is one entry."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from ats_core import ConfigError, Engine
from ats_core.fusion import METHODS
from ats_core.settings import FUSIONS, load_settings

THIRD = """
import json, sys
from ats_core.fusion import METHODS
from ats_core.fusion.fused import Fused, Share

def last_first(contest):
    ids = list(dict.fromkeys(task_id for ranking in contest.rankings for task_id in ranking.ids))
    return [Fused(task_id, float(at), (Share("keyword", 1, float(at)),)) for at, task_id in enumerate(ids)][::-1]

METHODS["last-first"] = last_first

from ats_core import Project, Task, hookimpl
from ats_core.errors import ConfigError
from ats_core.settings import load_settings
from ats_core.testing import make_engine

class Store:
    @hookimpl
    def list_projects(self):
        return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self, project_id):
        return [Task(id=str(at), title=f"word {at}", project_id="p") for at in range(3)]
    @hookimpl
    def get_task(self, project_id, task_id):
        return None
    @hookimpl
    def url_for(self, project_id, task_id):
        return ""

result = make_engine(Store(), fusion="last-first").find("word")
try:
    load_settings({"ATS_FUSION": "nonsense"})
except ConfigError as error:
    message = str(error)
setting = load_settings({"ATS_FUSION": "last-first"}).fusion
print(json.dumps([result.fusion, [hit.task.id for hit in result.hits], setting, message]))
"""


def test_a_third_method_is_one_entry(python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    process = python(THIRD)
    assert process.returncode == 0, process.stderr
    fusion, ids, setting, message = json.loads(process.stdout)
    assert (fusion, setting) == ("last-first", "last-first")
    assert ids == ["2", "1", "0"]
    assert "rrf or score or last-first" in message


def test_the_methods_are_those_that_can_be_set() -> None:
    assert FUSIONS == tuple(METHODS) == ("rrf", "score")
    for name in METHODS:
        assert load_settings({"ATS_FUSION": name}).fusion == name
    assert load_settings({}).fusion == "rrf"
    with pytest.raises(ConfigError, match="ATS_FUSION is 'sum', expected rrf or score"):
        load_settings({"ATS_FUSION": "sum"})


def test_the_engine_asks_the_method_that_is_set(
    make_store: Callable[..., Any], open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def spy(contest: Any) -> Any:
        seen.append(contest)
        return METHODS["rrf"](contest)

    monkeypatch.setitem(METHODS, "score", spy)  # type: ignore[arg-type]
    engine = open_engine(make_store(), fusion="score")
    assert engine.find("renew passport").hits
    (contest,) = seen
    assert [ranking.name for ranking in contest.rankings] == ["sparse", "keyword"]
    assert list(contest.pinned) == ["t1"]
    assert contest.exact_id is None
    assert contest.signals() is not None
