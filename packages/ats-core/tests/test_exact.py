"""What is typed exactly is found; what is nearly right is suggested; and what is doubtful can be left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from ats_core import Branch, Candidate, Engine, FindResult, Project, Task, UsageError
from ats_core.testing import make_engine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MakeStore = Callable[..., Any]
OpenEngine = Callable[..., Engine]
Ids = Callable[[FindResult], list[str]]
LogLines = Callable[[], list[dict[str, Any]]]

LOUD = [
    Task(id=f"loud{at}", title=f"Travel {at}", content="renew the passport " * (1 + at), project_id="p")
    for at in range(30)
]
TITLED = Task(
    id="titled", title="Renew the passport", content="nothing of it here, but much else. " * 40, project_id="p"
)


@pytest.mark.parametrize("embedder", ["auto", "none"])
@pytest.mark.parametrize("query", ["Renew the passport", "renew THE passport", "  Ｒenew the pássport "])
def test_a_title_typed_exactly_comes_first_under_score_and_within_three_under_rrf(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids, embedder: str, query: str
) -> None:
    store = make_embedding_store([*LOUD[:15], TITLED, *LOUD[15:]])
    assert ids(open_engine(store, fusion="score", embedder=embedder).find(query))[0] == "titled"
    assert "titled" in ids(open_engine(store, fusion="rrf", embedder=embedder).find(query))[:3]


def test_rrf_moves_what_is_typed_exactly_no_further_than_it_must(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids
) -> None:
    natural = open_engine(make_store([*LOUD[:2], TITLED])).find("renew the passport")
    assert "titled" in ids(natural)
    assert all(part.source != "pinned" for hit in natural.hits for part in hit.explain)
    assert [hit.score for hit in natural.hits] == sorted((hit.score for hit in natural.hits), reverse=True)

    twin = msgspec.structs.replace(TITLED, id="twin")
    buried = open_engine(make_store([*LOUD, TITLED, twin])).find("renew the passport", limit=20, fresh=True)
    assert ids(buried).index("titled") == 2
    assert [hit.task.id for hit in buried.hits if hit.explain[0].source == "pinned"] == ["titled"]
    others = [hit.score for hit in buried.hits if hit.task.id != "titled"]
    assert others == sorted(others, reverse=True)


letters = st.text(st.sampled_from("ab "), min_size=1, max_size=12)


@pytest.mark.parametrize("fusion", ["rrf", "score"])
def test_whatever_the_bodies_say(make_store: MakeStore, open_engine: OpenEngine, ids: Ids, fusion: str) -> None:
    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(letters, max_size=30), st.sampled_from(["a", "a b", "ab a"]))
    def check(bodies: list[str], title: str) -> None:
        tasks = [Task(id=f"{at}", title=f"note {at}", content=body, project_id="p") for at, body in enumerate(bodies)]
        exact = Task(id="exact", title=title, content="c " * 200, project_id="p")
        found = ids(open_engine(make_store([*tasks, exact]), fusion=fusion, corpus_ttl_ms=0).find(title))
        assert "exact" in found[: 1 if fusion == "score" else 3]

    check()


@pytest.mark.parametrize("fusion", ["rrf", "score"])
def test_an_id_typed_exactly_is_found_first_by_every_call_however_often_it_is_mentioned(
    make_embedding_store: MakeStore, open_engine: OpenEngine, ids: Ids, fusion: str
) -> None:
    mentions = [
        Task(id=f"m{at}", title=f"after ABC-358 {at}", content="see ABC-358", project_id="p") for at in range(30)
    ]
    target = Task(id="ABC-358", title="Something else", content="without its number", project_id="p")
    store = make_embedding_store(
        [*mentions, target],
        [Project(id="p", name="P", kind="notes")],
        search_by_query=lambda: [Candidate(id=task.id) for task in mentions],
        branches=lambda: [Branch("mine", lambda *_: [Candidate(id=task.id) for task in mentions])],
    )
    engine = open_engine(store, fusion=fusion)
    for call in (engine.find, engine.hybrid, engine.sparse, engine.keyword, engine.notes_find, engine.semantic):
        result = call("ABC-358", limit=3)
        assert ids(result)[0] == "ABC-358", call
        assert ids(result).count("ABC-358") == 1
        assert "id" in result.hits[0].sources
        assert result.confidence.verdict == "strong"
        assert len(result.hits) == 3 or call in (engine.notes_find,)
    hit = engine.find("ABC-358").hits[0]
    assert (hit.explain[0].source, hit.explain[0].rank, hit.explain[0].contribution) == ("pinned", None, 0.0)
    assert sum(part.contribution for part in hit.explain) == pytest.approx(hit.score, abs=1e-9)


def test_an_id_outside_of_the_filters_is_not_found(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    engine = open_engine(make_store())
    assert ids(engine.find("t5")) == []  # done
    assert ids(engine.find("t5", include_completed=True)) == ["t5"]
    assert ids(engine.find("t1", project="Work")) == []
    assert ids(engine.keyword("t1")) == ["t1"]
    assert ids(engine.keyword("t")) == ["t2", "t3", "t4", "t1"] or "t1" in ids(engine.keyword("t"))


def test_ids_with_signs_and_in_any_script_are_ids(make_store: MakeStore, open_engine: OpenEngine, ids: Ids) -> None:
    odd = ["task/ä", "42", "-x", "(", "65f0c0ffee0123456789abcd", "inbox1_7", "任务"]
    engine = open_engine(make_store([Task(id=one, title="same", project_id="p") for one in odd]))
    for one in odd:
        assert ids(engine.find(one)) == [one]
        assert ids(engine.sparse(one)) == [one]


# Suggestions


@pytest.mark.parametrize("query", ["pasport fotos", "Pasport Photos", "passprt phots"])
def test_where_nothing_matches_near_titles_are_suggested_and_are_no_hits(
    make_store: MakeStore, open_engine: OpenEngine, log_lines: LogLines, query: str
) -> None:
    engine = open_engine(make_store(), language="none")
    result = engine.keyword(query)
    assert result.hits == ()
    assert result.confidence.verdict == "none"
    assert result.suggestions[0] == "Passport photos"
    assert (log_lines()[-1]["resultCount"], log_lines()[-1]["topId"]) == (0, None)
    assert not result.degraded


def test_nothing_far_off_is_suggested_and_nothing_beside_hits(make_store: MakeStore, open_engine: OpenEngine) -> None:
    engine = open_engine(make_store())
    assert engine.find("zzzzzz qqq").suggestions == ()
    result = engine.find("passport")
    assert result.hits
    assert result.suggestions == ()
    assert make_engine(make_store([])).find("passport").suggestions == ()


def test_what_the_filters_exclude_is_not_suggested(make_store: MakeStore, open_engine: OpenEngine) -> None:
    engine = open_engine(make_store())
    assert engine.keyword("old vsa form", include_completed=True).suggestions == ("Old visa form",)
    assert "Old visa form" not in engine.keyword("old vsa form").suggestions
    assert engine.keyword("pasport", project="Errands").suggestions == ("Renew passport",)


# Least confidence


def test_below_the_least_confidence_the_answer_is_empty_and_keeps_its_verdict(
    make_store: MakeStore, open_engine: OpenEngine, ids: Ids, log_lines: LogLines
) -> None:
    engine = open_engine(make_store())
    weak = "passport zebra quagga okapi"
    open_answer = engine.find(weak)
    assert open_answer.hits
    assert open_answer.confidence.verdict == "weak"
    for least in ("moderate", "strong"):
        held_back = engine.find(weak, min_confidence=least)
        assert held_back.hits == held_back.suggestions == ()
        assert held_back.confidence == open_answer.confidence
        assert log_lines()[-1]["resultCount"] == 0
    for least in (None, "none", "weak"):
        assert ids(engine.find(weak, min_confidence=least)) == ids(open_answer)
    assert ids(engine.find("renew passport", min_confidence="strong"))[0] == "t1"
    assert engine.find("zebra", min_confidence="strong").confidence.verdict == "none"
    with pytest.raises(UsageError, match="min-confidence is 'high', expected none, weak, moderate, strong"):
        engine.find(weak, min_confidence="high")
