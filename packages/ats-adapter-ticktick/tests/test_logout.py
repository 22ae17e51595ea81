"""`ats auth logout`: nothing is left here, and the service is told if it can be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.auth.attempt import pending_file
from ats_adapter_ticktick.auth.credentials import NOBODY, Credentials, token_file
from ats_adapter_ticktick.auth.login import login
from ats_adapter_ticktick.auth.logout import logout
from ats_adapter_ticktick.auth.token import Token
from ats_adapter_ticktick.options import Options
from ats_core import AdapterConfig, ConfigError, Secret
from fakes.ticktick import FakeTickTick


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as fake:
        fake.account("access-1", uid="115781412", username="anna")
        yield fake


@pytest.fixture
def options(fake: FakeTickTick, tmp_path: Path) -> Options:
    environ = {"ATS_TICKTICK_CLIENT_ID": "app-1"}
    options = Options.read(AdapterConfig(name="ticktick", environ=environ, state_dir=tmp_path))
    return options._replace(api_url=fake.api_url, oauth_url=fake.oauth_url)


def log_in(options: Options, refresh: str | None = None) -> None:
    token = Token(
        access=Secret("access-1"), refresh=Secret(refresh) if refresh else None, account="anna", region="ticktick"
    )
    token_file(options).write(token)


def left(options: Options) -> list[str]:
    return sorted(path.name for path in options.state_dir.iterdir() if path.suffix != ".lock")


def test_a_logout_revokes_and_deletes(fake: FakeTickTick, options: Options) -> None:
    log_in(options)
    login(options, False, None)
    assert logout(options) == "logged out of TickTick; its token was revoked and deleted"
    assert left(options) == []
    assert fake.requests[-1].line == "POST /oauth/revoke"
    assert fake.requests[-1].form == {"token": "access-1"}
    assert Credentials(options, {}).scope() == NOBODY


def test_a_refresh_token_is_revoked_too(fake: FakeTickTick, options: Options) -> None:
    log_in(options, "refresh-1")
    logout(options)
    assert {request.form["token"] for request in fake.requests} == {"access-1", "refresh-1"}


@pytest.mark.parametrize("failure", [{"status": 500, "body": b"<html>"}, {"status": 404, "body": None}, {"drop": True}])
def test_a_service_that_does_not_revoke_is_told_and_the_token_is_gone_all_the_same(
    fake: FakeTickTick, options: Options, failure: dict[str, Any]
) -> None:
    log_in(options)
    fake.fail("POST /oauth/revoke", **failure)
    told = logout(options)
    assert told.startswith("logged out of TickTick; its token was deleted, but not revoked: ")
    assert "\n" not in told
    assert left(options) == []


def test_without_a_login_nobody_is_asked(fake: FakeTickTick, options: Options) -> None:
    assert logout(options) == "there was no login"
    assert fake.requests == []


def test_a_damaged_login_is_deleted(fake: FakeTickTick, options: Options) -> None:
    token_file(options).path.write_text('{"access_token": "AA')
    pending_file(options).write_text("{")
    assert logout(options) == "logged out of TickTick"
    assert left(options) == []


def test_a_token_is_not_sent_to_the_other_service(fake: FakeTickTick, options: Options) -> None:
    log_in(options)
    assert "its token of TickTick was deleted, not revoked" in logout(options._replace(region="dida365"))
    assert fake.requests == []
    assert left(options) == []


def test_a_token_that_is_set_is_said_to_stay(options: Options) -> None:
    log_in(options)
    told = logout(options._replace(token=Secret("personal-1")))
    assert "ATS_TICKTICK_TOKEN" in told
    assert "remove it" in told
    assert "personal-1" not in told


def test_what_cannot_be_deleted_is_named(options: Options) -> None:
    token_file(options).path.mkdir()
    with pytest.raises(ConfigError, match=r"token\.json cannot be deleted"):
        logout(options)
