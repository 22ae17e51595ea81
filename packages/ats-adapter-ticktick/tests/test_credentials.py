"""Which token is sent, whose it is, and when it is renewed."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from ats_adapter_ticktick.auth.credentials import NOBODY, Credentials
from ats_adapter_ticktick.auth.token import Token, TokenFile
from ats_adapter_ticktick.options import Options
from ats_core import (
    AdapterConfig,
    ConfigError,
    Deadline,
    LoginRequiredError,
    RateLimitedError,
    Secret,
    StoreError,
    StoreTimeoutError,
)
from fakes.ticktick import FakeTickTick

NOW = 1_800_000_000.0
APP = "app-1"


def options_of(folder: Path, fake: FakeTickTick | None = None, **environ: str) -> Options:
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=folder))
    return options if fake is None else options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url)


def credentials_of(options: Options, now: float = NOW, **environ: str) -> Credentials:
    return Credentials(options, environ, clock=lambda: now)


def store(folder: Path, **fields: Any) -> TokenFile:
    given = {"access": Secret("access-1"), "account": "anna", "region": "ticktick", "client_id": APP}
    file = TokenFile(folder / "token.json")
    file.write(Token(**{**given, **fields}))
    return file


def in_time() -> Deadline:
    return Deadline(10)


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account("access-1", uid="115781412", username="anna")
        fake.oauth.register(APP, None, "http://localhost:8765/callback")
        fake.oauth.refresh_token = True
        yield fake


@pytest.fixture
def expired(fake: FakeTickTick, tmp_path: Path) -> TokenFile:
    """A token file whose token has expired, and whose refresh token the service knows."""
    redirect = {"client_id": APP, "redirect_uri": "http://localhost:8765/callback"}
    location = ask(
        fake, "GET", "/oauth/authorize", response_type="code", code_challenge_method="S256", **CHALLENGE, **redirect
    )
    code = parse_qs(urlsplit(location).query)["code"][0]
    answer = ask(fake, "POST", "/oauth/token", grant_type="authorization_code", code=code, **VERIFIER, **redirect)
    fake.forget()
    refresh = Secret(json.loads(answer)["refresh_token"])
    return store(tmp_path, refresh=refresh, expires_at=NOW - 1, scopes="tasks:read")


VERIFIER = {"code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"}
CHALLENGE = {"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}  # RFC 7636, appendix B


def ask(fake: FakeTickTick, method: str, path: str, **fields: str) -> str:
    """Where the answer leads, else its body."""
    connection = HTTPConnection(urlsplit(fake.url).netloc, timeout=10)
    try:
        connection.request(method, f"{path}?{urlencode(fields)}")
        answer = connection.getresponse()
        return answer.headers["location"] or answer.read().decode()
    finally:
        connection.close()


# --- which token


def test_the_variable_goes_before_the_file(tmp_path: Path) -> None:
    store(tmp_path)
    options = options_of(tmp_path, ATS_TICKTICK_TOKEN="  personal-1\n")
    assert credentials_of(options).token(in_time()) == "personal-1"


def test_a_blank_variable_is_none(tmp_path: Path) -> None:
    store(tmp_path)
    assert credentials_of(options_of(tmp_path, ATS_TICKTICK_TOKEN=" \n")).token(in_time()) == "access-1"


def test_a_token_of_unknown_expiry_is_sent(tmp_path: Path) -> None:
    store(tmp_path, expires_at=None)
    assert credentials_of(options_of(tmp_path)).token(in_time()) == "access-1"


def test_a_login_and_a_logout_meanwhile_count_at_once(tmp_path: Path) -> None:
    credentials = credentials_of(options_of(tmp_path))
    with pytest.raises(LoginRequiredError, match="not logged in to TickTick") as raised:
        credentials.token(in_time())
    assert raised.value.exit_code == 3
    assert "ats auth login" in str(raised.value.hint)
    assert "ATS_TICKTICK_TOKEN" in str(raised.value.hint)
    file = store(tmp_path)
    assert credentials.token(in_time()) == "access-1"
    file.path.unlink()
    with pytest.raises(LoginRequiredError):
        credentials.token(in_time())


def test_an_expired_login_without_a_refresh_token_asks_nobody(fake: FakeTickTick, tmp_path: Path) -> None:
    (tmp_path / "token.json").write_text('{"access_token": "AAA", "expires_in": 1}')
    credentials = credentials_of(options_of(tmp_path, fake), now=time.time())
    with pytest.raises(LoginRequiredError, match="login expired") as raised:
        credentials.token(in_time())
    assert raised.value.hint == "run `ats auth login`"
    assert fake.requests == []


def test_a_damaged_file_names_itself(tmp_path: Path) -> None:
    (tmp_path / "token.json").write_text('{"access_token": "AA')
    with pytest.raises(LoginRequiredError, match=r"token\.json is damaged"):
        credentials_of(options_of(tmp_path)).token(in_time())


def test_the_token_of_one_service_is_not_sent_to_the_other(tmp_path: Path) -> None:
    store(tmp_path, region="ticktick")
    credentials = credentials_of(options_of(tmp_path, ATS_TICKTICK_REGION="dida365"))
    with pytest.raises(LoginRequiredError, match="logged in to TickTick and not to Dida365"):
        credentials.token(in_time())
    assert credentials.scope() == NOBODY
    assert not credentials.status().ok


# --- renewal


def test_what_the_answer_to_a_renewal_leaves_out_is_kept(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path
) -> None:
    before = expired.read()
    fake.oauth.expires_in = 1000
    renewed = credentials_of(options_of(tmp_path, fake)).token(in_time())
    after = expired.read()
    assert before is not None
    assert after is not None
    assert after.access.value == renewed != "access-1"
    assert after.refresh == before.refresh
    assert after.expires_at == NOW + 1000
    assert (after.account, after.region, after.client_id) == ("anna", "ticktick", APP)


def test_a_new_refresh_token_replaces_the_old_one(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    before = expired.read()
    fake.oauth.refresh_reply = "new"
    credentials_of(options_of(tmp_path, fake)).token(in_time())
    after = expired.read()
    assert before is not None
    assert after is not None
    assert after.refresh is not None
    assert after.refresh != before.refresh


@pytest.mark.parametrize("expires_in", [None, 0, -5, "soon"])
def test_an_odd_lifetime_of_the_answer_is_an_unknown_one(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path, expires_in: Any
) -> None:
    fake.fail("POST /oauth/token", status=200, body={"access_token": "access-2", "expires_in": expires_in})
    assert credentials_of(options_of(tmp_path, fake)).token(in_time()) == "access-2"
    after = expired.read()
    assert after is not None
    assert after.expires_at is None
    assert after.scopes == "tasks:read"


def test_threads_renew_once(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    fake.latency = 0.05
    credentials = credentials_of(options_of(tmp_path, fake))
    tokens: list[str] = []
    threads = [threading.Thread(target=lambda: tokens.append(credentials.token(in_time()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 8
    assert len(set(tokens)) == 1
    assert fake.count("POST /oauth/token") == 1


PROCESS = """
import sys
from pathlib import Path
from ats_core import AdapterConfig, Deadline
from ats_adapter_ticktick.auth.credentials import Credentials
from ats_adapter_ticktick.options import Options
folder, api_url, oauth_url = sys.argv[1:]
options = Options.read(AdapterConfig(name="ticktick", state_dir=Path(folder)))
options = options._replace(api_url=api_url, oauth_url=oauth_url)
sys.stdin.readline()
print(Credentials(options, {}).token(Deadline(30)))
"""


def test_processes_renew_once_even_where_a_refresh_token_is_good_for_one_use(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path
) -> None:
    fake.oauth.refresh_reply = "new"
    fake.latency = 0.1
    before = expired.read()
    assert before is not None
    expired.write(before._replace(expires_at=1.0))
    command = [sys.executable, "-c", PROCESS, str(tmp_path), fake.api_url, fake.oauth_url]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    tokens = {process.communicate(timeout=60)[0].strip() for process in processes}
    after = expired.read()
    assert after is not None
    assert tokens == {after.access.value}
    assert fake.count("POST /oauth/token") == 1


def test_a_refused_renewal_is_an_expired_login_and_is_not_asked_again(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path
) -> None:
    fake.oauth.revoke_refresh_tokens()
    for _ in range(3):
        with pytest.raises(LoginRequiredError, match="login expired") as raised:
            credentials_of(options_of(tmp_path, fake)).token(in_time())
        assert raised.value.hint == "run `ats auth login`"
    assert fake.count("POST /oauth/token") == 1
    assert credentials_of(options_of(tmp_path, fake)).scope().endswith("/anna")


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        ({"status": 500, "body": {"errorCode": "unknown_exception", "errorMessage": "oops"}}, StoreError),
        ({"status": 503, "body": b"<html>down</html>"}, StoreError),
        ({"status": 200, "body": b"<html>web app</html>"}, StoreError),
        ({"status": 200, "body": {"access_token": 7}}, StoreError),
        ({"status": 500, "body": {"errorCode": "exceed_query_limit", "errorMessage": "slow"}}, RateLimitedError),
        ({"status": 401, "body": {"error": "invalid_client"}}, ConfigError),
        ({"drop": True}, StoreError),
    ],
)
def test_a_renewal_that_could_not_be_asked_for_can_be_asked_for_later(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path, failure: dict[str, Any], error: type[Exception]
) -> None:
    before = expired.read()
    fake.fail("POST /oauth/token", **failure)
    credentials = credentials_of(options_of(tmp_path, fake))
    with pytest.raises(error) as raised:
        credentials.token(in_time())
    assert not isinstance(raised.value, LoginRequiredError)
    assert expired.read() == before
    assert credentials.token(in_time()) != "access-1"


def test_a_renewal_keeps_to_the_deadline(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    fake.fail("POST /oauth/token", status=None, delay=60)
    with pytest.raises(StoreTimeoutError):
        credentials_of(options_of(tmp_path, fake)).token(Deadline(0.2))


def test_nobody_waits_for_a_renewal_beyond_the_deadline(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    with expired.lock(0.0) as held:
        assert held
        with pytest.raises(StoreTimeoutError, match="another process"):
            credentials_of(options_of(tmp_path, fake)).token(Deadline(0.1))
    assert fake.requests == []


def test_a_renewed_token_that_cannot_be_saved_is_used_all_the_same(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise ConfigError("the disk is full")

    monkeypatch.setattr(TokenFile, "write", full)
    credentials = credentials_of(options_of(tmp_path, fake))
    assert credentials.token(in_time()) == credentials.token(in_time()) != "access-1"
    assert fake.count("POST /oauth/token") == 1


def test_a_logout_while_a_renewal_waits_is_not_undone(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    raised: list[Exception] = []

    def ask() -> None:
        try:
            credentials_of(options_of(tmp_path, fake)).token(in_time())
        except LoginRequiredError as error:
            raised.append(error)

    with expired.lock(0.0):
        thread = threading.Thread(target=ask)
        thread.start()
        expired.path.unlink()
    thread.join()
    assert "not logged in" in str(raised[0])
    assert not expired.path.exists()
    assert fake.requests == []


def test_the_app_s_secret_goes_along_where_there_is_one(fake: FakeTickTick, expired: TokenFile, tmp_path: Path) -> None:
    fake.oauth.register(APP, "hush-hush", "http://localhost:8765/callback")
    environ = {"ATS_TICKTICK_CLIENT_ID": APP, "ATS_TICKTICK_CLIENT_SECRET": "hush-hush"}
    credentials_of(options_of(tmp_path, fake, **environ)).token(in_time())
    assert fake.requests[-1].basic == (APP, "hush-hush")


# --- whose it is


def test_the_scope_names_host_and_account_and_asks_nobody(fake: FakeTickTick, tmp_path: Path) -> None:
    store(tmp_path)
    assert credentials_of(options_of(tmp_path)).scope() == "api.ticktick.com/anna"
    assert credentials_of(options_of(tmp_path, fake)).scope() == f"{fake.url.removeprefix('http://')}/anna"
    assert fake.requests == []


def test_the_scope_differs_by_account_service_and_personal_token(tmp_path: Path) -> None:
    scopes = {credentials_of(options_of(tmp_path)).scope()}
    for account in ("anna", "ben", None):
        store(tmp_path, account=account)
        scopes.add(credentials_of(options_of(tmp_path)).scope())
    store(tmp_path, region="dida365")
    scopes.add(credentials_of(options_of(tmp_path, ATS_TICKTICK_REGION="dida365")).scope())
    for token in ("personal-1", "personal-2"):
        for region in ("ticktick", "dida365"):
            environ = {"ATS_TICKTICK_TOKEN": token, "ATS_TICKTICK_REGION": region}
            scopes.add(credentials_of(options_of(tmp_path, None, **environ)).scope())
    assert len(scopes) == 9
    assert NOBODY in scopes
    assert not any("personal" in scope or "access" in scope for scope in scopes)


@pytest.mark.parametrize("account", ["anna", None])
def test_the_scope_outlives_expiry_and_renewal(
    fake: FakeTickTick, expired: TokenFile, tmp_path: Path, account: str | None
) -> None:
    before = expired.read()
    assert before is not None
    expired.write(before._replace(account=account))
    credentials = credentials_of(options_of(tmp_path, fake))
    scope = credentials.scope()
    credentials.token(in_time())
    assert credentials.scope() == scope


@pytest.mark.parametrize("content", ["", "[]", '{"access_token": 1}', "\udcff"])
def test_the_scope_of_a_damaged_login_is_nobody_s(tmp_path: Path, content: str) -> None:
    (tmp_path / "token.json").write_text(content, errors="surrogateescape")
    assert credentials_of(options_of(tmp_path)).scope() == NOBODY


def test_the_scope_loads_no_network() -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from ats_core import AdapterConfig\n"
        "from ats_adapter_ticktick.auth.credentials import Credentials\n"
        "from ats_adapter_ticktick.options import Options\n"
        "options = Options.read(AdapterConfig(name='ticktick', environ={'ATS_TICKTICK_TOKEN': 'x'}))\n"
        "Credentials(options, {}).scope(), Credentials(options, {}).status()\n"
        "print(*sorted(sys.modules))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {
        "httpx",
        "http",
        "http.server",
        "http.client",
        "ssl",
        "webbrowser",
        "secrets",
        "socket",
        "asyncio",
        "email",
    }
    assert heavy.isdisjoint(loaded)


# --- status


def status_json(folder: Path, **environ: str) -> dict[str, Any]:
    status = Credentials(options_of(folder, None, **environ), environ, clock=lambda: NOW).status()
    decoded: dict[str, Any] = json.loads(json.dumps(vars_of(status)))
    return decoded


def vars_of(status: Any) -> dict[str, Any]:
    return {name: getattr(status, name) for name in status.__struct_fields__}


def test_status_says_who_until_when_for_what_and_where_from(tmp_path: Path) -> None:
    file = store(tmp_path, expires_at=NOW + 1e6, scopes="tasks:read tasks:write")
    assert status_json(tmp_path) == {
        "ok": True,
        "message": f"logged in as anna until 2027-01-26 for tasks:read tasks:write ({file.path})",
        "account": "anna",
        "expires_at": "2027-01-26T21:46:40+00:00",
    }


@pytest.mark.parametrize("expires_at", [None, 1e18])
def test_status_leaves_out_what_is_not_known(tmp_path: Path, expires_at: float | None) -> None:
    file = store(tmp_path, account="token-0123456789abcdef", expires_at=expires_at)
    status = status_json(tmp_path)
    assert status["message"] == f"logged in ({file.path})"
    assert (status["ok"], status["account"], status["expires_at"]) == (True, None, None)


def test_status_of_an_expired_login_is_not_ok_unless_it_can_be_renewed(tmp_path: Path) -> None:
    store(tmp_path, expires_at=NOW - 86400)
    assert "login expired as anna on 2027-01-14" in status_json(tmp_path)["message"]
    assert status_json(tmp_path)["ok"] is False
    store(tmp_path, expires_at=NOW - 86400, refresh=Secret("refresh-1"))
    assert "renewed at the next use" in status_json(tmp_path)["message"]
    assert status_json(tmp_path)["ok"] is True


def test_status_without_a_login_is_not_ok(tmp_path: Path) -> None:
    assert status_json(tmp_path) == {
        "ok": False,
        "message": "not logged in to TickTick",
        "account": None,
        "expires_at": None,
    }
    (tmp_path / "token.json").write_text("{")
    assert "is damaged" in status_json(tmp_path)["message"]
    assert status_json(tmp_path)["ok"] is False


def test_status_of_a_personal_token_says_where_it_stands(tmp_path: Path) -> None:
    assert "ATS_TICKTICK_TOKEN" in status_json(tmp_path, ATS_TICKTICK_TOKEN="personal-1")["message"]
    options = Options.read(AdapterConfig(name="ticktick", settings={"token": "personal-1"}, state_dir=tmp_path))
    assert "ticktick.json" in Credentials(options, {}).status().message
