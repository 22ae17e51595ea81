"""`ats auth`: what it asks of an adapter, and what it does around it."""

import json
import re
from typing import Any

import pytest

VAULT = """
from ats_core import AuthStatus, ConfigError, hookimpl

class Vault:
    def __init__(self, config):
        self.file = config.state_dir / "login"

    @hookimpl
    def list_projects(self): return []
    @hookimpl
    def list_tasks_in_project(self, project_id): return []
    @hookimpl
    def get_task(self, project_id, task_id): return None
    @hookimpl
    def url_for(self, project_id, task_id): return "vault://x"

    @hookimpl
    def auth_status(self):
        if not self.file.exists():
            return AuthStatus(ok=False, message="nobody is logged in")
        return AuthStatus(ok=True, message=self.file.read_text(), account="anna", expires_at="2027-01-01T00:00:00Z")

    @hookimpl
    def auth_login(self, browser, port):
        if port == 1:
            raise ConfigError("port 1 is taken", hint="try another: --port 8766")
        if browser:
            self._keep(f"logged in by a browser on port {port}")
            return "logged in as anna"
        return "open https://vault.example/authorize, then run `ats auth exchange CODE`"

    @hookimpl
    def auth_exchange(self, code):
        self._keep(f"logged in with {len(code)} characters")
        return "logged in as anna"

    @hookimpl
    def auth_logout(self):
        self.file.unlink()
        return "the login is forgotten"

    def _keep(self, text):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text)
"""


@pytest.fixture
def vault(ats: Any, make_dist: Any) -> Any:
    make_dist("ats-vault", points={"vault": "vault_adapter:Vault"}, modules={"vault_adapter": VAULT})
    ats.environ["ATS_ADAPTER"] = ""
    (ats.config).mkdir()
    (ats.config / "config.json").write_text('{"adapter": "toy"}', "utf-8")
    return ats


def chosen(ats: Any) -> str:
    return str(json.loads((ats.config / "config.json").read_text("utf-8"))["adapter"])


def test_a_login_is_shown_and_makes_its_adapter_the_one_that_is_asked(vault: Any) -> None:
    before = vault("auth", "status", "--adapter", "vault")
    assert (before.code, before.out) == (3, "")
    assert "nobody is logged in (run `ats auth login`)" in before.err
    ended = vault("auth", "login", "--adapter", "vault", "--port", "0")
    assert (ended.code, ended.out) == (0, "logged in as anna\n")
    assert chosen(vault) == "vault"
    assert vault("auth", "status").out == "vault: logged in by a browser on port 0\n"
    assert vault("auth", "status", "--json").json == {
        "adapter": "vault",
        "ok": True,
        "message": "logged in by a browser on port 0",
        "account": "anna",
        "expiresAt": "2027-01-01T00:00:00Z",
    }


def test_without_a_browser_the_address_is_the_answer_and_a_pasted_code_ends_the_login(vault: Any) -> None:
    ended = vault("auth", "login", "--no-browser", "--adapter", "vault", "--json")
    assert ended.json["message"].startswith("open https://vault.example/authorize")
    assert chosen(vault) == "toy"
    ended = vault("auth", "exchange", "-", "--adapter", "vault", stdin="a-code\n")
    assert (ended.code, ended.out) == (0, "logged in as anna\n")
    assert chosen(vault) == "vault"
    assert vault("auth", "status").out == "vault: logged in with 6 characters\n"


def test_a_logout_takes_the_cached_corpus_along(vault: Any) -> None:
    vault("auth", "login", "--adapter", "vault")
    assert vault("find", "anything").code == 0
    assert (vault.config / "corpus-cache.json").exists()
    assert vault("auth", "logout").out == "the login is forgotten\n"
    assert not (vault.config / "corpus-cache.json").exists()
    assert vault("auth", "status", "--json").code == 3


def test_what_a_login_fails_by_is_one_line_and_chooses_nothing(vault: Any) -> None:
    ended = vault("auth", "login", "--adapter", "vault", "--port", "1")
    assert (ended.code, ended.out, ended.err) == (2, "", "ats: port 1 is taken (try another: --port 8766)\n")
    assert chosen(vault) == "toy"
    assert vault("auth", "login", "--port", "70000", "--adapter", "vault").code == 2


def test_an_adapter_that_knows_no_login_says_who_else_is_there(vault: Any) -> None:
    ended = vault("auth", "login")
    assert (ended.code, ended.out) == (2, "")
    assert re.match(r"ats: adapter toy needs no login \(to ask another: --adapter .*\bvault\)\n$", ended.err)
