"""Cases from the field for TickTick, Ollama and Qdrant, each as the whole command meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ats_adapter_ticktick.commands.kit import write_json, write_rows
from calling import call
from fakes.ollama import FakeOllama
from fakes.qdrant import FakeQdrant
from fakes.ticktick import Account, FakeTickTick
from running import Run

TOKEN, QDRANT_KEY = "tok-5f2c1a9e", "key-77aa"
MODEL = "nomic-embed-text"
HALF = "\ud83d"
EMBED = "POST /api/embed"
LATE = "timed out|did not answer in time"
"""Whether core or the request ran out of time first is a matter of milliseconds."""

Answer = dict[str, Any]


@pytest.fixture
def fake() -> Iterator[FakeTickTick]:
    with FakeTickTick() as service:
        yield service


@pytest.fixture
def account(fake: FakeTickTick) -> Account:
    return fake.account(TOKEN, uid="999", username="anna")


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    with FakeOllama({MODEL: 64, "bge-m3": 64, "mxbai-embed-large": 1024}) as server:
        yield server


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with FakeQdrant(QDRANT_KEY) as server:
        yield server


@pytest.fixture
def own(fake: FakeTickTick) -> dict[str, str]:
    """The variables of somebody who uses this adapter."""
    return {
        "ATS_ADAPTER": "ticktick",
        "ATS_TICKTICK_API_URL": fake.api_url,
        "ATS_TICKTICK_TOKEN": TOKEN,
        "OLLAMA_HOST": "",
    }


@pytest.fixture
def dense(own: dict[str, str], ollama: FakeOllama) -> dict[str, str]:
    """The same, with vectors on this machine."""
    return own | {"OLLAMA_HOST": ollama.url, "ATS_EMBED_MODEL": MODEL, "ATS_COSINE_FLOOR": "-1"}


def find(ats: Run, own: dict[str, str], *words: str, **variables: str) -> Answer:
    done = ats("find", "--json", *words, **(own | variables))
    assert done.returncode == 0, done.stderr
    answer: Answer = json.loads(done.stdout)
    return answer


def titles(answer: Answer) -> list[str]:
    return [task["title"] for task in answer["tasks"]]


def hybrid(answer: Answer) -> tuple[str, str]:
    """The status of the branch, and what it says of itself."""
    branch = next(branch for branch in answer["branches"] if branch["name"] == "hybrid")
    return branch["status"], branch["error"] or ""


def until(happened: Callable[[], bool]) -> None:
    """Waits for what another process does."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


class TestTickTick:
    def test_thirty_lists_and_a_service_that_refuses_bursts_of_ten(
        self, ats: Run, own: dict[str, str], account: Account, fake: FakeTickTick
    ):
        for number in range(30):
            project = account.add_project(f"List {number}")
            for at in range(7):
                account.add_task(project, title=f"Errand {number}-{at}")
        account.add_task(title="Renew passport")
        fake.limit_burst(10)
        answer = find(ats, own, "passport")
        assert titles(answer) == ["Renew passport"]
        assert answer["degraded"]
        assert {"rate limited" in one["error"] for one in answer["corpus"]["sourcesFailed"]} == {True}
        assert len(fake.requests) <= 10 + 6 + 1, "one refusal is enough to know"
        fake.forget()
        with ThreadPoolExecutor() as pool:
            both = list(pool.map(lambda _: find(ats, own, "passport"), range(2)))
        assert [titles(one) for one in both] == [["Renew passport"]] * 2
        assert not fake.requests, "until the minute is over"
        told = ats("find", "passport", **own).stderr
        assert "rate limited" in told
        assert "server error" not in told
        assert told.count("\n") <= 2, "lists that failed alike share a line"

    def test_the_name_of_a_list_with_half_a_surrogate_pair(self, ats: Run, own: dict[str, str], account: Account):
        project = account.add_project(f"Work {HALF}")
        account.add_task(project, title=f"needle {HALF}")
        for words in ((), ("--cached",)):
            answer = find(ats, own, "needle", *words)
            assert [(task["title"], task["projectName"]) for task in answer["tasks"]] == [
                ("needle \ufffd", "Work \ufffd")
            ]
        for words in (("projects", "--json"), ("search", "--json", "needle"), ("status", "--json"), ("export", "-")):
            done = ats("ticktick", *words, **own)
            assert done.returncode == 0, done.stderr
            json.loads(done.stdout)

    def test_a_tag_is_met_however_it_is_written(self, ats: Run, own: dict[str, str], account: Account):
        account.add_task(title="Read the paper", tags=["ai_work"])
        account.add_task(title="Write the paper", tags=["AI_Home"])
        assert titles(find(ats, own, "--tag", "AI_Work", "paper")) == ["Read the paper"]
        assert titles(find(ats, own, "--tag", "ai_home", "paper")) == ["Write the paper"]

    def test_a_token_that_was_pasted_with_its_line_end(self, ats: Run, own: dict[str, str], account: Account):
        account.add_task(title="Renew passport")
        pasted = {"ATS_TICKTICK_TOKEN": f" {TOKEN}\r\n"}
        assert titles(find(ats, own, "passport", **pasted)) == ["Renew passport"]

    def test_without_a_folder_to_write_to_the_search_still_answers(
        self, ats: Run, own: dict[str, str], account: Account, tmp_path: Path
    ):
        account.add_task(title="Renew passport")
        (tmp_path / "file").write_text("")
        nowhere = str(tmp_path / "file" / "below")
        assert titles(find(ats, own, "passport", ATS_CONFIG_DIR=nowhere)) == ["Renew passport"]

    def test_a_status_claims_nothing_about_lists_that_nobody_has_seen(
        self, ats: Run, own: dict[str, str], account: Account, fake: FakeTickTick
    ):
        fake.fail("GET /project", status=503, times=None)
        done = ats("ticktick", "status", "--json", **own)
        assert done.returncode == 1
        report = json.loads(done.stdout)
        assert (report["reachable"], report["projects"], report["notes"]) == (False, None, None)
        assert "no list is named" not in ats("ticktick", "status", **own).stdout

    @pytest.mark.skipif(os.name != "posix", reason="there is no Ctrl-C to send")
    def test_a_create_that_is_interrupted_says_that_it_may_have_happened(
        self, own: dict[str, str], account: Account, fake: FakeTickTick, environ: dict[str, str]
    ):
        fake.fail("POST /task", status=None, delay=20)
        create = subprocess.Popen(
            [sys.executable, "-m", "ats_cli", "create", "Renew passport"],
            env=environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        until(lambda: fake.count("POST /task") == 1)
        create.send_signal(signal.SIGINT)
        said = create.communicate()
        assert (create.returncode, said[0]) == (130, "")
        assert "may have been created" in said[1]
        assert said[1].count("\n") == 1

    def test_a_wide_list_name_keeps_the_columns(self, ats: Run, own: dict[str, str], account: Account):
        account.add_task(account.add_project("税務"), title="needle one")
        account.add_task(account.add_project("Home"), title="needle two")
        lines = ats("ticktick", "search", "needle", **own).stdout.splitlines()
        assert [line.split("open", 1)[1] for line in lines] == ["  税務  needle one", "  Home  needle two"]


class TestLogin:
    """Two people at one machine, each by a login of his own, over an SSH session without a browser."""

    @pytest.fixture
    def logging_in(self, own: dict[str, str], fake: FakeTickTick) -> dict[str, str]:
        fake.oauth.register("app-1", None, "http://localhost:8765/callback")
        return own | {
            "ATS_TICKTICK_TOKEN": "",
            "ATS_TICKTICK_OAUTH_URL": fake.oauth_url,
            "ATS_TICKTICK_CLIENT_ID": "app-1",
        }

    def login(self, ats: Run, logging_in: dict[str, str]) -> str:
        """Logs in with the bare code; what `ats` says then."""
        begun = ats("auth", "login", "--no-browser", **logging_in)
        address = re.search(r"http\S+/oauth/authorize\S+", begun.stdout)
        assert address is not None, begun.stderr
        back = call("GET", address[0]).headers["location"]
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["code"][0]
        done = ats("auth", "exchange", "--", code, **logging_in)  # a code may begin with a dash
        assert done.returncode == 0, done.stderr
        return done.stdout

    def test_each_sees_his_own_and_nothing_of_his_own_stays(
        self, ats: Run, logging_in: dict[str, str], account: Account, fake: FakeTickTick, environ: dict[str, str]
    ):
        account.add_task(title="Secret of anna")
        bob = fake.account("tok-b", uid="43", username="bob")
        bob.add_task(title="Secret of bob")
        assert "anna" in self.login(ats, logging_in)
        assert titles(find(ats, logging_in, "secret")) == ["Secret of anna"]
        fake.oauth.signed_in = bob
        assert "bob" in self.login(ats, logging_in)
        assert titles(find(ats, logging_in, "secret")) == ["Secret of bob"]
        assert titles(find(ats, logging_in, "--cached", "secret")) == ["Secret of bob"]
        assert ats("auth", "logout", **logging_in).returncode == 0
        left = [path for path in Path(environ["ATS_CONFIG_DIR"]).rglob("*") if path.is_file()]
        assert not [path.name for path in left if b"Secret of bob" in path.read_bytes()]
        done = ats("find", "secret", **logging_in)
        assert (done.returncode, done.stdout) == (3, "")

    def test_a_login_that_is_renewed_keeps_the_refresh_token_that_the_answer_leaves_out(
        self, ats: Run, logging_in: dict[str, str], account: Account, fake: FakeTickTick, environ: dict[str, str]
    ):
        account.add_task(title="Renew passport")
        fake.oauth.refresh_token = True
        self.login(ats, logging_in)
        file = Path(environ["ATS_CONFIG_DIR"], "ticktick", "token.json")
        token = json.loads(file.read_text())
        file.write_text(json.dumps(token | {"expires_at": 1}))
        assert titles(find(ats, logging_in, "passport")) == ["Renew passport"]
        renewed = json.loads(file.read_text())
        assert renewed["refresh_token"] == token["refresh_token"]
        assert renewed["access_token"] != token["access_token"]
        assert renewed["expires_at"] > time.time()
        assert file.stat().st_mode & 0o777 == 0o600


class TestOllama:
    @pytest.fixture
    def twenty(self, account: Account) -> list[str]:
        words = [f"topic{number} thing" for number in range(19)]
        ids = [account.add_task(title=title) for title in words]
        return [*ids, account.add_task(title="Draw the InputArea", id="bad")]

    def test_one_text_of_twenty_that_gives_nan(
        self, ats: Run, dense: dict[str, str], ollama: FakeOllama, account: Account, twenty: list[str]
    ):
        def asked() -> int:
            return sum(any("InputArea" in text for text in request.body["input"]) for request in embeds(ollama))

        ollama.poison("InputArea")
        assert "20 tasks: 19 embedded now, 19 have vectors, 1 could not be embedded" in ats("sync", **dense).stdout
        assert "bad" in {task["id"] for task in find(ats, dense, "draw")["tasks"]}, "by its words"
        assert hybrid(find(ats, dense, "topic7"))[0] == "ok"
        ollama.forget()
        assert "1 could not be embedded" in ats("sync", **dense).stdout
        assert asked() == 0
        account.edit_task("bad", title="Draw the InputArea again")
        ats("sync", **dense)
        assert asked() > 0
        ollama.mend()
        account.edit_task("bad", title="Draw the InputArea at last")
        assert "20 have vectors" in ats("sync", **dense).stdout

    def test_texts_and_a_query_beyond_the_context(
        self, ats: Run, dense: dict[str, str], ollama: FakeOllama, account: Account
    ):
        ollama.context = 400
        account.add_task(title="book", content=" ".join(f"word{number}" for number in range(40_000)))
        account.add_task(title="rules", content="={" * 3000)
        account.add_task(title="令牌", content="认证系统的令牌更新" * 667)
        done = ats("sync", **dense)
        assert "3 tasks: 3 embedded now, 3 have vectors" in done.stdout, done.stderr
        sent = [
            tuple(request.body["input"]) for request in embeds(ollama) if "a note" not in str(request.body["input"])
        ]
        assert len(sent) == len(set(sent)), "no refused request is repeated"
        assert titles(find(ats, dense, "word39999"))[0] == "book"
        ollama.forget()
        answer = find(ats, dense, "word39999 " * 2000)
        status, error = hybrid(answer)
        assert (status, answer["degraded"]) == ("degraded", True)
        assert f"the query is longer than {MODEL}:latest takes" in error
        assert titles(answer)[0] == "book", "by its words"
        assert not embeds(ollama)

    def test_a_slow_server_is_told_apart_from_no_results(
        self, ats: Run, dense: dict[str, str], ollama: FakeOllama, twenty: list[str], environ: dict[str, str]
    ):
        ats("sync", **dense)
        assert not find(ats, dense, "zzzz", "--min-confidence", "strong")["degraded"]
        ollama.fail(EMBED, status=None, delay=15, times=None)
        for _ in range(2):
            answer = find(ats, dense, "zzzz", "--budget-ms", "700")
            status, error = hybrid(answer)
            assert (status, answer["degraded"], answer["tasks"]) == ("degraded", True, [])
            assert re.search(LATE, error)
        told = ats("find", "zzzz", "--budget-ms", "700", **dense).stderr
        assert told.count("\n") == 1
        assert re.search(LATE, told)
        log = Path(environ["ATS_CONFIG_DIR"], "search-log.jsonl").read_text().splitlines()
        assert json.loads(log[-1])["meta"]["degraded"]
        assert set(ollama.keep_alives) == {"10m"}

    def test_another_model_is_never_mixed_in(
        self, ats: Run, dense: dict[str, str], ollama: FakeOllama, twenty: list[str]
    ):
        ats("sync", **dense)
        first = titles(find(ats, dense, "topic7"))
        for other in ("bge-m3", "mxbai-embed-large"):
            status, error = hybrid(find(ats, dense, "topic7", ATS_EMBED_MODEL=other))
            assert status == "degraded"
            assert f"ollama/{other}:latest@" in error
            assert "ats sync" in error
            assert "dimension" not in error
        assert ats("sync", **(dense | {"ATS_EMBED_MODEL": "bge-m3"})).returncode == 0
        assert hybrid(find(ats, dense, "topic7", ATS_EMBED_MODEL="bge-m3"))[0] == "ok"
        assert hybrid(find(ats, dense, "topic7"))[0] == "ok", "the vectors of the first are still there"
        assert titles(find(ats, dense, "topic7")) == first
        assert hybrid(find(ats, dense, "topic7", ATS_EMBED_MODEL=f"{MODEL}:latest"))[0] == "ok"

    def test_vectors_that_cannot_be_written_are_named_with_their_place(
        self, ats: Run, dense: dict[str, str], twenty: list[str], environ: dict[str, str]
    ):
        ats("sync", **dense)
        (catalogue,) = Path(environ["ATS_CONFIG_DIR"]).rglob("catalogue")
        catalogue.unlink()
        catalogue.mkdir()
        done = ats("sync", **dense)
        assert done.returncode == 1
        assert str(catalogue) in done.stderr.splitlines()[-1]
        assert titles(find(ats, dense, "topic7")) == ["topic7 thing"], "by its words"
        catalogue.rmdir()
        assert "20 have vectors" in ats("sync", **dense).stdout

    def test_ollama_host_in_the_forms_of_a_server(
        self, ats: Run, dense: dict[str, str], ollama: FakeOllama, twenty: list[str]
    ):
        ats("sync", **dense)
        port = ollama.url.rpartition(":")[2]
        for host in (f"0.0.0.0:{port}", f":{port}", f" localhost:{port} ", f"http://127.0.0.1:{port}/"):
            assert hybrid(find(ats, dense, "topic7", OLLAMA_HOST=host)) == ("ok", ""), host
        status, error = hybrid(find(ats, dense, "topic7", OLLAMA_HOST="gopher://x"))
        assert status == "degraded"
        assert "OLLAMA_HOST" in error
        done = ats("sync", **(dense | {"OLLAMA_HOST": "gopher://x"}))
        assert done.returncode == 2
        assert "OLLAMA_HOST" in done.stderr

    @pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
    def test_an_error_names_the_proxy_and_loopback_needs_none(
        self, ats: Run, dense: dict[str, str], twenty: list[str], variable: str
    ):
        ats("sync", **dense)
        proxies = {
            "NO_PROXY": "",
            variable: "socks5h://127.0.0.1:9" if variable == "ALL_PROXY" else "http://127.0.0.1:9",
        }
        assert hybrid(find(ats, dense, "topic7", **proxies)) == ("ok", "")
        status, error = hybrid(find(ats, dense, "topic7", OLLAMA_HOST="ollama.invalid:11434", **proxies))
        assert status == "degraded"
        assert proxies[variable] in error


class TestQdrant:
    @pytest.fixture
    def kept(self, dense: dict[str, str], qdrant: FakeQdrant) -> dict[str, str]:
        """The variables with vectors in Qdrant."""
        return dense | {"ATS_QDRANT_URL": qdrant.url, "ATS_QDRANT_API_KEY": QDRANT_KEY}

    def test_ids_that_are_no_point_ids(self, ats: Run, kept: dict[str, str], qdrant: FakeQdrant, account: Account):
        ids = {"65f0c0ffee0123456789abcd", "inbox1_7", "task/ä", "42"}
        for task_id in sorted(ids):
            account.add_task(title=f"topic {task_id}", id=task_id)
        other = account.add_task(title="topic number", id="x")
        account.tasks[other]["id"] = 43
        assert "5 have vectors" in ats("sync", **kept).stdout
        answer = json.loads(ats("semantic", "--json", "-n", "10", "topic", **kept).stdout)
        assert {task["id"] for task in answer["tasks"]} == {
            "65f0c0ffee0123456789abcd",
            "inbox1_7",
            "task/ä",
            "42",
            "43",
        }
        (collection,) = qdrant.collections.values()
        assert all(re.fullmatch(r"[0-9a-f-]{36}", str(point)) for point in collection.points)

    @pytest.mark.parametrize(
        ("status", "body", "said"),
        [
            (404, {"status": {"error": "Not found: Collection doesn't exist!"}}, "is not synced yet to Qdrant at"),
            (401, b"Invalid API key or JWT", "refuses the login; check ATS_QDRANT_API_KEY"),
            (500, {"status": {"error": "Service internal error"}}, "HTTP status 500: Service internal error"),
            (503, b"<html>busy</html>", "HTTP status 503"),
            (200, b"<html>hello</html>", "no JSON"),
            (None, None, LATE),
        ],
    )
    def test_trouble_costs_the_dense_half_alone(
        self,
        ats: Run,
        kept: dict[str, str],
        qdrant: FakeQdrant,
        account: Account,
        status: int | None,
        body: object,
        said: str,
    ):
        account.add_task(title="Renew passport")
        ats("sync", **kept)
        delay = 15 if status is None else 0
        qdrant.fail("POST /collections/.*", status=status, body=body, delay=delay, times=None)
        answer = find(ats, kept, "passport", "--budget-ms", "1000")
        assert titles(answer) == ["Renew passport"]
        assert answer["degraded"]
        assert hybrid(answer)[0] == "degraded"
        assert re.search(said, hybrid(answer)[1])
        assert QDRANT_KEY not in json.dumps(answer)

    def test_a_collection_that_was_deleted_is_made_again(
        self, ats: Run, kept: dict[str, str], qdrant: FakeQdrant, account: Account
    ):
        account.add_task(title="Renew passport")
        ats("sync", **kept)
        qdrant.collections.clear()
        assert "not synced yet" in hybrid(find(ats, kept, "passport"))[1]
        assert "1 embedded now" in ats("sync", **kept).stdout
        assert hybrid(find(ats, kept, "passport"))[0] == "ok"

    @pytest.mark.parametrize("place", ["this machine", "Qdrant"])
    def test_a_sync_that_is_killed_while_ten_searches_go_on(
        self,
        ats: Run,
        dense: dict[str, str],
        kept: dict[str, str],
        ollama: FakeOllama,
        account: Account,
        environ: dict[str, str],
        place: str,
    ):
        home = account.add_project("Home")
        for number in range(199):
            account.add_task(home, title=f"topic{number} thing")
        account.add_task(title="Renew passport")
        given = dense if place == "this machine" else kept
        find(ats, given, "passport")
        ollama.fail(EMBED, status=None, delay=0.3, times=None)
        sync = subprocess.Popen(
            [sys.executable, "-m", "ats_cli", "sync"],
            env=environ | given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
        try:
            until(lambda: len(embeds(ollama)) > 1)
            with ThreadPoolExecutor() as pool:
                answers = list(pool.map(lambda _: find(ats, given, "passport"), range(10)))
            until(lambda: len(embeds(ollama)) > 3)
        finally:
            sync.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
            sync.wait()
        assert [titles(answer)[0] for answer in answers] == ["Renew passport"] * 10
        ollama.heal()
        assert titles(find(ats, given, "passport"))[0] == "Renew passport"
        assert "200 have vectors" in ats("sync", **given).stdout
        assert hybrid(find(ats, given, "passport")) == ("ok", "")


def embeds(ollama: FakeOllama) -> list[Any]:
    """The requests to embed so far."""
    return [request for request in list(ollama.requests) if request.line == EMBED]


def test_half_a_surrogate_pair_in_an_answer_as_json_is_the_replacement_character(capsys: pytest.CaptureFixture[str]):
    write_json({"title": f"plan {HALF}", f"{HALF}": [(f"{HALF}🗒️", 1, None, float("inf"))]})
    assert json.loads(capsys.readouterr().out) == {"title": "plan \ufffd", "\ufffd": [["\ufffd🗒️", 1, None, None]]}


def test_columns_are_as_wide_as_their_text_is_shown(capsys: pytest.CaptureFixture[str]):
    write_rows([("ab", "x"), ("税務", "x"), ("e\u0301🗒️", "x")])
    assert capsys.readouterr().out.splitlines() == ["ab    x", "税務  x", "e\u0301🗒️   x"]
