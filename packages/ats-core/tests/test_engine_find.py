"""`find`: corpus, branches, fusion, hits; the same bytes every time, and nothing that an adapter gives can break it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ats_core import (
    Branch,
    Candidate,
    Corpus,
    Deadline,
    Engine,
    FailedProject,
    Fetched,
    FindResult,
    LoginRequiredError,
    Project,
    StoreError,
    Task,
    UsageError,
    hookimpl,
)
from ats_core.testing import make_engine

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]
Report = Callable[[FindResult, str], Any]


def test_find_asks_the_branches_and_fuses_what_they_say(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    native = [Candidate(id="t3", score=7.0)]
    store = make_embedding_store(
        search_by_query=lambda: native, branches=lambda: [Branch("mine", lambda *_: [Candidate(id="t2")])]
    )
    result = open_engine(store).find("renew passport", limit=4)
    assert [branch.name for branch in result.branches] == ["hybrid", "keyword", "native", "mine"]
    assert [branch.status for branch in result.branches] == ["ok"] * 4
    assert ids(result)[0] == "t1"
    assert result.hits[0].sources == ("hybrid", "keyword")
    (third,) = [hit for hit in result.hits if hit.task.id == "t3"]
    assert third.sources == ("hybrid", "native")
    assert (third.explain[1].source, third.explain[1].rank, third.explain[1].score) == ("native", 1, 7.0)
    assert (result.query, result.mode, result.fusion, result.k, result.limit) == (
        "renew passport",
        "find",
        "rrf",
        60,
        4,
    )


def test_contributions_sum_to_the_score_in_every_hit(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    def ranked(*names: str) -> list[Candidate]:
        return [Candidate(id=name) for name in names]

    store = make_embedding_store(
        search_by_query=lambda: ranked("t3", "t1", "t3", "t4"),
        branches=lambda: [Branch("mine", lambda *_: ranked("t4", "t2", "t1"))],
    )
    engine = open_engine(store)
    results = [engine.find(query) for query in ("passport", "renew", "zzz", "a")]
    results += [engine.hybrid("passport"), engine.semantic("passport"), engine.sparse("renew"), engine.similar("t1")]
    assert all(result.hits for result in results)
    for result in results:
        assert list(result.hits) == sorted(result.hits, key=lambda hit: -hit.score)
        for hit in result.hits:
            assert sum(part.contribution for part in hit.explain) == pytest.approx(hit.score, abs=1e-15)
            assert hit.sources == tuple(part.source for part in hit.explain)
            if result.fusion == "rrf":
                assert all(part.contribution == 1 / (60 + part.rank) for part in hit.explain)


def test_a_hit_has_its_task_project_name_address_and_snippet(make_store: MakeStore, open_engine: OpenEngine) -> None:
    (hit,) = open_engine(make_store()).find("previous tag").hits
    assert (hit.task.id, hit.task.project_name, hit.url) == ("t3", "Work", "test://q/t3")
    assert hit.snippet.text == "Use the previous tag, then notify."
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.marks] == ["previous tag"]


@pytest.mark.parametrize("answer", [None, 5, b"x"])
def test_an_address_that_cannot_be_made_costs_only_the_address(
    make_store: MakeStore, open_engine: OpenEngine, answer: object
) -> None:
    def fail() -> None:
        raise KeyError("no such project")

    for hook in (fail, lambda: answer):
        result = open_engine(make_store(url_for=hook)).find("passport")
        assert [(hit.task.id, hit.url) for hit in result.hits] == [("t4", None), ("t1", None)]
        assert not result.degraded


def test_done_tasks_are_left_out_unless_they_are_asked_for(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    engine = open_engine(make_store())
    assert "t5" not in ids(engine.find("passport"))
    assert "t5" in ids(engine.find("passport", include_completed=True))
    assert ids(engine.find("old visa form")) == []


def test_completed_tasks_of_the_store_are_fetched_when_they_are_asked_for(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    asked: list[str] = []

    def completed(since: str) -> list[Task]:
        asked.append(since)
        return [Task(id="c1", title="Renew the old passport", project_id="p")]

    engine = open_engine(make_store(list_completed_tasks=completed))
    assert "c1" not in ids(engine.find("passport"))
    assert asked == []
    assert "c1" in ids(engine.find("passport", include_completed=True))
    assert "c1" not in ids(engine.find("passport"))
    assert engine.get("c1").status == "done"


@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (5, 5), (30, 30), (100, 40)])
def test_no_more_than_the_limit_is_shown_and_a_high_limit_is_reached(
    make_store: MakeStore, open_engine: OpenEngine, limit: int, shown: int
) -> None:
    tasks = [Task(id=f"{number:02}", title="same", project_id="p") for number in range(40)]
    result = open_engine(make_store(tasks)).find("same", limit=limit)
    assert [hit.task.id for hit in result.hits] == [task.id for task in tasks[:shown]]


def test_the_first_hits_are_the_same_whatever_the_limit(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    tasks = [Task(id=str(number), title=f"same {'abc'[number % 3]}", project_id="p") for number in range(15)]
    engine = open_engine(make_embedding_store(tasks))
    whole = ids(engine.find("same b", limit=15))
    for limit in range(1, 15):
        assert ids(engine.find("same b", limit=limit)) == whole[:limit]


@pytest.mark.parametrize("candidates", [1, 3])
def test_branches_give_no_more_candidates_than_they_may(
    make_store: MakeStore, open_engine: OpenEngine, candidates: int
) -> None:
    limits: list[int] = []

    def native(limit: int) -> list[Candidate]:
        limits.append(limit)
        return [Candidate(id=name) for name in ("t1", "t2", "t3", "t4")]

    tasks = [Task(id=f"t{number}", title="same", project_id="p") for number in range(9)]
    result = open_engine(make_store(tasks, search_by_query=native)).find("same", limit=1, candidates=candidates)
    assert [branch.count for branch in result.branches] == [candidates] * 3
    assert limits == [candidates]


@pytest.mark.parametrize("query", ["", "  \t\n", "\u3000"])
def test_a_blank_query_is_a_usage_error(make_store: MakeStore, open_engine: OpenEngine, query: str) -> None:
    store = make_store()
    with pytest.raises(UsageError, match="the query is blank") as caught:
        open_engine(store).find(query)
    assert caught.value.exit_code == 2
    assert store.calls == []


@pytest.mark.parametrize(
    "options",
    [{"limit": 0}, {"limit": -1}, {"candidates": 0}, {"fresh": True, "cached": True}],
)
def test_options_that_make_no_sense_are_usage_errors(
    make_store: MakeStore, open_engine: OpenEngine, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError):
        open_engine(make_store()).find("passport", **options)


@pytest.mark.parametrize("query", ["(", "*", "[", "\\", "a\\", "%", "_", '"', "&", "-x", ".", "\x00", "\udcff", "😀"])
def test_any_query_is_just_text(make_embedding_store: MakeStore, open_engine: OpenEngine, query: str) -> None:
    tasks = [
        Task(id="hit", title=f"before {query} after", project_id="p"),
        Task(id="no", title="words", project_id="p"),
    ]
    result = open_engine(make_embedding_store(tasks), embedder="none").find(query)
    assert [hit.task.id for hit in result.hits] == ["hit"]
    assert not result.degraded


# What adapters give


def test_integer_ids_nones_and_surrogates_go_all_the_way(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    nothing: Any = None
    tasks = [
        Task(id=7, title="plan \ud83d", content="secret plan", project_id="p"),  # type: ignore[arg-type]
        Task(id="8", title=nothing, content="plan without a title", project_id="p"),
        Task(id=7, title="plan twice", project_id="p"),  # type: ignore[arg-type]
        Task(id="9", title="", content="", project_id="p"),
    ]
    store = make_embedding_store(
        tasks,
        [Project(id="p", name="\udcff")],
        search_by_query=lambda: [Candidate(id=7), Candidate(id="8")],  # type: ignore[arg-type]
    )
    engine = open_engine(store)
    for _ in range(2):  # from the fetch, then from the cache
        result = engine.find("plan", limit=9)
        assert set(ids(result)) >= {"7", "8"}
        assert result.hits[0].task.title == "plan \ufffd"
        assert result.warnings == ("1 duplicate task ids, the first of each is kept: 7",)
        assert result.corpus.size == 3
        engine = open_engine(store)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_corpus_of_any_size_is_searched(make_store: MakeStore, open_engine: OpenEngine, ids: Ids, size: int) -> None:
    tasks = [Task(id="1", title="windy in London", project_id="p"), Task(id="2", title="hello there", project_id="p")]
    result = open_engine(make_store(tasks[:size])).find("windy London")
    assert ids(result) == ["1"][:size]
    assert all(hit.score > 0 for hit in result.hits)
    assert (result.corpus.size, result.degraded) == (size, False)
    assert (result.confidence.verdict == "none") is (size == 0)


def test_bulk_and_project_by_project_answer_alike(make_store: MakeStore, open_engine: OpenEngine) -> None:
    walking = make_store()
    tasks = walking.tasks
    bulk = make_store(bulk_fetch=lambda: tasks)
    results = [open_engine(store, name=name).find("passport") for name, store in (("a", walking), ("b", bulk))]
    assert results[0].hits == results[1].hits


def test_a_project_that_fails_is_named_and_the_answer_degraded(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    def list_tasks(project_id: str) -> list[Task]:
        if project_id == "q":
            raise OSError("HTTP 500")
        return [Task(id="t1", title="Renew passport")]

    result = open_engine(make_store(list_tasks_in_project=list_tasks)).find("passport")
    assert ids(result) == ["t1"]
    (failed,) = result.corpus.sources_failed
    assert (failed.id, failed.name) == ("q", "Work")
    assert "HTTP 500" in failed.error
    assert result.degraded
    assert any("Work" in warning for warning in result.warnings)


def test_a_bulk_fetch_may_name_the_projects_that_failed(make_store: MakeStore, open_engine: OpenEngine) -> None:
    def bulk() -> Fetched:
        return Fetched(tasks=[Task(id="1", title="a")], failed=[FailedProject(id="inbox", name="Inbox", error="no")])

    result = open_engine(make_store(bulk_fetch=bulk)).find("a")
    assert [failed.name for failed in result.corpus.sources_failed] == ["Inbox"]
    assert result.degraded


def test_without_any_corpus_no_branch_runs(make_store: MakeStore, open_engine: OpenEngine) -> None:
    ran: list[str] = []
    store = make_store(search_by_query=lambda query: ran.append(query) or [])
    store.down = OSError("no network")
    with pytest.raises(StoreError, match="no network") as caught:
        open_engine(store).find("passport")
    assert caught.value.exit_code == 1
    assert ran == []


def test_a_login_that_is_missing_passes_through(make_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_store()
    store.down = LoginRequiredError("log in first", hint="run: ats auth login")
    with pytest.raises(LoginRequiredError) as caught:
        open_engine(store).find("passport")
    assert (caught.value.exit_code, caught.value.hint) == (3, "run: ats auth login")


def test_an_answer_from_an_old_copy_is_stale_and_degraded(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    store = make_store()
    open_engine(store).find("passport")
    store.down = OSError("no network")
    result = open_engine(store, corpus_ttl_ms=0).find("passport")
    assert ids(result) == ["t4", "t1"]
    assert (result.corpus.stale, result.corpus.from_cache, result.degraded) == (True, True, True)
    assert "no network" in result.warnings[0]
    assert result.confidence.verdict != "strong"


def test_fresh_and_cached_reach_the_cache(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    store = make_store()
    engine = open_engine(store)
    engine.find("passport")
    store.tasks = [Task(id="new", title="passport", project_id="p")]
    assert ids(engine.find("passport")) == ["t4", "t1"]
    assert ids(engine.find("passport", fresh=True)) == ["new"]
    store.down = AssertionError("must not be asked")
    assert ids(engine.find("passport", cached=True)) == ["new"]


# Native and custom branches


def branch_of(*ranking: Any, name: str = "mine") -> Callable[[], list[Branch]]:
    return lambda: [Branch(name, lambda query, corpus, deadline: list(ranking))]


HOOKS: dict[str, Callable[..., dict[str, Any]]] = {
    "native": lambda *ranking: {"search_by_query": lambda: list(ranking)},
    "mine": lambda *ranking: {"branches": branch_of(*ranking)},
}


@pytest.mark.parametrize("name", HOOKS)
def test_an_id_counts_once_at_its_best_rank_and_ranks_close_up(
    make_store: MakeStore, open_engine: OpenEngine, report: Report, name: str
) -> None:
    ranking = [Candidate(id=task_id) for task_id in ("t2", "t2", "ghost", "t3")]
    result = open_engine(make_store(**HOOKS[name](*ranking))).find("zzz")
    assert [(hit.task.id, hit.explain[0].rank, hit.score) for hit in result.hits] == [
        ("t2", 1, 1 / 61),
        ("t3", 2, 1 / 62),
    ]
    assert (report(result, name).count, report(result, name).dropped) == (2, 1)


@pytest.mark.parametrize("name", HOOKS)
def test_ids_of_nowhere_and_done_tasks_are_dropped_and_counted(
    make_store: MakeStore, open_engine: OpenEngine, report: Report, ids: Ids, name: str
) -> None:
    ranking = [
        Candidate(id="ghost"),
        Candidate(id="ghost"),
        Candidate(id="t5"),
        Candidate(id="old", task=Task(id="old", title="from outside, done", status="done")),
        Candidate(id="t1"),
    ]
    engine = open_engine(make_store(**HOOKS[name](*ranking)))
    result = engine.find("zzz")
    assert ids(result) == ["t1"]
    assert report(result, name).dropped == 3
    assert not result.degraded
    result = engine.find("zzz", include_completed=True)
    assert ids(result) == ["t5", "old", "t1"]
    assert report(result, name).dropped == 1


@pytest.mark.parametrize("name", HOOKS)
def test_a_task_that_is_carried_from_outside_the_corpus_is_a_hit(
    make_store: MakeStore, open_engine: OpenEngine, name: str
) -> None:
    carried = Task(id=99, title="From outside \udcff", content="zzz", project_id="p")  # type: ignore[arg-type]
    ranking = [carried, Candidate(id="98", task=Task(id="98", title="Another"))]
    result = open_engine(make_store(**HOOKS[name](*ranking))).find("zzz")
    first, second = result.hits
    assert (first.task.id, first.task.title, first.url) == ("99", "From outside \ufffd", "test://p/99")
    assert first.snippet.marks == ((0, 3),)
    assert (second.task.title, second.sources) == ("Another", (name,))


@pytest.mark.parametrize("name", HOOKS)
def test_of_a_task_that_is_in_the_corpus_too_the_corpus_is_believed(
    make_store: MakeStore, open_engine: OpenEngine, name: str
) -> None:
    result = open_engine(make_store(**HOOKS[name](Task(id="t1", title="older text")))).find("zzz")
    assert result.hits[0].task.title == "Renew passport"


def test_a_generator_of_a_million_ids_is_read_no_further_than_it_counts(
    make_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    given = 0

    def endless() -> Iterator[Candidate]:
        nonlocal given
        for number in count():
            given += 1
            yield Candidate(id=f"{number:03}")

    tasks = [Task(id=f"{number:03}", title="a", project_id="p") for number in range(100)]
    result = open_engine(make_store(tasks, branches=lambda: [Branch("mine", lambda *_: endless())])).find("zzz")
    assert (report(result, "mine").count, given) == (20, 20)


def test_a_million_ids_of_nowhere_are_counted(make_store: MakeStore, open_engine: OpenEngine, report: Report) -> None:
    def many(*_: Any) -> Iterator[Candidate]:
        return (Candidate(id=str(number)) for number in range(10**6))

    result = open_engine(make_store(branches=lambda: [Branch("mine", many)]), budget_ms=120_000).find("zzz")
    assert (report(result, "mine").status, report(result, "mine").dropped) == ("ok", 10**6)


def test_custom_branches_are_given_the_query_the_corpus_and_a_deadline(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    seen: list[tuple[Any, ...]] = []

    def run(query: str, corpus: Corpus, deadline: Deadline) -> list[Task]:
        seen.append((query, [task.id for task in corpus], corpus.get("t3"), deadline.remaining() > 0))
        return [corpus[2]]

    engine = open_engine(make_store(branches=lambda: [Branch("mine", run)]))
    assert engine.find("  zzz \ud83d").hits[0].task.id == "t3"
    query, seen_ids, third, in_time = seen[0]
    assert (query, seen_ids, third.title, in_time) == (
        "zzz \ufffd",
        ["t1", "t2", "t3", "t4", "t5"],
        "Roll back a release",
        True,
    )


class Extra:
    """A plugin with one branch."""

    def __init__(self, name: str, *ranking: Any) -> None:
        self.name = name
        self.ranking = ranking

    @hookimpl
    def branches(self) -> list[Branch]:
        return [Branch(self.name, lambda *_: list(self.ranking))]


def test_branches_of_adapter_and_plugins_add_up_the_adapters_first(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_store(search_by_query=list, branches=branch_of(name="zeta"))
    result = open_engine(store, plugins=[Extra("beta"), Extra("alpha")]).find("zzz")
    assert [branch.name for branch in result.branches] == ["sparse", "keyword", "native", "zeta", "beta", "alpha"]


@pytest.mark.parametrize("taken", ["mine", "keyword", "sparse", "hybrid", "dense", "native"])
def test_a_branch_whose_name_is_taken_is_refused_with_a_warning(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, taken: str
) -> None:
    store = make_store(branches=branch_of(Candidate(id="t3")))
    result = open_engine(store, plugins=[Extra(taken, Candidate(id="t2"))]).find("zzz")
    assert ids(result) == ["t3"]
    assert result.warnings == (f"branch {taken} of Extra is refused: the name is taken",)
    assert [branch.name for branch in result.branches] == ["sparse", "keyword", "mine"]


@pytest.mark.parametrize(
    ("branches", "reason"),
    [
        (lambda: 1 / 0, "branches failed: ZeroDivisionError: division by zero"),
        (lambda: [5], "branches broke its contract: Branch was expected, not int"),
        (lambda: [Branch(["a"], print)], "branches broke its contract: str was expected, not list"),  # type: ignore[arg-type]
        (lambda: (1 / 0 for _ in "x"), "branches failed: ZeroDivisionError: division by zero"),
    ],
)
def test_branches_that_cannot_be_had_are_a_warning_and_the_others_run(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, branches: Any, reason: str
) -> None:
    result = open_engine(make_store(branches=branches), plugins=[Extra("beta", Candidate(id="t2"))]).find("zzz")
    assert ids(result) == ["t2"]
    assert result.warnings == (f"no branches from test: test: {reason}",)


def test_no_branches_is_no_fault(make_store: MakeStore, open_engine: OpenEngine) -> None:
    for branches in (lambda: None, list, tuple):
        assert open_engine(make_store(branches=branches)).find("passport").warnings == ()


# The same answer every time


def test_eight_threads_at_once_get_the_same_answer(
    make_embedding_store: MakeStore, open_engine: OpenEngine, in_threads: Callable[..., list[Any]]
) -> None:
    tasks = [
        Task(id=f"{number}", title=f"same {'abcd'[number % 4]}", content="x " * number, project_id="p")
        for number in range(60)
    ]
    store = make_embedding_store(
        tasks, search_by_query=lambda: [Candidate(id=str(number)) for number in range(9, 0, -1)]
    )
    engine = open_engine(store)
    alone = [engine.find(f"same {letter}", limit=20).hits for letter in "abcdabcd"]
    together = in_threads([lambda letter=letter: engine.find(f"same {letter}", limit=20).hits for letter in "abcdabcd"])
    assert together == alone
    assert store.fetches == 1


def test_eight_threads_over_an_engine_that_is_cold_get_the_same_answer(
    make_store: MakeStore, open_engine: OpenEngine, in_threads: Callable[..., list[Any]]
) -> None:
    store = make_store()
    engine = open_engine(store)
    results = in_threads([lambda: engine.find("passport")] * 8)
    assert len({tuple((hit.task.id, hit.score) for hit in result.hits) for result in results}) == 1
    assert store.fetches == 1


SAME_BYTES = """
import sys
import msgspec
from ats_core import Branch, Candidate, Project, Task, hookimpl
from ats_core.testing import make_engine

class Store:
    @hookimpl
    def list_projects(self): return [Project(id="p", name="P")]
    @hookimpl
    def list_tasks_in_project(self):
        return [Task(id=f"{n % 7}-{n}", title=f"same {'abc'[n % 3]} title", content="body text " * (n % 4),
                     tags=("x", "y"), project_id="p") for n in range(50)]
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self, task_id): return task_id
    @hookimpl
    def search_by_query(self): return [Candidate(id=f"{n % 7}-{n}") for n in range(49, 0, -3)]
    @hookimpl
    def branches(self): return [Branch("mine", lambda *_: [Candidate(id=f"{n % 7}-{n}") for n in (0, 49, 3)])]
    @hookimpl
    def embedding_space(self): return "s"
    @hookimpl
    def embeddings(self, texts): return [[len(t), t.count("a") + 1, t.count("b")] for t in texts]

engine = make_engine(Store())
for call in (engine.find, engine.hybrid, engine.semantic, engine.sparse, engine.keyword):
    for query in ("same b title", "body", "title"):
        result = call(query, limit=20)
        print(msgspec.json.encode([result.hits, result.confidence, result.warnings]).decode())
"""


def test_the_same_bytes_come_out_whatever_the_hash_seed(
    python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    outputs = set()
    for seed in ("0", "1", "42", "random"):
        done = python(SAME_BYTES, PYTHONHASHSEED=seed)
        assert done.stderr == ""
        outputs.add(done.stdout)
    (output,) = outputs
    assert output.count("\n") == 15


def test_the_result_goes_into_json_and_back(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    result = open_engine(make_embedding_store()).find("passport")
    again = msgspec.json.decode(msgspec.json.encode(result), type=FindResult)
    assert again == result


# Engines


def test_an_engine_for_tests_leaves_nothing_behind(make_embedding_store: MakeStore) -> None:
    store = make_embedding_store()
    for _ in range(2):
        assert not make_engine(store).find("passport").degraded
    assert len(store.given("document")) == 2 * len(store.tasks)
    assert not make_engine(store).settings.config_dir.exists()
    with pytest.raises(OSError):  # noqa: PT011 - not even root can: the text is the system's
        make_engine(store).settings.config_dir.mkdir(parents=True)


def test_an_unwritable_state_folder_costs_no_answer(make_store: MakeStore, tmp_path: Path, ids: Ids) -> None:
    (tmp_path / "file").write_text("not a folder")
    result = make_engine(make_store(), state_dir=tmp_path / "file" / "ats").find("passport")
    assert ids(result) == ["t4", "t1"]
    assert len(result.warnings) == 1


def test_a_warm_find_imports_neither_numpy_nor_filelock(
    python: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    warm = SAME_BYTES.split("engine = ")[0].replace("    @hookimpl\n    def embedding_space", "    def space")
    warm = warm.replace("    @hookimpl\n    def embeddings", "    def vectors")
    code = f"""{warm}
from pathlib import Path
make_engine(Store(), state_dir=Path({str(tmp_path / "ats")!r})).find("title")
print([name for name in ("numpy", "filelock", "rapidfuzz", "hypothesis") if name in sys.modules])
"""
    first, second = python(code), python(code)
    assert first.stderr == second.stderr == ""
    assert second.stdout == "[]\n"
