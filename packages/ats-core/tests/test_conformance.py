"""The kit itself: it survives every adapter, leaves nothing behind, and reads well in a test run."""

from __future__ import annotations

import gc
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from ats_core import AdapterConfig, Branch, Project, ReadOnlyAdapterError, Setting, StoreError, Task, hookimpl
from ats_core.conformance import CHECKS, LEVELS, RULES, AdapterContract, CheckResult, Subject, run_check, run_checks
from ats_core.hookspecs import AtsSpec

HOOKS = [name for name in vars(AtsSpec) if not name.startswith("_")]


class Shelf:
    """The four required hooks and nothing else."""

    def __init__(self, config: AdapterConfig) -> None:
        self.books = {"b1": "A Wizard of Earthsea", "b2": "The Left Hand of Darkness"}

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        return [Project(id="shelf", name="Shelf")]

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return [Task(id=key, title=title) for key, title in self.books.items()] if project_id == "shelf" else []

    @hookimpl
    def get_task(self, task_id: str) -> Task | None:
        return Task(id=task_id, title=self.books[task_id]) if task_id in self.books else None

    @hookimpl
    def url_for(self, task_id: str) -> str:
        return f"shelf:{task_id}"


class TestShelf(AdapterContract):
    """As an adapter's own tests do it."""

    @pytest.fixture
    def subject(self) -> Subject:
        return Subject(Shelf, write=True)


def by_name(results: Sequence[CheckResult]) -> dict[str, CheckResult]:
    return {result.check: result for result in results}


def failed(results: Sequence[CheckResult]) -> set[str]:
    return {result.check for result in results if result.status == "failed"}


def test_checks_have_names_of_their_own_a_level_and_rules() -> None:
    assert len({check.name for check in CHECKS}) == len(CHECKS) > 40
    assert [level for level in LEVELS if any(check.level == level for check in CHECKS)] == list(LEVELS)
    assert [check.level for check in CHECKS] == sorted((check.level for check in CHECKS), key=LEVELS.index)
    assert all(check.rules and check.run.__doc__ for check in CHECKS)


def test_rules_have_an_anchor_of_their_own_a_sentence_and_a_mend() -> None:
    assert len({rule.anchor for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.sentence.endswith(".")
        assert rule.mend
        assert not rule.mend.endswith(".")


def test_four_hooks_pass_and_what_is_not_there_is_skipped() -> None:
    results = run_checks(Subject(Shelf))
    assert failed(results) == set()
    assert by_name(results)["native_search_ranks"].reason == "no search_by_query"
    assert by_name(results)["done_is_done"].reason == "writing was not asked for"


def test_one_level_alone() -> None:
    seen: list[CheckResult] = []
    results = run_checks(Subject(Shelf), levels=["threads"], on_result=seen.append)
    assert [result.level for result in results] == ["threads"]
    assert seen == results


def test_without_writes_core_says_that_the_adapter_is_read_only() -> None:
    subject = Subject(Shelf, write=True)
    assert by_name(run_checks(subject, levels=["writes"]))["done_is_done"].reason == "no update_task"
    with pytest.raises(ReadOnlyAdapterError):
        subject.adapter.create_task(None)  # type: ignore[arg-type]


class Awkward:
    """Answers every question about itself by raising."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __bool__(self) -> bool:
        raise RuntimeError("neither true nor false")

    __hash__ = None  # type: ignore[assignment]


def raising(error: BaseException) -> Callable[[], Any]:
    def answer() -> Any:
        raise error

    return answer


def endless_wrong_rows() -> Iterator[Any]:
    for number in range(5_000):
        yield Task(id="same", title="t", project_id=str(number), status="?")


def half_a_list() -> Iterator[Any]:
    yield Project(id="p", name="P")
    raise OSError("half way")


def _exit(self: object) -> Any:
    sys.exit(3)


class Odd(BaseException):
    """Not even an Exception."""


ANSWERS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "a number": lambda: 5,
    "a text": lambda: "p",
    "bytes": lambda: b"p",
    "a list of none": lambda: [None],
    "a project": lambda: Project(id="p", name="P"),
    "a list of projects": lambda: [Project(id="p", name="P"), Project(id=1.5, name=None)],  # type: ignore[arg-type]
    "a list of tasks": lambda: [Task(id="t", title="\ud800", tags=5, raw=None)],  # type: ignore[arg-type]
    "many rows": endless_wrong_rows,
    "half a list": half_a_list,
    "a branch": lambda: [Branch("", raising(Odd("branch")))],
    "an awkward object": Awkward,
    "an awkward list": lambda: [Awkward()],
    "a setting": lambda: [Setting(key="url", env="x"), Setting(key="token", secret=True)],
    "raises": raising(ValueError("many\nlines")),
    "raises one of ours": raising(StoreError("the store is down")),
    "exits": raising(SystemExit(3)),
    "raises what is no exception": raising(Odd("odd")),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_whatever_every_hook_does_the_kit_gives_results(answer: str) -> None:
    def hook(self: object) -> Any:
        return ANSWERS[answer]()

    wrong = type("Wrong", (Shelf,), {name: hookimpl(hook) for name in HOOKS})
    results = run_checks(Subject(wrong, write=True, seconds=20, grace=0.2))
    assert [result.check for result in results] == [check.name for check in CHECKS]
    assert failed(results)
    for result in results:
        for finding in result.findings:
            assert len(finding.problem.splitlines()) == 1
            json.dumps(finding.problem).encode()
            finding.problem.encode()


@pytest.mark.parametrize("hook", HOOKS)
def test_one_hook_that_exits_costs_no_other_check_its_result(hook: str) -> None:
    pair = ("embeddings", "embedding_space")
    wrong = type("Wrong", (Shelf,), {name: hookimpl(_exit) for name in (pair if hook in pair else (hook,))})
    results = run_checks(Subject(wrong, write=True, grace=0.2))
    assert by_name(results)["hooks_are_registered"].status == "passed"
    if hook not in ("auth_login", "auth_exchange", "auth_logout", "create_task", "update_task"):
        assert failed(results)


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(1), StoreError("down"), Odd("odd")])
def test_an_adapter_that_cannot_be_made_fails_one_check_and_skips_the_others(error: BaseException) -> None:
    results = run_checks(Subject(lambda config: raising(error)(), write=True))
    assert {"hooks_are_registered"} <= failed(results)
    assert {result.status for result in results if result.level == "privacy"} == {"skipped"}


def test_an_object_that_is_no_adapter_at_all() -> None:
    results = run_checks(Subject(lambda config: 5, write=True))
    assert failed(results) == {"hooks_are_registered"}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Opens when the test is over, so that nothing hangs beyond it."""
    event = threading.Event()
    yield event
    event.set()


def test_a_hook_that_hangs_is_named_once_and_the_others_do_not_wait_for_it(gate: threading.Event) -> None:
    class Hangs(Shelf):
        @hookimpl
        def list_projects(self) -> Sequence[Project]:
            gate.wait()
            return []

    results = run_checks(Subject(Hangs, seconds=1.5), levels=["contract", "threads"])
    told = [finding for result in results for finding in result.findings]
    assert [finding.anchor for finding in told] == ["docs/hooks.md#time-out"]
    assert told[0].problem == "list_projects did not come back within 1.5 s"
    assert by_name(results)["threads_get_the_same_answers"].reason == "list_projects hangs in an earlier call"


def test_a_constructor_that_hangs_is_named(gate: threading.Event) -> None:
    def factory(config: AdapterConfig) -> object:
        gate.wait()
        return Shelf(config)

    results = run_checks(Subject(factory, seconds=1.5), levels=["contract"])
    assert failed(results) == {"hooks_are_registered"}
    assert results[0].findings[0].problem == "the constructor did not come back within 1.5 s"


def test_no_finding_shows_a_secret() -> None:
    class Leaks(Shelf):
        @hookimpl
        def list_projects(self) -> Sequence[Project]:
            raise StoreError("GET /?token=s3cret-of-anna failed")

        @hookimpl
        def settings(self) -> Sequence[Setting]:
            return [Setting(key="token", secret=True)]

    results = run_checks(Subject(Leaks, settings={"token": "s3cret-of-anna"}))
    assert {"projects_are_listed", "no_answer_holds_a_secret"} <= failed(results)
    assert "s3cret-of-anna" not in repr(results)
    assert by_name(results)["projects_are_listed"].findings[0].problem == "StoreError: GET /?token=*** failed"


def test_ten_thousand_faults_are_ten_findings() -> None:
    class Wrong(Shelf):
        @hookimpl
        def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
            return [Task(id=str(number), title="t", status="?") for number in range(10_000)]

    check = next(check for check in CHECKS if check.name == "fields_have_their_types")
    assert len(run_check(check, Subject(Wrong)).findings) == 10


def test_nothing_is_left_behind() -> None:
    before = (socket.socket.connect, socket.getaddrinfo, logging.getLogger().level, list(logging.getLogger().handlers))
    subject = Subject(Shelf)
    scratch = subject.scratch
    run_checks(subject)
    after = (socket.socket.connect, socket.getaddrinfo, logging.getLogger().level, list(logging.getLogger().handlers))
    assert before == after
    assert scratch.is_dir()
    del subject
    gc.collect()
    assert not scratch.exists()


def test_importing_the_kit_needs_neither_pytest_nor_numpy() -> None:
    code = "import sys; sys.modules['pytest'] = None; import ats_core.conformance; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


SUITE = """
import pytest
from ats_core import Project, Task, hookimpl
from ats_core.conformance import AdapterContract, Subject

class Wrong:
    def __init__(self, config): pass
    @hookimpl
    def list_projects(self): return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self, project_id): return [Task(id="t", title="T")] if project_id == "p" else []
    @hookimpl
    def get_task(self, task_id): return {"t": Task(id="t", title="T")}[task_id]
    @hookimpl
    def url_for(self, task_id): return "wrong:" + task_id

class TestWrong(AdapterContract):
    @pytest.fixture
    def subject(self): return Subject(Wrong)
"""


def test_a_failure_in_a_test_run_says_what_it_breaks_and_how_to_mend_it(tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rA", "test_wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    for said in (
        "test_an_unknown_task_is_none",
        "get_task of the unknown 't-unknown' raised get_task raised KeyError: 't-unknown'",
        "docs/hooks.md#get-task-unknown: For an unknown task it returns None.",
        "to mend it: return None where the store does not know the id",
    ):
        assert said in done.stdout, done.stdout
    assert "adapter_contract.py" not in done.stdout.partition("short test summary")[0].partition("FAILURES")[2]
