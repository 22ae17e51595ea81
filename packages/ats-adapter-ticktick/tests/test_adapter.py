"""The hooks, as core calls them, against the service on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.hybrid import is_configured
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_core import (
    AdapterConfig,
    ConfigError,
    Corpus,
    Deadline,
    LoginRequiredError,
    StoreError,
    TaskDraft,
    TaskPatch,
)
from ats_core.plugins.adapter import Adapter
from fakes.ticktick import FakeTickTick

HEAVY = ("httpx", "httpcore", "numpy", "typer", "qdrant_client", "asyncio", "ssl", "email", "http.server", "webbrowser")


def core(adapter: Any) -> Adapter:
    """The adapter as core sees it."""
    return Adapter("ticktick", adapter)


def loaded_after(code: str, **variables: str) -> set[str]:
    """The heavy modules that a new process has loaded after this code, over an adapter `adapter`."""
    program = (
        "import sys\nfrom pathlib import Path\nfrom ats_core import AdapterConfig, Corpus, Deadline, Task\n"
        "from ats_core.plugins.adapter import Adapter\nfrom ats_adapter_ticktick import TickTickAdapter\n"
        f"config = AdapterConfig(name='ticktick', environ={variables!r}, state_dir=Path('/nonexistent/ats'))\n"
        f"adapter = Adapter('ticktick', TickTickAdapter(config))\n{code}\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_constructing_and_all_that_a_warm_search_asks_loads_nothing_heavy():
    code = (
        "adapter.cache_scope(); adapter.settings(); adapter.auth_status(); adapter.url_for('w', 't')\n"
        "assert adapter.hybrid_backend() is None\n"
        "corpus = Corpus.of([Task(id='n', title='Fence', project_id='w', project_name='Permanent Notes')])\n"
        "for branch in adapter.branches(): assert branch.run('fence', corpus, Deadline(1))"
    )
    assert loaded_after(code, ATS_TICKTICK_TOKEN="x") == set()


def test_a_backend_that_is_there_loads_nothing_before_it_is_asked():
    assert loaded_after("assert adapter.hybrid_backend()", ATS_TICKTICK_TOKEN="x", ATS_EMBED_MODEL="bge-m3") == set()


def test_commands_load_typer_and_no_more():
    pytest.importorskip("typer", reason="the command line brings it")
    assert loaded_after("assert adapter.commands()") <= {"typer", "asyncio", "email", "ssl"}


def test_the_four_required_hooks(open_adapter):
    adapter = core(open_adapter())
    assert [(project.id, project.name) for project in adapter.list_projects()] == [("inbox42", "Inbox"), ("w", "Work")]
    assert [task.title for task in adapter.list_tasks_in_project("w")] == ["Write the report"]
    assert [(task.title, task.project_id) for task in adapter.list_tasks_in_project("inbox42")] == [
        ("Renew passport", "inbox42")
    ]
    assert adapter.list_tasks_in_project("unknown") == []
    task = adapter.get_task("w", "t1")
    assert task is not None
    assert (task.title, task.content, task.project_name) == ("Write the report", "Figures of Q3", "Work")
    assert adapter.get_task("w", "t2") is None
    assert adapter.get_task("unknown", "t1") is None
    assert adapter.url_for("w", "t1") == "https://ticktick.com/webapp/#p/w/tasks/t1"


def test_a_task_that_was_deleted_is_not_there_though_the_service_still_gives_it(open_adapter, service: FakeTickTick):
    service.account("token-a").delete_task("t1")
    assert core(open_adapter()).get_task("w", "t1") is None


def test_a_completed_task_is_still_there(open_adapter, service: FakeTickTick):
    service.account("token-a").edit_task("t1", status=2)
    task = core(open_adapter()).get_task("w", "t1")
    assert task is not None
    assert task.status == "done"


def test_links_lead_to_the_region_of_the_account(open_adapter):
    adapter = core(open_adapter(ATS_TICKTICK_REGION="dida365"))
    assert adapter.url_for("w", "t1") == "https://dida365.com/webapp/#p/w/tasks/t1"
    assert adapter.url_for("inbox42", "t1").endswith("#p/inbox42/tasks/t1")
    assert adapter.url_for("", "t1").endswith("#q/all/tasks/t1")
    assert adapter.url_for("a b", "ä/#").endswith("#p/a%20b/tasks/%C3%A4%2F%23")


def test_the_whole_corpus_and_what_was_seen_of_it(open_adapter, service: FakeTickTick):
    fetched = core(open_adapter()).bulk_fetch(Deadline(20))
    assert [task.id for task in fetched.tasks] == ["t2", "t1"]
    assert len(service.requests) == 2
    service.forget()
    # Another process: the id of the Inbox is known, so nothing has to be asked for it.
    assert core(open_adapter()).list_projects()[0].id == "inbox42"
    assert [request.line for request in service.requests] == ["GET /project"]


def test_odd_records_are_told_once(open_adapter, service: FakeTickTick):
    service.account("token-a").tasks["t1"]["id"] = None
    adapter = core(open_adapter())
    adapter.bulk_fetch(Deadline(20))
    assert adapter.take_warnings() == ["1 task cannot be read, and is left out"]
    assert adapter.take_warnings() == []


def test_completed_tasks(open_adapter, service: FakeTickTick):
    account = service.account("token-a")
    account.add_task("w", title="Interview", id="t3", status=2, completedTime="2026-11-20T10:00:00.000+0000")
    account.add_task("w", title="Not to be done", id="t4", status=-1, completedTime="2026-11-21T10:00:00.000+0000")
    adapter = core(open_adapter())
    adapter.bulk_fetch(Deadline(20))
    found = adapter.list_completed_tasks("2026-11-01T00:00:00Z", Deadline(20))
    assert [(task.id, task.status, task.project_name) for task in found] == [
        ("t4", "done", "Work"),
        ("t3", "done", "Work"),
    ]


def test_writes_are_read_back(open_adapter):
    adapter = core(open_adapter())
    created = adapter.create_task(TaskDraft(title="Buy stamps", project_id="w"))
    assert adapter.get_task("w", created.id) is not None
    changed = adapter.update_task("w", created.id, TaskPatch(title="Buy 10 stamps"))
    assert (changed.title, changed.project_id) == ("Buy 10 stamps", "w")


def test_without_a_login_there_is_a_scope_and_every_call_says_what_to_do(open_adapter):
    adapter = core(open_adapter(ATS_TICKTICK_TOKEN=None))
    assert adapter.cache_scope() == "nobody"
    assert not adapter.auth_status().ok
    for call in (adapter.list_projects, lambda: adapter.bulk_fetch(Deadline(5)), lambda: adapter.get_task("w", "t1")):
        with pytest.raises(LoginRequiredError) as caught:
            call()
        assert "ats auth login" in str(caught.value.hint)


def test_two_accounts_have_two_scopes_and_forget_nothing_of_each_other(open_adapter, service: FakeTickTick):
    other = service.account("token-b", uid="43")
    other.add_task(title="Secret of b")
    one, two = core(open_adapter()), core(open_adapter(ATS_TICKTICK_TOKEN="token-b"))
    assert one.cache_scope() != two.cache_scope()
    assert [task.title for task in two.bulk_fetch(Deadline(20)).tasks] == ["Secret of b"]
    assert one.list_projects()[0].id == "inbox42"
    assert two.list_projects()[0].id == "inbox43"


def test_no_secret_in_what_an_adapter_says_about_itself(open_adapter):
    adapter = open_adapter(ATS_TICKTICK_TOKEN="s3cret-token", ATS_TICKTICK_CLIENT_SECRET="s3cret-app")
    seen = core(adapter)
    shown = json.dumps([repr(adapter), seen.cache_scope(), repr(seen.auth_status()), repr(seen.settings())])
    assert "s3cret" not in shown
    secret = {setting.key for setting in seen.settings() if setting.secret}
    assert {"token", "client_secret", "qdrant_api_key", "ollama_api_key"} <= secret


def test_settings_name_each_key_once(open_adapter):
    keys = [setting.key for setting in core(open_adapter()).settings()]
    assert len(keys) == len(set(keys))


def test_a_wrong_setting_fails_the_hooks_and_not_the_constructor(open_adapter):
    adapter = core(open_adapter(ATS_TICKTICK_REGION="mars"))
    assert adapter.settings()
    with pytest.raises(ConfigError, match="ATS_TICKTICK_REGION"):
        adapter.cache_scope()


class TestNotes:
    def test_the_branch_is_there_until_it_is_known_that_there_is_no_wiki_project(self, open_adapter):
        adapter = core(open_adapter())
        assert [branch.name for branch in adapter.branches()] == ["notes_find"]
        adapter.bulk_fetch(Deadline(20))
        assert adapter.branches() == []

    def test_the_branch_is_there_where_a_list_has_the_name(self, open_adapter, service: FakeTickTick):
        service.account("token-a").add_project("🗒️ Permanent notes", kind="NOTE")
        adapter = core(open_adapter())
        adapter.bulk_fetch(Deadline(20))
        assert [branch.name for branch in adapter.branches()] == ["notes_find"]

    def test_another_project_may_be_named(self, open_adapter):
        adapter = core(open_adapter(ATS_WIKI_PROJECT="work"))
        corpus = Corpus.of(adapter.bulk_fetch(Deadline(20)).tasks)
        (branch,) = adapter.branches()
        assert [item.id for item in branch.run("report", corpus, Deadline(5))] == ["t1"]


class TestNativeSearch:
    def test_it_is_no_branch_unless_it_is_wanted(self, open_adapter):
        assert "search_by_query" not in core(open_adapter()).implemented
        assert "search_by_query" in core(open_adapter(ATS_TICKTICK_NATIVE_SEARCH="1")).implemented
        assert "search_by_query" in core(open_adapter({"native_search": True})).implemented

    def test_it_asks_the_service_once_and_brings_what_the_corpus_lacks(self, open_adapter, service: FakeTickTick):
        service.account("token-a").add_task("w", title="Report of May", id="t9", status=2)
        adapter = core(open_adapter(ATS_TICKTICK_NATIVE_SEARCH="1"))
        adapter.bulk_fetch(Deadline(20))
        service.forget()
        found = adapter.search_by_query("report", 20, Deadline(5))
        assert [(item.id, item.task.title, item.task.status) for item in found] == [
            ("t1", "Write the report", "open"),
            ("t9", "Report of May", "done"),
        ]
        assert {item.task.project_name for item in found} == {"Work"}
        assert len(service.requests) == 1


class TestBackend:
    def test_there_is_none_unless_a_setting_asks_for_it(self, open_adapter):
        adapter = core(open_adapter())
        assert adapter.hybrid_backend() is None
        configured = core(open_adapter(ATS_EMBED_MODEL="nomic-embed-text"))
        assert configured.hybrid_backend() is not None
        assert configured.hybrid_backend() is configured.hybrid_backend()

    @pytest.mark.parametrize("value", [None, "", " ", "x"])
    @pytest.mark.parametrize(
        ("variable", "key"),
        [
            ("OLLAMA_HOST", "ollama_host"),
            ("ATS_EMBED_MODEL", "embed_model"),
            ("ATS_QDRANT_URL", "qdrant_url"),
            ("ATS_COSINE_FLOOR", "keep_alive"),
        ],
    )
    def test_what_is_told_without_its_import_is_what_the_backend_s_own_options_tell(
        self, variable: str, key: str, value: str | None
    ):
        given = ".5" if variable == "ATS_COSINE_FLOOR" and value == "x" else value
        environ = {} if given is None else {variable: given}
        settings = {} if value is None else {key: "5m" if key == "keep_alive" and value == "x" else value}
        for config in (AdapterConfig(name="t", environ=environ), AdapterConfig(name="t", settings=settings)):
            assert (
                is_configured(config.settings, config.environ)
                == HybridOptions.read(config.settings, config.environ).configured
            )


class TestLogout:
    def test_what_was_kept_of_the_account_is_gone(self, open_adapter, service: FakeTickTick, tmp_path: Path):
        folder = tmp_path / "config" / "ticktick"
        folder.mkdir(parents=True)
        (folder / "token.json").write_text('{"access_token": "token-a", "account": "anna"}')
        adapter = core(open_adapter(ATS_TICKTICK_TOKEN=None))
        adapter.bulk_fetch(Deadline(20))
        assert list(folder.glob("lists-*.json"))
        assert "logged out" in adapter.auth_logout()
        assert not list(folder.glob("lists-*.json"))
        assert adapter.cache_scope() == "nobody"

    def test_a_token_of_the_environment_keeps_what_is_its_own(self, open_adapter, tmp_path: Path):
        adapter = core(open_adapter())
        adapter.bulk_fetch(Deadline(20))
        adapter.auth_logout()
        assert list((tmp_path / "config" / "ticktick").glob("lists-*.json"))


def test_a_folder_that_takes_no_files_costs_no_answer(service: FakeTickTick):
    from ats_adapter_ticktick import TickTickAdapter

    environ = {"ATS_TICKTICK_API_URL": service.api_url, "ATS_TICKTICK_TOKEN": "token-a"}
    adapter = core(TickTickAdapter(AdapterConfig(name="ticktick", environ=environ, state_dir=Path("/dev/null/ats"))))
    assert len(adapter.bulk_fetch(Deadline(20)).tasks) == 2
    assert adapter.branches() == [], "this process remembers by itself that there is no wiki project"


def test_a_service_in_trouble_is_a_store_error(open_adapter, service: FakeTickTick):
    service.fail(
        "GET /project", status=500, body={"errorCode": "unknown_exception", "errorMessage": "oops"}, times=None
    )
    with pytest.raises(StoreError):
        core(open_adapter()).list_projects()
