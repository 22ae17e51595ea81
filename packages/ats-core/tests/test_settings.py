"""Flag, then environment, then file, then default; a bad value says where it stands and what is expected."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ats_core import ConfigError
from ats_core.settings import OPTIONS, Settings, check_value, config_dir, load_settings, read_json_object


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ats"


def load(folder: Path, stored: str | None = None, flags: dict[str, Any] | None = None, **environ: str) -> Settings:
    if stored is not None:
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(stored)
    return load_settings({"ATS_CONFIG_DIR": str(folder), **environ}, flags)


def test_the_defaults_are_those_of_the_documentation(folder: Path) -> None:
    settings = load(folder)
    assert settings == Settings(
        config_dir=folder,
        adapter=None,
        plugins=None,
        corpus_cache=folder / "corpus-cache.json",
        corpus_ttl_ms=300_000,
        corpus_cache_disable=False,
        fetch_timeout_ms=60_000,
        usage_log=folder / "search-log.jsonl",
        usage_disable=False,
        budget_ms=3000,
        fusion="rrf",
        dense_weight=None,
        embedder="auto",
        language="english",
        origins={option.key: "default" for option in OPTIONS},
    )
    assert not folder.exists()


def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(folder: Path) -> None:
    stored = '{"budget_ms": 2, "corpus_ttl_ms": 2, "fetch_timeout_ms": 2}'
    settings = load(folder, stored, {"budget_ms": 4}, ATS_BUDGET_MS="3", ATS_CORPUS_TTL_MS="3")
    assert (settings.budget_ms, settings.corpus_ttl_ms, settings.fetch_timeout_ms) == (4, 3, 2)
    assert settings.origins["budget_ms"] == "flag"
    assert settings.origins["corpus_ttl_ms"] == "ATS_CORPUS_TTL_MS"
    assert settings.origins["fetch_timeout_ms"] == str(folder / "config.json")
    assert settings.origins["language"] == "default"


def test_a_flag_that_is_none_was_not_given(folder: Path) -> None:
    assert load(folder, None, {"budget_ms": None}, ATS_BUDGET_MS="7").budget_ms == 7


def test_an_empty_variable_counts_as_unset_except_for_the_plugins(folder: Path) -> None:
    settings = load(folder, '{"budget_ms": 9}', ATS_BUDGET_MS=" ", ATS_ADAPTER="", ATS_PLUGINS="")
    assert (settings.budget_ms, settings.adapter, settings.plugins) == (9, None, ())


BAD = [
    ("corpus_ttl_ms", "soon", "milliseconds, 0 to always refetch"),
    ("corpus_ttl_ms", "-1", "milliseconds, 0 to always refetch"),
    ("corpus_ttl_ms", "1.5", "milliseconds, 0 to always refetch"),
    ("fetch_timeout_ms", "0", "milliseconds, at least 1"),
    ("budget_ms", "0", "milliseconds, at least 1"),
    ("budget_ms", "9" * 5000, "milliseconds, at least 1"),
    ("corpus_cache_disable", "maybe", "1 or 0"),
    ("usage_disable", "2", "1 or 0"),
    ("fusion", "magic", "rrf"),
    ("dense_weight", "1.1", "a number from 0 to 1"),
    ("dense_weight", "nan", "a number from 0 to 1"),
    ("embedder", "ollama", "auto, none, local"),
    ("corpus_cache", "~nobody-of-this-name/cache.json", "a file path"),
]


@pytest.mark.parametrize(("key", "value", "expected"), BAD)
def test_a_bad_value_names_the_variable_the_key_or_the_flag_and_what_is_expected(
    folder: Path, key: str, value: str, expected: str
) -> None:
    variable = f"ATS_{key.upper()}"
    with pytest.raises(ConfigError) as caught:
        load(folder, **{variable: value})
    assert caught.value.message.startswith(f"{variable} is {value!r}, expected ")
    assert expected in caught.value.message
    assert caught.value.exit_code == 2
    with pytest.raises(ConfigError) as caught:
        load(folder, f'{{"{key}": "{value}"}}')
    assert caught.value.message.startswith(f"{folder / 'config.json'}: {key} is {value!r}, expected ")
    with pytest.raises(ConfigError) as caught:
        load(folder, "{}", {key: value})
    assert caught.value.message.startswith(f"--{key.replace('_', '-')} is {value!r}, expected ")
    with pytest.raises(ConfigError, match=key):
        check_value(key, value)


@pytest.mark.parametrize(
    "stored",
    [
        '{"budget_ms": 1.5}',
        '{"budget_ms": true}',
        '{"budget_ms": [1]}',
        '{"plugins": 5}',
        '{"language": 5}',
        '{"language": " "}',
        '{"usage_log": {}}',
        '{"dense_weight": true}',
        '{"corpus_cache_disable": "maybe"}',
        '{"adapter": false}',
    ],
)
def test_a_value_of_the_wrong_json_type_is_an_error(folder: Path, stored: str) -> None:
    with pytest.raises(ConfigError, match=r"config\.json: \w+ is .+, expected "):
        load(folder, stored)


@pytest.mark.parametrize(
    ("written", "read"),
    [("1", True), ("true", True), ("YES", True), ("on", True), ("0", False), ("false", False), ("no", False)],
)
def test_a_switch_understands_the_usual_words(folder: Path, written: str, read: bool) -> None:
    assert load(folder, ATS_CORPUS_CACHE_DISABLE=written).corpus_cache_disable is read


def test_plugins_may_be_a_list_or_names_with_commas(folder: Path) -> None:
    assert load(folder, '{"plugins": ["a", "b"]}').plugins == ("a", "b")
    assert load(folder, '{"plugins": []}').plugins == ()
    assert load(folder, ATS_PLUGINS="b, a,").plugins == ("b", "a")


def test_paths_are_expanded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    settings = load(folder, ATS_CORPUS_CACHE="~/cache.json", ATS_USAGE_LOG="/var/log/ats.jsonl")
    assert settings.corpus_cache == Path("/home/ann/cache.json")
    assert settings.usage_log == Path("/var/log/ats.jsonl")


def test_an_unknown_key_is_an_error_that_lists_the_known_ones(folder: Path) -> None:
    with pytest.raises(ConfigError, match="unknown key 'buget_ms'") as caught:
        load(folder, '{"buget_ms": 3}')
    assert "budget_ms" in (caught.value.hint or "")
    with pytest.raises(ConfigError, match="unknown key 'buget_ms'"):
        check_value("buget_ms", 3)


@pytest.mark.parametrize("stored", [b"", b'{"budget_ms": ', b"[]", b"null", b'"x"', b"\xff\xfe", b"\0" * 40])
def test_a_damaged_config_file_is_an_error_that_names_it(folder: Path, stored: bytes) -> None:
    folder.mkdir()
    (folder / "config.json").write_bytes(stored)
    with pytest.raises(ConfigError) as caught:
        load(folder)
    assert caught.value.message.startswith(f"{folder / 'config.json'} is not a JSON object")
    assert caught.value.hint == "mend or delete the file"


def test_a_config_file_that_cannot_be_read_is_an_error(folder: Path) -> None:
    (folder / "config.json").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"config\.json cannot be read"):
        load(folder)


def test_no_config_file_is_an_empty_one(tmp_path: Path) -> None:
    assert read_json_object(tmp_path / "none.json") == {}
    (tmp_path / "file").write_text("x")
    assert read_json_object(tmp_path / "file" / "config.json") == {}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"ATS_CONFIG_DIR": "/etc/ats", "HOME": "/home/ann"}, "/etc/ats"),
        ({"ATS_CONFIG_DIR": " ", "HOME": "/home/ann"}, "/home/ann/.config/ats"),
        ({"HOME": "/home/ann"}, "/home/ann/.config/ats"),
        ({"HOME": ""}, "/from/the/system/.config/ats"),
        ({}, "/from/the/system/.config/ats"),
    ],
)
def test_the_folder_is_the_chosen_one_else_in_the_home(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], expected: str
) -> None:
    monkeypatch.setattr("pwd.getpwuid", lambda _: SimpleNamespace(pw_dir="/from/the/system"))
    assert config_dir(environ) == Path(expected)


def test_who_has_no_home_gets_a_folder_of_his_own_among_the_temporary_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    monkeypatch.setattr("pwd.getpwuid", homeless)
    chosen = config_dir({"HOME": ""})
    assert chosen.parent == Path(tempfile.gettempdir())
    assert chosen.name.startswith("ats-")


def test_a_folder_in_the_home_of_nobody_is_an_error_that_names_the_variable() -> None:
    with pytest.raises(ConfigError, match="ATS_CONFIG_DIR is '~nobody-of-this-name/ats', expected a folder"):
        config_dir({"ATS_CONFIG_DIR": "~nobody-of-this-name/ats"})


def test_a_language_that_nobody_stems_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="ATS_LANGUAGE is 'klingon', expected none, or a language that Snowball stems"
    ):
        load_settings({"ATS_CONFIG_DIR": str(tmp_path), "ATS_LANGUAGE": "klingon"})
    with pytest.raises(ConfigError, match="language is 'klingon'"):
        check_value("language", "klingon")
