"""The HTTP client: what it sends, what it makes of every kind of answer, and what it never says or does."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from ats_adapter_ticktick.api.client import Client
from ats_adapter_ticktick.api.pace import Pacer
from ats_adapter_ticktick.api.refusal import ServiceError
from ats_core import (
    AtsError,
    ConfigError,
    Deadline,
    LoginRequiredError,
    RateLimitedError,
    StoreError,
    StoreTimeoutError,
)
from fakes.ticktick import FakeTickTick

TOKEN = "tp+c0ffee/not-to-be-seen="
BASE = "https://api.example.org/open/v1"
LIMITED = {
    "errorId": "x",
    "errorCode": "exceed_query_limit",
    "errorMessage": "Query rate limit exceeded.",
    "data": None,
}
FAULT = {"errorId": "x", "errorCode": "unknown_exception", "errorMessage": "title must not be blank", "data": None}
PAGE = b"<!DOCTYPE html><html><body>Sign in</body></html>"
UNSURE = "it may or may not have been created; look before you try again"

Answer = httpx.Response | Exception


class Clock:
    """Seconds that pass when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def deadline(self, seconds: float = 30.0) -> Deadline:
        return Deadline(seconds, clock=self)


class Service:
    """Gives the answers in turn, the last one for ever, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        # Made anew: httpx closes a response that it has given away.
        return httpx.Response(answer.status_code, headers=answer.headers, stream=answer.stream)


def client_of(service: Callable[[httpx.Request], httpx.Response], clock: Clock, path: Path | None = None) -> Client:
    pacer = Pacer(path, clock=clock, sleep=clock.sleep)
    return Client(BASE, lambda _: TOKEN, pacer, transport=httpx.MockTransport(service))


def answered(status: int = 200, body: Any = None, kind: str = "application/json", **headers: Any) -> httpx.Response:
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return httpx.Response(status, headers={"content-type": kind, **headers}, content=content)


def got(*answers: Answer) -> Any:
    """What a GET makes of these answers."""
    clock = Clock()
    return client_of(Service(*answers), clock).get("/project", clock.deadline())


def failed(*answers: Answer, method: str = "GET") -> AtsError:
    """The error that a GET, a POST or a CREATE makes of these answers."""
    clock = Clock()
    client = client_of(Service(*answers), clock)
    post = partial(client.post, "/task", body={"title": "a"}, repeatable=method == "POST")
    ask = partial(client.get, "/project") if method == "GET" else post
    with pytest.raises(AtsError) as caught:
        ask(deadline=clock.deadline())
    assert "\n" not in caught.value.message
    return caught.value


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account(TOKEN)
        yield fake


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def loopback(fake: FakeTickTick, token: str = TOKEN) -> Client:
    return Client(fake.api_url, lambda _: token, Pacer(None, sleep=lambda _: None))


# --- what is sent


def test_a_request_carries_the_token_the_query_and_nothing_odd(clock: Clock) -> None:
    service = Service(answered(body=[]))
    client_of(service, clock).get("/project", clock.deadline(), offset=0, limit=200)
    (request,) = service.requests
    assert str(request.url) == f"{BASE}/project?offset=0&limit=200"
    assert request.headers["authorization"] == f"Bearer {TOKEN}"
    assert request.headers["user-agent"] == "ats"
    assert "content-type" not in request.headers
    assert request.content == b""


def test_a_body_goes_as_json_whatever_is_in_it(clock: Clock) -> None:
    service = Service(answered(body={}))
    body: dict[str, Any] = {"title": "日本 🙂 \ud83d", "dueDate": None, "items": []}
    client_of(service, clock).post("/task", clock.deadline(), body)
    (request,) = service.requests
    assert json.loads(request.content) == body
    assert request.headers["content-type"] == "application/json"


def test_an_empty_list_is_a_body_and_none_is_not(clock: Clock) -> None:
    service = Service(answered(body={}))
    client = client_of(service, clock)
    client.post("/task/move", clock.deadline(), [])
    client.post("/task/move", clock.deadline())
    assert [request.content for request in service.requests] == [b"[]", b""]


def test_the_token_is_asked_for_each_request(clock: Clock) -> None:
    tokens = iter(["one", "two"])
    service = Service(answered(body=[]))
    client = Client(BASE, lambda _: next(tokens), Pacer(None), transport=httpx.MockTransport(service))
    client.get("/project", clock.deadline())
    client.get("/project", clock.deadline())
    assert [request.headers["authorization"] for request in service.requests] == ["Bearer one", "Bearer two"]


def test_no_cookie_is_kept(clock: Clock) -> None:
    service = Service(httpx.Response(200, headers={"set-cookie": "t=somebody-else; Path=/"}, content=b"[]"))
    client = client_of(service, clock)
    client.get("/project", clock.deadline())
    client.get("/project", clock.deadline())
    assert "cookie" not in service.requests[1].headers


def test_no_login_sends_nothing(clock: Clock) -> None:
    def token(deadline: Deadline) -> str:
        raise LoginRequiredError("not logged in")

    service = Service(answered(body=[]))
    client = Client(BASE, token, Pacer(None), transport=httpx.MockTransport(service))
    with pytest.raises(LoginRequiredError, match="not logged in"):
        client.get("/project", clock.deadline())
    assert service.requests == []


@pytest.mark.parametrize("token", [f"{TOKEN}\n{TOKEN}", f"{TOKEN} b", f"{TOKEN}ä", f"{TOKEN}\0", f"{TOKEN}\ud83d", ""])
def test_a_token_that_no_header_can_carry_is_named_and_not_shown(clock: Clock, token: str) -> None:
    service = Service(answered(body=[]))
    client = Client(BASE, lambda _: token, Pacer(None), transport=httpx.MockTransport(service))
    with pytest.raises(ConfigError, match="the token holds") as caught:
        client.get("/project", clock.deadline())
    assert TOKEN not in "".join(traceback.format_exception(caught.value))
    assert service.requests == []


# --- good answers


@pytest.mark.parametrize("value", [[], {}, [{"id": "1"}], {"a": None}, None, "text", 1])
def test_json_is_given_as_it_is(value: Any) -> None:
    assert got(answered(body=value)) == value


@pytest.mark.parametrize("kind", ["application/json", "text/html;charset=UTF-8", "text/plain", ""])
@pytest.mark.parametrize("body", [b"", b" \r\n"])
def test_an_empty_body_is_none(body: bytes, kind: str) -> None:
    assert got(answered(body=body, kind=kind)) is None
    assert got(answered(201, body=body, kind=kind)) is None


def test_text_that_does_not_say_it_is_json_is_none() -> None:
    assert got(answered(body=b"OK", kind="text/plain")) is None


def test_json_under_another_name_is_json() -> None:
    assert got(answered(body=[1], kind="text/plain")) == [1]
    assert got(answered(body=[1], kind="text/html")) == [1]


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'["\xff\xfe"]', ["\ufffd\ufffd"]),
        (rb'["plan \ud83d", "\ud83d\ude42"]', ["plan \ud83d", "🙂"]),
        (b"[NaN, -Infinity, 1]", [None, None, 1]),
        (b'\xef\xbb\xbf["a"]', ["a"]),
        (b'["a\tb\n"]', ["a\tb\n"]),
        (b'[{"sortOrder": -1099511627776, "x": 123456789012345678901234567890}]', None),
    ],
)
def test_odd_json_is_read_with_patience(body: bytes, value: Any) -> None:
    assert got(answered(body=body)) == (value if value is not None else json.loads(body))


# --- bad answers


@pytest.mark.parametrize("body", [b'[{"id": ', b"OK", b"[1,]", b"[" * 100_000])
def test_json_that_is_none_is_a_store_error(body: bytes) -> None:
    assert failed(answered(body=body)).message == "TickTick answered GET /project with broken JSON"


@pytest.mark.parametrize("kind", ["text/html;charset=UTF-8", "application/json", ""])
def test_a_web_page_is_a_store_error_that_points_to_the_address(kind: str) -> None:
    error = failed(answered(body=PAGE, kind=kind))
    assert error.message == "TickTick answered GET /project with a web page"
    assert "ATS_TICKTICK_API_URL" in str(error.hint)


@pytest.mark.parametrize("status", [500, 404, 403])
def test_a_web_page_for_an_error_is_neither_shown_nor_taken_for_the_service(status: int) -> None:
    error = failed(answered(status, body=PAGE, kind="text/html"))
    assert error.message == f"TickTick answered GET /project with HTTP {status} and a web page"
    assert isinstance(error, ServiceError)
    assert error.status is None
    assert error.exit_code == 1


def test_a_redirect_is_not_followed() -> None:
    error = failed(answered(302, location=f"https://elsewhere.example.org/?token={TOKEN}"))
    assert error.message == "TickTick answered GET /project with HTTP 302"
    assert "ATS_TICKTICK_API_URL" in str(error.hint)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    "body", [None, {"error": "invalid_token", "error_description": f"Invalid access token: {TOKEN}"}]
)
def test_a_refused_login_says_what_to_do(status: int, body: Any) -> None:
    error = failed(answered(status, body=body))
    assert isinstance(error, LoginRequiredError)
    assert error.exit_code == 3
    assert error.message == f"TickTick refused the login ({'invalid_token' if body else status})"
    assert "ats auth login" in str(error.hint)


@pytest.mark.parametrize("method", ["GET", "POST", "CREATE"])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_fault_is_told_in_the_services_words_and_never_repeated(clock: Clock, status: int, method: str) -> None:
    service = Service(answered(status, body=FAULT))
    error = failed(service.answers[0], method=method)
    assert error.message.endswith(f"with HTTP {status}: unknown_exception: title must not be blank")
    assert error.hint is None
    with pytest.raises(ServiceError):
        client_of(service, clock).get("/project", clock.deadline())
    assert len(service.requests) == 1
    assert clock.slept == []


def test_words_are_cut_cleaned_and_on_one_line() -> None:
    body = {"errorCode": "x", "errorMessage": "a\x1b[31m\r\n" + "é" * 5000}
    message = failed(answered(500, body=body)).message
    assert len(message) < 300
    assert message.isprintable()


@pytest.mark.parametrize("body", [{"errorCode": ["a"], "errorMessage": 7}, [1], "text", {"error": None}])
def test_an_error_without_words_is_told_by_its_status(body: Any) -> None:
    assert failed(answered(500, body=body)).message == "TickTick answered GET /project with HTTP 500"


# --- the rate limit

REFUSALS = [
    (answered(500, body=LIMITED), 60),
    (answered(500, body=LIMITED, kind="text/html"), 60),
    (answered(429, body=LIMITED, **{"retry-after": "2"}), 2),
    (answered(429, **{"retry-after": "2.5"}), 2.5),
    (answered(429, body=PAGE, kind="text/html", **{"retry-after": "7"}), 7),
    (answered(429), 60),
    (answered(429, **{"retry-after": "soon"}), 60),
    (answered(429, **{"retry-after": "inf"}), 60),
    (answered(429, **{"retry-after": "nan"}), 60),
    (answered(429, **{"retry-after": "0"}), 1),
    (answered(429, **{"retry-after": "-3"}), 1),
    (answered(200, body=LIMITED), 60),
]


@pytest.mark.parametrize(("answer", "wait"), REFUSALS)
def test_a_refusal_for_the_rate_limit_is_known_in_every_form(clock: Clock, answer: httpx.Response, wait: float) -> None:
    service = Service(answer)
    with pytest.raises(RateLimitedError, match="TickTick: rate limited") as caught:
        client_of(service, clock).post("/task", clock.deadline(), {}, repeatable=False)
    assert caught.value.retry_after == wait
    assert len(service.requests) == 1


def test_a_date_to_come_back_at_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_800_000_000.0
    monkeypatch.setattr("ats_adapter_ticktick.api.client.time.time", lambda: now)
    error = failed(answered(429, **{"retry-after": formatdate(now + 17, usegmt=True)}), method="CREATE")
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 17


@pytest.mark.parametrize("method", ["get", "post"])
def test_a_wait_that_fits_is_waited_and_the_request_sent_once_more(clock: Clock, method: str) -> None:
    service = Service(answered(429, **{"retry-after": "2"}), answered(body=[1]))
    assert getattr(client_of(service, clock), method)("/task/filter", clock.deadline(4)) == [1]
    assert clock.slept == [2]
    assert len(service.requests) == 2


def test_a_second_refusal_is_final(clock: Clock) -> None:
    service = Service(answered(429, **{"retry-after": "2"}))
    with pytest.raises(RateLimitedError):
        client_of(service, clock).get("/project", clock.deadline())
    assert len(service.requests) == 2
    assert clock.slept == [2]


def test_a_wait_that_does_not_fit_is_refused_at_once(clock: Clock) -> None:
    service = Service(answered(500, body=LIMITED), answered(body=[1]))
    with pytest.raises(RateLimitedError) as caught:
        client_of(service, clock).get("/project", clock.deadline(60.5))
    assert caught.value.retry_after == 60
    assert "try again in 60 s" in str(caught.value.hint)
    assert len(service.requests) == 1
    assert clock.slept == []


def test_a_create_is_not_sent_again_after_the_rate_limit(clock: Clock) -> None:
    service = Service(answered(429, **{"retry-after": "1"}), answered(body={}))
    with pytest.raises(RateLimitedError):
        client_of(service, clock).post("/task", clock.deadline(), {}, repeatable=False)
    assert len(service.requests) == 1
    assert clock.slept == []


def test_a_refusal_keeps_everybody_else_from_asking(clock: Clock, tmp_path: Path) -> None:
    service = Service(answered(500, body=LIMITED), answered(body=[]))
    one, other = (client_of(service, clock, tmp_path / "pace.json") for _ in range(2))
    with pytest.raises(RateLimitedError):
        one.get("/project", clock.deadline())
    clock.now += 10
    with pytest.raises(RateLimitedError) as caught:
        other.get("/project", clock.deadline())
    assert caught.value.retry_after == 50
    assert len(service.requests) == 1
    clock.now += 50
    assert other.get("/project", clock.deadline()) == []


# --- what a second try may mend

PASSING = [
    *(
        answered(status, body=body, kind=kind)
        for status in (502, 503, 504)
        for body, kind in [(None, ""), (PAGE, "text/html")]
    ),
    *(httpx.RemoteProtocolError("Server disconnected"), httpx.ReadError(""), httpx.WriteError("broken pipe")),
]


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_a_read_that_a_gateway_lost_is_tried_once_more(clock: Clock, answer: Answer) -> None:
    service = Service(answer, answered(body=[1]))
    assert client_of(service, clock).get("/project", clock.deadline()) == [1]
    assert clock.slept == [0.5]
    service = Service(answer)
    with pytest.raises(ServiceError):
        client_of(service, clock).get("/project", clock.deadline())
    assert len(service.requests) == 2


@pytest.mark.parametrize("answer", PASSING, ids=repr)
def test_a_write_that_a_gateway_lost_is_not_tried_again(clock: Clock, answer: Answer) -> None:
    service = Service(answer, answered(body={}))
    with pytest.raises(ServiceError):
        client_of(service, clock).post("/project/p/task/t/complete", clock.deadline())
    assert len(service.requests) == 1


def test_without_time_there_is_no_second_try(clock: Clock) -> None:
    service = Service(answered(503))
    with pytest.raises(ServiceError, match="503"):
        client_of(service, clock).get("/project", clock.deadline(0.4))
    assert len(service.requests) == 1


# --- creates

LOST = [
    *PASSING,
    *(httpx.ReadTimeout(""), httpx.WriteTimeout(""), httpx.DecodingError("bad gzip"), answered(500)),
    *(answered(500, body=PAGE, kind="text/html"), answered(body=b'{"id": ')),
]
NOT_SENT = [httpx.ConnectTimeout(""), httpx.ConnectError("refused"), httpx.PoolTimeout(""), httpx.ProxyError("407")]
NOT_TAKEN = [answered(500, body=FAULT), answered(401), answered(404), answered(500, body=LIMITED)]


@pytest.mark.parametrize("answer", LOST, ids=repr)
def test_a_create_whose_fate_is_unknown_is_not_repeated_and_says_so(clock: Clock, answer: Answer) -> None:
    service = Service(answer, answered(body={"id": "2"}))
    with pytest.raises(StoreError) as caught:
        client_of(service, clock).post("/task", clock.deadline(), {"title": "a"}, repeatable=False)
    assert caught.value.hint == UNSURE
    assert len(service.requests) == 1


@pytest.mark.parametrize("answer", [*NOT_SENT, *NOT_TAKEN], ids=repr)
def test_a_create_that_was_not_taken_raises_no_doubts(clock: Clock, answer: Answer) -> None:
    service = Service(answer, answered(body={"id": "2"}))
    with pytest.raises(StoreError) as caught:
        client_of(service, clock).post("/task", clock.deadline(), {"title": "a"}, repeatable=False)
    assert "may or may not" not in str(caught.value.hint)
    assert len(service.requests) == 1


@pytest.mark.parametrize("answer", [answer for answer in LOST if answer not in PASSING], ids=repr)
def test_nothing_else_raises_doubts(answer: Answer) -> None:
    assert "may or may not" not in str(failed(answer, method="POST").hint)


# --- deadlines


def test_each_phase_gets_what_is_left_of_the_deadline(clock: Clock) -> None:
    seen: list[float] = []

    def service(request: httpx.Request) -> httpx.Response:
        timeouts = request.extensions["timeout"]
        for phase in ("connect", "write", "read"):
            seen.append(timeouts.get(phase, None))
            clock.now += 5
        return answered(body=[])

    client_of(service, clock).get("/project", clock.deadline(30))
    assert seen == [10, 25, 20]


def test_a_body_that_trickles_ends_at_the_deadline(clock: Clock) -> None:
    sent: list[int] = []

    def trickle() -> Iterator[bytes]:
        for number in range(1000):
            clock.now += 1
            sent.append(number)
            yield b" "

    def service(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=trickle())

    with pytest.raises(StoreTimeoutError, match="did not answer GET /project in time"):
        client_of(service, clock).get("/project", clock.deadline(10))
    assert len(sent) == 10


def test_after_the_deadline_nothing_is_sent(clock: Clock) -> None:
    service = Service(answered(body={}))
    with pytest.raises(StoreTimeoutError) as caught:
        client_of(service, clock).post("/task", clock.deadline(0), {}, repeatable=False)
    assert service.requests == []
    assert caught.value.hint is None


@pytest.mark.parametrize("error", [httpx.ReadTimeout(""), httpx.WriteTimeout(""), httpx.PoolTimeout("")], ids=repr)
def test_a_time_out_is_our_own_and_not_repeated(clock: Clock, error: Exception) -> None:
    service = Service(error)
    with pytest.raises(StoreTimeoutError, match="did not answer GET /project in time"):
        client_of(service, clock).get("/project", clock.deadline())
    assert len(service.requests) == 1


def test_a_host_that_does_not_answer_is_named() -> None:
    error = failed(httpx.ConnectTimeout("timed out"))
    assert isinstance(error, StoreTimeoutError)
    assert error.message == "TickTick cannot be reached at api.example.org: it does not answer"


def test_far_too_much_is_not_read(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ats_adapter_ticktick.api.client._MOST_BYTES", 1000)
    assert failed(answered(body=b" " * 1001)).message == "TickTick answered GET /project with far too much"


# --- over a real connection


def test_a_server_that_is_too_slow_is_given_up(fake: FakeTickTick) -> None:
    fake.fail("GET /project", status=None, delay=30)
    with pytest.raises(StoreTimeoutError):
        loopback(fake).get("/project", Deadline(0.2))


def test_a_dropped_read_is_mended_and_a_dropped_create_is_not(fake: FakeTickTick) -> None:
    client = loopback(fake)
    fake.fail("GET /project", drop=True)
    assert client.get("/project", Deadline(20)) == []
    fake.fail("POST /task", drop=True, handled=True)
    with pytest.raises(ServiceError, match="closed the connection") as caught:
        client.post("/task", Deadline(20), {"title": "once"}, repeatable=False)
    assert caught.value.hint == UNSURE
    assert fake.count("POST /task") == 1
    assert len(fake.first_account().tasks) == 1


def test_an_answer_whose_rest_never_comes_is_given_up(fake: FakeTickTick) -> None:
    fake.fail("GET /project", status=200, body=[], headers={"Content-Length": "100"})
    with pytest.raises(StoreTimeoutError):
        loopback(fake).get("/project", Deadline(0.2))


def test_nobody_listening_is_told_with_the_host() -> None:
    import socket

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        client = Client(f"http://127.0.0.1:{unused.getsockname()[1]}", lambda _: TOKEN, Pacer(None))
        with pytest.raises(StoreError) as caught:
            client.get("/project", Deadline(5))
    assert caught.value.message == "TickTick cannot be reached at 127.0.0.1: Connection refused"


def test_threads_share_one_client(fake: FakeTickTick) -> None:
    fake.latency = 0.01
    client, answers = loopback(fake), []

    def work() -> None:
        answers.append(client.get("/project", Deadline(20)))

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[]] * 20


def test_a_closed_client_opens_again(fake: FakeTickTick) -> None:
    client = loopback(fake)
    client.close()
    for _ in range(2):
        assert client.get("/project", Deadline(20)) == []
        client.close()


# --- proxies


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:9", "socks5h://127.0.0.1:9", "nonsense://", "http://[", "::"])
@pytest.mark.parametrize("name", ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"])
def test_this_machine_is_never_spoken_to_through_a_proxy(
    fake: FakeTickTick, monkeypatch: pytest.MonkeyPatch, name: str, proxy: str
) -> None:
    monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("NO_PROXY", "")
    assert loopback(fake).get("/project", Deadline(20)) == []
    by_name = fake.api_url.replace("127.0.0.1", "localhost")
    assert Client(by_name, lambda _: TOKEN, Pacer(None)).get("/project", Deadline(20)) == []


@pytest.mark.parametrize("scheme", ["http", "socks5h", "nonsense"])
@pytest.mark.parametrize("name", ["HTTPS_PROXY", "ALL_PROXY"])
def test_another_host_is_and_the_error_names_the_proxy(monkeypatch: pytest.MonkeyPatch, scheme: str, name: str) -> None:
    monkeypatch.setenv(name, f"{scheme}://anna:{TOKEN}@127.0.0.1:9")
    client = Client(BASE, lambda _: "other", Pacer(None))
    assert TOKEN not in repr(client)
    for _ in range(2):
        with pytest.raises(StoreError) as caught:
            client.get("/project", Deadline(5))
        start = f"TickTick cannot be reached at api.example.org through the proxy {scheme}://127.0.0.1:9: "
        assert caught.value.message.startswith(start)
        assert TOKEN not in "".join(traceback.format_exception(caught.value))


def test_a_bad_proxy_does_not_outlast_its_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(BASE, lambda _: TOKEN, Pacer(None))
    for proxy in ("nonsense://127.0.0.1:9", "http://127.0.0.1:9"):
        monkeypatch.setenv("HTTPS_PROXY", proxy)
        with pytest.raises(StoreError, match=proxy):
            client.get("/project", Deadline(5))


def test_certificates_that_cannot_be_loaded_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    with pytest.raises(ConfigError, match="certificates cannot be loaded") as caught:
        Client(BASE, lambda _: TOKEN, Pacer(None)).get("/project", Deadline(5))
    assert "SSL_CERT_FILE" in str(caught.value.hint)


# --- what is never said

ECHO = f"Bearer {TOKEN} / {TOKEN} / tp%2Bc0ffee%2Fnot-to-be-seen%3D / tp%2Bc0ffee/not-to-be-seen%3D"
ECHOES: list[Answer] = [
    *(
        answered(status, body=body)
        for status in (200, 302, 400, 401, 403, 404, 429, 500, 503)
        for body in (
            {"errorCode": ECHO, "errorMessage": ECHO},
            {"errorCode": "exceed_query_limit", "errorMessage": ECHO},
            {"error": ECHO, "error_description": ECHO},
        )
        if status != 200 or "errorCode" in body
    ),
    *(answered(status, body=f"<html>{ECHO}".encode(), kind="text/html") for status in (200, 401, 403, 500)),
    *(answered(status, body=f'{{"{ECHO}'.encode()) for status in (200, 500)),
    *(
        kind(ECHO)
        for kind in (httpx.ConnectError, httpx.LocalProtocolError, httpx.ReadTimeout, httpx.UnsupportedProtocol)
    ),
    *(kind(ECHO) for kind in (httpx.RemoteProtocolError, httpx.DecodingError, httpx.ProxyError, httpx.InvalidURL)),
]


@pytest.mark.parametrize("method", ["GET", "POST", "CREATE"])
@pytest.mark.parametrize("answer", ECHOES, ids=repr)
def test_no_error_holds_the_token_though_the_service_repeats_it(answer: Answer, method: str) -> None:
    error = failed(answer, method=method)
    said = f"{error!r} {error.message} {error.hint} {vars(error)} {''.join(traceback.format_exception(error))}"
    for form in ("c0ffee", "not-to-be-seen"):
        assert form not in said


def test_no_repr_holds_the_token(fake: FakeTickTick) -> None:
    client = loopback(fake)
    client.get("/project", Deadline(20))
    assert TOKEN not in f"{client!r} {client} {vars(client)!r}"


def test_httpx_logs_no_token(fake: FakeTickTick, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    client = loopback(fake)
    client.get("/project", Deadline(20))
    fake.revoke(TOKEN)
    with pytest.raises(LoginRequiredError):
        client.get("/project", Deadline(20))
    assert caplog.records
    assert "not-to-be-seen" not in caplog.text


def test_nothing_is_imported_before_the_first_request() -> None:
    script = (
        "import sys\n"
        "from ats_adapter_ticktick.api.client import Client\n"
        "from ats_adapter_ticktick.api.endpoints import TickTickApi\n"
        "from ats_adapter_ticktick.api.pace import Pacer\n"
        "TickTickApi(Client('https://api.ticktick.com/open/v1', lambda _: 'x', Pacer(None)))\n"
        "print([name for name in ('httpx', 'httpcore', 'ssl', 'numpy', 'typer') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
