"""`ats config` and `ats adapters`."""

import json
from typing import Any

import pytest


def shown(ats: Any, **environ: str) -> dict[str, tuple[Any, str]]:
    document = ats("config", "show", "--json", **environ).json
    rows = document["settings"] + document["adapter"]["settings"]
    return {row["key"]: (row["value"], row["origin"]) for row in rows}


def test_every_value_says_where_it_comes_from(ats: Any) -> None:
    assert ats("config", "set", "corpus-ttl-ms", "1000").code == 0
    rows = shown(ats, ATS_BUDGET_MS="700")
    assert rows["corpus_ttl_ms"] == (1000, str(ats.config / "config.json"))
    assert rows["budget_ms"] == (700, "ATS_BUDGET_MS")
    assert rows["language"] == ("english", "default")
    assert rows["adapter"] == ("toy", "ATS_ADAPTER")
    document = ats("config", "show", "--json", "--adapter", "toy").json
    assert document["settings"][0]["origin"] == "flag"


def test_secrets_are_never_shown(ats: Any) -> None:
    assert ats("config", "set", "toy.token", "-", stdin="s3cret\n").code == 0
    stored = json.loads((ats.config / "toy.json").read_text("utf-8"))
    assert stored == {"token": "s3cret"}
    (ats.config / "toy.json").write_text(json.dumps(stored | {"undeclared": "s3cret too"}), "utf-8")
    for arguments in (["config", "show"], ["config", "show", "--json"]):
        ended = ats(*arguments, ATS_TOY_FILE="https://me:s3cret@host/x")
        assert "s3cret" not in ended.out + ended.err
        assert "(hidden)" in ended.out
        assert "https://***@host/x" in ended.out
    ended = ats("config", "set", "toy.token", "s3cret2")
    assert "s3cret2" not in ended.out + ended.err
    assert ats("find", "release").code == 0


def test_use(ats: Any) -> None:
    ended = ats("config", "use", "toy")
    assert ended.code == 0
    assert "ATS_ADAPTER in the environment overrides it" in ended.err
    assert json.loads((ats.config / "config.json").read_text("utf-8")) == {"adapter": "toy"}
    for name in ("use", "set"):
        ended = ats("config", name, *(["adapter"] if name == "set" else []), "none-such", "--json")
        assert (ended.code, ended.json["error"]["type"]) == (2, "UnknownAdapterError")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("budget_ms", "abc", "milliseconds"),
        ("no_such", "1", "unknown key"),
        ("toy.no_such", "1", "file, token"),
        ("none.file", "1", "not installed"),
        (".file", "1", "unknown key"),
    ],
)
def test_a_wrong_key_or_value_changes_nothing(ats: Any, key: str, value: str, said: str) -> None:
    ended = ats("config", "set", key, value)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not (ats.config / "config.json").exists()


def test_setting_one_key_keeps_the_others(ats: Any) -> None:
    ats("config", "set", "budget_ms", "100")
    ats("config", "set", "embedder", "none")
    ats("config", "set", "plugins", "")
    stored = json.loads((ats.config / "config.json").read_text("utf-8"))
    assert stored == {"budget_ms": 100, "embedder": "none", "plugins": []}
    assert (ats.config / "config.json").stat().st_mode & 0o077 == 0


def test_an_empty_value_can_be_seen(ats: Any) -> None:
    assert ats("config", "set", "toy.file", "").out == f'toy.file is now "" ({ats.config / "toy.json"})\n'


def test_a_bad_value_in_the_file_can_be_mended(ats: Any) -> None:
    ats.config.mkdir()
    (ats.config / "config.json").write_text('{"budget_ms": "soon"}', "utf-8")
    assert ats("find", "x").code == 2
    assert ats("config", "set", "budget_ms", "500").code == 0
    assert ats("find", "x").code == 0


def test_a_damaged_file_is_an_error_and_is_left_alone(ats: Any) -> None:
    ats.config.mkdir()
    (ats.config / "config.json").write_text("{", "utf-8")
    for arguments in (["config", "show"], ["config", "set", "budget_ms", "1"], ["config", "use", "toy"]):
        ended = ats(*arguments)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert (ats.config / "config.json").read_text("utf-8") == "{"


def test_show_survives_an_adapter_that_cannot_be_loaded(ats: Any) -> None:
    ended = ats("config", "show", "--json", ATS_ADAPTER="none-such")
    assert ended.code == 0
    assert ended.json["adapter"] == {"name": "none-such", "settings": []}
    assert "none-such" in ended.err


def test_adapters(ats: Any) -> None:
    listed = {one["name"]: one for one in ats("adapters", "--json").json["adapters"]}
    assert listed["toy"] == {
        "name": "toy",
        "distribution": "ats-toy",
        "version": "1.0",
        "selected": True,
        "ok": True,
        "error": None,
        "capabilities": ["auth_status", "branches", "commands", "settings"],
    }
    assert "*  toy" in ats("adapters").out
