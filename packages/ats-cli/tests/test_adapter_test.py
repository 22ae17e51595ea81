"""`ats adapter test`: the conformance kit over an installed adapter."""

from __future__ import annotations

from typing import Any

from ats_core.conformance import CHECKS

WRONG = """
from ats_core import Project, Task, hookimpl

class Wrong:
    def __init__(self, config): pass
    @hookimpl
    def list_projects(self): return [Project(id="p", name="P\\x1b[31m")]
    @hookimpl
    def list_tasks_in_project(self, project_id): return [Task(id="t", title="T", status="closed\\x1b[31m")]
    @hookimpl
    def get_task(self, task_id): return Task(id="t", title="T") if task_id == "t" else None
    @hookimpl
    def url_for(self, task_id): return "wrong:" + task_id
"""


def test_a_right_adapter_passes_and_each_check_has_a_row(ats: Any) -> None:
    ended = ats("adapter", "test", "toy")
    assert (ended.code, ended.err) == (0, "")
    for check in CHECKS:
        assert f"  {check.name}  " in ended.out
    assert ended.out.splitlines()[0].split() == ["level", "check", "state", "why"]
    assert " 0 failed, " in ended.out
    assert "--write" in ended.out


def test_a_failure_names_the_sentence_and_the_mend_and_ends_with_1(ats: Any, make_dist: Any) -> None:
    make_dist("ats-wrong", points={"wrong": "wrong:Wrong"}, modules={"wrong": WRONG})
    ended = ats("adapter", "test", "wrong")
    assert ended.code == 1
    assert "docs/hooks.md#status: A task's `status` is" in ended.out
    assert "to mend it: translate the store's own word" in ended.out
    assert "wrong (ats-wrong 1.0): " in ended.out
    assert "\x1b" not in ended.out


def test_json_is_one_document(ats: Any, make_dist: Any) -> None:
    make_dist("ats-wrong", points={"wrong": "wrong:Wrong"}, modules={"wrong": WRONG})
    ended = ats("adapter", "test", "wrong", "--json")
    document = ended.json
    assert ended.code == 1
    assert (document["adapter"], document["distribution"], document["version"]) == ("wrong", "ats-wrong", "1.0")
    assert (document["ok"], document["contract"]) == (False, "0.1")
    assert document["passed"] + document["failed"] + document["skipped"] == len(CHECKS)
    by_name = {check["check"]: check for check in document["checks"]}
    (finding, *_) = by_name["fields_have_their_types"]["findings"]
    assert finding["anchor"] == "docs/hooks.md#status"
    assert set(finding) == {"problem", "anchor", "sentence", "mend"}
    assert by_name["none_clears"]["reason"] == "writing was not asked for"


def test_it_asks_the_store_that_is_configured(ats: Any) -> None:
    ended = ats("adapter", "test", "toy", TOY="no login")
    assert ended.code == 1
    assert "LoginRequiredError: the toy wants a login" in ended.out
    assert "to mend it: run: ats auth login" in ended.out


def test_what_the_adapter_prints_is_a_finding_and_no_part_of_the_answer(ats: Any) -> None:
    ended = ats("adapter", "test", "toy", "--json", TOY="prints")
    failed = [check["check"] for check in ended.json["checks"] if check["status"] == "failed"]
    assert (ended.code, failed) == (1, ["nothing_is_printed"])
    assert "PRINTED AT IMPORT" in ended.err


def test_an_adapter_that_is_not_there_or_cannot_be_imported_is_a_configuration_error(ats: Any, make_dist: Any) -> None:
    make_dist("ats-broken", points={"broken": "broken:Broken"}, modules={"broken": "import nothing_of_this_name"})
    unknown, broken = ats("adapter", "test", "nope"), ats("adapter", "test", "broken", "--json")
    assert (unknown.code, broken.code) == (2, 2)
    assert "adapter 'nope' is not installed" in unknown.err
    assert broken.json["error"]["type"] == "BrokenPluginError"


def test_help_loads_no_kit(ats: Any) -> None:
    assert "ats_core.conformance" not in ats.modules("adapter", "test", "--help")
