"""`ats cache`: what is kept is shown, refetched and removed; damage is shown too."""

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

COPY_KEYS = {
    "path", "problem", "size", "indexSize", "adapter", "scope", "tasks", "fetchedAt", "ageMs", "demo", "sourcesFailed",
}  # fmt: skip
OTHER = {"ATS_TOY_FILE": "elsewhere"}


def facts(text: str) -> dict[str, str]:
    """The lines of `status` before the table."""
    return {line[:9].strip(): line[9:] for line in text.partition("\n\n")[0].splitlines()}


def test_before_the_first_search(ats: Any) -> None:
    ended = ats("cache", "status")
    assert (ended.code, ended.err) == (0, "")
    assert facts(ended.out) == {
        "adapter": "toy",
        "scope": facts(ended.out)["scope"],
        "file": str(ats.config / "corpus-cache.json"),
        "index": "none",
        "vectors": "none",
        "next": "no copy, the next search fetches",
    }
    assert re.fullmatch(r"settings:[0-9a-f]{14}…", facts(ended.out)["scope"])
    assert not ats.config.exists(), "looking changes nothing"


def test_status_tells_what_there_is_and_what_comes_next(ats: Any) -> None:
    ats("sync", "--adapter", "toy-dense", TOY="embeds")
    shown = facts(ats("cache", "status", "--adapter", "toy-dense").out)
    assert shown["tasks"] == "5"
    assert re.fullmatch(r"\d+ s", shown["age"])
    assert re.fullmatch(r"[\d.]+ (B|kB)", shown["size"])
    assert re.fullmatch(r"present, [\d.]+ (B|kB)", shown["index"])
    assert re.fullmatch(r"5 in toy, 1 file, \d+ B|5 in toy, 1 file, [\d.]+ kB", shown["vectors"])
    assert re.fullmatch(r"fresh for 4 min \d+ s", shown["next"])
    for index in ats.config.glob("corpus-cache*.index"):
        index.unlink()
    assert facts(ats("cache", "status", "--adapter", "toy-dense").out)["index"] == "absent"
    assert facts(ats("cache", "status", "--adapter", "toy-dense", ATS_CORPUS_TTL_MS="0").out)["next"].startswith(
        "stale"
    )


def test_the_document_of_status(ats: Any) -> None:
    ats("find", "release")
    ats("find", "release", **OTHER)
    ats("sync", "--adapter", "toy-dense", TOY="embeds")
    ended = ats("cache", "status", "--json", "--adapter", "toy-dense")
    found = ended.json
    assert ended.out.count("\n") == 1
    assert set(found) == {"adapter", "scope", "path", "outlook", "copy", "otherCopies", "vectors"}
    assert set(found["copy"]) == COPY_KEYS
    assert (found["copy"]["path"], found["copy"]["tasks"], found["copy"]["problem"]) == (found["path"], 5, None)
    assert found["copy"]["scope"] == found["scope"]
    assert found["copy"]["ageMs"] >= 0
    assert [(copy["adapter"], copy["tasks"]) for copy in found["otherCopies"]] == [("toy", 5), ("toy", 5)]
    (space,) = found["vectors"]
    assert set(space) == {"space", "vectors", "files", "size", "damaged"}
    assert (space["space"], space["vectors"], space["damaged"]) == ("toy", 5, 0)


def test_other_copies_are_listed_and_damaged_ones_say_how(ats: Any) -> None:
    ats("find", "release")
    ats("find", "release", **OTHER)
    (ats.config / "corpus-cache-0000.json").write_bytes(b"\0\xff")
    ended = ats("cache", "status")
    assert (ended.code, ended.err) == (0, "")
    heads, *rows = ended.out.partition("\n\n")[2].splitlines()
    assert heads.split() == ["other", "copies", "scope", "tasks", "age", "size", "file"]
    assert re.fullmatch(r"- +- +- +- +2 B  corpus-cache-0000\.json \(damaged: .+\)", rows[0])
    assert re.fullmatch(r"toy +settings:\w+… +5 +\d+ s +[\d.]+ kB  corpus-cache-\w+\.json", rows[1])
    problems = [copy["problem"] for copy in ats("cache", "status", "--json").json["otherCopies"]]
    assert [bool(problem) for problem in problems] == [True, False]


def test_a_damaged_copy_of_ones_own_is_shown(ats: Any) -> None:
    ats.config.mkdir()
    (ats.config / "corpus-cache.json").write_text("[]")
    ended = ats("cache", "status")
    assert ended.code == 0
    assert "not a corpus cache" in facts(ended.out)["damaged"]
    document = ats("cache", "status", "--json").json["copy"]
    assert set(document) == COPY_KEYS
    assert (document["tasks"], document["size"]) == (None, 2)
    assert ats("cache", "clear").out.startswith("removed ")


def test_a_cache_that_is_disabled(ats: Any) -> None:
    ended = ats("cache", "status", ATS_CORPUS_CACHE_DISABLE="1")
    assert "disabled" in facts(ended.out)["file"]
    assert ats("cache", "status", "--json", ATS_CORPUS_CACHE_DISABLE="1").json["path"] is None
    assert ats("cache", "sync", ATS_CORPUS_CACHE_DISABLE="1").code == 0


def test_sync_refetches(ats: Any) -> None:
    ats("find", "release")
    ended = ats("cache", "sync", TOY="many")
    assert (ended.code, ended.err) == (0, "")
    assert re.fullmatch(r"2005 tasks of toy, fetched in \d+\.\d s\n", ended.out)
    document = ats("cache", "sync", "--json").json
    assert set(document) == {"elapsedMs", "corpus", "warnings"}
    assert document["warnings"] == []
    assert (document["corpus"]["size"], document["corpus"]["fromCache"]) == (5, False)


def test_a_project_that_fails_is_missing_or_older(ats: Any) -> None:
    ended = ats("cache", "sync", TOY="one fails")
    assert (ended.code, ended.out.partition(", fetched")[0]) == (0, "2 tasks of toy, 1 project missing")
    assert ended.err == "ats: warning: project Home is missing: HTTP 500\n"
    assert ats("cache", "sync", "--json", TOY="one fails").json["warnings"] == ["project Home is missing: HTTP 500"]
    assert "2, 1 project missing" in ats("cache", "status").out
    ats("cache", "sync")
    ended = ats("cache", "sync", TOY="one fails")
    assert ended.out.partition(", fetched")[0] == "5 tasks of toy, stale, 1 project older"
    found = ats("find", "release", "--json").json["corpus"]
    (failed,) = found["sourcesFailed"]
    assert set(failed) == {"id", "name", "error", "retryAfter", "kept", "asOf"}
    assert (failed["id"], failed["kept"]) == ("p2", 3)
    assert failed["asOf"] > 0
    assert ", 1 project older" in ats("find", "release").out


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_refetch_that_fails_is_a_failure(ats: Any, form: list[str]) -> None:
    assert ats("cache", "sync", *form, TOY="store down").code == 1
    ats("find", "release")
    ended = ats("cache", "sync", *form, TOY="both fail")
    assert ended.code == 1
    said = ended.json["error"] if form else {"message": ended.err, "hint": ended.err}
    assert "HTTP 500" in said["message"]
    assert "the older copy stays" in said["hint"]
    assert ats("cache", "sync", TOY="no login").code in (1, 3)
    assert ats("find", "release", "--cached", "--json").json["count"]


def test_clear_removes_ones_own_copy(ats: Any) -> None:
    ats("find", "release")
    ats("find", "release", **OTHER)
    assert ats("cache", "clear").out == f"removed {ats.config / 'corpus-cache.json'}\n"
    assert ats("cache", "clear").out == "there was no copy to remove\n"
    assert len(ats("cache", "status", "--json").json["otherCopies"]) == 1
    assert ats("cache", "clear", "--json").json == {"removed": [], "vectors": False}


def test_clear_all_removes_everybodys_and_the_vectors(ats: Any) -> None:
    ats("find", "release")
    ats("find", "release", **OTHER)
    ats("sync", "--adapter", "toy-dense", TOY="embeds")
    ended = ats("cache", "clear", "--all")
    assert ended.code == 0
    assert ended.out.count("removed ") == 4
    assert ended.out.endswith("removed the vectors of all adapters and accounts\n")
    assert not list(ats.config.rglob("*.vectors"))
    found = ats("cache", "status", "--json", "--adapter", "toy-dense").json
    assert (found["copy"], found["otherCopies"], found["vectors"]) == (None, [], [])
    document = ats("cache", "clear", "--all", "--json").json
    assert document == {"removed": [], "vectors": True}


def test_what_cannot_be_removed_is_one_line(ats: Any) -> None:
    (ats.config / "corpus-cache.json").mkdir(parents=True)
    ended = ats("cache", "clear")
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    assert "corpus-cache.json cannot be removed: " in ended.err


@pytest.mark.parametrize(
    "arguments", [["cache", "status"], ["cache", "sync"], ["cache", "clear"], ["sync", "--adapter", "toy-backend"]]
)
@pytest.mark.parametrize("form", [["--json"], []])
def test_a_closed_pipe_ends_quietly(ats: Any, arguments: list[str], form: list[str]) -> None:
    ours, theirs = os.pipe()
    process = ats.start(*arguments, *form, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    os.close(ours)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert re.fullmatch(rb"(ats: embedding: 5 of 5 \(100 %\)\n)?", err)


@pytest.mark.parametrize("arguments", [["cache", "status"], ["cache", "clear", "--all"], ["cache", "none-such"]])
def test_wrong_usage_is_2(ats: Any, arguments: list[str]) -> None:
    ended = ats(*arguments, "--adapter", "none-such", "--json")
    assert (ended.code, set(ended.json)) == (2, {"error"})


def test_control_characters_of_a_scope_are_inert(ats: Any, tmp_path: Path) -> None:
    from ats_cli.show.cache import short_scope

    assert short_scope("host:" + "a" * 40 + "\0completed") == "host:" + "a" * 18 + "… completed"


def test_a_scope_that_is_a_path_stays_whole(tmp_path: Path) -> None:
    from ats_cli.show.cache import short_scope

    for path in (str(tmp_path / "work" / "tasks.jsonl"), r"C:\Users\somebody\Documents\tasks.jsonl"):
        assert short_scope(path) == path
