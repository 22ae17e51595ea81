"""`ats auth login` by way of a browser, against a service that speaks the real wire. The browser is a thread."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import threading
import webbrowser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import ProxyHandler, build_opener

import pytest
from ats_adapter_ticktick.auth import login as login_module
from ats_adapter_ticktick.auth.attempt import pending_file
from ats_adapter_ticktick.auth.credentials import Credentials, token_file
from ats_adapter_ticktick.auth.login import login
from ats_adapter_ticktick.auth.token import Token
from ats_adapter_ticktick.options import Options
from ats_core import (
    AdapterConfig,
    ConfigError,
    Deadline,
    LoginRequiredError,
    RateLimitedError,
    StoreError,
    StoreTimeoutError,
)
from fakes.ticktick import FakeTickTick

APP = "app-1"


def get(address: str) -> tuple[int, str]:
    """Status and page; redirects are followed, and no proxy is asked."""
    try:
        with build_opener(ProxyHandler({})).open(address, timeout=10) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def query_of(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def came_back(address: str, **answer: str) -> str:
    """The address to which the service sends the browser from the page `address`."""
    query = query_of(address)
    return f"{query['redirect_uri']}?{urlencode({'state': query['state'], **answer})}"


class Browser:
    """What `webbrowser.open` is replaced by: visits the page, and then what `visits` says."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self._seen: list[tuple[int, str]] = []
        self._left = threading.Event()
        self.visits: Callable[[str], list[str]] = lambda address: [address]

    def open(self, address: str) -> bool:
        self.opened.append(address)
        for visited in self.visits(address):
            self._seen.append(get(visited))
        self._left.set()
        return True

    def seen(self) -> list[tuple[int, str]]:
        """Status and page of each visit, once all are over: a login does not wait for the browser to finish reading."""
        assert self._left.wait(20)
        return self._seen


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    browser = Browser()
    monkeypatch.setattr(webbrowser, "open", browser.open)
    monkeypatch.setattr(login_module, "PATIENCE", 20.0)
    return browser


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account("token-a", uid="115781412", username="anna")
        fake.oauth.register(APP, None, "http://localhost:8765/callback", any_port=True)
        yield fake


@pytest.fixture
def options(fake: FakeTickTick, tmp_path: Path) -> Options:
    environ = {"ATS_TICKTICK_CLIENT_ID": APP}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path / "ticktick"))
    return options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url)


def stored(options: Options) -> Token:
    token = token_file(options).read()
    assert token is not None
    return token


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- all is well


def test_a_login_ends_with_a_private_file_and_a_line_that_says_who(
    fake: FakeTickTick, options: Options, browser: Browser
) -> None:
    told = login(options, True, 0)
    token = stored(options)
    assert told.startswith("logged in to TickTick as anna until 20")
    assert token.access.value not in told
    assert (token.account, token.region, token.client_id) == ("anna", "ticktick", APP)
    assert token.scopes == "tasks:read tasks:write"
    assert token.expires_at is not None
    assert token.expires_at > fake.clock() + 15_000_000
    credentials = Credentials(options, {})
    assert credentials.token(Deadline(1)) == token.access.value
    assert credentials.scope().endswith("/anna")
    if os.name != "nt":
        assert stat.S_IMODE(token_file(options).path.stat().st_mode) == 0o600
        assert stat.S_IMODE(options.state_dir.stat().st_mode) == 0o700


def test_the_challenge_is_sent_and_the_verifier_only_with_the_code(
    fake: FakeTickTick, options: Options, browser: Browser
) -> None:
    login(options, True, 0)
    asked, sent = query_of(browser.opened[0]), fake.requests[1].form
    assert asked["code_challenge_method"] == "S256"
    assert asked["response_type"] == "code"
    assert asked["scope"] == "tasks:read tasks:write"
    assert len(asked["state"]) >= 32
    assert 43 <= len(sent["code_verifier"]) <= 128
    assert sent["code_verifier"] not in browser.opened[0]
    assert sent["redirect_uri"] == asked["redirect_uri"]
    assert sent["client_id"] == APP


def test_two_logins_share_neither_state_nor_challenge(options: Options, browser: Browser) -> None:
    login(options, True, 0)
    login(options, True, 0)
    first, second = map(query_of, browser.opened)
    assert first["state"] != second["state"]
    assert first["code_challenge"] != second["code_challenge"]


def test_the_app_s_secret_goes_into_the_header_beside_the_verifier(
    fake: FakeTickTick, options: Options, browser: Browser, tmp_path: Path
) -> None:
    fake.oauth.register(APP, "hush-hush", "http://localhost:8765/callback", any_port=True)
    environ = {"ATS_TICKTICK_CLIENT_ID": APP, "ATS_TICKTICK_CLIENT_SECRET": "hush-hush"}
    with_secret = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path))
    login(with_secret._replace(api_url=fake.api_url, oauth_url=fake.oauth_url), True, 0)
    sent = fake.requests[1]
    assert sent.basic == (APP, "hush-hush")
    assert "code_verifier" in sent.form
    assert "hush-hush" not in str(sent.form) + browser.opened[0]


def test_the_redirect_address_is_sent_byte_for_byte(fake: FakeTickTick, options: Options, browser: Browser) -> None:
    address = f"http://127.0.0.1:{free_port()}/Back/%7Eats?x=&y"
    fake.oauth.register(APP, None, address)
    login(options._replace(redirect_uri=address), True, None)
    assert query_of(browser.opened[0])["redirect_uri"] == address


def test_a_port_replaces_that_of_the_redirect_address(
    options: Options, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    port = free_port()
    login(options, True, port)
    assert query_of(browser.opened[0])["redirect_uri"] == f"http://localhost:{port}/callback"
    said = capsys.readouterr()
    assert said.out == ""
    assert f"http://localhost:{port}/callback must be registered" in said.err
    assert browser.opened[0] in said.err


def test_the_page_says_that_the_window_can_be_closed_and_holds_no_code(options: Options, browser: Browser) -> None:
    browser.visits = lambda address: [address]
    login(options, True, 0)
    status, page = browser.seen()[0]
    assert status == 200
    assert "you can close this window" in page
    assert query_of(browser.opened[0])["state"] not in page


def test_a_login_forgets_one_that_was_begun_without_a_browser(options: Options, browser: Browser) -> None:
    login(options, False, None)
    assert pending_file(options).exists()
    login(options, True, 0)
    assert not pending_file(options).exists()


def test_a_login_replaces_a_damaged_file(options: Options, browser: Browser) -> None:
    options.state_dir.mkdir()
    token_file(options).path.write_bytes(b'{"access_')
    login(options, True, 0)
    assert stored(options).account == "anna"


def test_a_token_that_is_set_is_said_to_go_first(fake: FakeTickTick, browser: Browser, tmp_path: Path) -> None:
    environ = {"ATS_TICKTICK_CLIENT_ID": APP, "ATS_TICKTICK_TOKEN": "personal-1"}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path))
    told = login(options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url), True, 0)
    assert "ATS_TICKTICK_TOKEN" in told
    assert "personal-1" not in told


# --- the account


def test_where_the_members_are_not_told_the_inbox_names_the_account(
    fake: FakeTickTick, options: Options, browser: Browser
) -> None:
    fake.fail("GET /project/inbox/members", status=500, body={"errorCode": "unknown_exception"}, times=None)
    fake.first_account().add_task("inbox", title="Renew passport")
    login(options, True, 0)
    assert stored(options).account == "inbox115781412"


@pytest.mark.parametrize(
    "members",
    [
        [{"username": "ben", "displayName": "Ben", "self": False}],
        [{"username": None, "self": True}, {"self": True}, "anna", None],
        {},
        [],
    ],
)
def test_odd_members_name_nobody(fake: FakeTickTick, options: Options, browser: Browser, members: Any) -> None:
    fake.fail("GET /project/inbox/members", status=200, body=members, times=None)
    fake.first_account().add_task("inbox", title="Renew passport")
    login(options, True, 0)
    assert stored(options).account == "inbox115781412"


def test_an_account_that_cannot_be_learnt_does_not_spoil_the_login(
    fake: FakeTickTick, options: Options, browser: Browser
) -> None:
    fake.fail("GET /project/inbox/.*", status=500, body=b"<html>", times=None)
    told = login(options, True, 0)
    assert told.startswith("logged in to TickTick until 20")
    token = stored(options)
    assert token.account is not None
    assert token.account.startswith("token-")
    assert token.access.value not in token.account
    assert Credentials(options, {}).status().account is None


def test_two_logins_of_one_account_have_one_scope_and_two_accounts_have_two(
    fake: FakeTickTick, options: Options, browser: Browser
) -> None:
    scopes = []
    for account in (fake.first_account(), fake.first_account(), fake.account("token-b", uid="7", username="ben")):
        fake.oauth.signed_in = account
        login(options, True, 0)
        scopes.append(Credentials(options, {}).scope())
    assert scopes[0] == scopes[1] != scopes[2]


# --- the browser misbehaves


def test_other_paths_and_silent_connections_hold_nothing_up(options: Options, browser: Browser) -> None:
    silent: list[socket.socket] = []

    def visits(address: str) -> Iterator[str]:
        back = urlsplit(query_of(address)["redirect_uri"])
        silent.append(socket.create_connection(("127.0.0.1", back.port or 0)))
        yield f"http://127.0.0.1:{back.port}/favicon.ico"
        yield f"http://127.0.0.1:{back.port}/callback/?code=not-ours"
        yield f"http://127.0.0.1:{back.port}/callback"
        yield address

    browser.visits = visits  # type: ignore[assignment]
    login(options, True, 0)
    assert [status for status, _ in browser.seen()[:3]] == [404, 404, 404]
    for connection in silent:
        connection.close()


def test_a_page_that_is_loaded_twice_counts_once(fake: FakeTickTick, options: Options, browser: Browser) -> None:
    def visits(address: str) -> list[str]:
        """Two answers at the same time; whichever comes second may find nobody."""
        code = query_of(get_location(address))["code"]
        threads = [threading.Thread(target=load, args=(came_back(address, code=code),)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return []

    def load(address: str) -> None:
        with contextlib.suppress(OSError):
            get(address)

    browser.visits = visits
    assert login(options, True, 0).startswith("logged in")
    assert browser.seen() == []
    assert fake.count("POST /oauth/token") == 1


def get_location(address: str) -> str:
    """Where the page sends the browser."""
    from http.client import HTTPConnection

    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        return connection.getresponse().headers["location"]
    finally:
        connection.close()


@pytest.mark.parametrize("state", ["another", "", "ä\ud800", None])
def test_an_answer_to_another_login_is_refused(
    fake: FakeTickTick, options: Options, browser: Browser, state: str | None
) -> None:
    def visits(address: str) -> list[str]:
        answer = {"code": "abc"} if state is None else {"code": "abc", "state": state}
        return [f"{query_of(address)['redirect_uri']}?{urlencode(answer, errors='surrogatepass')}"]

    browser.visits = visits
    with pytest.raises(LoginRequiredError, match="another login") as raised:
        login(options, True, 0)
    assert raised.value.hint is not None
    assert fake.requests == []
    assert token_file(options).read() is None


def test_a_user_who_declines_is_told(fake: FakeTickTick, options: Options, browser: Browser) -> None:
    fake.oauth.denies = True
    with pytest.raises(LoginRequiredError, match="TickTick did not let us in: access_denied") as raised:
        login(options, True, 0)
    assert raised.value.exit_code == 3
    assert "you can close this window" in browser.seen()[0][1]


def test_what_the_service_says_stays_one_line(options: Options, browser: Browser) -> None:
    said = {"error": "server_error", "error_description": "a\nb\x1b[31m" + "c" * 1000}
    browser.visits = lambda address: [came_back(address, **said)]
    with pytest.raises(LoginRequiredError) as raised:
        login(options, True, 0)
    assert "server_error: a b[31mccc" in raised.value.message
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 300


def test_where_no_browser_opens_the_address_is_on_stderr(
    options: Options, browser: Browser, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tried = threading.Event()

    def none(address: str) -> bool:
        browser.opened.append(address)
        threading.Thread(target=by_hand, args=(address,)).start()
        return False

    def by_hand(address: str) -> None:
        tried.wait(10)
        get(address)

    def told(text: str, **keywords: Any) -> None:
        print(text, **keywords)
        if "could be opened" in text:
            tried.set()

    monkeypatch.setattr(webbrowser, "open", none)
    monkeypatch.setattr(login_module, "print", told, raising=False)
    assert login(options, True, 0).startswith("logged in")
    said = capsys.readouterr()
    assert browser.opened[0] in said.err
    assert "open the address yourself" in said.err
    assert said.out == ""


def test_nobody_is_waited_for_for_ever(options: Options, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    browser.visits = lambda address: []
    monkeypatch.setattr(login_module, "PATIENCE", 0.2)
    with pytest.raises(StoreTimeoutError, match="no browser came back") as raised:
        login(options, True, 0)
    assert "/callback registered" in str(raised.value.hint)


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_ctrl_c_ends_the_waiting_and_frees_the_port(options: Options, browser: Browser) -> None:
    def interrupt(address: str) -> list[str]:
        os.kill(os.getpid(), signal.SIGINT)
        return []

    port = free_port()
    browser.visits = interrupt
    with pytest.raises(KeyboardInterrupt):
        login(options, True, port)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", port))


# --- it cannot begin


@pytest.mark.parametrize(("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
def test_a_port_that_is_taken_is_an_error_of_its_own(
    options: Options, browser: Browser, host: str, family: socket.AddressFamily
) -> None:
    with socket.socket(family) as other:
        try:
            other.bind((host, 0))
        except OSError:
            pytest.skip(f"no {host} here")
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port} .* another program listens there") as raised:
            login(options._replace(redirect_uri=f"http://localhost:{port}/callback"), True, None)
    assert "--port" in str(raised.value.hint)
    assert browser.opened == []


@pytest.mark.parametrize(
    "address",
    ["https://localhost:8765/callback", "http://example.org/callback", "http://localhost.example.org/", "ats:x"],
)
def test_a_redirect_address_elsewhere_cannot_be_listened_at(options: Options, browser: Browser, address: str) -> None:
    with pytest.raises(ConfigError, match="no browser can be sent back") as raised:
        login(options._replace(redirect_uri=address), True, None)
    assert "--no-browser" in str(raised.value.hint)
    assert browser.opened == []


def test_a_port_that_there_is_not_is_refused(options: Options, browser: Browser) -> None:
    with pytest.raises(ConfigError, match="port 99999"):
        login(options._replace(redirect_uri="http://localhost:99999/callback"), True, None)


@pytest.mark.parametrize("by_browser", [True, False])
@pytest.mark.parametrize(
    ("region", "portal"), [("ticktick", "developer.ticktick.com"), ("dida365", "developer.dida365.com")]
)
def test_without_an_app_the_hint_says_where_to_get_one_and_what_is_simpler(
    tmp_path: Path, browser: Browser, by_browser: bool, region: str, portal: str
) -> None:
    environ = {"ATS_TICKTICK_REGION": region}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path))
    with pytest.raises(ConfigError, match="client id") as raised:
        login(options, by_browser, None)
    hint = str(raised.value.hint)
    assert portal in hint
    assert "ATS_TICKTICK_TOKEN" in hint
    assert "http://localhost:8765/callback" in hint
    assert list(tmp_path.iterdir()) == []


# --- the token is not given


@pytest.mark.parametrize(
    ("failure", "error", "said"),
    [
        ({"status": 400, "body": {"error": "invalid_grant"}}, LoginRequiredError, r"answered 400 \(invalid_grant\)"),
        ({"status": 401, "body": {"error": "invalid_client"}}, ConfigError, r"answered 401 \(invalid_client\)"),
        ({"status": 403, "body": b"<html>robots</html>"}, StoreError, "answered 403"),
        ({"status": 302, "body": b"", "headers": {"Location": "/signin"}}, StoreError, "answered 302"),
        ({"status": 500, "body": {"errorCode": "x", "errorMessage": "y"}}, StoreError, r"answered 500 \(x: y\)"),
        ({"status": 429, "body": None}, RateLimitedError, "answered 429"),
        ({"status": 200, "body": b"<html>"}, StoreError, "without a token"),
        ({"status": 200, "body": None}, StoreError, "without a token"),
        ({"status": 200, "body": ["access_token"]}, StoreError, "without a token"),
        ({"status": 200, "body": {"access_token": "two words"}}, StoreError, "without a token"),
        ({"drop": True}, StoreError, "cannot be reached"),
    ],
)
def test_each_way_of_not_giving_a_token_is_told(
    fake: FakeTickTick,
    options: Options,
    browser: Browser,
    failure: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    fake.fail("POST /oauth/token", **failure)
    with pytest.raises(error, match=said) as raised:
        login(options, True, 0)
    assert "\n" not in str(raised.value)
    assert token_file(options).read() is None
    assert fake.count("POST /oauth/token") == 1


def test_a_service_that_is_away_is_named(fake: FakeTickTick, options: Options, browser: Browser) -> None:
    browser.visits = lambda address: [came_back(address, code="abc")]
    with pytest.raises(StoreError, match=r"TickTick's login cannot be reached at 127\.0\.0\.1: Connection refused"):
        login(options._replace(oauth_url=f"http://127.0.0.1:{free_port()}"), True, 0)


def test_a_proxy_is_not_asked_for_this_machine(
    options: Options, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert login(options, True, 0).startswith("logged in to TickTick as anna")


@pytest.mark.parametrize("proxy", ["http://127.0.0.1:{port}", "socks9://127.0.0.1:{port}"])
def test_a_proxy_that_does_not_work_is_named_without_its_password(
    options: Options, browser: Browser, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    port = free_port()
    monkeypatch.setenv("HTTPS_PROXY", proxy.format(port=port).replace("//", "//anna:hush-hush@"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    browser.visits = lambda address: [came_back(address, code="abc")]
    with pytest.raises(StoreError, match=f"login.invalid through the proxy .*127.0.0.1:{port}") as raised:
        login(options._replace(oauth_url="https://login.invalid"), True, 0)
    assert "hush" not in str(raised.value)


def test_a_login_that_cannot_be_kept_says_so(options: Options, browser: Browser) -> None:
    token_file(options).path.mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"token\.json cannot be written"):
        login(options, True, 0)
