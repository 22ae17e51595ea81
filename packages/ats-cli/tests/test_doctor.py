"""`ats doctor` as a user sees it."""

import json
import os
import re
from typing import Any

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


def checks(ended: Any) -> dict[str, Any]:
    """By name; of several of one name the last."""
    return {check["name"]: check for check in ended.json["checks"]}


def test_a_sound_installation_is_well(ats: Any) -> None:
    ats("find", "release")
    ended = ats("doctor", "--json")
    assert ended.code == 0
    document = ended.json
    assert document["ok"] is True
    assert {check["status"] for check in document["checks"]} == {"ok"}
    assert all(set(check) == {"name", "status", "message", "hint"} for check in document["checks"])
    assert set(document["versions"]) == {"python", "platform", "ats-core", "ats-cli", "contract"}
    assert document["adapter"] == "toy"
    by_name = checks(ended)
    names = {"python", "ats-core", "ats-cli", "config folder", "usage log", "settings", "adapter toy", "login", "store"}
    assert set(by_name) >= names | {"embedder", "cache", "index", "vectors", "settings of toy"}
    assert by_name["cache"]["message"].startswith("5 tasks, ")
    assert by_name["index"]["message"].startswith("present, ")
    assert "1 call, " in by_name["usage log"]["message"]
    assert by_name["store"]["message"] == "answers, 2 projects"
    assert by_name["adapter toy"]["message"].startswith("ats-toy 1.0, the one that is asked: ")


def test_it_leaves_nothing_behind(ats: Any) -> None:
    ended = ats("doctor")
    assert ended.code == 0
    assert not ats.config.exists()
    assert "is not there yet" in ended.out


def test_text_is_a_table_with_marks_and_below_what_is_amiss_what_mends_it(ats: Any) -> None:
    ended = ats("doctor", TOY="store down")
    assert (ended.code, ended.err) == (1, "")
    lines = ended.out.splitlines()
    assert re.fullmatch(r"ok  python +3\..*", lines[0])
    (row,) = [number for number, line in enumerate(lines) if line.startswith("x   store ")]
    assert "the toy's store is down" in lines[row]
    assert lines[row + 1].strip().startswith("mend: ")
    assert lines[-1] == "1 problem"
    assert ats("doctor").out.splitlines()[-1] == "all is well"


def test_settings_are_shown_with_their_origin(ats: Any) -> None:
    ats.config.mkdir(mode=0o700)
    (ats.config / "config.json").write_text('{"fusion": "score"}')
    (ats.config / "config.json").chmod(0o600)
    ended = ats("doctor", "--json", ATS_BUDGET_MS="1500", ATS_TOY_FILE="/toys")
    by_name = checks(ended)
    assert (
        by_name["settings"]["message"]
        == "adapter toy (ATS_ADAPTER), budget_ms 1500 (ATS_BUDGET_MS), fusion score (config.json)"
    )
    assert by_name["settings of toy"]["message"] == "file /toys (ATS_TOY_FILE)"
    assert {"key": "budget_ms", "value": 1500, "origin": "ATS_BUDGET_MS"}.items() <= next(
        one for one in ended.json["settings"] if one["key"] == "budget_ms"
    ).items()
    assert [one["key"] for one in ended.json["adapterSettings"]] == ["file", "token"]


@pytest.mark.parametrize(
    ("toy", "name", "message"),
    [
        ("store down", "store", "the toy's store is down"),
        ("no login", "store", "the toy wants a login"),
        ("exits", "adapter toy", "cannot be made: SystemExit: the toy leaves"),
    ],
)
def test_what_is_wrong_with_the_adapter_is_a_problem(ats: Any, toy: str, name: str, message: str) -> None:
    ended = ats("doctor", "--json", TOY=toy)
    assert ended.code == 1
    assert ended.json["ok"] is False
    check = checks(ended)[name]
    assert check["status"] == "problem"
    assert message in check["message"]
    assert check["hint"]
    if toy == "exits":
        assert "store" not in checks(ended), "why it does not load is said once"


def test_the_embedder_is_asked_for_one_word(ats: Any) -> None:
    check = checks(ats("doctor", "--json", "--adapter", "toy-dense", TOY="embeds"))["embedder"]
    assert check["status"] == "ok"
    assert re.fullmatch(r"toy-dense, toy, 2 dimensions, \d+ ms a word", check["message"])
    ended = ats("doctor", "--json", "--adapter", "toy-dense")
    assert ended.code == 1
    assert "the embedder is down" in checks(ended)["embedder"]["message"]
    assert checks(ats("doctor", "--json", ATS_EMBEDDER="none"))["embedder"]["message"] == "off: embedder is none"


def test_an_adapter_that_is_not_installed_is_a_problem_among_the_others(ats: Any) -> None:
    ended = ats("doctor", "--json", "--adapter", "nope")
    assert ended.code == 1
    by_name = checks(ended)
    assert by_name["adapter"]["message"] == "adapter 'nope' is not installed"
    assert by_name["adapter toy"]["status"] == "ok"
    assert ended.json["adapter"] is None


@pytest.mark.parametrize(
    "wrong", [{"ATS_BUDGET_MS": "soon"}, {"config.json": "{"}, {"config.json": '{"bugdet_ms": 1}'}]
)
def test_wrong_settings_are_a_problem_and_the_rest_is_looked_at(ats: Any, wrong: dict[str, str]) -> None:
    if text := wrong.pop("config.json", None):
        ats.config.mkdir(mode=0o700)
        (ats.config / "config.json").write_text(text)
    ended = ats("doctor", "--json", **wrong)
    assert ended.code == 1
    by_name = checks(ended)
    assert by_name["settings"]["status"] == "problem"
    assert by_name["settings"]["hint"]
    assert by_name["adapter toy"]["status"] == "ok"


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_a_problem(ats: Any) -> None:
    ats.config.mkdir(mode=0o500)
    ended = ats("doctor", "--json")
    assert ended.code == 1
    assert checks(ended)["config folder"]["status"] == "problem"


@posix
def test_folders_and_files_that_others_may_read_are_warnings(ats: Any) -> None:
    ats("find", "release")
    ats.config.chmod(0o755)
    (ats.config / "toy.json").write_text("{}")
    (ats.config / "toy.json").chmod(0o644)
    ended = ats("doctor", "--json")
    assert ended.code == 0, "a warning is no failure"
    by_name = checks(ended)
    assert by_name["config folder"]["status"] == by_name["config files"]["status"] == "warning"
    assert by_name["config folder"]["hint"] == f"try: chmod 700 {ats.config}"
    assert by_name["config files"]["message"] == "1 file may be read by others: toy.json"


def test_damaged_files_are_named(ats: Any) -> None:
    ats("find", "release")
    (ats.config / "corpus-cache.json").write_bytes(b'{"tasks":[{"id"')
    with (ats.config / "search-log.jsonl").open("a") as log:
        log.write('{"ts": "20\n')
    by_name = checks(ats("doctor", "--json"))
    assert by_name["cache"]["status"] == by_name["usage log"]["status"] == "warning"
    assert "damaged" in by_name["cache"]["message"]
    assert "1 line cannot be read" in by_name["usage log"]["message"]


SECRETS = {
    "ATS_TOY_TOKEN": "tok-declared-by-the-adapter",
    "ACME_API_KEY": "key-that-merely-sounds-so",
    "HTTPS_PROXY": "http://ann:pass-in-an-address@127.0.0.1:9",
}
TELLTALE = """
import json, os, sys
from ats_core import AuthStatus, Project, Setting, StoreError, hookimpl

class Telltale:
    def __init__(self, config):
        self.known = [os.environ[name] for name in ("ATS_TOY_TOKEN", "ACME_API_KEY", "HTTPS_PROXY")]
        self.known += [json.dumps(dict(config.settings))]
        print("printed", *self.known)
        if os.environ.get("TOY") == "exits":
            raise ValueError("made with " + " ".join(self.known))
    @hookimpl
    def settings(self):
        return [Setting(key="token", env="ATS_TOY_TOKEN", secret=True), Setting(key="pin", secret=True)]
    @hookimpl
    def auth_status(self):
        return AuthStatus(ok=True, message="in with " + " ".join(self.known), expires_at="never")
    @hookimpl
    def list_projects(self):
        raise StoreError("refused " + " ".join(self.known), hint="Authorization: Bearer abcdef0123456789")
    @hookimpl
    def list_tasks_in_project(self): return []
    @hookimpl
    def get_task(self): return None
    @hookimpl
    def url_for(self): return ""
"""


@pytest.mark.parametrize("toy", ["", "exits"])
@pytest.mark.parametrize("form", [["--json"], []])
def test_no_secret_is_shown_whoever_lets_it_slip(ats: Any, make_dist: Any, form: list[str], toy: str) -> None:
    make_dist("ats-telltale", points={"telltale": "telltale:Telltale"}, modules={"telltale": TELLTALE})
    ats.config.mkdir(mode=0o700)
    stored = {"pin": "4711", "nested": {"refresh_token": "stored-under-a-name-that-sounds"}, "colour": "green"}
    (ats.config / "telltale.json").write_text(json.dumps(stored))
    ended = ats("doctor", *form, "--adapter", "telltale", TOY=toy, **SECRETS)
    assert ended.code == 1
    assert "(hidden)" in ended.out
    said = ended.out + ended.err
    for secret in (*list(SECRETS.values())[:2], "pass-in-an-address", "stored-under-a-name", "abcdef0123456789"):
        assert secret not in said
    if not toy:  # nobody has declared it where the adapter cannot be made
        assert "4711" not in said
        assert "refused" in said
