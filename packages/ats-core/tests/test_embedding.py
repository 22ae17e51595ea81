"""Dense retrieval: what is embedded and when, what comes out of an embedder, and what is kept of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ats_core import (
    AllBranchesFailedError,
    Candidate,
    Deadline,
    EmbeddingError,
    Engine,
    FindResult,
    NoEmbedderError,
    Task,
)
from ats_core.retrieval import dense
from ats_core.vectors import coverage
from ats_core.vectors.embedder import Embedder, unit

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Report = Callable[[FindResult, str], Any]


def embedder(answer: Callable[[Sequence[str]], Any]) -> Embedder:
    return Embedder("shop", "m1", lambda texts, kind, deadline: answer(texts))


def embed(answer: Callable[[Sequence[str]], Any], *texts: str) -> Any:
    return embedder(answer).embed(texts, "document", Deadline(1))


# What comes out of an embedder


def test_vectors_are_scaled_to_length_one() -> None:
    rows = embed(lambda texts: [[3, 4], [0.001, 0]], "a", "b")
    np.testing.assert_allclose(rows, [[0.6, 0.8], [1, 0]], rtol=1e-6)
    assert rows.dtype == np.float32


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 1e39, 0.0])
def test_a_row_that_is_zero_or_not_finite_becomes_zero_and_the_others_stay(bad: float) -> None:
    np.testing.assert_allclose(embed(lambda texts: [[bad, 0], [0, 2]], "a", "b"), [[0, 0], [0, 1]])


def test_numbers_at_the_edges_of_float32_do_not_overflow_into_a_wrong_vector() -> None:
    rows = unit(np.array([[3e38, 3e38], [1e-44, 0]], dtype=np.float32))
    assert all(length == 0 or abs(length - 1) < 1e-3 for length in np.linalg.norm(rows, axis=1))


SHAPES: dict[str, Callable[[Sequence[str]], Any]] = {
    "one too few": lambda texts: [[1.0, 2.0]] * (len(texts) - 1),
    "one too many": lambda texts: [[1.0, 2.0]] * (len(texts) + 1),
    "none at all": lambda texts: [],
    "one row for all": lambda texts: [1.0, 2.0],
    "without columns": lambda texts: [[] for _ in texts],
    "ragged": lambda texts: [[1.0], *([[1.0, 2.0]] * (len(texts) - 1))],
    "words": lambda texts: [["a", "b"]] * len(texts),
    "None": lambda texts: None,
    "a dict": lambda texts: {"embeddings": []},
    "three axes": lambda texts: np.ones((len(texts), 2, 2)),
}


@pytest.mark.parametrize("how", SHAPES)
def test_what_is_no_row_a_text_is_refused(how: str) -> None:
    with pytest.raises(EmbeddingError, match=r"^shop gave vectors "):
        embed(SHAPES[how], "a", "b", "c")


@pytest.mark.parametrize("row", [[float("nan"), 1.0], [0.0, 0.0], [float("inf"), 1.0]])
def test_a_query_without_a_usable_vector_is_an_error(row: list[float]) -> None:
    with pytest.raises(EmbeddingError, match="shop gave a zero or non-finite vector for the query"):
        embedder(lambda texts: [row]).embed_query("x", Deadline(1))


def test_an_embedder_that_raises_is_named_and_its_own_words_are_kept() -> None:
    def foreign(texts: Sequence[str]) -> None:
        raise ConnectionError("refused\nat length")

    def own(texts: Sequence[str]) -> None:
        raise EmbeddingError("model is missing", hint="ollama pull x")

    with pytest.raises(EmbeddingError, match=r"^shop failed: ConnectionError: refused$"):
        embed(foreign, "a")
    with pytest.raises(EmbeddingError, match=r"^model is missing$"):
        embed(own, "a")


# What is embedded, and when


def test_documents_are_embedded_once_and_a_repeated_question_embeds_one_text(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store()
    engine = open_engine(store)
    first = engine.find("passport")
    assert sorted(store.given("document")) == sorted(
        "\n".join(filter(None, (task.title, task.content, " ".join(task.tags)))) for task in store.tasks
    )
    assert store.given("query") == ["passport"]
    for again in (engine, open_engine(store)):
        store.texts.clear()
        assert [hit.task.id for hit in again.find("passport").hits] == [hit.task.id for hit in first.hits]
        assert store.texts == [("query", "passport")]


def test_texts_that_are_the_same_are_embedded_once_and_rank_alike(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store([Task(id=str(number), title="same", project_id="p") for number in range(3)])
    result = open_engine(store).semantic("same")
    assert store.given("document") == ["same"]
    assert [hit.task.id for hit in result.hits] == ["0", "1", "2"]
    assert len({hit.score for hit in result.hits}) == 1


def test_only_what_changed_is_embedded_again(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_embedding_store()
    engine = open_engine(store)
    engine.find("passport")
    store.texts.clear()
    store.tasks[1] = Task(id="t2", title="Buy oat milk", project_id="p")
    engine.find("passport", fresh=True)
    assert store.given("document") == ["Buy oat milk"]


def test_a_changed_space_never_meets_the_old_one(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_embedding_store()
    ranked = [hit.task.id for hit in open_engine(store).semantic("passport").hits]
    first_vector = store.vector
    store.space = "reversed letters"
    store.vector = lambda text: first_vector(text)[::-1]  # as many dimensions, another meaning
    store.texts.clear()
    engine = open_engine(store)
    assert [hit.task.id for hit in engine.semantic("passport").hits] == ranked
    assert len(store.given("document")) == len(store.tasks)
    store.space, store.vector = "letters", first_vector
    store.texts.clear()
    assert [hit.task.id for hit in engine.semantic("passport").hits] == ranked  # and one engine sees the change
    assert store.given("document") == []


@pytest.mark.parametrize("other", [{"name": "vault"}, {"scope": "bob"}])
def test_no_account_is_served_the_vectors_of_another(
    make_embedding_store: MakeStore, open_engine: OpenEngine, other: dict[str, str]
) -> None:
    def store_of(scope: str) -> Any:
        return make_embedding_store(cache_scope=lambda: scope)

    open_engine(store_of("ann"), name="shop").find("passport")
    second = store_of(other.get("scope", "ann"))
    open_engine(second, name=other.get("name", "shop")).find("passport")
    assert len(second.given("document")) == len(second.tasks)


def test_eight_cold_threads_pay_for_each_text_once(
    make_embedding_store: MakeStore, open_engine: OpenEngine, in_threads: Callable[..., list[Any]]
) -> None:
    tasks = [
        Task(id=str(number), title=f"task {'abcdefghijkl'[number % 12]} {number}", project_id="p")
        for number in range(150)
    ]
    store = make_embedding_store(tasks)
    engine = open_engine(store)
    results = in_threads([lambda: engine.find("task c 14")] * 8)
    assert sorted(store.given("document")) == sorted(task.title for task in tasks)
    assert len({tuple((hit.task.id, hit.score) for hit in result.hits) for result in results}) == 1
    assert not any(result.degraded for result in results)


def test_vectors_that_cannot_be_written_serve_the_process_all_the_same(
    make_embedding_store: MakeStore, open_engine: OpenEngine, state: Path
) -> None:
    state.mkdir()
    (state / "vectors").write_text("in the way")
    store = make_embedding_store()
    engine = open_engine(store)
    assert engine.find("passport").hits[0].explain[0].within[0].source == "dense"
    store.texts.clear()
    engine.find("passport")
    assert store.given("document") == []


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_corpus_of_any_size_can_be_asked(
    make_embedding_store: MakeStore, open_engine: OpenEngine, count: int
) -> None:
    tasks = [Task(id=str(number), title="", project_id="p") for number in range(count)]
    result = open_engine(make_embedding_store(tasks)).find("passport")
    assert (result.hits, result.degraded) == ((), False)


def test_a_text_that_cannot_be_embedded_never_ranks_but_is_found_by_its_words_and_not_tried_again(
    make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    store = make_embedding_store()
    plain = store.vector
    store.vector = lambda text: [float("nan")] * 26 if "Renew" in text else plain(text)
    engine = open_engine(store)
    result = engine.find("passport")
    assert not result.degraded
    within = {hit.task.id: {inner.source for inner in hit.explain[0].within} for hit in result.hits}
    assert within["t1"] == {"sparse"}
    assert "dense" in within["t4"]
    assert "t1" not in [hit.task.id for hit in engine.semantic("passport").hits]
    store.texts.clear()
    engine.find("passport")
    assert store.given("document") == []


def test_one_text_that_the_embedder_refuses_costs_no_other_its_vector(
    make_embedding_store: MakeStore, open_engine: OpenEngine, many: list[Task]
) -> None:
    store = make_embedding_store(many)
    plain = store.vector
    store.vector = lambda text: 1 / 0 if "number 77" in text else plain(text)
    engine = open_engine(store)
    assert engine.state.sync().counts == {"tasks": 130, "embedded": 130, "missing": 0, "unusable": 1}
    result = engine.find("77 number", limit=50)
    (hit,) = [hit for hit in result.hits if hit.task.id == "n77"]
    assert {inner.source for inner in hit.explain[0].within} == {"sparse"}
    assert not result.degraded
    store.texts.clear()
    engine.find("77 number")
    assert store.given("document") == []
    store.tasks[77] = Task(id="n77", title="number seventy-seven", project_id="p")
    engine.find("seventy", fresh=True)
    assert store.given("document") == ["number seventy-seven"]


# Who embeds


def test_the_adapter_embeds_before_any_plugin_and_of_plugins_the_first(
    make_store: MakeStore, make_embedding_store: MakeStore, letters: Any, open_engine: OpenEngine
) -> None:
    first, second, store = letters("one"), letters("two"), make_embedding_store()
    open_engine(store, plugins=[first, second]).find("passport")
    assert (len(store.given("query")), first.texts, second.texts) == (1, [], [])
    open_engine(make_store(), plugins=[first, second]).find("passport")
    assert (len(first.given("query")), second.texts) == (1, [])
    open_engine(make_store(), plugins=[letters(None), second]).find("passport")
    assert len(second.given("query")) == 1


def test_no_embedder_is_no_degradation(
    make_store: MakeStore, make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    without = make_embedding_store()
    without.space = None
    for store in (make_store(), without):
        result = open_engine(store).find("passport")
        assert [branch.name for branch in result.branches] == ["sparse", "keyword"]
        assert (result.degraded, result.warnings) == (False, ())
    assert without.texts == []


def test_embedder_none_turns_dense_off(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_embedding_store()
    result = open_engine(store, embedder="none").find("passport")
    assert [branch.name for branch in result.branches] == ["sparse", "keyword"]
    assert store.texts == []


@pytest.mark.parametrize("call", ["semantic", "similar"])
def test_dense_calls_without_an_embedder_are_told_how_to_get_one(
    make_store: MakeStore, open_engine: OpenEngine, call: str
) -> None:
    with pytest.raises(NoEmbedderError) as caught:
        getattr(open_engine(make_store()), call)("t1")
    assert caught.value.exit_code == 2
    assert "pip install 'ats-core[local]'" in (caught.value.hint or "")


def test_the_local_embedder_without_its_extra_is_told_with_the_pip_line(
    make_store: MakeStore, open_engine: OpenEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ats_core.vectors.static.find_spec", lambda _: None)
    engine = open_engine(make_store(), embedder="local")
    for call in (engine.find, engine.semantic, engine.hybrid):
        with pytest.raises(NoEmbedderError) as caught:
            call("passport")
        assert caught.value.hint == "try: pip install 'ats-core[local]'"
        assert caught.value.exit_code == 2


def test_an_adapter_that_embeds_needs_no_local_embedder(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store()
    open_engine(store, embedder="local").find("passport")
    assert store.given("query") == ["passport"]


# Embedders that fail


def raising(error: Exception) -> Callable[[], Any]:
    def fail() -> None:
        raise error

    return fail


FAULTS: dict[str, tuple[dict[str, Callable[..., Any]], str]] = {
    "it raises": ({"embeddings": raising(ConnectionError("refused"))}, "ConnectionError: refused"),
    "it raises an error of ours": ({"embeddings": raising(EmbeddingError("no model"))}, "no model"),
    "it exits": ({"embeddings": raising(SystemExit(3))}, "SystemExit: 3"),  # type: ignore[arg-type]
    "too few rows": ({"embeddings": lambda texts: [[1.0]] * (len(texts) - 1)}, "for 1 texts"),
    "no numbers": ({"embeddings": lambda texts: "vectors"}, "no matrix of numbers"),
    "NaN for the query": ({"embeddings": lambda texts: [[float("nan")]] * len(texts)}, "zero or non-finite"),
    "no space": ({"embedding_space": raising(OSError("no file"))}, "embedding_space failed: OSError: no file"),
    "no space, in our words": ({"embedding_space": raising(EmbeddingError("model is missing"))}, "model is missing"),
    "a space that is no text": ({"embedding_space": lambda: 5}, "embedding_space broke its contract"),
}


@pytest.mark.parametrize("how", FAULTS)
def test_an_embedder_that_fails_leaves_hybrid_to_sparse_degraded_with_the_reason(
    make_store: MakeStore, make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report, how: str
) -> None:
    hooks, reason = FAULTS[how]
    result = open_engine(make_embedding_store(**hooks)).find("passport")
    plain = open_engine(make_store(), corpus_cache_disable=True).find("passport")
    assert [hit.task.id for hit in result.hits] == [hit.task.id for hit in plain.hits]
    hybrid = report(result, "hybrid")
    assert (hybrid.status, hybrid.ok) == ("degraded", True)
    assert hybrid.error.startswith("dense: ")
    assert reason in hybrid.error
    assert result.degraded
    assert any(reason in warning for warning in result.warnings)
    assert result.confidence.verdict != "strong"


def test_a_dimension_that_changes_within_a_space_is_told_and_never_mixed(
    make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    store = make_embedding_store()
    engine = open_engine(store)
    engine.find("passport")
    store.vector = lambda text: [1.0, float(len(text))]
    error = report(engine.find("passport"), "hybrid").error
    assert "the embedder gives 2 dimensions, the stored vectors have 26" in error


def test_a_dimension_that_changes_from_batch_to_batch_is_told(
    make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coverage, "BATCH", 2)
    store = make_embedding_store()
    store.vector = lambda text: [1.0] * (2 if "milk" in text or "passport" in text else 3)
    error = report(open_engine(store).find("passport"), "hybrid").error
    assert "dimensions, the stored vectors have" in error


# A budget that ends before all is embedded, and sync


@pytest.fixture
def many() -> list[Task]:
    return [
        Task(id=f"n{number}", title=f"number {number} {'xyz'[number % 3]}", project_id="p") for number in range(130)
    ]


def test_a_corpus_that_is_hardly_embedded_casts_no_dense_vote_and_what_was_done_is_kept(
    make_embedding_store: MakeStore,
    open_engine: OpenEngine,
    report: Report,
    many: list[Task],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ahead = 0.0
    store = make_embedding_store(many)
    plain = store.vector

    def slow(text: str) -> list[float]:
        nonlocal ahead
        if text == "number 63 x":  # the last of the first batch: now the time for embedding is over
            ahead = 170
        return plain(text)

    store.vector = slow
    engine = open_engine(store)
    monkeypatch.setattr(dense, "MERGE_MARGIN", 20)
    monkeypatch.setattr(engine, "_deadline", lambda: Deadline(200, clock=lambda: time.monotonic() + ahead))
    result = engine.find("number 7")
    hybrid = report(result, "hybrid")
    assert (hybrid.status, hybrid.error) == ("degraded", "dense: 64 of 130 embedded; run `ats sync`")
    assert {inner.source for hit in result.hits for inner in hit.explain[0].within} == {"sparse"}
    assert len(store.given("document")) == 64
    ahead, store.vector = 0.0, plain
    result = open_engine(store).find("number 7")
    assert not result.degraded
    assert len(store.given("document")) == 130


@pytest.mark.parametrize(("embedded", "votes"), [(18, False), (19, True)])
def test_dense_votes_from_95_percent_on(
    make_embedding_store: MakeStore,
    open_engine: OpenEngine,
    monkeypatch: pytest.MonkeyPatch,
    embedded: int,
    votes: bool,
) -> None:
    tasks = [Task(id=str(number), title=f"a{number}", project_id="p") for number in range(20)]
    store = make_embedding_store(tasks[:embedded])
    engine = open_engine(store)
    engine.state.sync()
    store.tasks = tasks
    monkeypatch.setattr(coverage.CorpusVectors, "embed_missing", lambda *_: 0)
    result = engine.find("a1", fresh=True)
    assert result.degraded is not votes
    if not votes:
        assert result.branches[0].error == "dense: 18 of 20 embedded; run `ats sync`"


def test_sync_embeds_all_that_is_missing_and_says_how_far_it_is(
    make_embedding_store: MakeStore, open_engine: OpenEngine, many: list[Task]
) -> None:
    store = make_embedding_store(many)
    steps: list[tuple[int, int]] = []
    engine = open_engine(store)
    summary = engine.state.sync(lambda done, total: steps.append((done, total))).counts
    assert steps == [(64, 130), (128, 130), (130, 130)]
    assert summary == {"tasks": 130, "embedded": 130, "missing": 0, "unusable": 0}
    assert engine.state.sync().counts == {"tasks": 130, "embedded": 0, "missing": 0, "unusable": 0}
    store.texts.clear()
    open_engine(store).find("number 7")
    assert store.texts == [("query", "number 7")]


def test_sync_that_is_stopped_keeps_what_it_did_and_goes_on_from_there(
    make_embedding_store: MakeStore, open_engine: OpenEngine, many: list[Task]
) -> None:
    store = make_embedding_store(many)

    def stop(done: int, total: int) -> None:
        if done > 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_engine(store).state.sync(stop)
    assert open_engine(store).state.sync().counts["embedded"] == 2


def test_sync_with_an_embedder_that_fails_raises_and_keeps_what_it_did(
    make_embedding_store: MakeStore, open_engine: OpenEngine, many: list[Task]
) -> None:
    store = make_embedding_store(many)
    plain = store.vector
    store.vector = lambda text: 1 / 0 if len(store.given("document")) > 64 else plain(text)
    with pytest.raises(EmbeddingError, match="ZeroDivisionError"):
        open_engine(store).state.sync()
    store.vector = plain
    assert open_engine(store).state.sync().counts["embedded"] == 66


def test_sync_without_an_embedder_is_told(make_store: MakeStore, open_engine: OpenEngine) -> None:
    with pytest.raises(NoEmbedderError):
        open_engine(make_store()).state.sync()


# Likeness to a task


def test_similar_leaves_out_its_seed_and_needs_no_query(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store()
    engine = open_engine(store)
    for reference in ("t1", "Renew passport"):
        result = engine.similar(reference)
        assert "t1" not in [hit.task.id for hit in result.hits]
        assert {hit.task.id for hit in result.hits} == {"t2", "t3", "t4"}
        assert [hit.sources for hit in result.hits] == [("dense",)] * 3
        assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert store.given("query") == []
    assert len(engine.similar("t1", limit=2).hits) == 2


def test_a_seed_outside_the_scope_is_a_seed_all_the_same(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    result = open_engine(make_embedding_store()).similar("t5")  # done
    assert {hit.task.id for hit in result.hits} == {"t1", "t2", "t3", "t4"}


def test_a_seed_without_words_is_told(make_embedding_store: MakeStore, open_engine: OpenEngine) -> None:
    store = make_embedding_store([Task(id="1", title="", project_id="p"), Task(id="2", title="b", project_id="p")])
    with pytest.raises(AllBranchesFailedError, match="no usable vector for the task 1"):
        open_engine(store).similar("1")


# A backend in place of core's own


class Backend:
    """Answers with fixed rankings and notes what it was asked."""

    def __init__(self, *ranking: Any) -> None:
        self.ranking: Any = list(ranking)
        self.asked: list[tuple[Any, ...]] = []

    def search(self, query: str, limit: int, mode: str, scope: frozenset[str] | None, deadline: Deadline) -> Any:
        self.asked.append(("search", query, limit, mode, scope))
        return self.ranking

    def similar(self, task: Task, limit: int, scope: frozenset[str] | None, deadline: Deadline) -> Any:
        self.asked.append(("similar", task.id, limit, scope))
        return self.ranking

    def sync(self, corpus: Any, progress: Callable[[int, int], None]) -> Any:
        progress(len(corpus), len(corpus))
        return {"points": len(corpus)}

    def status(self) -> Any:
        return {}


SCOPE = frozenset({"t1", "t2", "t3", "t4"})


def test_a_backend_takes_the_place_of_cores_hybrid_and_receives_the_scope(
    make_embedding_store: MakeStore, open_engine: OpenEngine, report: Report
) -> None:
    backend = Backend(Candidate(id="t3", within={"dense": (1, 0.9), "sparse": (4, 0.1)}), Candidate(id="t5"))
    store = make_embedding_store(hybrid_backend=lambda: backend)
    result = open_engine(store).find("passport")
    assert backend.asked == [("search", "passport", 20, "hybrid", SCOPE)]
    assert store.texts == []
    hybrid = report(result, "hybrid")
    assert (hybrid.status, hybrid.count, hybrid.dropped) == ("ok", 1, 1)
    (hit,) = [hit for hit in result.hits if hit.task.id == "t3"]
    assert [(inner.source, inner.rank, inner.score) for inner in hit.explain[0].within] == [
        ("dense", 1, 0.9),
        ("sparse", 4, 0.1),
    ]


def test_with_nothing_done_or_with_completed_tasks_a_backend_gets_no_scope(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    backend = Backend()
    engine = open_engine(make_store(hybrid_backend=lambda: backend))
    engine.find("passport", include_completed=True)
    engine.hybrid("passport", candidates=7)
    engine.semantic("passport")
    assert backend.asked == [
        ("search", "passport", 20, "hybrid", None),
        ("search", "passport", 7, "hybrid", SCOPE),
        ("search", "passport", 20, "dense", SCOPE),
    ]


def test_a_backends_similar_never_gives_the_seed_however_it_spells_its_id(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    tasks = [Task(id=number, title=f"n{number}", project_id="p") for number in (1, 2, 3)]  # type: ignore[arg-type]
    backend = Backend(Candidate(id=1), Candidate(id=3), Task(id=2, title=""))  # type: ignore[arg-type]
    result = open_engine(make_store(tasks, hybrid_backend=lambda: backend)).similar("1")
    assert [hit.task.id for hit in result.hits] == ["3", "2"]
    assert backend.asked == [("similar", "1", 21, None)]


def test_a_backend_syncs_itself(make_store: MakeStore, open_engine: OpenEngine) -> None:
    steps: list[tuple[int, int]] = []
    engine = open_engine(make_store(hybrid_backend=Backend))
    assert engine.state.sync(lambda done, total: steps.append((done, total))).counts == {"points": 5}
    assert steps == [(5, 5)]


def test_a_backend_that_is_not_configured_leaves_hybrid_to_core(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store(hybrid_backend=lambda: None)
    open_engine(store).find("passport")
    assert store.given("query") == ["passport"]


def test_embedder_none_skips_the_backend_too(make_store: MakeStore, open_engine: OpenEngine) -> None:
    backend = Backend(Candidate(id="t3"))
    result = open_engine(make_store(hybrid_backend=lambda: backend), embedder="none").find("passport")
    assert backend.asked == []
    assert result.branches[0].name == "sparse"


@pytest.mark.parametrize(
    ("hybrid_backend", "reason"),
    [
        (raising(OSError("no socket")), "hybrid backend: test: hybrid_backend failed: OSError: no socket"),
        (lambda: Backend(*[5]), "hybrid backend: a Candidate or a Task was expected, not int"),
        (
            object,
            "hybrid backend: test: hybrid_backend broke its contract:"
            " an object with the method search was expected, not object",
        ),
    ],
)
def test_where_a_backend_fails_sparse_stands_in_and_says_why(
    make_store: MakeStore, open_engine: OpenEngine, report: Report, hybrid_backend: Any, reason: str
) -> None:
    result = open_engine(make_store(hybrid_backend=hybrid_backend)).find("passport")
    hybrid = report(result, "hybrid")
    assert (hybrid.status, hybrid.error) == ("degraded", f"{reason}; sparse took its place")
    assert [hit.task.id for hit in result.hits] == ["t4", "t1"]
    assert result.degraded


def test_a_new_task_that_cannot_be_embedded_does_not_cost_denses_vote(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store(
        [Task(id=f"t{number}", title=f"note {number}", project_id="p") for number in range(50)]
    )
    open_engine(store).find("note")
    store.tasks.append(Task(id="new", title="brand new", project_id="p"))
    embed = store.vector

    def only_what_it_knows(text: str) -> list[float]:
        if text in ("brand new", "a note"):
            raise EmbeddingError("out of time")
        return embed(text)

    store.vector = only_what_it_knows
    result = open_engine(store).find("note", fresh=True)
    assert (result.branches[0].name, result.branches[0].status) == ("hybrid", "ok")
    assert result.warnings == ("50 of 51 embedded: out of time",)
