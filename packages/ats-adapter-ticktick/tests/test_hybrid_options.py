"""The hybrid backend's settings: where they come from, and what is said of a bad one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from ats_adapter_ticktick.hybrid import options
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_core import ConfigError, Secret


def read(settings: dict[str, object] | None = None, **environ: str) -> HybridOptions:
    return HybridOptions.read(settings or {}, environ, source="ticktick.json")


def refused(settings: dict[str, object] | None = None, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(settings, **environ)
    return caught.value.message


def test_nothing_set_gives_the_defaults_and_is_not_configured() -> None:
    found = read()
    assert found == HybridOptions()
    assert (found.model, found.keep_alive, found.cosine_floor) == ("nomic-embed-text", "10m", 0.3)
    assert found.ollama_url == "http://127.0.0.1:11434"
    assert found.qdrant_url is None
    assert not found.configured


def test_the_environment_comes_before_the_settings() -> None:
    settings = {"embed_model": "bge-m3", "ollama_host": "a", "cosine_floor": 0.5, "qdrant_url": "http://q"}
    assert read(settings).model == "bge-m3"
    assert read(settings).ollama_url == "http://a:11434"
    assert read(settings).qdrant_url == "http://q:6333"
    found = read(settings, ATS_EMBED_MODEL="all-minilm", OLLAMA_HOST="b", ATS_COSINE_FLOOR="-0.25", ATS_QDRANT_URL="r")
    assert found.model == "all-minilm"
    assert found.ollama_url == "http://b:11434"
    assert found.cosine_floor == -0.25
    assert found.qdrant_url == "http://r:6333"


@pytest.mark.parametrize("key", ["embed_model", "ollama_host", "qdrant_url"])
def test_a_server_or_a_model_by_name_is_a_configuration(key: str) -> None:
    assert read({key: "x"}).configured
    assert not read({key: "  "}).configured


def test_where_ollama_is_for_all_programs_is_no_configuration_of_ours() -> None:
    assert not read(OLLAMA_HOST="0.0.0.0").configured


@pytest.mark.parametrize("variable", ["ATS_EMBED_MODEL", "ATS_QDRANT_URL"])
def test_a_blank_variable_counts_as_unset(variable: str) -> None:
    assert read(**{variable: "x"}).configured
    assert not read(**{variable: " "}).configured


def test_a_key_alone_is_no_configuration() -> None:
    assert not read(OLLAMA_API_KEY="k", ATS_COSINE_FLOOR="0.1").configured


def test_every_setting_has_a_variable_and_a_key() -> None:
    environ = {
        "ATS_EMBED_DIMENSIONS": "256",
        "ATS_OLLAMA_KEEP_ALIVE": "-1",
        "ATS_QDRANT_SHARDS": "6",
        "ATS_QDRANT_REPLICAS": "2",
    }
    keys = {"embed_dimensions": 256, "keep_alive": -1, "qdrant_shards": 6, "qdrant_replicas": 2}
    for found in (read(**environ), read(dict(keys))):
        assert (found.dimensions, found.keep_alive) == (256, "-1")
        assert (found.shard_number, found.replication_factor) == (6, 2)


def test_keys_are_trimmed_and_never_shown() -> None:
    found = read({"qdrant_api_key": "qqqq-secret"}, OLLAMA_API_KEY=" oooo-secret\n")
    assert found.ollama_key == Secret("oooo-secret")
    assert found.qdrant_key == Secret("qqqq-secret")
    assert "secret" not in repr(found)
    assert [setting.key for setting in options.settings() if setting.secret] == ["ollama_api_key", "qdrant_api_key"]


def test_a_key_that_no_header_can_carry_is_refused_without_being_shown() -> None:
    assert refused(OLLAMA_API_KEY="söcret") == "OLLAMA_API_KEY is not usable, expected printable ASCII"
    assert "12345" not in refused({"qdrant_api_key": 12345})
    assert refused({"qdrant_api_key": "a\nb"}).startswith("ticktick.json: qdrant_api_key is not usable")


@pytest.mark.parametrize(
    ("key", "variable", "value"),
    [
        ("cosine_floor", "ATS_COSINE_FLOOR", "1.5"),
        ("cosine_floor", "ATS_COSINE_FLOOR", "nan"),
        ("cosine_floor", "ATS_COSINE_FLOOR", "a lot"),
        ("qdrant_shards", "ATS_QDRANT_SHARDS", "0"),
        ("qdrant_replicas", "ATS_QDRANT_REPLICAS", "two"),
        ("embed_dimensions", "ATS_EMBED_DIMENSIONS", "-1"),
        ("keep_alive", "ATS_OLLAMA_KEEP_ALIVE", "soon"),
        ("keep_alive", "ATS_OLLAMA_KEEP_ALIVE", "10 m"),
        ("embed_model", "ATS_EMBED_MODEL", "two words"),
    ],
)
def test_a_bad_value_is_named_with_its_place_and_what_is_expected(key: str, variable: str, value: str) -> None:
    assert refused(**{variable: value}).startswith(f"{variable} is {value!r}, expected ")
    assert refused({key: value}).startswith(f"ticktick.json: {key} is {value!r}, expected ")


@pytest.mark.parametrize("value", [True, [], {"a": 1}])
@pytest.mark.parametrize("setting", options.settings(), ids=lambda setting: setting.key)
def test_a_value_of_another_type_is_refused(setting: options.Setting, value: object) -> None:
    assert setting.key in refused({setting.key: value})


def test_vectors_are_shortened_only_where_the_model_allows_it() -> None:
    assert read(ATS_EMBED_DIMENSIONS="256").dimensions == 256
    assert read(ATS_EMBED_DIMENSIONS="300", ATS_EMBED_MODEL="qwen3-embedding:0.6b").dimensions == 300
    assert refused(ATS_EMBED_DIMENSIONS="300").startswith("ATS_EMBED_DIMENSIONS is 300, expected 64 or 128 or 256")
    for model in ("bge-m3", "all-minilm", "somebodys-own"):
        assert "no cut" in refused({"embed_dimensions": 256}, ATS_EMBED_MODEL=model)


def test_a_nonsense_address_is_an_error_only_where_it_is_used() -> None:
    found = read({"qdrant_url": "ftp://q"}, OLLAMA_HOST="http://")
    assert found.configured
    with pytest.raises(ConfigError, match=r"^OLLAMA_HOST is 'http://', expected"):
        _ = found.ollama_url
    with pytest.raises(ConfigError, match=r"^ticktick\.json: qdrant_url is 'ftp://q', expected"):
        _ = found.qdrant_url


def test_reading_the_options_loads_neither_httpx_nor_numpy() -> None:
    program = (
        "import json, sys\n"
        "from ats_adapter_ticktick.hybrid.options import HybridOptions, settings\n"
        "from ats_adapter_ticktick.hybrid.ollama import connect\n"
        "connect(HybridOptions.read({'qdrant_url': 'q'}, {'OLLAMA_HOST': 'h'})), settings()\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(json.loads(answer.stdout))
    assert "ats_core" in loaded
    assert not loaded & {"httpx", "httpcore", "numpy", "qdrant_client", "ollama", "asyncio", "typer"}
