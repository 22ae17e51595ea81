"""The verdict on an answer, and the evidence that it rests on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from ats_core import Hit, Task
from ats_core.confidence import Evidence, judge
from ats_core.evidence import coverage, evidence_for, stand_out
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.models import Contribution, WithinExplain
from ats_core.retrieval.question import Question
from ats_core.text.analyser import Analyser
from ats_core.text.function_words import content_terms

LEXICAL, BOTH = frozenset({"lexical"}), frozenset({"lexical", "dense"})


def measured(
    coverage: float = 0.0,
    words: int = 0,
    families: frozenset[str] = LEXICAL,
    *,
    exact: bool = False,
    stand_out: float | None = None,
) -> Evidence:
    return Evidence(exact=exact, coverage=coverage, words=words, families=families, stand_out=stand_out)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (None, "none"),
        (measured(exact=True), "strong"),
        (measured(1.0, 3, BOTH), "strong"),
        (measured(0.8, 3, BOTH), "strong"),
        (measured(1.0, 3), "moderate"),
        (measured(0.79, 3, BOTH), "moderate"),
        # One word must be two thirds of the query, four or more must be 46 % of it.
        (measured(0.69, 1), "moderate"),
        (measured(0.68, 1, BOTH), "weak"),
        (measured(0.62, 2), "moderate"),
        (measured(0.60, 2), "weak"),
        (measured(0.47, 4), "moderate"),
        (measured(0.45, 4), "weak"),
        (measured(0.45, 40), "weak"),
        # Meaning alone: only where it stands out.
        (measured(0.0, 0, frozenset({"dense"}), stand_out=3.0), "moderate"),
        (measured(0.0, 0, frozenset({"dense"}), stand_out=2.9), "weak"),
        (measured(0.0, 0, frozenset()), "weak"),
    ],
)
def test_the_verdict_follows_from_what_was_measured(evidence: Evidence | None, verdict: str) -> None:
    confidence = judge(evidence, degraded=False)
    assert confidence.verdict == verdict
    assert confidence.reason


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (measured(1.0, 3, BOTH, exact=True), "moderate"),
        (measured(1.0, 3), "moderate"),
        (measured(0.1, 1), "weak"),
        (None, "none"),
    ],
)
def test_a_degraded_answer_is_at_most_moderate(evidence: Evidence | None, verdict: str) -> None:
    assert judge(evidence, degraded=True).verdict == verdict


def test_the_reason_says_what_was_measured() -> None:
    assert "67% of what the query says in 3 matching words" in judge(measured(2 / 3, 3), degraded=False).reason
    assert judge(measured(0.3, 1), degraded=False).reason.endswith("in 1 matching word")
    assert "dense and lexical agree" in judge(measured(0.9, 3, BOTH), degraded=False).reason
    assert "stands out" in judge(measured(stand_out=9.0), degraded=False).reason
    assert "none of the query's words" in judge(measured(), degraded=False).reason
    assert "degraded" in judge(measured(1.0, 3, BOTH, exact=True), degraded=True).reason


TASKS = [
    Task(id="t0", title="Renew insurance"),
    Task(id="t1", title="Release notes", content="rollback of the release"),
]


def evidence(query: str, task: Task, *explain: Contribution) -> Evidence:
    analyser = Analyser()
    index = SearchIndex(index_tasks(TASKS, analyser))
    exact = frozenset(task.id for task in TASKS if task.title.casefold() == query.casefold())
    question = SimpleNamespace(
        text=query,
        index=index,
        analyser=analyser,
        terms=analyser.query_terms(query),
        pinned=[*exact, *(task.id for task in TASKS if task.id == query)],
    )
    hit = Hit(task=task, score=1.0, sources=(), explain=explain)
    return evidence_for(hit, cast("Question", question), {})


def won(source: str, rank: int | None, *within: tuple[str, int | None]) -> Contribution:
    inner = tuple(WithinExplain(source=name, rank=place) for name, place in within)
    return Contribution(source=source, rank=rank, contribution=0.1, within=inner)


def test_an_exact_title_or_id_is_exact() -> None:
    assert evidence("renew insurance", TASKS[0]).exact
    assert evidence("t0", TASKS[0]).exact
    assert not evidence("renew", TASKS[0]).exact
    assert not evidence("renew insurance", TASKS[1]).exact


def test_coverage_is_that_of_the_query_by_the_hit() -> None:
    assert evidence("renew the insurance", TASKS[0]).coverage == 1.0
    assert 0 < evidence("renew rollback", TASKS[0]).coverage < 1
    assert evidence("zebra", TASKS[0]).coverage == 0.0
    assert evidence("renew insurance", Task(id="elsewhere", title="Renew insurance")).coverage == 0.0


def test_a_compound_is_covered_by_its_parts() -> None:
    tasks = [Task(id="a", title="ABC note, ticket 358"), Task(id="b", title="ABC-358"), Task(id="c", title="358")]
    index = SearchIndex(index_tasks(tasks, Analyser()))
    question = SimpleNamespace(index=index, analyser=Analyser(), terms=Analyser().query_terms("abc-358"))
    shares = [coverage(cast("Question", question), ordinal).share for ordinal in range(3)]
    assert shares[0] == shares[1] == 1.0
    assert shares[2] < 0.5


def test_function_words_of_chinese_and_japanese_do_not_count() -> None:
    tasks = [Task(id="zh", title="开放时间", content="周末不开放"), Task(id="ja", title="京都の宿")]
    index = SearchIndex(index_tasks(tasks, Analyser()))
    for query, ordinal in (("开放的是什么", 0), ("京都の宿はどこ", 1)):
        question = SimpleNamespace(index=index, analyser=Analyser(), terms=Analyser().query_terms(query))
        assert coverage(cast("Question", question), ordinal).share == 1.0


def test_a_question_of_function_words_alone_still_has_a_coverage() -> None:
    assert list(content_terms(["什么", "的是"])) == ["什么", "的是"]
    assert list(content_terms(["什么", "京都", "node.js"])) == ["京都", "node.js"]


def test_what_stands_out_is_more_than_chance_gives_the_best_of_many() -> None:
    numpy = pytest.importorskip("numpy")
    strangers = numpy.random.default_rng(7).normal(size=1000).astype("float32")
    best = int(strangers.argmax())
    assert abs(stand_out(strangers, best) or 9) < 1
    strangers[best] = 30
    assert (stand_out(strangers, best) or 0) > 3
    assert stand_out(numpy.array([0.5, 0.5], dtype="float32"), 0) is None
    assert stand_out(numpy.array([0.5, numpy.nan, 0.1], dtype="float32"), 1) is None


@pytest.mark.parametrize(
    ("explain", "families"),
    [
        ([], set()),
        ([won("keyword", 1), won("sparse", 1)], {"lexical"}),
        ([won("notes_find", 3)], {"lexical"}),
        ([won("keyword", 1), won("native", 3)], {"lexical", "native"}),
        ([won("keyword", 4), won("native", 4)], set()),
        ([won("hybrid", 1, ("dense", 2), ("sparse", 9))], {"dense"}),
        ([won("hybrid", 9, ("dense", 1), ("sparse", 3))], {"dense", "lexical"}),
        ([won("hybrid", 1, ("dense", None), ("sparse", 1))], {"lexical"}),
        ([won("hybrid", 1), won("custom", 1)], set()),
    ],
)
def test_families_are_those_that_have_the_hit_among_their_first_three(
    explain: list[Contribution], families: set[str]
) -> None:
    assert evidence("renew", TASKS[0], *explain).families == families
