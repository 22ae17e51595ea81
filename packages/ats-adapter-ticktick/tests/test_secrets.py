"""No secret of a login is in anything that somebody may see: answers, messages, logs, `repr`, tracebacks."""

from __future__ import annotations

import logging
import traceback
import webbrowser
from base64 import b64encode
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, urlsplit
from urllib.request import ProxyHandler, build_opener

import pytest
from ats_adapter_ticktick.auth.attempt import Attempt, pending_file
from ats_adapter_ticktick.auth.credentials import Credentials, token_file
from ats_adapter_ticktick.auth.exchange import exchange
from ats_adapter_ticktick.auth.login import login
from ats_adapter_ticktick.auth.logout import logout
from ats_adapter_ticktick.options import Options
from ats_core import AdapterConfig, AtsError, Deadline, LoginRequiredError, Secret
from fakes.ticktick import FakeTickTick

APP = "app-1"
APP_SECRET = "s3cret+of/the=app&%"
MISTYPED = "a-code+with/no=sense"
PERSONAL = "tp_personal+of/anna=="
REDIRECT = "http://localhost:8765/callback"


class Watch:
    """Everything that was said, and everything that must not be in it."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.secrets: set[str] = {APP_SECRET, PERSONAL, MISTYPED}

    def hear(self, *things: object) -> None:
        for thing in things:
            self.said += [str(thing), repr(thing), f"{thing}"]

    def run(self, call: Callable[[], object]) -> object:
        """Calls; an error of ours is heard too, with its cause, as a traceback would show it."""
        try:
            result = call()
        except AtsError as error:
            self.hear(error, error.message, error.hint, error.args, vars(error))
            self.said += traceback.format_exception(error)
            return error
        self.hear(result)
        return result

    def check(self) -> None:
        everything = "\n".join(self.said)
        for secret in self.secrets:
            basic = b64encode(f"{APP}:{secret}".encode()).decode()
            for form in {secret, quote(secret), quote(secret, safe=""), quote_plus(secret), basic}:
                assert form not in everything


@pytest.fixture
def watch(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[Watch]:
    """What is logged at any level and printed anywhere is heard as well."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    watch = Watch()
    yield watch
    printed = capfd.readouterr()
    watch.said += [printed.out, printed.err, caplog.text, *map(repr, caplog.records)]
    assert len(watch.said) > 4
    watch.check()


@pytest.fixture
def fake(watch: Watch) -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account("token-a", uid="115781412", username="anna")
        fake.oauth.register(APP, APP_SECRET, REDIRECT, any_port=True)
        fake.oauth.refresh_token = True
        yield fake
        for request in fake.requests:
            for name in ("code", "code_verifier", "refresh_token", "token"):
                if value := request.form.get(name):
                    watch.secrets.add(value)


@pytest.fixture
def options(fake: FakeTickTick, tmp_path: Path) -> Options:
    environ = {"ATS_TICKTICK_CLIENT_ID": APP, "ATS_TICKTICK_CLIENT_SECRET": APP_SECRET}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path))
    return options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url)


def note_files(options: Options, watch: Watch) -> None:
    """What lies in the files is secret; they are 0600, and nothing else may show it."""
    token = token_file(options).read()
    if token is not None:
        watch.secrets |= {secret.value for secret in (token.access, token.refresh) if secret is not None}
    if pending_file(options).exists():
        watch.secrets.add(Attempt.saved(pending_file(options)).verifier.value)


def agree(options: Options) -> str:
    """The address that the browser ends at."""
    address = Attempt.saved(pending_file(options)).address(options)
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=10)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        return connection.getresponse().headers["location"]
    finally:
        connection.close()


def test_a_login_by_browser_its_renewal_and_its_end(
    options: Options, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def visit(address: str) -> bool:
        with build_opener(ProxyHandler({})).open(address, timeout=10) as response:
            watch.hear(response.read().decode(), response.headers)
        return True

    monkeypatch.setattr(webbrowser, "open", visit)
    assert "anna" in str(watch.run(lambda: login(options, True, 0)))
    note_files(options, watch)
    credentials = Credentials(options, {}, clock=lambda: 1e11)
    watch.secrets.add(credentials.token(Deadline(10)))
    watch.run(credentials.status)
    watch.run(credentials.scope)
    watch.hear(credentials, options, token_file(options).read())
    note_files(options, watch)
    assert "revoked" in str(watch.run(lambda: logout(options)))


def test_a_login_elsewhere(options: Options, watch: Watch) -> None:
    watch.run(lambda: login(options, False, None))
    note_files(options, watch)
    watch.hear(Attempt.saved(pending_file(options)))
    assert "anna" in str(watch.run(lambda: exchange(options, agree(options))))
    note_files(options, watch)


ECHOES: list[dict[str, Any]] = [
    {"status": 400, "body": "the fake's own"},
    {"status": 500, "body": {"errorCode": "unknown_exception", "errorMessage": "echo"}},
    {"status": 200, "body": b"<html>echo</html>"},
    {"drop": True},
]


@pytest.mark.parametrize("failure", ECHOES)
def test_a_code_that_is_refused_and_repeated_in_the_refusal(
    fake: FakeTickTick, options: Options, watch: Watch, failure: dict[str, Any]
) -> None:
    watch.run(lambda: login(options, False, None))
    note_files(options, watch)
    address = agree(options)
    code = parse_qs(urlsplit(address).query)["code"][0]
    watch.secrets.add(code)
    if failure.get("status") != 400:
        fake.fail("POST /oauth/token", **echoing(failure, code, APP_SECRET))
        assert isinstance(watch.run(lambda: exchange(options, address)), AtsError)
    assert isinstance(watch.run(lambda: exchange(options, MISTYPED)), LoginRequiredError)
    watch.run(lambda: exchange(options, f"{REDIRECT}?code={MISTYPED}&state=other"))


def echoing(failure: dict[str, Any], *secrets: str) -> dict[str, Any]:
    """The failure with the secrets in its text, one at an end where a cut would leave a piece of it."""
    body = failure.get("body")
    if isinstance(body, dict):
        return {
            **failure,
            "body": {**body, "errorMessage": f"{' '.join(secrets)} {'x' * 140} {secrets[0]} {secrets[-1]}"},
        }
    return {**failure, "body": " ".join(secrets).encode()} if isinstance(body, bytes) else failure


def test_a_secret_at_the_end_of_a_long_text_leaves_no_piece_of_itself(
    fake: FakeTickTick, options: Options, watch: Watch
) -> None:
    code = "0123456789" * 4
    login(options, False, None)
    for length in range(140, 200):
        said = {"error": "invalid_grant", "error_description": f"{'x' * length}{code}"}
        fake.fail("POST /oauth/token", status=400, body=said)
        error = watch.run(lambda: exchange(options, code))
        assert "x" * 140 in str(error)
        assert "0" not in str(error).partition("invalid_grant")[2]


def test_a_renewal_that_is_refused_or_fails(fake: FakeTickTick, options: Options, watch: Watch) -> None:
    watch.run(lambda: login(options, False, None))
    watch.run(lambda: exchange(options, agree(options)))
    note_files(options, watch)
    credentials = Credentials(options, {}, clock=lambda: 1e11)
    token = token_file(options).read()
    assert token is not None
    assert token.refresh is not None
    fake.fail("POST /oauth/token", status=503, body={"errorCode": "x", "errorMessage": token.refresh.value})
    assert isinstance(watch.run(lambda: credentials.token(Deadline(10))), AtsError)
    fake.oauth.revoke_refresh_tokens()
    assert isinstance(watch.run(lambda: credentials.token(Deadline(10))), LoginRequiredError)
    watch.run(credentials.status)


def test_a_logout_that_is_not_taken(fake: FakeTickTick, options: Options, watch: Watch) -> None:
    watch.run(lambda: login(options, False, None))
    watch.run(lambda: exchange(options, agree(options)))
    note_files(options, watch)
    token = token_file(options).read()
    assert token is not None
    fake.fail(
        "POST /oauth/revoke", status=400, body={"error": "x", "error_description": token.access.value}, times=None
    )
    assert "not revoked" in str(watch.run(lambda: logout(options)))


def test_files_that_are_damaged(options: Options, watch: Watch) -> None:
    for form in ('{"access_token": "!', '{"access_token": ["!"]}', '{"!": "!"}'):
        content = form.replace("!", MISTYPED)
        token_file(options).path.write_text(content)
        pending_file(options).write_text(content)
        credentials = Credentials(options, {})
        watch.run(lambda: credentials.token(Deadline(1)))  # noqa: B023 - it is called here and now
        watch.run(credentials.status)
        watch.run(credentials.scope)
        watch.run(lambda: exchange(options, MISTYPED))
    watch.run(lambda: logout(options))


def test_a_personal_token(options: Options, watch: Watch) -> None:
    personal = options._replace(token=Secret(PERSONAL))
    credentials = Credentials(personal, {"ATS_TICKTICK_TOKEN": PERSONAL})
    assert credentials.token(Deadline(1)) == PERSONAL
    watch.hear(credentials, personal)
    watch.run(credentials.status)
    watch.run(credentials.scope)
    watch.run(lambda: logout(personal))


def test_the_watch_hears_what_it_should() -> None:
    watch = Watch()
    watch.run(lambda: (_ for _ in ()).throw(LoginRequiredError("x", hint=f"as {quote(APP_SECRET)}")))
    with pytest.raises(AssertionError):
        watch.check()
