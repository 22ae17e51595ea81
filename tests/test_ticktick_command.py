"""The command with the TickTick adapter, as a process of its own against the service on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import shared_data
from fakes.ticktick import Account, FakeTickTick
from running import Run

TOKEN = "tok-5f2c1a9e"

Answer = dict[str, Any]


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as service:
        yield service


@pytest.fixture
def account(fake: FakeTickTick) -> Account:
    return fake.account(TOKEN, uid="999", username="anna")


@pytest.fixture
def tick(ats: Run, fake: FakeTickTick) -> Run:
    """Runs `ats` for somebody whose adapter is this one; a variable that is None is left out."""

    def run(*words: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
        own = {"ATS_ADAPTER": "ticktick", "ATS_TICKTICK_API_URL": fake.api_url, "ATS_TICKTICK_TOKEN": TOKEN}
        own["OLLAMA_HOST"] = ""  # that of the machine is none of ours
        return ats(*words, **{name: value for name, value in (own | variables).items() if value is not None})

    return run


def find(tick: Run, *words: str, **variables: str | None) -> Answer:
    done = tick("find", "--json", *words, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def titles(answer: Answer) -> list[str]:
    return [task["title"] for task in answer["tasks"]]


def big(account: Account, lists: int = 3, each: int = 80) -> list[str]:
    """Lists with more tasks together than one answer of the filter holds."""
    ids = [account.add_project(f"List {number}") for number in range(lists)]
    for at, project_id in enumerate(ids):
        for number in range(each):
            account.add_task(project_id, title=f"Errand {at}-{number}")
    return ids


def state_files(environ: dict[str, str]) -> list[Path]:
    return [path for path in Path(environ["ATS_CONFIG_DIR"]).rglob("*") if path.is_file()]


def test_a_task_of_the_inbox_is_found_and_says_where_it_is(tick: Run, account: Account):
    account.add_project("Work")
    account.add_task(title="Renew passport")
    answer = find(tick, "passport")
    assert [(task["title"], task["projectName"], task["projectId"]) for task in answer["tasks"]] == [
        ("Renew passport", "Inbox", "inbox999")
    ]
    assert answer["tasks"][0]["url"].startswith("https://ticktick.com/webapp/#p/inbox999/tasks/")
    assert titles(find(tick, "--project", "inbox", "passport")) == ["Renew passport"]


def test_the_inbox_alone_failing_is_said_and_costs_no_other_list(tick: Run, account: Account, fake: FakeTickTick):
    big(account)
    account.add_task(title="Renew passport")
    fake.fail("GET /project/inbox/data", status=500, body=b"<html>oops</html>", times=None)
    answer = find(tick, "Errand 2-79")
    assert titles(answer)[0] == "Errand 2-79"
    assert [source["name"] for source in answer["corpus"]["sourcesFailed"]] == ["Inbox"]
    assert answer["degraded"]
    told = tick("find", "errand").stderr
    assert "Inbox" in told


def test_a_list_that_failed_is_asked_again_by_itself(tick: Run, account: Account, fake: FakeTickTick, environ):
    big(account)
    account.add_task(title="Renew passport")
    find(tick, "errand")
    fake.fail("GET /project/inbox/data", status=503, times=3)
    answer = find(tick, "--fresh", "passport")
    assert titles(answer) == ["Renew passport"], "the older copy has it"
    assert [(one["name"], one["kept"]) for one in answer["corpus"]["sourcesFailed"]] == [("Inbox", 1)]
    fake.heal()
    fake.forget()
    _make_retry_due(environ)
    answer = find(tick, "passport")
    assert (titles(answer), answer["corpus"]["sourcesFailed"]) == (["Renew passport"], [])
    assert fake.count("GET /project/inbox999/data|GET /project/inbox/data") == len(fake.requests) == 1


def _make_retry_due(environ: dict[str, str]) -> None:
    """As if the time had passed after which failed lists are asked again."""
    (copy,) = [path for path in state_files(environ) if path.name == "corpus-cache.json"]
    header, newline, tasks = copy.read_bytes().partition(b"\n")
    due = json.loads(header.removesuffix(b',"tasks":[') + b"}")["retryAt"]
    assert due is not None
    past = json.dumps(round(due - 10_000, 1)).encode()
    changed = header.replace(b'"retryAt":' + json.dumps(due).encode(), b'"retryAt":' + past)
    assert changed != header
    copy.write_bytes(changed + newline + tasks)


@pytest.mark.parametrize("zone", ["UTC", "America/Los_Angeles", "Asia/Shanghai"])
def test_an_all_day_task_is_due_on_the_day_of_its_own_zone(tick: Run, account: Account, zone: str):
    account.add_task(
        title="Visit the dentist", isAllDay=True, dueDate="2026-05-28T16:00:00.000+0000", timeZone="Asia/Shanghai"
    )
    assert find(tick, "dentist", TZ=zone)["tasks"][0]["dueDate"] == "2026-05-29"
    assert titles(find(tick, "dentist", "--due-before", "2026-05-30", TZ=zone))
    assert not titles(find(tick, "dentist", "--due-before", "2026-05-29", TZ=zone))


def test_one_odd_record_costs_no_other(tick: Run, account: Account):
    account.add_task(title="Walk the dog")
    odd = account.add_task(
        title="x",
        content="feed the dog",
        repeatFrom="",
        priority="5",
        kind="NEWKIND",
        tags=["Pets"],
        extra={"deep": [1, {"er": None}]},
    )
    account.tasks[odd] |= {"title": None, "tags": None, "items": None}
    account.add_task(title="Wash the dog")
    answer = find(tick, "dog")
    assert sorted(titles(answer)) == ["", "Walk the dog", "Wash the dog"]
    assert answer["warnings"] == []
    broken = account.add_task(title="no id")
    account.tasks[broken]["id"] = None
    answer = find(tick, "--fresh", "dog")
    assert len(answer["tasks"]) == 3
    assert answer["warnings"] == ["1 task cannot be read, and is left out"]


def test_words_of_checklists_and_subtasks_are_found(tick: Run, account: Account):
    parent = account.add_task(title="Move house", kind="CHECKLIST", desc="Everything", items=[{"title": "Buy boxes"}])
    account.add_task(title="Cancel the lease", parentId=parent)
    assert titles(find(tick, "boxes")) == ["Move house"]
    assert titles(find(tick, "lease")) == ["Cancel the lease"]


class TestRateLimit:
    """Thirty lists, and a service that refuses what comes in bursts."""

    @pytest.fixture(autouse=True)
    def _lists(self, account: Account) -> None:
        big(account, lists=30, each=8)

    def test_a_429_says_when_to_come_back_and_all_is_fetched(self, tick: Run, fake: FakeTickTick):
        fake.limit_burst(26, seconds=0.4, retry_after=1)
        answer = find(tick, "Errand 29-7")
        assert titles(answer)[0] == "Errand 29-7"
        assert answer["corpus"]["size"] == 240
        assert not answer["degraded"]
        assert len(fake.requests) <= 33 + 6, "a refused request is repeated once, and those that wait are not refused"

    def test_the_500_of_the_service_is_known_for_what_it_is_and_what_was_fetched_is_kept(
        self, tick: Run, fake: FakeTickTick
    ):
        fake.limit(20)
        answer = find(tick, "errand")
        failed = answer["corpus"]["sourcesFailed"]
        assert answer["corpus"]["size"] >= 17 * 8
        assert 10 <= len(failed) <= 14
        assert all("rate limit" in source["error"] for source in failed)
        assert not any("server error" in source["error"] for source in failed)
        assert len(fake.requests) <= 20 + 6 + 1, "one refusal is enough to know"

    def test_nothing_but_refusals_is_one_clear_line(self, tick: Run, fake: FakeTickTick):
        fake.limit(0)
        done = tick("find", "errand")
        assert done.returncode == 1
        assert done.stdout == ""
        assert "rate limit" in done.stderr
        assert done.stderr.count("\n") == 1
        assert len(fake.requests) <= 3

    def test_the_old_copy_answers_marked_as_such(self, tick: Run, fake: FakeTickTick):
        find(tick, "errand")
        fake.limit(0)
        answer = find(tick, "--fresh", "Errand 3-3")
        assert titles(answer)[0] == "Errand 3-3"
        assert answer["corpus"]["stale"]
        assert answer["degraded"]
        assert any("rate limit" in warning for warning in answer["warnings"])

    def test_two_at_once_make_one_fetch(self, tick: Run, fake: FakeTickTick):
        fake.latency = 0.01
        with ThreadPoolExecutor() as pool:
            answers = list(pool.map(lambda _: find(tick, "Errand 4-4"), range(2)))
        assert [titles(answer)[0] for answer in answers] == ["Errand 4-4"] * 2
        assert fake.count("POST /task/filter") == 1
        assert len(fake.requests) == 33


class TestLogin:
    def test_no_login_at_all(self, tick: Run):
        done = tick("find", "x", ATS_TICKTICK_TOKEN=None)
        assert (done.returncode, done.stdout) == (3, "")
        assert "ats auth login" in done.stderr
        assert done.stderr.count("\n") == 1

    def test_one_that_expired_and_cannot_be_renewed(self, tick: Run, fake: FakeTickTick, environ: dict[str, str]):
        folder = Path(environ["ATS_CONFIG_DIR"], "ticktick")
        folder.mkdir(parents=True)
        (folder / "token.json").write_text('{"access_token": "AAA", "expires_in": 1}')
        os.utime(folder / "token.json", (1, 1))
        done = tick("find", "x", ATS_TICKTICK_TOKEN=None)
        assert (done.returncode, done.stdout) == (3, "")
        assert "expired" in done.stderr
        assert "ats auth login" in done.stderr
        assert "Traceback" not in done.stderr
        assert len(fake.requests) == 0

    def test_a_token_that_is_refused(self, tick: Run, fake: FakeTickTick):
        done = tick("find", "x", ATS_TICKTICK_TOKEN="never-seen-9a")
        assert (done.returncode, done.stdout) == (3, "")
        assert "never-seen-9a" not in done.stderr
        assert len(fake.requests) <= 2

    def test_one_that_ends_in_the_middle_of_a_fetch(self, tick: Run, account: Account, fake: FakeTickTick):
        big(account)
        find(tick, "errand")
        unauthorized = {"error": "invalid_token", "error_description": f"Invalid access token: {TOKEN}"}
        fake.fail(".*", status=401, body=unauthorized, after=4, times=None)
        answer = find(tick, "--fresh", "Errand 2-2")
        assert titles(answer)[0] == "Errand 2-2"
        assert answer["corpus"]["stale"]
        assert any("ats auth login" in warning for warning in answer["warnings"])
        assert TOKEN not in json.dumps(answer)

    def test_the_same_without_an_older_copy(self, tick: Run, account: Account, fake: FakeTickTick):
        big(account)
        fake.fail(".*", status=401, after=4, times=None)
        done = tick("find", "errand")
        assert (done.returncode, done.stdout) == (3, "")

    def test_two_accounts_one_after_the_other_see_their_own(self, tick: Run, account: Account, fake: FakeTickTick):
        account.add_task(title="Secret of anna")
        fake.account("tok-b", uid="43", username="bob").add_task(title="Secret of bob")
        for _ in range(2):
            assert titles(find(tick, "secret")) == ["Secret of anna"]
            assert titles(find(tick, "secret", ATS_TICKTICK_TOKEN="tok-b")) == ["Secret of bob"]
        assert fake.count("GET /project") == 2

    def test_no_secret_is_in_any_output_or_file(self, tick: Run, account: Account, environ: dict[str, str]):
        account.add_task(title="Renew passport")
        secret = {"ATS_TICKTICK_CLIENT_SECRET": "s3cret-app", "ATS_QDRANT_API_KEY": "s3cret-key"}
        runs = [
            tick("find", "--json", "passport", **secret),
            tick("config", "show", "--json", **secret),
            tick("auth", "status", **secret),
            tick("ticktick", "status", "--json", OLLAMA_HOST="127.0.0.1:9", **secret),
            tick("cache", "status", "--json", **secret),
            tick("find", "x", ATS_TICKTICK_API_URL="http://127.0.0.1:9/open/v1", **secret),
        ]
        said = "".join(done.stdout + done.stderr for done in runs)
        said += "".join(path.read_bytes().decode("utf-8", "replace") for path in state_files(environ))
        for word in (TOKEN, "s3cret"):
            assert word not in said


def test_five_thousand_tasks(tick: Run, account: Account):
    big(account, lists=25, each=199)
    account.add_task(title="The needle")
    answer = find(tick, "needle")
    assert answer["corpus"]["size"] == 25 * 199 + 1
    assert titles(answer)[0] == "The needle"


def test_completed_tasks_are_found_where_they_are_wanted(tick: Run, account: Account):
    ago = time.strftime("%Y-%m-%dT%H:%M:%S.000+0000", time.gmtime(time.time() - 10 * 86_400))
    long_ago = time.strftime("%Y-%m-%dT%H:%M:%S.000+0000", time.gmtime(time.time() - 200 * 86_400))
    work = account.add_project("Work")
    account.add_task(work, title="Interview Ines", status=2, completedTime=ago)
    account.add_task(work, title="Interview Otto", status=2, completedTime=long_ago)
    assert titles(find(tick, "interview")) == []
    assert titles(find(tick, "--include-completed", "interview")) == ["Interview Ines"]
    everything = find(tick, "--include-completed", "--fresh", "interview", ATS_TICKTICK_COMPLETED_DAYS="365")
    assert sorted(titles(everything)) == ["Interview Ines", "Interview Otto"]
    assert {task["status"] for task in everything["tasks"]} == {"done"}
    assert {task["projectName"] for task in everything["tasks"]} == {"Work"}


def test_notes_find_is_a_branch_where_the_wiki_project_is_there(tick: Run, account: Account):
    account.add_task(title="Fence")
    assert [branch["name"] for branch in find(tick, "fence")["branches"]] == ["sparse", "keyword"]
    wiki = account.add_project("🗒️ Permanent Notes", kind="NOTE")
    account.add_task(wiki, title="Chesterton's fence", kind="NOTE")
    answer = find(tick, "--fresh", "fence")
    assert [branch["name"] for branch in answer["branches"]] == ["sparse", "keyword", "notes_find"]
    assert [task["title"] for task in answer["tasks"] if "notes_find" in task["sources"]] == ["Chesterton's fence"]
    only = tick("notes-find", "--json", "fence")
    assert titles(json.loads(only.stdout)) == ["Chesterton's fence"]


def test_the_service_s_own_search_is_a_branch_where_it_is_wanted(tick: Run, account: Account, fake: FakeTickTick):
    account.add_task(title="Renew passport", status=2, completedTime="2020-01-01T00:00:00.000+0000")
    assert not titles(find(tick, "passport"))
    on = {"ATS_TICKTICK_NATIVE_SEARCH": "1"}
    assert titles(find(tick, "--status", "any", "passport", **on)) == ["Renew passport"]
    assert not titles(find(tick, "passport", **on)), "filters hold for it too"
    fake.fail("POST /task/search", status=500, times=None)
    answer = find(tick, "passport", **on)
    assert [branch["status"] for branch in answer["branches"] if branch["name"] == "native"] == ["failed"]


class TestOwnCommands:
    def test_projects(self, tick: Run, account: Account):
        account.add_project("Old", closed=True)
        account.add_project("Notes", kind="NOTE", permission="read")
        account.add_task(title="x")
        shown = json.loads(tick("ticktick", "projects", "--json").stdout)
        assert shown["count"] == 3
        assert [(one["name"], one["kind"], one["closed"]) for one in shown["projects"]] == [
            ("Inbox", "tasks", False),
            ("Old", "tasks", True),
            ("Notes", "notes", False),
        ]
        text = tick("ticktick", "projects").stdout
        assert "archived" in text
        assert "read only" in text

    def test_search(self, tick: Run, account: Account):
        account.add_task(title="Renew passport \x1b[31m", status=2)
        shown = json.loads(tick("ticktick", "search", "--json", "renew", "passport").stdout)
        assert [task["status"] for task in shown["tasks"]] == ["done"]
        text = tick("ticktick", "search", "passport").stdout
        assert "Renew passport" in text
        assert "\x1b" not in text
        assert tick("ticktick", "search", " ").returncode == 2
        assert tick("ticktick", "search", "nothing of the kind").returncode == 0

    def test_status(self, tick: Run, account: Account):
        account.add_project("📌 Permanent Notes")
        find(tick, "x")
        shown = json.loads(tick("ticktick", "status", "--json").stdout)
        assert shown["reachable"]
        assert shown["region"] == "ticktick"
        assert shown["projects"] == {"count": 2, "archived": 0, "notes": 0}
        assert shown["tasks"]["cached"] == 0
        assert shown["cut"] == {"byList": False, "completed": []}
        assert 0 < shown["rateLimit"]["available"] < 100
        assert [one["name"] for one in shown["notes"]["projects"]] == ["📌 Permanent Notes"]
        assert shown["dense"] is None
        text = tick("ticktick", "status").stdout
        assert "ats config set ticktick.embed_model" in text

    def test_status_says_what_is_missing_and_what_is_cut(self, tick: Run, account: Account, fake: FakeTickTick):
        big(account)
        fake.fail("GET /project/inbox/data", status=500, times=1)
        find(tick, "x")
        text = tick("ticktick", "status").stdout
        assert "no list is named Permanent Notes" in text
        assert "every list is read by itself" in text
        assert "lists that could not be read: Inbox" in text

    def test_status_is_no_failure_where_ollama_and_qdrant_are_down(self, tick: Run, account: Account):
        down = {"OLLAMA_HOST": "127.0.0.1:9", "ATS_QDRANT_URL": "http://127.0.0.1:9"}
        done = tick("ticktick", "status", "--json", **down)
        assert done.returncode == 0, done.stderr
        dense = json.loads(done.stdout)["dense"]
        assert dense["ollama"]["ok"] is False
        assert dense["qdrant"]["ok"] is False
        assert tick("ticktick", "status", **down).returncode == 0

    def test_status_without_a_login_and_without_the_service(self, tick: Run):
        assert tick("ticktick", "status", ATS_TICKTICK_TOKEN=None).returncode == 3
        assert tick("ticktick", "status", ATS_TICKTICK_TOKEN="wrong").returncode == 3
        done = tick("ticktick", "status", ATS_TICKTICK_API_URL="http://127.0.0.1:9/open/v1")
        assert done.returncode == 1
        assert "account" in done.stdout

    def test_an_export_answers_as_the_service_does(self, tick: Run, ats: Run, account: Account, tmp_path: Path):
        work = account.add_project("Work")
        account.add_project("Notes", kind="NOTE")
        account.add_task(
            work,
            title="Café & <b>",
            kind="CHECKLIST",
            items=[{"title": "Buy boxes"}],
            tags=["AI_Work"],
            isAllDay=True,
            dueDate="2026-05-28T16:00:00.000+0000",
            timeZone="Asia/Shanghai",
        )
        account.add_task(title="")
        file = tmp_path / "tasks.json"
        assert tick("ticktick", "export", str(file)).stdout == f"2 tasks written to {file}\n"
        assert file.stat().st_mode & 0o777 == 0o600
        own = {"ATS_ADAPTER": "memory", "ATS_MEMORY_FILE": str(file)}
        for words in (
            ("boxes",),
            ("cafe", "--tag", "ai_work"),
            ("cafe", "--due-before", "2026-05-30"),
            ("-p", "Work", "b"),
        ):
            there, here = find(tick, *words), find(ats, *words, **own)
            for answer in (there, here):
                for task in answer["tasks"]:
                    del task["url"]
            assert there["tasks"] == here["tasks"] != []
            assert there["corpus"]["size"] == here["corpus"]["size"]
        assert [one["kind"] for one in json.loads(ats("projects", "--json", **own).stdout)["projects"]] == [
            "tasks",
            "tasks",
            "notes",
        ]

    def test_an_export_replaces_nothing_unless_told_to(self, tick: Run, account: Account, tmp_path: Path):
        file = tmp_path / "tasks.json"
        file.write_text("mine")
        done = tick("ticktick", "export", str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert file.read_text() == "mine"
        assert tick("ticktick", "export", "--force", str(file)).returncode == 0
        assert json.loads(file.read_text()) == {
            "projects": [{"id": "inbox", "name": "Inbox", "kind": "tasks"}],
            "tasks": [],
        }
        assert tick("ticktick", "export", str(tmp_path)).returncode == 2

    def test_an_export_to_stdout_and_with_completed_tasks(self, tick: Run, account: Account):
        ago = time.strftime("%Y-%m-%dT%H:%M:%S.000+0000", time.gmtime(time.time() - 86_400))
        account.add_task(title="Open")
        account.add_task(title="Done", status=2, completedTime=ago)
        shown = json.loads(tick("ticktick", "export", "-").stdout)
        assert [task["title"] for task in shown["tasks"]] == ["Open"]
        shown = json.loads(tick("ticktick", "export", "--include-completed", "-").stdout)
        assert [(task["title"], task["status"]) for task in shown["tasks"]] == [("Open", "open"), ("Done", "done")]

    def test_help_lists_all_and_an_error_is_a_document_where_one_is_wanted(self, tick: Run):
        shown = tick("ticktick", "--help")
        assert shown.returncode == 0
        assert all(f"  {name} " in shown.stdout for name in ("projects", "search", "status", "export"))
        assert tick("ticktick").stdout == shown.stdout
        for name in ("projects", "search", "status", "export"):
            assert "Example" in tick("ticktick", name, "--help").stdout
        done = tick("ticktick", "projects", "--json", ATS_TICKTICK_TOKEN="wrong")
        assert done.returncode == 3
        assert json.loads(done.stdout)["error"]["type"] == "LoginRequiredError"


def test_a_region_leads_to_its_own_links(tick: Run, account: Account):
    account.add_task(title="Renew passport")
    answer = find(tick, "passport", ATS_TICKTICK_REGION="dida365")
    assert answer["tasks"][0]["url"].startswith("https://dida365.com/webapp/#p/inbox999/tasks/")


def test_a_proxy_of_the_system_captures_no_call_to_loopback(tick: Run, account: Account):
    account.add_task(title="Renew passport")
    proxies = {"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": ""}
    assert titles(find(tick, "passport", **proxies)) == ["Renew passport"]
    assert tick("--help", ALL_PROXY="socks5h://127.0.0.1:9").returncode == 0
    assert titles(find(tick, "--fresh", "passport", ALL_PROXY="socks5h://127.0.0.1:9")) == ["Renew passport"]


def test_help_and_a_warm_find_load_nothing_heavy(tick: Run, account: Account, environ, fake: FakeTickTick, tmp_path):
    wiki = account.add_project("Permanent Notes")
    account.add_task(wiki, title="Renew passport")
    find(tick, "passport")
    program = (
        "import sys\nfrom ats_cli.app import main\n"
        "try:\n    main()\nfinally:\n    print('LOADED', *sorted(sys.modules), file=sys.stderr)\n"
    )
    own = {"ATS_ADAPTER": "ticktick", "ATS_TICKTICK_API_URL": fake.api_url, "ATS_TICKTICK_TOKEN": TOKEN}
    own["OLLAMA_HOST"] = ""

    def loaded(*words: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            env=environ | own,
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
        )
        return set(done.stderr.rpartition("LOADED ")[2].split())

    heavy = {"rich", "httpx", "qdrant_client", "numpy", "filelock", "asyncio", "ssl"}
    assert not loaded("--help") & (heavy | {"ats_adapter_ticktick", "ats_core.engine"})
    fake.forget()
    assert not loaded("find", "--json", "passport") & (heavy | {"ats_adapter_ticktick.api.client", "logging"})
    assert not fake.requests


@pytest.mark.skipif(not shared_data.available(), reason="the question sets do not lie beside the checkout")
def test_the_bench_has_the_same_figures_as_over_the_memory_adapter(
    tick: Run, ats: Run, fake: FakeTickTick, tmp_path: Path
):
    corpus = shared_data.corpus_file("agent-recall")
    fake.seed_from_jsonl(corpus, TOKEN)
    questions = str(shared_data.DATA / "agent-recall" / "questions.jsonl")
    figures = []
    for run, adapter in ((tick, "ticktick"), (ats, "memory")):
        out = tmp_path / adapter
        made = run(
            "bench", "run", "--questions", questions, "--methods", "keyword,sparse", "--adapter", adapter,
            "--out", str(out), ATS_MEMORY_FILE=str(corpus),
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        scored = json.loads(ats("bench", "score", str(out), "--json").stdout)
        figures.append({method: scores["overall"] for method, scores in scored["runs"].items()})
    assert figures[0] == figures[1]
