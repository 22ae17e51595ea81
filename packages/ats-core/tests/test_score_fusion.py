"""Score fusion against its formula computed by hand, from pure contests up to whole answers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np
import pytest
from ats_core import Branch, Candidate, Engine, FindResult, Standing, Task
from ats_core.cache.file import Header
from ats_core.cache.opened import open_tasks
from ats_core.filters import Filters, Selection
from ats_core.fusion.fused import PINNED, BranchRanking, Contest, Fused, Share, Signal, Signals
from ats_core.fusion.score import score
from ats_core.retrieval.question import Question
from ats_core.retrieval.signals import signals_of
from ats_core.retrieval.vote import Vote
from ats_core.text.analyser import Analyser
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]

at_any_pace = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
EXACTLY = 1e-12


def by_id(task_id: str) -> tuple[bool, int]:
    return True, 0


# The method alone


def signal(name: str, weight: float, values: Mapping[str, float]) -> Signal:
    return Signal(name, weight, lambda task_id: values.get(task_id, 0.0), values.get)


def fuse(rankings: Mapping[str, str], *parts: Signal, branch: str = "hybrid", pinned: str = "") -> list[Fused]:
    """Fuse rankings of ids (a string's letters); with signals where there are parts."""
    named = [BranchRanking(name, list(ids)) for name, ids in rankings.items()]
    signals = Signals(branch, parts) if parts else None
    return score(Contest(named, by_id, pinned=list(pinned), signals=lambda: signals))


def scores(fused: Sequence[Fused]) -> dict[str, float]:
    return {hit.id: hit.score for hit in fused}


def test_signals_add_their_weighted_shares_and_other_branches_a_bonus_by_rank() -> None:
    dense, sparse = {"a": 0.25, "b": 1.0, "c": 0.5}, {"a": 1.0, "b": 0.2}
    fused = fuse(
        {"hybrid": "ab", "keyword": "ca", "native": "a"}, signal("dense", 0.35, dense), signal("sparse", 0.65, sparse)
    )
    assert scores(fused) == pytest.approx(
        {
            "a": 0.35 * 0.25 + 0.65 * 1.0 + 0.2 * 60 / 62 + 0.2 * 60 / 61,
            "b": 0.35 * 1.0 + 0.65 * 0.2,
            "c": 0.35 * 0.5 + 0.2 * 60 / 61,  # not among hybrid's, and scored by its signals all the same
        },
        abs=EXACTLY,
    )
    assert [hit.id for hit in fused] == ["a", "b", "c"]
    assert [(share.branch, share.rank) for share in fused[2].shares] == [("hybrid", None), ("keyword", 1)]


def test_a_branch_without_inner_scores_enters_in_hybrids_place_by_rank() -> None:
    fused = fuse({"hybrid": "ab", "keyword": "b", "custom": "cb"})
    assert scores(fused) == pytest.approx(
        {"a": 60 / 61, "b": 60 / 62 + 0.2 * 60 / 61 + 0.2 * 60 / 62, "c": 0.2 * 60 / 61}, abs=EXACTLY
    )
    assert [hit.id for hit in fused] == ["b", "a", "c"]


def test_pinned_tasks_come_first_in_the_order_given_with_a_line_of_nothing() -> None:
    fused = fuse({"hybrid": "abcd", "id": "d"}, signal("sparse", 1.0, {"a": 1.0, "b": 0.9}), pinned="dbx")
    assert [hit.id for hit in fused] == ["d", "b", "a", "c"]
    assert fused[0].shares[0] == fused[1].shares[0] == Share(PINNED, None, 0.0)
    assert fused[1].score == 0.9 < fused[2].score
    assert all(share.branch != PINNED for hit in fused[2:] for share in hit.shares)


def test_a_branch_that_neither_ranks_nor_scores_a_task_has_no_line() -> None:
    (only,) = fuse({"hybrid": "", "keyword": "a"}, signal("sparse", 1.0, {}))
    assert [share.branch for share in only.shares] == ["keyword"]


branches = st.dictionaries(
    st.sampled_from(["hybrid", "keyword", "native", "one", "two"]), st.text("abcdefgh", max_size=8), min_size=1
)
values = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1))


@at_any_pace
@given(branches, values, values, st.floats(0, 1), st.data())
def test_neither_the_order_of_branches_nor_an_empty_one_moves_a_score(
    rankings: dict[str, str], dense: dict[str, float], sparse: dict[str, float], weight: float, data: st.DataObject
) -> None:
    parts = (signal("dense", weight, dense), signal("sparse", 1 - weight, sparse))
    fused = fuse(rankings, *parts)
    shuffled = fuse(dict(data.draw(st.permutations(list(rankings.items())))), *parts)
    assert scores(shuffled) == scores(fused)  # to the bit
    assert fuse({"empty": "", **rankings, "nothing": ""}, *parts) == fused
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)
    assert set(scores(fused)) == {task_id for ids in rankings.values() for task_id in ids}


@at_any_pace
@given(branches, values, st.text("abcdefgh", max_size=3))
def test_lines_and_their_parts_sum_to_the_score(
    rankings: dict[str, str], sparse: dict[str, float], pinned: str
) -> None:
    for hit in fuse(rankings, signal("dense", 0.35, sparse), signal("sparse", 0.65, sparse), pinned=pinned):
        assert math.fsum(share.contribution for share in hit.shares) == pytest.approx(hit.score, abs=1e-9)
        for share in hit.shares:
            if share.parts:
                assert math.fsum(part.contribution for part in share.parts) == pytest.approx(
                    share.contribution, abs=1e-9
                )


def test_equal_scores_are_told_apart_by_rank_then_branch_then_corpus_order() -> None:
    assert [hit.id for hit in fuse({"one": "zy", "two": "yz"})] == ["z", "y"]
    flat = signal("sparse", 1.0, dict.fromkeys("abc", 0.5))
    assert [hit.id for hit in fuse({"hybrid": "cab"}, flat)] == ["c", "a", "b"]
    flat_backwards = Contest(
        [BranchRanking("hybrid", ["x"]), BranchRanking("keyword", ["b", "a"])],
        lambda task_id: (task_id != "a", 0),
        signals=lambda: Signals("hybrid", (signal("sparse", 1.0, {"a": 0.2 * 60 / 61 - 0.2 * 60 / 62}),)),
    )
    assert score(flat_backwards)[0].id == "a"  # equal scores: the exact title


# The signals


TASKS = [
    Task(id="t0", title="renew passport", content="before may"),
    Task(id="t1", title="passport", content="renew it and renew it again soon"),
    Task(id="t2", title="library card", content="renew"),
    Task(id="t3", title="milk", content="oats bread"),
    Task(id="t4", title="insurance", content="call them", tags=("passport",)),
]


def sparse_by_hand(query: str, tasks: Sequence[Task]) -> dict[str, float]:
    """The design's formula, written down a second time, over words with blanks between them."""
    words = set(query.split())
    texts = {task.id: f"{task.title} {task.content} {' '.join(task.tags)}".split() for task in tasks}
    titles = {task.id: task.title.split() for task in tasks}
    average = statistics.fmean(map(len, texts.values()))
    frequency = {word: sum(word in text for text in texts.values()) for word in words}
    idf = {word: math.log(1 + (len(tasks) - df + 0.5) / (df + 0.5)) for word, df in frequency.items()}
    result = {}
    for task_id, text in texts.items():
        matched = [word for word in words if word in text]
        coverage = math.fsum(idf[word] for word in matched) / math.fsum(idf.values())
        total = 0.0
        for word in matched:
            tf = text.count(word)
            saturation = tf * 2.2 / (tf + 1.2 * (1 - 0.75 + 0.75 * len(text) / average))
            total += idf[word] * (saturation + (word in titles[task_id]))
        if matched:
            result[task_id] = math.sqrt(coverage) * total
    return result


def question(query: str, tasks: list[Task] = TASKS, **filters: Any) -> Question:
    analyser = Analyser("none")
    header = Header(schema=1, adapter="test", scope="", fetched_at=0.0)
    opened = open_tasks(tasks, header, analyser)
    selection = Selection(Filters(**filters), opened, datetime(2026, 12, 1).astimezone())
    return Question(query, opened, analyser, selection=selection, candidates=20)


def hybrid_vote(*task_ids: str, cosines: Sequence[float] | None = None, **within: Any) -> Vote:
    array = None if cosines is None else np.array(cosines, dtype=np.float32)
    own = None if cosines is None else {"dense": Standing(rank=1), "sparse": Standing(rank=1)}
    return Vote([Candidate(id=task_id, within=within.get(task_id, own)) for task_id in task_ids], cosines=array)


def shares(query: str, votes: Mapping[str, Vote], weight: float = 0.35, **filters: Any) -> dict[str, dict[str, float]]:
    """What each signal would add, by its name and by task."""
    signals = signals_of(question(query, **filters), votes, weight)
    assert signals is not None
    return {
        part.name: {task.id: part.weight * part.value(task.id) for task in TASKS} | {"x": part.value("x")}
        for part in signals.parts
    }


QUERY = "renew passport"
BY_HAND = sparse_by_hand(QUERY, TASKS)
SPARSE = {f"t{at}": BY_HAND.get(f"t{at}", 0.0) / max(BY_HAND.values()) for at in range(5)} | {"x": 0.0}


def times(weight: float, parts: Mapping[str, float]) -> Any:
    return pytest.approx({name: weight * part for name, part in parts.items()}, abs=EXACTLY)


def test_sparse_alone_weighs_one() -> None:
    assert BY_HAND.keys() == {"t0", "t1", "t2", "t4"}
    assert shares(QUERY, {"sparse": hybrid_vote("t0")}) == {"sparse": times(1, SPARSE)}
    # Hybrid whose dense failed is the sparse ranking.
    failed = hybrid_vote("t0", t0={"sparse": Standing(rank=1, score=1.0)})
    assert shares(QUERY, {"hybrid": failed}) == {"sparse": times(1, SPARSE)}


COSINES = (0.5, 0.75, -0.25, 0.0, 0.25)  # median .25, most .75
DENSE = {"t0": 0.5, "t1": 1.0, "t2": 0.0, "t3": 0.0, "t4": 0.0, "x": 0.0}


@pytest.mark.parametrize("weight", [0.35, 0.5, 0.0, 1.0, 0.123])
def test_dense_counts_from_the_median_to_the_best_and_weights_sum_to_one(weight: float) -> None:
    votes = {"hybrid": hybrid_vote("t0", cosines=COSINES)}
    assert shares(QUERY, votes, weight) == {"dense": times(weight, DENSE), "sparse": times(1 - weight, SPARSE)}


def test_dense_alone_weighs_one() -> None:
    for query in ("zebra", "("):  # no term is held, there is no term
        assert shares(query, {"hybrid": hybrid_vote("t0", cosines=COSINES)}) == {"dense": times(1, DENSE)}


def test_without_a_usable_vector_sparse_weighs_one() -> None:
    votes = {"hybrid": hybrid_vote("t0", cosines=[math.nan] * 5)}
    assert shares(QUERY, votes) == {"sparse": times(1, SPARSE)}


@pytest.mark.parametrize(
    ("cosines", "expected"),
    [
        ((0.5, 0.5, 0.5, 0.5, 0.5), (1, 1, 1, 1, 1)),
        ((0.5, 0.5, 0.5, 0.5, 0.25), (1, 1, 1, 1, 0)),
        ((0.5, 0.5, 0.5 - 2**-24, 0.5, 0.5), (1, 1, 0, 1, 1)),
        ((0.5, math.nan, math.nan, 0.25, 0.0), (1, 0, 0, 0, 0)),
        ((0.25, math.nan, math.nan, math.nan, math.nan), (1, 0, 0, 0, 0)),
    ],
)
def test_without_a_spread_only_the_best_counts(cosines: Sequence[float], expected: Sequence[int]) -> None:
    dense = shares("zebra", {"hybrid": hybrid_vote("t0", cosines=cosines)})["dense"]
    assert dense == {f"t{at}": float(share) for at, share in enumerate(expected)} | {"x": 0.0}


def test_the_median_is_the_corpus_and_the_best_are_those_of_the_scope() -> None:
    dense = shares(QUERY, {"hybrid": hybrid_vote("t0", cosines=COSINES)}, 1.0, tags=("passport",))
    assert dense["dense"]["t4"] == 1.0  # alone in the scope, at the median: no spread
    sparse = shares(QUERY, {"sparse": hybrid_vote("t4")}, tags=("passport",))["sparse"]
    assert sparse["t4"] == 1.0


def test_a_backend_that_shows_no_inner_scores_has_no_signals() -> None:
    assert signals_of(question(QUERY), {"hybrid": hybrid_vote("t0", "t1")}, 0.5) is None
    assert signals_of(question(QUERY), {"keyword": hybrid_vote("t0")}, 0.5) is None


def test_a_backends_cosines_count_from_its_least_to_its_best() -> None:
    within = {f"t{at}": {"dense": Standing(rank=1 + at, score=0.75 - at / 4)} for at in range(3)}
    found = shares(QUERY, {"hybrid": hybrid_vote("t0", "t1", "t2", **within)}, 0.5)
    assert found["dense"] == {"t0": 0.5, "t1": 0.25, "t2": 0.0, "t3": 0.0, "t4": 0.0, "x": 0.0}
    assert found["sparse"] == times(0.5, SPARSE)


# Whole answers


def circle(cosine: float) -> list[float]:
    return [cosine, math.sqrt(1 - cosine * cosine)]


def embedding(
    make_embedding_store: MakeStore, cosines: Mapping[str, float], tasks: Sequence[Task], **hooks: Any
) -> Any:
    """A store whose embedder gives each title's task this cosine to any query."""
    store = make_embedding_store([msgspec.structs.replace(task, project_id="p") for task in tasks], **hooks)
    by_title = {task.title: circle(cosines[task.id]) for task in tasks if task.id in cosines}
    store.vector = lambda text: by_title.get(text.split("\n")[0], [1.0, 0.0])
    return store


@pytest.mark.parametrize(("setting", "weight"), [(None, 0.5), (0.35, 0.35), (0.9, 0.9)])
def test_an_answer_is_the_formula(
    make_embedding_store: MakeStore, open_engine: OpenEngine, setting: float | None, weight: float
) -> None:
    cosines = {task.id: cosine for task, cosine in zip(TASKS, COSINES, strict=True)}
    native = [Candidate(id="t3"), Candidate(id="t0")]
    store = embedding(make_embedding_store, cosines, TASKS, search_by_query=lambda: native)
    engine = open_engine(store, fusion="score", language="none", dense_weight=setting)
    true_cosines = {hit.task.id: hit.score for hit in engine.semantic("passport", limit=10).hits}
    median, most = statistics.median(true_cosines.values()), max(true_cosines.values())
    by_hand = sparse_by_hand("passport", TASKS)
    keyword = {"t1": 1, "t0": 2}  # exact title, then title contains
    expected = {
        task.id: weight * min(1.0, max(0.0, (true_cosines[task.id] - median) / (most - median)))
        + (1 - weight) * by_hand.get(task.id, 0.0) / max(by_hand.values())
        + (0.2 * 60 / (60 + keyword[task.id]) if task.id in keyword else 0)
        + {"t3": 0.2 * 60 / 61, "t0": 0.2 * 60 / 62}.get(task.id, 0)
        for task in TASKS
    }
    result = engine.find("passport", limit=10)
    assert result.fusion == "score"
    assert {hit.task.id: hit.score for hit in result.hits} == pytest.approx(expected, abs=EXACTLY)
    ranked = sorted(expected, key=lambda task_id: -expected[task_id])
    assert [hit.task.id for hit in result.hits] == ["t1", *(task_id for task_id in ranked if task_id != "t1")]


def test_the_static_embedder_weighs_less(make_store: MakeStore, open_engine: OpenEngine) -> None:
    pytest.importorskip("wordllama")
    hits = open_engine(make_store(), fusion="score", embedder="local").find("renew my travel papers", limit=1).hits
    parts = {part.source: part.contribution for part in hits[0].explain[0].within}
    assert parts["dense"] == pytest.approx(0.35) or parts["sparse"] == pytest.approx(0.65)


def test_a_task_outside_of_a_branches_best_gets_its_true_scores(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    tasks = [Task(id=f"t{at:02}", title=f"word {'x ' * at}end {at}") for at in range(40)]
    cosines = {task.id: 0.9 - at / 100 for at, task in enumerate(tasks)}
    last = Candidate(id="t39")
    store = embedding(make_embedding_store, cosines, tasks, search_by_query=lambda: [last])
    engine = open_engine(store, fusion="score", language="none")
    result = engine.find("word zzz", limit=20)
    (hit,) = [hit for hit in result.hits if hit.task.id == "t39"]
    hybrid, native = hit.explain
    assert (hybrid.source, hybrid.rank, native.source, native.rank) == ("hybrid", None, "native", 1)
    assert hit.sources == ("native",)
    parts = {part.source: part for part in hybrid.within}
    by_hand = sparse_by_hand("word zzz", tasks)
    assert parts["sparse"].rank is None
    assert parts["sparse"].score == pytest.approx(by_hand["t39"], abs=EXACTLY)
    assert parts["sparse"].contribution == pytest.approx(0.5 * by_hand["t39"] / max(by_hand.values()), abs=EXACTLY)
    assert parts["dense"].score == pytest.approx(cosines["t39"], abs=1e-6)
    assert parts["dense"].contribution == 0.0  # below the median


class Backend:
    def __init__(self, *ranking: Candidate) -> None:
        self.ranking = ranking

    def search(self, *_: Any) -> Sequence[Candidate]:
        return self.ranking


def test_a_backend_without_within_enters_by_rank_and_one_with_it_by_its_scores(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    plain = Backend(Candidate(id="t3", score=0.4), Candidate(id="t1", score=0.3))
    result = open_engine(make_store(hybrid_backend=lambda: plain), fusion="score").find("papers")
    assert [(hit.task.id, hit.score) for hit in result.hits] == [("t3", 60 / 61), ("t1", 60 / 62)]
    assert [(part.source, part.rank, part.contribution) for part in result.hits[0].explain] == [("hybrid", 1, 60 / 61)]

    filled = Backend(
        Candidate(id="t3", within={"dense": (1, 0.8)}),
        Candidate(id="t1", within={"dense": (2, 0.7), "sparse": (1, 9.0)}),
        Candidate(id="t2", within={"dense": (3, 0.4)}),
    )
    result = open_engine(make_store(hybrid_backend=lambda: filled), fusion="score", dense_weight=0.5).find("drawer")
    assert {hit.task.id: hit.score for hit in result.hits} == pytest.approx(
        {"t3": 0.5, "t1": 0.5 * 0.75 + 0.5 + 0.2 * 60 / 61, "t2": 0.0}, abs=EXACTLY
    )
    within = {part.source: (part.rank, part.score) for part in result.hits[0].explain[0].within}
    assert within["dense"] == (2, 0.7)
    assert within["sparse"][0] == 1


def test_contributions_and_their_parts_sum_to_the_score(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_embedding_store(
        search_by_query=lambda: [Candidate(id="t3"), Candidate(id="t2")],
        branches=lambda: [Branch("mine", lambda *_: [Candidate(id="t4")])],
    )
    for embedder in ("auto", "none"):
        engine = open_engine(store, fusion="score", embedder=embedder)
        for query in ("passport", "renew passport", "t2", "zzz", "a", "Renew the PASSPORT, please"):
            hits = engine.find(query, limit=20).hits
            assert hits
            for hit in hits:
                assert math.fsum(part.contribution for part in hit.explain) == pytest.approx(hit.score, abs=1e-9)
                assert hit.sources == tuple(part.source for part in hit.explain if part.rank is not None)
                for part in hit.explain:
                    inner = [one.contribution for one in part.within if one.contribution is not None]
                    assert not inner or math.fsum(inner) == pytest.approx(part.contribution, abs=1e-9)


def test_sparse_as_a_branch_of_its_own_shows_its_rank_and_counts_as_evidence(
    make_store: MakeStore, open_engine: OpenEngine
) -> None:
    store = make_store(search_by_query=lambda: [Candidate(id="t1")])
    verdicts = {}
    for fusion in ("rrf", "score"):
        result = open_engine(store, fusion=fusion).find("passport renew")
        assert result.hits[0].explain[0].source == "sparse"
        assert all(part.rank == 1 for part in result.hits[0].explain[0].within)
        verdicts[fusion] = result.confidence
    assert verdicts["rrf"] == verdicts["score"]
    assert verdicts["score"].verdict == "strong"


def test_tasks_whose_title_or_id_is_the_query_come_first_in_corpus_order_and_say_so(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    tasks = [
        Task(id="loud", title="plan plan", content="plan plan plan", project_id="p"),
        Task(id="plan", title="something else", content="long " * 50, project_id="p"),
        Task(id="b", title="  PLAN ", content="other " * 500, project_id="p"),
        Task(id="a", title="plan", content="words " * 500, project_id="p"),
    ]
    result = open_engine(make_embedding_store(tasks), fusion="score").find("plan")
    assert ids(result) == ["plan", "b", "a", "loud"]
    for hit in result.hits[:3]:
        assert (hit.explain[0].source, hit.explain[0].rank, hit.explain[0].contribution) == ("pinned", None, 0.0)
        assert "pinned" not in hit.sources
    assert result.hits[3].explain[0].source == "hybrid"
    assert result.confidence.verdict == "strong"


def test_a_task_from_outside_of_the_corpus_has_the_bonus_alone(
    make_embedding_store: MakeStore, open_engine: OpenEngine
) -> None:
    stranger = Task(id="far", title="Renew passport", project_id="elsewhere")
    store = make_embedding_store(search_by_query=lambda: [Candidate(id="far", task=stranger), Candidate(id="gone")])
    result = open_engine(store, fusion="score").find("renew passport", limit=20)
    (hit,) = [hit for hit in result.hits if hit.task.id == "far"]
    assert hit.score == pytest.approx(0.2 * 60 / 61, abs=EXACTLY)
    assert [part.source for part in hit.explain] == ["native"]
    assert result.hits[0].task.id == "t1"
    assert {branch.name: branch.dropped for branch in result.branches}["native"] == 1


def test_fifty_equal_tasks_keep_corpus_order_and_the_limit_only_cuts(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    tasks = [Task(id=f"{at * 7 % 50:02}", title="same thing", project_id="p") for at in range(50)]
    engine = open_engine(make_embedding_store(tasks), fusion="score")
    whole = ids(engine.find("same", limit=50))
    assert whole == [task.id for task in tasks]
    for limit in (1, 5, 19, 20, 21):
        assert ids(engine.find("same", limit=limit)) == whole[:limit]
