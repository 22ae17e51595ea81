"""The verdict on an answer, and the evidence that it rests on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest
from ats_core import Hit, Task
from ats_core.branches.sparse import SparseScores
from ats_core.confidence import Evidence, judge
from ats_core.evidence import evidence_for
from ats_core.index.reader import SearchIndex, index_tasks
from ats_core.models import Contribution, WithinExplain
from ats_core.retrieval.question import Question
from ats_core.text.analyser import Analyser

LEXICAL, BOTH = frozenset({"lexical"}), frozenset({"lexical", "dense"})


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (None, "none"),
        (Evidence(exact=True, coverage=0.0, families=frozenset()), "strong"),
        (Evidence(exact=False, coverage=1.0, families=BOTH), "strong"),
        (Evidence(exact=False, coverage=0.8, families=BOTH), "strong"),
        (Evidence(exact=False, coverage=1.0, families=LEXICAL), "moderate"),
        (Evidence(exact=False, coverage=0.79, families=BOTH), "moderate"),
        (Evidence(exact=False, coverage=0.5, families=LEXICAL), "moderate"),
        (Evidence(exact=False, coverage=0.49, families=BOTH), "weak"),
        (Evidence(exact=False, coverage=0.0, families=frozenset()), "weak"),
    ],
)
def test_the_verdict_follows_from_coverage_and_independent_families(evidence: Evidence | None, verdict: str) -> None:
    confidence = judge(evidence, degraded=False)
    assert confidence.verdict == verdict
    assert confidence.reason


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Evidence(exact=True, coverage=1.0, families=BOTH), "moderate"),
        (Evidence(exact=False, coverage=1.0, families=LEXICAL), "moderate"),
        (Evidence(exact=False, coverage=0.1, families=LEXICAL), "weak"),
        (None, "none"),
    ],
)
def test_a_degraded_answer_is_at_most_moderate(evidence: Evidence | None, verdict: str) -> None:
    assert judge(evidence, degraded=True).verdict == verdict


def test_the_reason_says_what_was_measured() -> None:
    assert "67%" in judge(Evidence(exact=False, coverage=2 / 3, families=BOTH), degraded=False).reason
    assert "dense, lexical" in judge(Evidence(exact=False, coverage=0.9, families=BOTH), degraded=False).reason
    assert "degraded" in judge(Evidence(exact=True, coverage=1.0, families=BOTH), degraded=True).reason


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
        exact_titles=exact,
        sparse_scores=SparseScores(analyser.query_terms(query), index),
    )
    hit = Hit(task=task, score=1.0, sources=(), explain=explain)
    return evidence_for(hit, cast("Question", question))


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
