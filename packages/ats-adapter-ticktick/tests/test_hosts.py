"""The addresses of Ollama and Qdrant, as people write them."""

from __future__ import annotations

import pytest
from ats_adapter_ticktick.hybrid.hosts import is_loopback, ollama_url, qdrant_url
from ats_core import ConfigError
from hypothesis import given
from hypothesis import strategies as st

OLLAMA = {
    "": "http://127.0.0.1:11434",
    "  ": "http://127.0.0.1:11434",
    '""': "http://127.0.0.1:11434",
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:11500": "http://127.0.0.1:11500",
    "http://0.0.0.0:11434": "http://127.0.0.1:11434",
    ":11500": "http://127.0.0.1:11500",
    "myhost": "http://myhost:11434",
    "MyHost": "http://myhost:11434",
    "my-host.example:80": "http://my-host.example:80",
    " localhost ": "http://localhost:11434",
    "'localhost'": "http://localhost:11434",
    "192.168.1.5": "http://192.168.1.5:11434",
    "::": "http://[::1]:11434",
    "[::]": "http://[::1]:11434",
    "[::]:11500": "http://[::1]:11500",
    "::1": "http://[::1]:11434",
    "[::1]:11434": "http://[::1]:11434",
    "fe80::1": "http://[fe80::1]:11434",
    "http://h": "http://h:80",
    "https://h": "https://h:443",
    "HTTPS://H": "https://h:443",
    "http://h:11434/": "http://h:11434",
    "https://h/ollama": "https://h:443/ollama",
    "https://h/ollama/": "https://h:443/ollama",
    "h/ollama": "http://h:11434/ollama",
    "http://[::1]/": "http://[::1]:80",
    "ollama.com": "https://ollama.com:443",
    "bücher.example": "http://bücher.example:11434",
    "localhost.": "http://localhost.:11434",
}

NONSENSE = [
    "http://",
    "https:///ollama",
    "/ollama",
    "ftp://h",
    "h:port",
    "h:",
    ":",
    "h:0",
    "h:65536",
    "h:-1",
    "h:١١",
    "h:" + "9" * 5000,
    "11434",
    "256.1.1.1",
    "1.2.3",
    "[::1",
    "[h]:11434",
    "[::1]x",
    "::1::",
    "fe80::1%eth0",
    "two words",
    "h?x=1",
    "http://h/a#b",
    "http://h/a b",
    "h\0",
    "\udcff",
    "h" * 300,
    "http://http://h",
]


@pytest.mark.parametrize("value", OLLAMA)
def test_ollama_host_is_read_as_ollama_reads_it(value: str) -> None:
    assert ollama_url(value, "OLLAMA_HOST") == OLLAMA[value]


@pytest.mark.parametrize("value", NONSENSE, ids=ascii)
def test_nonsense_is_a_config_error_that_names_the_variable(value: str) -> None:
    for read in (ollama_url, qdrant_url):
        with pytest.raises(ConfigError, match=r"^OLLAMA_HOST is .* expected a host") as caught:
            read(value, "OLLAMA_HOST")
        assert "\n" not in caught.value.message
        assert len(caught.value.message) < 250


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("localhost", "http://localhost:6333"),
        ("http://q", "http://q:6333"),
        ("http://q:80", "http://q:80"),
        ("https://q", "https://q:443"),
        ("https://q:6333/", "https://q:6333"),
        ("https://q/qdrant/", "https://q:443/qdrant"),
        ("0.0.0.0:6333", "http://127.0.0.1:6333"),
        ("ollama.com", "http://ollama.com:6333"),
    ],
)
def test_a_qdrant_address_gets_6333_over_http_and_443_over_https(value: str, url: str) -> None:
    assert qdrant_url(value, "ATS_QDRANT_URL") == url


@pytest.mark.parametrize(
    "value",
    [
        "http://anna:hunter2@h:11434",
        "anna:hunter2@h",
        "https://hunter2@h/x@y",
        "http://anna:hunter2@x://y",
        "https://h/?key=hunter2",
        "h#hunter2",
        "ftp://anna:hunter2@h",
        "http://anna:hun?ter2@h",
    ],
)
def test_what_may_be_a_password_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ollama_url(value, "OLLAMA_HOST")
    shown = f"{caught.value} {caught.value.hint}"
    assert "hunter2" not in shown
    assert "ter2" not in shown
    assert caught.value.__cause__ is None


@given(st.text(max_size=40))
def test_any_text_is_an_address_or_a_config_error(value: str) -> None:
    try:
        url = ollama_url(value, "X")
    except ConfigError:
        return
    assert url.startswith(("http://", "https://"))
    assert ollama_url(url, "X") == url


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"]
)
def test_loopback_is_known_in_every_form(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "notlocalhost", "localhost.example", "128.0.0.1", "10.0.0.1", "::2", "127.example", "::ffff:10.0.0.1"]
)
def test_other_hosts_are_not_loopback(host: str) -> None:
    assert not is_loopback(host)
