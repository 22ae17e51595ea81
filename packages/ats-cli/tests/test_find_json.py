"""`--json`: one document, of the shape that programs rely on."""

import json
from typing import Any

import pytest

TASK_KEYS = {
    "id", "title", "projectId", "projectName", "tags", "dueDate", "modifiedTime", "status", "url",
    "snippet", "snippetMarks", "score", "sources",
}  # fmt: skip


def test_the_shape_is_the_documented_one(ats: Any) -> None:
    found = ats("find", "roll", "back", "--json").json
    assert set(found) == {
        "query", "mode", "count", "limit", "elapsedMs", "fusion", "k", "degraded", "warnings", "confidence",
        "corpus", "branches", "tasks", "suggestions",
    }  # fmt: skip
    assert (found["query"], found["mode"], found["limit"], found["fusion"], found["k"]) == (
        "roll back", "find", 5, "rrf", 60,
    )  # fmt: skip
    assert found["count"] == len(found["tasks"]) >= 1
    assert set(found["confidence"]) == {"verdict", "reason"}
    assert set(found["corpus"]) == {
        "adapter", "demo", "size", "fromCache", "ageMs", "stale", "sourcesFailed",
    }  # fmt: skip
    assert found["corpus"]["adapter"] == "toy"
    for branch in found["branches"]:
        assert set(branch) == {"name", "ok", "status", "count", "elapsedMs", "error", "dropped"}
    first = found["tasks"][0]
    assert set(first) == TASK_KEYS
    assert first["id"] == "t1"
    assert first["url"] == "toy://p1/t1"
    start, end = first["snippetMarks"][0]
    assert first["snippet"][start:end].lower().startswith("roll")


def test_content_and_explain_only_when_asked_for(ats: Any) -> None:
    task = ats("find", "roll back", "--json", "--content", "--explain").json["tasks"][0]
    assert set(task) == TASK_KEYS | {"content", "explain"}
    assert "\n" in task["content"]
    assert sum(share["contribution"] for share in task["explain"]) == pytest.approx(task["score"], abs=1e-12)
    for share in task["explain"]:
        assert set(share) == {"source", "rank", "score", "contribution", "within"}


@pytest.mark.parametrize("mode", ["find", "hybrid", "sparse", "keyword", "notes-find"])
def test_every_mode_names_itself(ats: Any, mode: str) -> None:
    found = ats(mode, "release", "--json").json
    assert found["mode"] == mode.replace("-", "_")
    assert found["tasks"]


def test_score_fusion_says_what_the_inner_rankers_added(ats: Any) -> None:
    dense = ["find", "roll back", "--json", "--explain", "--adapter", "toy-dense"]
    found = ats(*dense, "--fusion", "score", TOY="embeds").json
    assert found["fusion"] == "score"
    for task in found["tasks"]:
        assert sum(share["contribution"] for share in task["explain"]) == pytest.approx(task["score"], abs=1e-9)
        for share in task["explain"]:
            parts = [part["contribution"] for part in share["within"]]
            assert not parts or sum(parts) == pytest.approx(share["contribution"], abs=1e-9)
    parts = found["tasks"][0]["explain"][0]["within"]
    assert [part["source"] for part in parts] == ["dense", "sparse"]
    assert all(set(part) == {"source", "rank", "score", "contribution"} for part in parts)
    ranks_alone = ats(*dense, TOY="embeds").json["tasks"][0]["explain"][0]["within"]
    assert all(set(part) == {"source", "rank", "score"} for part in ranks_alone)


def test_the_title_that_was_typed_is_pinned(ats: Any) -> None:
    found = ats("find", "renew passport", "--json", "--explain", "--fusion", "score").json
    first = found["tasks"][0]
    assert first["id"] == "t3"
    pinned = {"source": "pinned", "rank": None, "score": None, "contribution": 0.0, "within": []}
    assert first["explain"][0] == pinned
    assert "pinned" not in first["sources"]


def test_suggestions_where_nothing_matches(ats: Any) -> None:
    found = ats("find", "renw pasport", "--json").json
    assert (found["tasks"], found["suggestions"]) == ([], ["Renew passport"])
    assert ats("find", "release", "--json").json["suggestions"] == []


def test_no_hits_is_an_answer(ats: Any) -> None:
    ended = ats("find", "zzzz", "--json")
    assert (ended.code, ended.json["count"], ended.json["tasks"]) == (0, 0, [])


@pytest.mark.parametrize(
    "environ", [{"COLUMNS": "20", "FORCE_COLOR": "1"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, {"COLUMNS": "20"}]
)
def test_json_is_not_wrapped_and_not_coloured(ats: Any, environ: dict[str, str]) -> None:
    ended = ats("find", "release", "--json", **environ)
    titles = [task["title"] for task in ended.json["tasks"]]
    assert "long " + "x" * 300 + " release\nwith a second line" in titles
    assert not any(character in ended.out for character in "\x1b\x9b\x07\u202e")
    assert ended.out.count("\n") == 1
    assert any("\x1b" in title and "\u202e" in title for title in titles), "escaped, not lost"


def test_not_a_number_becomes_null(ats: Any) -> None:
    ended = ats("find", "photos", "--json", "--explain", TOY="nan")
    json.loads(ended.out, parse_constant=pytest.fail)
    shares = [share for task in ended.json["tasks"] for share in task["explain"] if share["source"] == "nan"]
    assert [share["score"] for share in shares] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        (["find", "--json", " "], 2, "UsageError"),
        (["find", "--json"], 2, "UsageError"),
        (["find", "x", "--json", "--limit", "many"], 2, "UsageError"),
        (["find", "x", "--json", "--limit", "0"], 2, "UsageError"),
        (["find", "x", "--json", "--budget-ms", "0"], 2, "ConfigError"),
        (["find", "x", "--json", "--no-such-option"], 2, "UsageError"),
        (["fnid", "x", "--json"], 2, "UsageError"),
        (["find", "x", "--json", "--adapter", "none-such"], 2, "UnknownAdapterError"),
        (["semantic", "x", "--json"], 2, "NoEmbedderError"),
        (["get", "none such", "--json"], 1, "NotFoundError"),
    ],
)
def test_errors_are_one_document_too(ats: Any, arguments: list[str], code: int, kind: str) -> None:
    ended = ats(*arguments)
    assert ended.code == code
    assert set(ended.json) == {"error"}
    assert set(ended.json["error"]) == {"type", "message", "hint"}
    assert ended.json["error"]["type"] == kind
    assert "Traceback" not in ended.err


def test_a_query_named_json_is_no_option(ats: Any) -> None:
    ended = ats("find", "--", "--json")
    assert ended.code == 0
    assert not ended.out.startswith("{")


def test_undecodable_environment_does_not_break_the_document(ats: Any) -> None:
    # A lone surrogate is how such bytes arrive from the operating system.
    ended = ats("find", "x", "--json", ATS_BUDGET_MS="\udcff")
    assert ended.code == 2
    assert ended.json["error"]["type"] == "ConfigError"


def test_warnings_are_in_the_document(ats: Any) -> None:
    ended = ats("find", "release", "--json", TOY="fails")
    assert ended.json["degraded"] is True
    assert any("no luck" in warning for warning in ended.json["warnings"])
    failed = [branch for branch in ended.json["branches"] if not branch["ok"]]
    assert [(branch["name"], branch["status"]) for branch in failed] == [("failing", "failed")]
