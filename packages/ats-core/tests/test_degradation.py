"""What fails is a row in the report and a line for people, never an exception that escapes, never silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ats_core import (
    AdapterConfig,
    AllBranchesFailedError,
    AtsError,
    Branch,
    Candidate,
    Engine,
    FindResult,
    RateLimitedError,
    Setting,
    StoreError,
    Task,
)
from ats_core.branches import keyword
from ats_core.cache import partial
from ats_core.opening import cache_scope
from ats_core.plugins.adapter import Adapter
from ats_core.retrieval import question

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]
Report = Callable[[FindResult, str], Any]
LogLines = Callable[[], list[dict[str, Any]]]

SECRET = "s3cret-t0ken-of-ann"


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


def down() -> None:
    raise OSError("down")


FAULTS: dict[str, tuple[Callable[..., Any], str]] = {
    "a foreign exception": (raising(ValueError("odd\nand long")), "ValueError: odd"),
    "an exception without a text": (raising(ValueError()), "ValueError"),
    "an error of ours": (raising(RateLimitedError("rate limited")), "rate limited"),
    "an error of ours around another": (raising(RateLimitedError(ValueError("slow\ndown"))), "slow down"),  # type: ignore[arg-type]
    "SystemExit": (raising(SystemExit(3)), "SystemExit: 3"),
    "no ranking": (lambda *_: None, "a ranking was expected, not NoneType"),
    "a text": (lambda *_: "t1", "a ranking was expected, not str"),
    "wrong entries": (lambda *_: ["t1"], "a Candidate or a Task was expected, not str"),
    "a wrong id": (lambda *_: [Candidate(id=1.5)], "an id was expected (a string or an integer), not float"),  # type: ignore[arg-type]
    "an entry that is wrong after good ones": (lambda *_: [Candidate(id="t3"), 5], "expected, not int"),
    "a generator that raises": (lambda *_: (1 / 0 for _ in "x"), "ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize("name", ["native", "mine"])
@pytest.mark.parametrize("how", FAULTS)
def test_a_branch_that_fails_is_a_row_and_the_others_answer(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, report: Report, how: str, name: str
) -> None:
    run, reason = FAULTS[how]

    def native() -> Any:
        return run()

    hooks = {"search_by_query": native} if name == "native" else {"branches": lambda: [Branch("mine", run)]}
    result = open_engine(make_store(**hooks)).find("passport")
    assert ids(result) == ["t4", "t1"]
    row = report(result, name)
    assert (row.status, row.ok, row.count) == ("failed", False, 0)
    assert reason in row.error
    assert "\n" not in row.error
    assert result.degraded
    assert result.warnings == (f"{name} failed: {row.error}",)
    assert result.confidence.verdict != "strong"


def test_what_one_branch_lacks_the_others_do_not_notice(make_store: MakeStore, open_engine: OpenEngine) -> None:
    healthy = open_engine(make_store(), name="a").find("passport")
    broken = open_engine(make_store(search_by_query=down), name="b").find("passport")
    assert [(hit.task, hit.score, hit.sources) for hit in healthy.hits] == [
        (hit.task, hit.score, hit.sources) for hit in broken.hits
    ]


def test_no_hits_and_no_hits_with_a_failure_look_different(make_store: MakeStore, open_engine: OpenEngine) -> None:
    healthy = open_engine(make_store()).find("zzz")
    broken = open_engine(make_store(search_by_query=down)).find("zzz")
    assert healthy.hits == broken.hits == ()
    assert (healthy.degraded, broken.degraded) == (False, True)
    assert healthy.confidence.verdict == broken.confidence.verdict == "none"


def test_an_exact_hit_of_a_degraded_answer_is_at_most_moderate(make_store: MakeStore, open_engine: OpenEngine) -> None:
    healthy = open_engine(make_store()).find("renew passport")
    broken = open_engine(make_store(search_by_query=down)).find("renew passport")
    assert (healthy.confidence.verdict, broken.confidence.verdict) == ("strong", "moderate")


def test_when_every_branch_fails_there_is_no_answer_and_the_log_knows(
    make_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyword.Literal, "rank", raising(MemoryError()))
    monkeypatch.setattr(question, "score_sparse", raising(MemoryError("no more")))
    engine = open_engine(make_store(search_by_query=down))
    with pytest.raises(AllBranchesFailedError) as caught:
        engine.find("passport")
    assert caught.value.exit_code == 4
    assert caught.value.message == (
        "no branch answered: sparse: MemoryError: no more; keyword: MemoryError; "
        "native: test: search_by_query failed: OSError: down"
    )
    (line,) = log_lines()
    assert line["error"].startswith("AllBranchesFailedError: ")
    assert [(branch["name"], branch["ok"]) for branch in line["meta"]["branches"]] == [
        ("sparse", False),
        ("keyword", False),
        ("native", False),
    ]


def test_a_tokenless_query_is_no_failure(make_store: MakeStore, open_engine: OpenEngine, report: Report) -> None:
    result = open_engine(make_store()).find("()")
    assert (result.hits, result.degraded) == ((), False)
    assert report(result, "sparse").status == "ok"


# Secrets


def scope_of(store: object, **environ: str) -> str:
    settings = {"host": "h"}
    return cache_scope(Adapter("my-shop", store), AdapterConfig(name="my-shop", settings=settings, environ=environ))


def test_the_scope_is_what_the_adapter_says(make_store: MakeStore) -> None:
    assert scope_of(make_store(cache_scope=lambda: "api.example/ann \udcff")) == "api.example/ann \ufffd"


def test_without_a_word_of_the_adapter_the_scope_is_a_hash_of_what_is_its_own(make_store: MakeStore) -> None:
    own = make_store(settings=lambda: [Setting(key="token", env="SHOP_TOKEN", secret=True)])
    without = scope_of(make_store())
    assert scope_of(make_store(cache_scope=lambda: None)) == without
    assert scope_of(make_store(), PATH="/bin", ATS_OTHER_TOKEN="x", SHOP_TOKEN="x") == without
    assert scope_of(make_store(), ATS_MY_SHOP_TOKEN="x") != without
    assert scope_of(own, SHOP_TOKEN="x") != scope_of(own, SHOP_TOKEN="y")
    assert scope_of(own, SHOP_TOKEN="x", PATH="/bin") == scope_of(own, PATH="/sbin", SHOP_TOKEN="x")
    assert scope_of(own, SHOP_TOKEN="\udcfe") != scope_of(own, SHOP_TOKEN="\udcff")
    assert re.fullmatch(r"settings:[0-9a-f]{32}", scope_of(own, SHOP_TOKEN=SECRET))


def test_what_an_adapter_says_in_its_exceptions_is_passed_on(make_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_store()
    store.down = ValueError("HTTP 401 from api.example")
    with pytest.raises(StoreError, match=r"ValueError: HTTP 401 from api\.example"):
        open_engine(store).find("passport")


ADAPTER = """
from ats_core import Project, Setting, Task, hookimpl
class Adapter:
    def __init__(self, config):
        self.token = config.environ["ATS_SHOP_TOKEN"]
        if config.environ.get("ATS_SHOP_BROKEN") == "factory":
            raise KeyError("no luck")
        self.mode = config.environ.get("ATS_SHOP_BROKEN")
    @hookimpl
    def list_projects(self):
        if self.mode == "store":
            raise OSError("down")
        return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self):
        return 5 if self.mode == "contract" else [Task(id="t1", title="Renew passport", project_id="p")]
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self, task_id): return 1 / 0
    @hookimpl
    def search_by_query(self): raise ValueError("bad")
    @hookimpl
    def settings(self): return [Setting(key="token", env="ATS_SHOP_TOKEN", secret=True)]
    @hookimpl
    def embedding_space(self): return "s"
    @hookimpl
    def embeddings(self): return "nonsense"
"""


@pytest.mark.parametrize("broken", ["", "store", "contract", "factory", "settings"])
def test_no_message_log_or_file_of_ours_holds_a_value_from_the_environment(
    add_distribution: Callable[..., Path], state: Path, broken: str
) -> None:
    points = {"ats.adapters": {"acme-shop-of-this-test": "acme_shop_mod:Adapter"}}
    add_distribution("acme-shop", points, module="acme_shop_mod", source=ADAPTER)
    state.mkdir()
    if broken == "settings":
        (state / "acme-shop-of-this-test.json").write_text(f'["{SECRET}"]')
    environ = {
        "ATS_CONFIG_DIR": str(state),
        "ATS_SHOP_TOKEN": SECRET,
        "ATS_SHOP_BROKEN": broken,
        "ATS_PLUGINS": "",
    }
    said: list[str] = []
    try:
        engine = Engine.open(environ, adapter="acme-shop-of-this-test")
        for call in (engine.find, engine.semantic, engine.get):
            try:
                answer = call("renew passport")
            except AtsError as error:
                said += [str(error), repr(error), str(error.hint)]
            else:
                said.append(msgspec.json.encode(answer).decode())
    except AtsError as error:
        said += [str(error), repr(error), str(error.hint)]
    assert said
    assert SECRET not in "".join(said)
    for file in state.rglob("*"):
        if file.is_file() and file.name != "acme-shop-of-this-test.json":
            assert SECRET.encode() not in file.read_bytes(), file


def test_completed_tasks_that_failed_degrade_the_answer_and_are_fetched_again_when_it_is_time(
    make_store: MakeStore, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    completed = [Task(id="c1", title="Old passport", project_id="q", status="done")]
    down = True
    asked: list[bool] = []

    def list_completed_tasks() -> list[Task]:
        asked.append(down)
        if down:
            raise OSError("not today")
        return completed

    engine = open_engine(make_store(list_completed_tasks=list_completed_tasks))
    result = engine.find("passport", include_completed=True)
    assert result.degraded
    assert [project.name for project in result.corpus.sources_failed] == ["completed tasks"]
    assert "completed tasks are missing: test: list_completed_tasks failed: OSError: not today" in result.warnings
    down = False
    assert engine.find("passport", include_completed=True).degraded  # it is too early to ask again
    assert asked == [True]
    engine.state.clear()
    down = True
    monkeypatch.setattr(partial, "RETRY_AFTER", 0.0)
    engine.find("passport", include_completed=True)
    down = False
    result = engine.find("passport", include_completed=True)
    assert not result.degraded
    assert "c1" in [hit.task.id for hit in result.hits]
