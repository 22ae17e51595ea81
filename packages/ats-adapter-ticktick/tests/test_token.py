"""The token file: private, replaced as a whole, and never a traceback whatever lies in its place."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.auth.token import LEEWAY, Token, TokenFile, digest_of, lifetime, usable
from ats_core import ConfigError, LoginRequiredError, Secret

FULL = Token(
    access=Secret("access-1"),
    refresh=Secret("refresh-1"),
    expires_at=2_000_000_000.0,
    scopes="tasks:read tasks:write",
    account="anna",
    region="ticktick",
    client_id="app-1",
)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("token", [FULL, Token(access=Secret("only"))])
def test_what_is_written_is_read(tmp_path: Path, token: Token) -> None:
    file = TokenFile(tmp_path / "token.json")
    file.write(token)
    assert file.read() == token


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such modes")
def test_only_the_owner_may_read_the_file_and_enter_its_folder(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        TokenFile(tmp_path / "state" / "token.json").write(FULL)
    finally:
        os.umask(before)
    assert mode(tmp_path / "state" / "token.json") == 0o600
    assert mode(tmp_path / "state") == 0o700


def test_a_write_leaves_nothing_but_the_file(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "token.json")
    file.write(FULL)
    file.write(FULL._replace(access=Secret("access-2")))
    assert [path.name for path in tmp_path.iterdir()] == ["token.json"]


def test_no_file_is_no_token(tmp_path: Path) -> None:
    (tmp_path / "a file").write_text("")
    assert TokenFile(tmp_path / "token.json").read() is None
    assert TokenFile(tmp_path / "a file" / "token.json").read() is None


DAMAGED = [
    b"",
    b"\0" * 4096,
    b'{"access_token": "hush-hus',
    b"[]",
    b"null",
    b"{}",
    b'"hush-hush"',
    b'{"access_token": null}',
    b'{"access_token": ["hush-hush"]}',
    b'{"access_token": ""}',
    b'{"access_token": "hush hush"}',
    b'{"access_token": "hush\\nhush"}',
    '{"access_token": "hush-hush-ä"}'.encode(),
    '{"access_token": "hush-hush-ä"}'.encode("latin-1"),
    b'{"access_token": "hush-hush-\\ud800"}',
    b'{"access_token": "hush-hush", "refresh_token": 7}',
    b'{"access_token": "hush-hush", "expires_at": "soon"}',
    b'{"access_token": "hush-hush", "expires_at": 1e999}',
    b'{"access_token": "hush-hush", "account": {"hush-hush": 1}}',
    b'{"access_token": "hush-hush", "scope": ["hush-hush"]}',
    b'{"access_token": "hush-hush", "x": ' + b"[" * 60_000,
    b'{"access_token": "hush-hush", "x": "' + b"x" * 100_000 + b'"}',
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_is_named_with_what_mends_it_and_not_quoted(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token.json"
    path.write_bytes(content)
    with pytest.raises(LoginRequiredError) as raised:
        TokenFile(path).read()
    assert str(path) in raised.value.message
    assert "ats auth login" in str(raised.value.hint)
    assert "\n" not in raised.value.message
    assert "hush" not in raised.value.message


def test_a_folder_in_its_place_is_named_for_reading_and_writing(tmp_path: Path) -> None:
    path = tmp_path / "token.json"
    path.mkdir()
    with pytest.raises(LoginRequiredError, match=r"token\.json cannot be read") as raised:
        TokenFile(path).read()
    assert "remove it" in str(raised.value.hint)
    with pytest.raises(ConfigError, match=r"token\.json cannot be written"):
        TokenFile(path).write(FULL)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_in_its_place_does_not_hang_the_search(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "token.json")
    with pytest.raises(LoginRequiredError, match="cannot be read"):
        TokenFile(tmp_path / "token.json").read()


def test_fields_of_a_later_version_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "token.json"
    path.write_text(json.dumps({"access_token": "access-1", "token_type": "bearer", "later": [1]}))
    assert TokenFile(path).read() == Token(access=Secret("access-1"))


def test_an_answer_of_the_service_put_there_by_hand_expires_by_the_file_s_time(tmp_path: Path) -> None:
    path = tmp_path / "token.json"
    path.write_text(json.dumps({"access_token": "access-1", "expires_in": "100"}))
    os.utime(path, (1000.0, 1000.0))
    token = TokenFile(path).read()
    assert token is not None
    assert token.expires_at == 1100.0


def test_a_token_expires_a_leeway_before_its_time() -> None:
    token = Token(access=Secret("a"), expires_at=1000.0)
    assert not token.expired(1000.0 - LEEWAY - 0.1)
    assert token.expired(1000.0 - LEEWAY)
    assert not Token(access=Secret("a")).expired(1e12)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (15551999, 15551999.0),
        ("15551999", 15551999.0),
        (0.5, 0.5),
        (None, None),
        (0, None),
        (-1, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        (float("inf"), None),
        (1e300, None),
        (10**400, None),
        (True, None),
        ([60], None),
    ],
)
def test_an_odd_lifetime_is_an_unknown_one(said: Any, meant: float | None) -> None:
    assert lifetime(said) == meant


@pytest.mark.parametrize("text", ["", "a b", "a\tb", "a\nb", "ä", "\ud800", None, 7, b"a"])
def test_what_no_header_carries_is_no_token(text: object) -> None:
    assert not usable(text)
    assert usable("a-B_9.~+/=")


def test_a_digest_stands_for_an_account_that_is_not_known() -> None:
    unknown = Token(access=Secret("access-1"))
    assert unknown.owner == digest_of(Secret("access-1"))
    assert "access-1" not in unknown.owner
    assert unknown._replace(account=unknown.owner).name is None
    assert (FULL.owner, FULL.name) == ("anna", "anna")
