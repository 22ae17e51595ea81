"""JSON over HTTP: every way in which a request fails, proxies, and what is not imported."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest
from ats_adapter_ticktick.hybrid import http as http_module
from ats_adapter_ticktick.hybrid.http import Http, HttpFailure
from ats_adapter_ticktick.hybrid.one_line import one_line
from ats_adapter_ticktick.hybrid.proxy import proxy_for
from ats_core import ConfigError, Deadline, Secret

URL = "http://remote.example:6333"
Answer = Callable[[httpx.Request], httpx.Response]


def over(answer: Answer, **more: object) -> Http:
    return Http(URL, label="Qdrant", transport=httpx.MockTransport(answer), **more)


def failure(http: Http, seconds: float = 5.0) -> HttpFailure:
    with pytest.raises(HttpFailure) as caught:
        http.request("GET", "/x", Deadline(seconds))
    return caught.value


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that nobody else is given meanwhile, and at which nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_json_goes_out_and_comes_back() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"ok": ["税", 1.5]})

    http = over(answer, headers={"api-key": Secret("k"), "x-plain": "p"})
    assert http.request("PUT", "/a/b?wait=true", Deadline(5), json={"é": 1}) == {"ok": ["税", 1.5]}
    (request,) = seen
    assert (request.method, str(request.url)) == ("PUT", f"{URL}/a/b?wait=true")
    assert json.loads(request.content) == {"é": 1}
    assert request.headers["content-type"] == "application/json"
    assert (request.headers["api-key"], request.headers["x-plain"]) == ("k", "p")


def test_an_empty_good_answer_is_none_and_a_get_has_no_body() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert request.content == b""
        assert "content-type" not in request.headers
        return httpx.Response(200)

    assert over(answer).request("GET", "/", Deadline(5)) is None


def test_the_deadline_is_the_read_time_out_and_connecting_takes_at_most_two_seconds() -> None:
    seen: list[dict[str, float]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return httpx.Response(200, json={})

    http = over(answer)
    clock = 100.0
    http.request("GET", "/", Deadline(60, clock=lambda: clock))
    http.request("GET", "/", Deadline(0.5, clock=lambda: clock))
    assert [(timeout["read"], timeout["connect"]) for timeout in seen] == [(60, 2), (0.5, 0.5)]


def test_no_request_is_sent_when_time_is_up() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError("sent")

    found = failure(over(answer), seconds=0)
    assert (found.sort, found.message) == ("late", f"Qdrant at {URL} did not answer in time")


def test_a_server_that_trickles_is_late() -> None:
    clock = [0.0]

    def trickle() -> Iterator[bytes]:
        for _ in range(1000):
            clock[0] += 1.0
            yield b" "

    http = over(lambda request: httpx.Response(200, content=trickle()))
    with pytest.raises(HttpFailure) as caught:
        http.request("GET", "/", Deadline(5.5, clock=lambda: clock[0]))
    assert caught.value.sort == "late"
    assert clock[0] == 6.0


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_module, "_MOST_BYTES", 1 << 20)
    http = over(lambda request: httpx.Response(200, content=(b" " * 65536 for _ in range(10_000))))
    found = failure(http)
    assert (found.sort, found.message) == ("nonsense", f"Qdrant at {URL} answered with more than 1 MiB")


@pytest.mark.parametrize(
    ("error", "sort"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), "unreachable"),
        (httpx.ConnectTimeout("timed out"), "unreachable"),
        (httpx.ProxyError("403 Forbidden"), "unreachable"),
        (httpx.UnsupportedProtocol("x"), "unreachable"),
        (httpx.ReadTimeout("timed out"), "late"),
        (httpx.WriteTimeout("timed out"), "late"),
        (httpx.PoolTimeout("timed out"), "late"),
        (httpx.RemoteProtocolError("Server disconnected without sending a response."), "dropped"),
        (httpx.ReadError("[Errno 104] Connection reset by peer"), "dropped"),
        (httpx.WriteError("[Errno 32] Broken pipe"), "dropped"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_of_httpx_becomes_a_failure_with_its_cause(error: Exception, sort: str) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error

    found = failure(over(answer))
    assert found.sort == sort
    assert found.message.startswith(f"Qdrant at {URL} ")
    assert "Errno" not in found.message
    assert found.__cause__ is error


@pytest.mark.parametrize(
    ("body", "detail", "spoken"),
    [
        (b'{"error":"model \'x\' not found"}', "model 'x' not found", True),
        (b'{"status":{"error":"Wrong input:\\n  dim 4"},"time":0.1}', "Wrong input: dim 4", True),
        (b'{"error":{"message":"m"}}', "m", True),
        (b'{"status":"error"}', "", True),
        (b"[]", "", True),
        (b"404 page not found", "404 page not found", False),
        (b"<html><h1>Bad gateway</h1></html>", "", False),
        (b"\xff\xfe" + b"x" * 5000, "\ufffd\ufffd" + "x" * 198 + "...", False),
        (b"", "", False),
    ],
)
@pytest.mark.parametrize("status", [301, 404, 500])
def test_an_error_answer_is_refused_in_the_servers_words(status: int, body: bytes, detail: str, spoken: bool) -> None:
    found = failure(over(lambda request: httpx.Response(status, content=body)))
    assert (found.sort, found.status, found.detail, found.spoken) == ("refused", status, detail, spoken)
    assert found.message == f"Qdrant at {URL} answered with HTTP status {status}" + (f": {detail}" if detail else "")


@pytest.mark.parametrize("body", [b"<html>", b"{", b'{"a": NaN}', b"\xff"])
def test_a_good_answer_that_is_no_json_is_nonsense(body: bytes) -> None:
    assert failure(over(lambda request: httpx.Response(200, content=body))).sort == "nonsense"


def test_a_body_that_cannot_be_unpacked_is_nonsense() -> None:
    packed = {"content-encoding": "gzip"}
    assert failure(over(lambda request: httpx.Response(200, content=b"no gzip", headers=packed))).sort == "nonsense"


def test_a_key_that_the_server_repeats_is_not_shown() -> None:
    secret = "sk-1234567890"
    http = over(
        lambda request: httpx.Response(401, json={"error": f"bad {request.headers['authorization']}"}),
        headers={"authorization": Secret(f"Bearer {secret}")},
    )
    found = failure(http)
    assert found.detail == "bad *** ***"
    assert secret not in f"{found!r} {found} {http!r} {vars(http)}"


def test_close_lets_go_and_a_later_request_works_again() -> None:
    http = over(lambda request: httpx.Response(200, json=1))
    http.close()
    assert http.request("GET", "/", Deadline(5)) == 1
    http.close()
    assert http.request("GET", "/", Deadline(5)) == 1


def test_two_threads_may_ask_at_once() -> None:
    both = threading.Barrier(2, timeout=10)

    def answer(request: httpx.Request) -> httpx.Response:
        both.wait()
        return httpx.Response(200, json=request.url.path)

    http = over(answer)
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda path=path: answers.append(http.request("GET", path, Deadline(10))))
        for path in ("/a", "/b")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == ["/a", "/b"]


# A closed port, and what is imported


def test_a_closed_port_of_this_machine_is_found_out_without_httpx(closed_port: int) -> None:
    program = (
        "import sys\n"
        "from ats_adapter_ticktick.hybrid.http import Http, HttpFailure\n"
        "from ats_core import Deadline\n"
        "try:\n"
        f"    Http('http://localhost:{closed_port}', label='Ollama').request('GET', '/', Deadline(5))\n"
        "except HttpFailure as failure:\n"
        "    print(failure.sort, failure.message)\n"
        "print(sorted({'httpx', 'httpcore', 'asyncio'} & set(sys.modules)))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    message, loaded = answer.stdout.splitlines()
    assert message == f"unreachable Ollama at http://localhost:{closed_port} cannot be reached: Connection refused"
    assert loaded == "[]"


def test_httpx_is_loaded_without_command_line_certificates_and_http_2() -> None:
    program = (
        "import socket, ssl, sys, threading\n"
        "from ats_adapter_ticktick.hybrid.http import Http, HttpFailure\n"
        "from ats_core import Deadline\n"
        "def load(*args, **more): raise AssertionError('certificates')\n"
        "ssl.SSLContext.load_verify_locations = load\n"
        "listening = socket.create_server(('127.0.0.1', 0))\n"
        "def serve():\n"
        "    while True: listening.accept()[0].close()\n"
        "threading.Thread(target=serve, daemon=True).start()\n"
        "try:\n"
        "    Http(f'http://127.0.0.1:{listening.getsockname()[1]}', label='x').request('GET', '/', Deadline(30))\n"
        "except HttpFailure as failure:\n"
        "    print(failure.sort)\n"
        "print(sorted({'httpx', 'httpx._main', 'click', 'rich', 'h2'} & set(sys.modules)))\n"
        "import httpx; print(callable(httpx.main))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["dropped", "['httpx']", "True"]


@pytest.mark.skipif(find_spec("h2") is None, reason="HTTP/2 is not installed here")
def test_http_2_is_still_there_for_who_asks_for_it() -> None:
    program = (
        "import sys, ssl\n"
        "from ats_adapter_ticktick.hybrid.lean import load_httpx\n"
        "load_httpx()\n"
        "assert 'h2' not in sys.modules\n"
        "import httpx\n"
        "httpx.Client(http2=True, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)).close()\n"
        "from httpcore._sync.http2 import HTTP2Connection\n"
        "from httpcore._async.http2 import AsyncHTTP2Connection\n"
        "load_httpx()\n"
        "assert 'h2' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


# Proxies


class Proxy:
    """Answers every request with the request line that it was sent."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                line = connection.recv(65536).split(b"\r\n")[0].decode()
                body = json.dumps(line).encode()
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
                connection.sendall(head.encode() + body)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    running = Proxy()
    yield running
    running.close()


def ask(url: str) -> object:
    http = Http(url, label="Ollama")
    try:
        return http.request("GET", "/x", Deadline(5))
    finally:
        http.close()


def test_this_machine_is_never_spoken_to_through_a_proxy(
    proxy: Proxy, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port}")
    monkeypatch.setenv("NO_PROXY", "")
    for host in ("127.0.0.1", "localhost"):
        assert ask(f"http://{host}:{proxy.port}") == "GET /x HTTP/1.1"


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_other_hosts_are_reached_through_the_proxy(name: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f"127.0.0.1:{proxy.port}")
    monkeypatch.setenv("HTTPS_PROXY", "socks9://nonsense")
    assert ask("http://remote.invalid:6333") == "GET http://remote.invalid:6333/x HTTP/1.1"


def test_no_proxy_excepts_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "example.org, remote.invalid")
    assert proxy_for("http://remote.invalid:1") is None
    assert proxy_for("http://a.example.org") is None
    assert proxy_for("http://other.invalid:1") == "http://proxy.example:3128"
    assert proxy_for("https://other.invalid:1") is None


def test_a_proxy_that_is_down_is_named_without_its_password(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://anna:hunter2@127.0.0.1:{closed_port}/?x")
    with pytest.raises(HttpFailure) as caught:
        ask("http://remote.invalid:6333")
    assert caught.value.sort == "unreachable"
    assert caught.value.message == (
        f"Ollama at http://remote.invalid:6333 through the proxy http://127.0.0.1:{closed_port} "
        "cannot be reached: Connection refused"
    )


@pytest.mark.parametrize(
    "value", ["socks5h://anna:hunter2@127.0.0.1:9", "socks9://anna:hunter2@p", "http://anna:hunter2@p:x"]
)
def test_a_proxy_that_httpx_cannot_use_is_named_when_it_is_needed_and_not_before(
    value: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", value)
    assert ask(f"http://127.0.0.1:{proxy.port}") == "GET /x HTTP/1.1"
    http = Http("http://remote.invalid:6333", label="Ollama")
    with pytest.raises(HttpFailure) as caught:
        http.request("GET", "/", Deadline(5))
    scheme, place = value.split("://anna:hunter2@")
    assert f"through the proxy {scheme}://{place} cannot be reached: httpx cannot use such a proxy" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_secret_is_hidden_in_every_form_and_before_the_cut() -> None:
    secret = Secret("abc/def+ghi")
    told = "abc/def+ghi abc%2Fdef%2Bghi abc/def%2Bghi abc/\0def+ghi " + "x" * 186 + "abc/def+ghi"
    line = one_line(told, hidden=[secret])
    assert line == "*** *** *** *** " + "x" * 184 + "..."
    assert one_line("[Errno 111] refused", None, " ", "now") == "refused: now"


def test_certificates_that_cannot_be_loaded_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with pytest.raises(ConfigError, match=r"^Ollama: the certificates cannot be loaded") as caught:
        ask("https://remote.invalid")
    assert "SSL_CERT_FILE" in str(caught.value.hint)
