"""`ats auth login --no-browser` and `ats auth exchange`: for a machine that has no browser."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from ats_adapter_ticktick.auth.attempt import pending_file
from ats_adapter_ticktick.auth.credentials import token_file
from ats_adapter_ticktick.auth.exchange import exchange
from ats_adapter_ticktick.auth.login import login
from ats_adapter_ticktick.options import Options
from ats_core import AdapterConfig, LoginRequiredError, UsageError
from fakes.ticktick import FakeTickTick

APP = "app-1"
REDIRECT = "http://localhost:8765/callback"


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account("token-a", uid="115781412", username="anna")
        fake.oauth.register(APP, None, REDIRECT)
        yield fake


@pytest.fixture
def options(fake: FakeTickTick, tmp_path: Path) -> Options:
    environ = {"ATS_TICKTICK_CLIENT_ID": APP}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path / "ticktick"))
    return options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url)


def agree(told: str) -> str:
    """Opens the address that was told, agrees, and gives the address that the browser ends at."""
    parts = urlsplit(re.findall(r"http://\S+/oauth/authorize\S+", told)[0])
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        return connection.getresponse().headers["location"]
    finally:
        connection.close()


def code_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["code"][0]


def test_a_login_elsewhere_is_begun_and_says_what_comes_next(options: Options) -> None:
    told = login(options, False, None)
    assert f"{options.oauth_url}/oauth/authorize?" in told
    assert "then run `ats auth exchange CODE`" in told
    assert REDIRECT in told
    assert "\n" not in told
    if os.name != "nt":
        assert stat.S_IMODE(pending_file(options).stat().st_mode) == 0o600
        assert stat.S_IMODE(options.state_dir.stat().st_mode) == 0o700
    assert token_file(options).read() is None


FORMS: list[Callable[[str], str]] = [
    lambda address: address,
    lambda address: f"  {address}\n",
    lambda address: f"'{address}'",
    lambda address: f"{address[:40]}\n{address[40:]}",
    lambda address: address.removeprefix("http://"),
    lambda address: urlsplit(address).query,
    lambda address: f"?{urlsplit(address).query}",
    lambda address: f"{address}#_=_",
    lambda address: address.partition("&")[0],
    code_of,
    lambda address: f" {code_of(address)}\n",
    lambda address: f"code={code_of(address)}",
]


@pytest.mark.parametrize("form", FORMS)
def test_whatever_part_of_the_answer_is_pasted_finishes_the_login(options: Options, form: Callable[[str], str]) -> None:
    pasted = form(agree(login(options, False, None)))
    assert exchange(options, pasted).startswith("logged in to TickTick as anna until 20")
    token = token_file(options).read()
    assert token is not None
    assert (token.account, token.client_id) == ("anna", APP)
    assert not pending_file(options).exists()


@pytest.mark.parametrize("code", ["a+b/c==", "x=y", "a&b"])
def test_a_bare_code_may_hold_what_an_address_holds(fake: FakeTickTick, options: Options, code: str) -> None:
    login(options, False, None)
    with pytest.raises(LoginRequiredError):
        exchange(options, code)
    assert fake.requests[-1].form["code"] == code


def test_the_verifier_of_the_address_is_sent(fake: FakeTickTick, options: Options) -> None:
    first = agree(login(options, False, None))
    agree(login(options, False, None))
    with pytest.raises(LoginRequiredError, match="answered 400"):
        exchange(options, code_of(first))
    assert "code_verifier" in fake.requests[-1].form


def test_an_app_that_is_no_longer_set_is_the_one_that_began(options: Options) -> None:
    address = agree(login(options, False, None))
    assert exchange(options._replace(client_id=None), address).startswith("logged in")


def test_a_port_is_that_of_the_redirect_address_and_a_free_one_means_nothing(options: Options) -> None:
    assert "localhost%3A9001%2Fcallback" in login(options, False, 9001)
    assert "localhost%3A8765%2Fcallback" in login(options, False, 0)


def test_a_redirect_address_elsewhere_can_be_used_without_a_browser(fake: FakeTickTick, options: Options) -> None:
    fake.oauth.register(APP, None, "https://example.org/back")
    elsewhere = options._replace(redirect_uri="https://example.org/back")
    address = agree(login(elsewhere, False, None))
    assert address.startswith("https://example.org/back?")
    assert exchange(elsewhere, address).startswith("logged in")


def test_an_address_of_another_login_is_refused(fake: FakeTickTick, options: Options) -> None:
    first = agree(login(options, False, None))
    login(options, False, None)
    with pytest.raises(LoginRequiredError, match="another login"):
        exchange(options, first)
    assert fake.count("POST /oauth/token") == 0


def test_a_user_who_declined_is_told(fake: FakeTickTick, options: Options) -> None:
    fake.oauth.denies = True
    address = agree(login(options, False, None))
    with pytest.raises(LoginRequiredError, match="access_denied"):
        exchange(options, address)


def test_a_code_is_good_once(options: Options) -> None:
    address = agree(login(options, False, None))
    exchange(options, address)
    with pytest.raises(UsageError, match="no login has begun"):
        exchange(options, address)


def test_a_refused_code_leaves_the_login_begun(options: Options) -> None:
    address = agree(login(options, False, None))
    with pytest.raises(LoginRequiredError):
        exchange(options, "mistyped")
    assert exchange(options, address).startswith("logged in")


def test_without_a_login_begun_it_says_how_to_begin(options: Options) -> None:
    with pytest.raises(UsageError, match="no login has begun") as raised:
        exchange(options, "abc")
    assert "--no-browser" in str(raised.value.hint)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"state": 1}', b"\xff", b'{"state": "hush"}'])
def test_a_damaged_beginning_is_named_and_begun_again(options: Options, content: bytes) -> None:
    options.state_dir.mkdir()
    pending_file(options).write_bytes(content)
    with pytest.raises(UsageError, match=r"login\.json is damaged") as raised:
        exchange(options, "abc")
    assert "hush" not in raised.value.message
    assert exchange(options, agree(login(options, False, None))).startswith("logged in")


def test_a_folder_in_the_place_of_the_beginning_is_named(options: Options) -> None:
    pending_file(options).mkdir(parents=True)
    with pytest.raises(UsageError, match=r"login\.json cannot be read"):
        exchange(options, "abc")


def test_a_login_begun_at_the_other_service_is_not_finished_here(fake: FakeTickTick, options: Options) -> None:
    address = agree(login(options, False, None))
    with pytest.raises(UsageError, match="begun at TickTick, not at Dida365"):
        exchange(options._replace(region="dida365"), address)
    assert fake.count("POST /oauth/token") == 0


@pytest.mark.parametrize(
    "pasted",
    ["", "  ", "''", REDIRECT, f"{REDIRECT}?", f"{REDIRECT}?state=x", "?x=1", "code=", "https://ticktick.com/"],
)
def test_what_holds_no_code_is_refused(fake: FakeTickTick, options: Options, pasted: str) -> None:
    login(options, False, None)
    with pytest.raises(UsageError, match="no code in what was pasted"):
        exchange(options, pasted)
    assert fake.requests == []
    assert pending_file(options).exists()
