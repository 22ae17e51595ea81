"""The plugins of docs/plugins.md, run as they stand there: the embedder against a server on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ats_adapter_memory import MemoryAdapter
from ats_core import Deadline, EmbeddingError, Task
from ats_core.plugins.adapter import Plugin
from ats_core.testing import make_engine
from readme_blocks import ROOT, Block, blocks

DOCUMENT = ROOT / "docs" / "plugins.md"
KEY = "sk-never-to-be-seen"
TASKS = [
    Task(id="knives", title="Sharpen the kitchen knives"),
    Task(id="passport", title="Renew passport"),
    *(Task(id=f"t{number}", title=f"Errand {number}") for number in range(40)),
]


def _blocks(language: str) -> list[Block]:
    return [block for block in blocks(DOCUMENT) if block.language == language]


class Server(ThreadingHTTPServer):
    """Speaks `/v1/embeddings`. `reply` makes the answer of a request's texts; `seen` are the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.seen: list[Any] = []
        self.reply: Callable[[list[str]], tuple[int, Any]] = vectors
        self.over = Event()

    def handle_error(self, *_: object) -> None:
        """A client that had no more time has hung up."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(SimpleNamespace(path=self.path, headers=self.headers, asked=asked))
        status, answer = self.server.reply(asked["input"])
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def vectors(texts: list[str]) -> tuple[int, Any]:
    """The second dimension means blades. The last row comes first, as the protocol allows."""
    rows = [
        {"index": place, "embedding": [1.0, 9.0 if "knives" in text or "blades" in text else 0.0]}
        for place, text in enumerate(texts)
    ]
    return 200, {"data": rows[::-1]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        Thread(target=running.serve_forever, args=[0.01], daemon=True).start()
        yield running
        running.over.set()
        running.shutdown()


@pytest.fixture
def embedder(server: Server, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    monkeypatch.setenv("ATS_OPENAI_EMBED_MODEL", "small")
    return _embedder_class()()


def _embedder_class() -> Any:
    block = _blocks("python")[0]
    namespace: dict[str, Any] = {"__name__": "ats_embed_openai"}
    exec(compile(block.text, f"{DOCUMENT.name}:{block.line}", "exec"), namespace)
    return namespace["OpenAIEmbedder"]


def test_the_embedder_answers_by_meaning_and_in_the_right_order(embedder: Any, server: Server, tmp_path: Path) -> None:
    engine = make_engine(MemoryAdapter.of(TASKS), plugins=[embedder], state_dir=tmp_path, budget_ms=20_000)
    hit = engine.semantic("blades are blunt").hits[0]
    assert hit.task.id == "knives"
    documents = [request.asked["input"] for request in server.seen if len(request.asked["input"]) > 1]
    assert [len(texts) for texts in documents] == [32, 10]
    assert {request.path for request in server.seen} == {"/v1/embeddings"}
    assert {request.headers["Authorization"] for request in server.seen} == {f"Bearer {KEY}"}


def test_vectors_are_kept_by_embedding_space(embedder: Any, server: Server, tmp_path: Path, monkeypatch: Any) -> None:
    adapter = MemoryAdapter.of(TASKS)

    def ask() -> int:
        before = len(server.seen)
        engine = make_engine(adapter, plugins=[_embedder_class()()], state_dir=tmp_path, budget_ms=20_000)
        engine.semantic("blades")
        return len(server.seen) - before

    assert [ask(), ask()] == [3, 1]  # two batches and the query, then the query alone
    monkeypatch.setenv("ATS_OPENAI_EMBED_MODEL", "large")
    assert ask() == 3
    assert KEY not in _embedder_class()().embedding_space()


def test_without_a_model_there_is_no_embedder_and_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATS_OPENAI_EMBED_MODEL", raising=False)
    plugin = _embedder_class()()
    assert not Plugin("openai", plugin).has("embedding_space")
    result = make_engine(MemoryAdapter.of(TASKS), plugins=[plugin]).find("passport")
    assert [branch.name for branch in result.branches][:1] == ["sparse"]
    assert result.warnings == ()


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda texts: (200, {"data": vectors(texts)[1]["data"][1:]}), "1 vectors came for 2 texts"),
        (lambda texts: (200, {"data": vectors([*texts, "more"])[1]["data"]}), "3 vectors came for 2 texts"),
        (lambda texts: (200, {"data": vectors(texts)[1]["data"][:1] * 2}), "2 vectors came for 2 texts"),
        (lambda texts: (200, {"data": []}), "0 vectors came for 2 texts"),
        (lambda texts: (200, {"error": "no data"}), "KeyError"),
        (lambda texts: (200, b"<html>"), "JSONDecodeError"),
        (lambda texts: (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "status 401"),
        (lambda texts: (500, b""), "status 500"),
    ],
)
def test_a_wrong_answer_is_an_error_that_shows_no_key(embedder: Any, server: Server, reply: Any, said: str) -> None:
    server.reply = reply
    with pytest.raises(EmbeddingError, match=said) as caught:
        embedder.embeddings(["a", "b"], Deadline(20))
    assert KEY not in repr(caught.value) + str(caught.value.__cause__) + repr(vars(embedder))


def test_a_server_that_hangs_costs_no_more_than_the_deadline(embedder: Any, server: Server) -> None:
    def hang(texts: list[str]) -> tuple[int, Any]:
        server.over.wait()
        return vectors(texts)

    server.reply = hang
    with pytest.raises(EmbeddingError, match="ReadTimeout"):
        embedder.embeddings(["a"], Deadline(0.2))
    with pytest.raises(EmbeddingError, match="no time left"):
        embedder.embeddings(["a"], Deadline(0))
    assert len(server.seen) == 1
    result = make_engine(MemoryAdapter.of(TASKS), plugins=[embedder], budget_ms=300).find("passport")
    assert result.hits[0].task.id == "passport"
    assert result.degraded


def test_a_text_that_is_refused_costs_the_others_nothing(embedder: Any, server: Server, tmp_path: Path) -> None:
    def refuse(texts: list[str]) -> tuple[int, Any]:
        return (400, {}) if any("Errand 7" in text for text in texts) else vectors(texts)

    server.reply = refuse
    engine = make_engine(MemoryAdapter.of(TASKS), plugins=[embedder], state_dir=tmp_path, budget_ms=20_000)
    hits = engine.semantic("blades", limit=100).hits
    assert {hit.task.id for hit in hits}.isdisjoint({"t7"})
    assert hits[0].task.id == "knives"


def test_as_an_installed_distribution_the_command_uses_it(
    embedder: Any, server: Server, environ: dict[str, str], tmp_path: Path
) -> None:
    code, project = _blocks("python")[0].text, tomllib.loads(_blocks("toml")[0].text)["project"]
    site = tmp_path / "site"
    info = site / "ats_embed_openai-0.1.0.dist-info"
    info.mkdir(parents=True)
    (site / "ats_embed_openai.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["ats.plugins"]
    (info / "entry_points.txt").write_text("[ats.plugins]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))
    done = subprocess.run(
        [sys.executable, "-m", "ats_cli", "find", "--json", "--explain", "--budget-ms", "20000", "blades are blunt"],
        env=environ
        | {"PYTHONPATH": str(site), "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY, "NO_PROXY": "127.0.0.1"}
        | {"ATS_OPENAI_EMBED_MODEL": "small", "ATS_ADAPTER": "memory"},
        capture_output=True,
        encoding="utf-8",
    )
    answer = json.loads(done.stdout)
    assert answer["tasks"][0]["id"] == "kit-knives"
    assert [each["source"] for each in answer["tasks"][0]["explain"][0]["within"]] == ["dense"]
    assert done.stderr == ""
    assert KEY not in done.stdout


def test_the_branch_has_ten_lines_and_does_what_it_says() -> None:
    branch, test = _blocks("python")[1:]
    assert len([line for line in branch.text.splitlines() if line.strip()]) <= 10
    namespace: dict[str, Any] = {}
    for block in (branch, test):
        exec(compile(block.text, f"{DOCUMENT.name}:{block.line}", "exec"), namespace)


def test_the_plugins_are_registered_by_what_the_document_says() -> None:
    for block in _blocks("toml"):
        parsed = tomllib.loads(block.text)
        (value,) = parsed["project"]["entry-points"]["ats.plugins"].values()
        assert any(f"class {value.partition(':')[2]}:" in python.text for python in _blocks("python"))


def test_what_core_is_given_is_what_the_contract_asks_for(embedder: Any) -> None:
    rows = embedder.embeddings(["a", "b"], Deadline(20))
    assert rows.dtype == np.float32
    assert rows.shape == (2, 2)
