"""The fake TickTick's login pages."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from calling import Reply, call
from fakes.ticktick import FakeTickTick

REDIRECT = "http://localhost:8765/callback"
VERIFIER = "a-verifier-of-at-least-forty-three-characters-long"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


class Clock:
    """Seconds that pass when told to."""

    now = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fake(clock: Clock) -> Iterator[FakeTickTick]:
    with FakeTickTick(clock=clock) as fake:
        fake.oauth.register("app", "app-secret", REDIRECT)
        fake.account("token-a")
        yield fake


def authorize(fake: FakeTickTick, **changed: str) -> Reply:
    query = {"client_id": "app", "scope": "tasks:read tasks:write", "state": "s1", "response_type": "code"}
    return call("GET", f"{fake.oauth_url}/oauth/authorize?{urlencode(query | {'redirect_uri': REDIRECT} | changed)}")


def code(fake: FakeTickTick, **changed: str) -> str:
    return parse_qs(urlsplit(authorize(fake, **changed).headers["Location"]).query)["code"][0]


def pkce_code(fake: FakeTickTick) -> str:
    return code(fake, code_challenge=CHALLENGE, code_challenge_method="S256")


def token(
    fake: FakeTickTick, fields: Mapping[str, str], *, headers: Mapping[str, str] | None = None, query: str = ""
) -> Reply:
    return call("POST", f"{fake.oauth_url}/oauth/token{query}", form=fields, headers=headers)


def exchange(fake: FakeTickTick, code: str, **fields: str) -> Reply:
    defaults = {"grant_type": "authorization_code", "redirect_uri": REDIRECT, "client_id": "app"}
    return token(fake, defaults | {"code": code} | fields)


def projects(fake: FakeTickTick, token: str) -> int:
    return call("GET", fake.api_url + "/project", token=token).status


def test_consent_leads_back_with_a_code_and_the_state(fake: FakeTickTick) -> None:
    reply = authorize(fake)

    assert reply.status == 302
    address, _, query = reply.headers["Location"].partition("?")
    assert address == REDIRECT
    assert dict(parse_qsl(query)).keys() == {"code", "state"}
    assert parse_qs(query)["state"] == ["s1"]


def test_a_user_who_declines_is_led_back_with_the_error(fake: FakeTickTick) -> None:
    fake.oauth.denies = True

    query = parse_qs(urlsplit(authorize(fake).headers["Location"]).query)

    assert query == {"error": ["access_denied"], "state": ["s1"]}


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"client_id": "other"}, b"no such client"),
        ({"redirect_uri": "http://localhost:9999/callback"}, b"redirect_uri_mismatch"),
        ({"response_type": "token"}, b"unsupported_response_type"),
        ({"code_challenge": "x", "code_challenge_method": "plain"}, b"invalid_request"),
    ],
)
def test_an_app_that_is_not_right_gets_a_page_and_no_redirect(
    fake: FakeTickTick, changed: dict[str, str], text: bytes
) -> None:
    reply = authorize(fake, **changed)

    assert reply.status == 400
    assert text in reply.body
    assert reply.json is None


def test_an_app_without_a_redirect_address_is_told_to_register_one(fake: FakeTickTick) -> None:
    fake.oauth.register("bare", "secret")

    assert b"At least one redirect_uri must be registered" in authorize(fake, client_id="bare").body


def test_any_port_of_loopback_where_the_client_is_registered_so(fake: FakeTickTick) -> None:
    fake.oauth.register("app", "app-secret", REDIRECT, any_port=True)

    assert authorize(fake, redirect_uri="http://localhost:9999/callback").status == 302
    assert authorize(fake, redirect_uri="http://localhost:9999/other").status == 400


def test_a_code_and_its_verifier_make_a_token_without_a_secret(fake: FakeTickTick) -> None:
    reply = exchange(fake, pkce_code(fake), code_verifier=VERIFIER)

    assert reply.status == 200
    assert reply.json["token_type"] == "bearer"
    assert reply.json["expires_in"] == 15551999
    assert reply.json["scope"] == "tasks:read tasks:write"
    assert "refresh_token" not in reply.json
    assert projects(fake, reply.json["access_token"]) == 200


@pytest.mark.parametrize("verifier", ["", "another-verifier"])
def test_a_wrong_verifier_is_refused(fake: FakeTickTick, verifier: str) -> None:
    reply = exchange(fake, pkce_code(fake), code_verifier=verifier, client_secret="app-secret")

    assert (reply.status, reply.json["error"]) == (400, "invalid_grant")


def test_the_secret_is_taken_by_basic_in_the_body_and_in_the_query(fake: FakeTickTick) -> None:
    basic = {"Authorization": "Basic " + base64.b64encode(b"app:app-secret").decode()}
    fields = {"grant_type": "authorization_code", "redirect_uri": REDIRECT}

    by_basic = token(fake, fields | {"code": code(fake)}, headers=basic)
    by_body = token(fake, fields | {"code": code(fake), "client_id": "app", "client_secret": "app-secret"})
    by_query = token(fake, fields | {"code": code(fake)}, query="?client_id=app&client_secret=app-secret")

    assert [reply.status for reply in (by_basic, by_body, by_query)] == [200, 200, 200]


@pytest.mark.parametrize("secret", [{}, {"client_secret": "wrong"}])
def test_without_a_challenge_the_right_secret_is_needed(fake: FakeTickTick, secret: dict[str, str]) -> None:
    reply = exchange(fake, code(fake), **secret)

    assert (reply.status, reply.json["error"]) == (401, "invalid_client")


def test_a_code_is_good_once(fake: FakeTickTick) -> None:
    once = pkce_code(fake)

    replies = [exchange(fake, once, code_verifier=VERIFIER) for _ in range(2)]

    assert [reply.status for reply in replies] == [200, 400]


def test_the_redirect_address_must_be_the_one_of_the_code(fake: FakeTickTick) -> None:
    reply = exchange(fake, pkce_code(fake), code_verifier=VERIFIER, redirect_uri="http://localhost:1/callback")

    assert (reply.status, reply.json["error"]) == (400, "invalid_grant")


def test_a_token_ends_when_its_time_is_over(fake: FakeTickTick, clock: Clock) -> None:
    fake.oauth.expires_in = 60
    issued = exchange(fake, pkce_code(fake), code_verifier=VERIFIER).json["access_token"]

    clock.now += 59
    assert projects(fake, issued) == 200
    clock.now += 1
    assert projects(fake, issued) == 401


def test_a_token_has_the_scope_that_was_asked_for(fake: FakeTickTick) -> None:
    reading = exchange(fake, code(fake, scope="tasks:read"), client_secret="app-secret").json
    reply = call("POST", fake.api_url + "/task", {"title": "x"}, token=reading["access_token"])

    assert reading["scope"] == "tasks:read"
    assert projects(fake, reading["access_token"]) == 200
    assert reply.status == 500
    assert reply.json["errorCode"] == "unknown_exception"


def refresh(fake: FakeTickTick, refresh_token: str) -> Reply:
    return token(fake, {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": "app"})


def test_there_is_no_refresh_unless_it_is_switched_on(fake: FakeTickTick) -> None:
    reply = refresh(fake, "x")

    assert (reply.status, reply.json["error"]) == (400, "unsupported_grant_type")


@pytest.mark.parametrize(("says", "works_again"), [("none", True), ("same", True), ("new", False)])
def test_a_refresh_says_what_becomes_of_the_refresh_token(fake: FakeTickTick, says: Any, works_again: bool) -> None:
    fake.oauth.refresh_token = True
    fake.oauth.refresh_reply = says
    first = exchange(fake, pkce_code(fake), code_verifier=VERIFIER).json["refresh_token"]

    second = refresh(fake, first).json

    assert projects(fake, second["access_token"]) == 200
    assert (second.get("refresh_token") == first) is (says == "same")
    assert ("refresh_token" in second) is (says != "none")
    assert (refresh(fake, first).status == 200) is works_again


def test_void_refresh_tokens_are_refused(fake: FakeTickTick) -> None:
    fake.oauth.refresh_token = True
    first = exchange(fake, pkce_code(fake), code_verifier=VERIFIER).json["refresh_token"]
    fake.oauth.revoke_refresh_tokens()

    assert refresh(fake, first).json["error"] == "invalid_grant"


def test_a_revoked_token_opens_nothing(fake: FakeTickTick) -> None:
    assert call("POST", fake.oauth_url + "/oauth/revoke", form={"token": "token-a"}).status == 200

    assert projects(fake, "token-a") == 401


def test_the_login_pages_are_outside_the_rate_limit(fake: FakeTickTick) -> None:
    fake.limit(count=1)
    issued = [exchange(fake, pkce_code(fake), code_verifier=VERIFIER).json["access_token"] for _ in range(2)]

    assert [projects(fake, each) for each in issued] == [200, 500]


def test_the_account_that_consents_can_be_chosen(fake: FakeTickTick) -> None:
    fake.oauth.signed_in = fake.account("token-b", username="berta")
    issued = exchange(fake, pkce_code(fake), code_verifier=VERIFIER).json["access_token"]

    members = call("GET", fake.api_url + "/project/inbox/members", token=issued).json

    assert [member["username"] for member in members] == ["berta"]
