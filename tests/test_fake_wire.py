"""The server under all fakes."""

from __future__ import annotations

import http.client
import threading
import urllib.error
from collections.abc import Iterator

import pytest
from calling import call
from fakes.wire import Answer, FakeServer, Request


class Echo(FakeServer):
    """Answers with what it was asked, and can have a bug. `waits` are the seconds it slept, or would have."""

    prefix = "/v1"

    def __init__(self) -> None:
        super().__init__()
        self.handled = 0
        self.waits: list[float] = []
        self.sleeps = False
        self.waiting = threading.Event()

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.waiting.set()
        if self.sleeps:
            super().wait(seconds)

    def answer(self, request: Request) -> Answer:
        self.handled += 1
        if request.path == "/bug":
            raise ZeroDivisionError
        return Answer(body={"path": request.path, "body": request.body, "query": request.query})


@pytest.fixture
def echo() -> Iterator[Echo]:
    with Echo() as server:
        yield server


def test_a_request_is_answered_and_recorded_without_the_prefix(echo: Echo) -> None:
    reply = call("POST", echo.url + "/v1/a%20b?x=1&x=2", {"n": 1}, token="secret")

    assert reply.json == {"path": "/a b", "body": {"n": 1}, "query": {"x": "2"}}
    assert echo.requests[0].line == "POST /a b"
    assert echo.requests[0].bearer == "secret"
    assert echo.requests[0].target == "/v1/a%20b?x=1&x=2"


def test_the_count_takes_a_pattern_for_the_whole_line(echo: Echo) -> None:
    for path in ("/task", "/task/filter", "/task"):
        call("POST", echo.url + path)

    assert echo.count("POST /task") == 2
    assert echo.count("POST /task.*") == 3
    assert echo.count("GET /task") == 0


def test_one_connection_carries_many_requests(echo: Echo) -> None:
    connection = http.client.HTTPConnection(echo.url.removeprefix("http://"))
    connection.connect()
    socket = connection.sock
    for _ in range(3):
        connection.request("GET", "/x")
        connection.getresponse().read()

    assert connection.sock is socket
    connection.close()


def test_a_failure_strikes_as_often_and_as_late_as_ordered(echo: Echo) -> None:
    echo.fail("GET /x", status=503, body=b"<html>down</html>", headers={"Retry-After": "2"}, times=2, after=1)

    replies = [call("GET", echo.url + "/x") for _ in range(4)]

    assert [reply.status for reply in replies] == [200, 503, 503, 200]
    assert replies[1].body == b"<html>down</html>"
    assert replies[1].headers["Retry-After"] == "2"
    assert replies[1].json is None


def test_a_failure_without_an_end_lasts_until_it_is_healed(echo: Echo) -> None:
    echo.fail("GET /.*", times=None)
    assert [call("GET", echo.url + "/x").status for _ in range(3)] == [500, 500, 500]

    echo.heal()
    assert call("GET", echo.url + "/x").status == 200


def test_other_requests_are_spared(echo: Echo) -> None:
    echo.fail("GET /x")

    assert call("GET", echo.url + "/x/y").status == 200
    assert call("POST", echo.url + "/x").status == 200


def test_a_dropped_request_gets_no_answer_and_has_no_effect(echo: Echo) -> None:
    echo.fail("GET /x", drop=True)

    with pytest.raises((urllib.error.URLError, http.client.HTTPException, ConnectionError)):
        call("GET", echo.url + "/x")

    assert echo.handled == 0


def test_a_handled_request_has_its_effect_though_the_answer_is_lost(echo: Echo) -> None:
    echo.fail("GET /x", drop=True, handled=True)

    with pytest.raises((urllib.error.URLError, http.client.HTTPException, ConnectionError)):
        call("GET", echo.url + "/x")

    assert echo.handled == 1


def test_a_late_answer_is_the_right_one(echo: Echo) -> None:
    echo.latency = 0.5
    echo.fail("GET /x", status=None, delay=15)

    assert call("GET", echo.url + "/x").json["path"] == "/x"
    call("GET", echo.url + "/x")

    assert echo.waits == [15.5, 0.5]


def test_closing_ends_a_request_that_waits() -> None:
    ended = threading.Event()

    def ask(url: str) -> None:
        with pytest.raises((urllib.error.URLError, http.client.HTTPException, ConnectionError)):
            call("GET", url)
        ended.set()

    with Echo() as echo:
        echo.sleeps = True
        echo.fail("GET /x", drop=True, delay=600)
        client = threading.Thread(target=ask, args=(echo.url + "/x",))
        client.start()
        assert echo.waiting.wait(10)
    assert ended.wait(10)
    client.join()


def test_a_bug_of_the_fake_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), Echo() as echo:
        assert call("GET", echo.url + "/bug").status == 500


def test_the_address_is_known_only_while_it_serves() -> None:
    echo = Echo()
    with pytest.raises(RuntimeError, match="not started"):
        _ = echo.url


def test_a_multipart_form_is_read_like_any_other(echo: Echo) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=XX"}
    body = b'--XX\r\nContent-Disposition: form-data; name="token"\r\n\r\nabc\r\n--XX--\r\n'

    call("POST", echo.url + "/x", body, headers=kind)
    call("POST", echo.url + "/x", form={"token": "a b"})

    assert [request.form for request in echo.requests] == [{"token": "abc"}, {"token": "a b"}]
