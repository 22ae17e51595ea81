"""The fake Ollama embeds, counts and refuses as the server was seen to."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from operator import mul
from typing import Any

import httpx
import pytest
from fakes.ollama import CRASH, FakeOllama, token_count

MODEL = "nomic-embed-text"
PREFIXES = [
    "search_query: ",
    "search_document: ",
    "query: ",
    "task: search result | query: ",
    "title: none | text: ",
    "Represent this sentence for searching relevant passages: ",
    "Instruct: Given a question, find the task\nQuery:",
]


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    with FakeOllama({"nomic-embed-text:latest": 768, "bge-m3": 1024, "qwen3-embedding:0.6b": 1024}) as server:
        yield server


@pytest.fixture
def http(ollama: FakeOllama) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=ollama.url, trust_env=False) as client:
        yield client


def embed(http: httpx.Client, given: Any, **fields: Any) -> httpx.Response:
    return http.post("/api/embed", json={"model": MODEL, "input": given, **fields})


def vectors(http: httpx.Client, *texts: str, **fields: Any) -> list[list[float]]:
    response = embed(http, list(texts), **fields)
    assert response.status_code == 200, response.text
    found: list[list[float]] = response.json()["embeddings"]
    return found


def cosine(left: list[float], right: list[float]) -> float:
    return float(sum(map(mul, left, right))) / (math.hypot(*left) * math.hypot(*right))


# What it says of itself


def test_it_lives_and_says_its_version(http, ollama):
    assert http.get("/").text == "Ollama is running"
    assert http.get("/api/version").json() == {"version": ollama.version}


def test_every_model_is_listed_with_its_tag_and_a_digest(http):
    models = http.get("/api/tags").json()["models"]
    assert [model["name"] for model in models] == ["nomic-embed-text:latest", "bge-m3:latest", "qwen3-embedding:0.6b"]
    assert [model["model"] for model in models] == [model["name"] for model in models]
    assert all(len(model["digest"]) == 64 and int(model["digest"], 16) for model in models)
    assert len({model["digest"] for model in models}) == 3


@pytest.mark.parametrize(
    ("name", "architecture", "dimension"),
    [(MODEL, "nomic-bert", 768), ("bge-m3:latest", "bert", 1024), ("qwen3-embedding:0.6b", "qwen3", 1024)],
)
def test_a_model_is_described(http, ollama, name, architecture, dimension):
    told = http.post("/api/show", json={"model": name}).json()
    info = told["model_info"]
    assert info["general.architecture"] == architecture
    assert info[f"{architecture}.embedding_length"] == dimension
    assert info[f"{architecture}.context_length"] == ollama.context
    assert told["capabilities"] == ["embedding"]


# Vectors


def test_a_text_and_a_list_of_texts_are_embedded_in_order(http, ollama):
    one = embed(http, "buy milk").json()
    two = embed(http, ["renew passport", "buy milk"]).json()
    assert one["model"] == MODEL
    assert one["embeddings"] == [two["embeddings"][1]]
    assert one["embeddings"] != [two["embeddings"][0]]
    assert two["prompt_eval_count"] == token_count("renew passport") + token_count("buy milk")
    assert ollama.embedded == ["buy milk", "renew passport", "buy milk"]


@pytest.mark.parametrize("text", ["buy milk", "", "   ", "=", "认证システム", "ÿ" * 300])
def test_vectors_have_length_one(http, text):
    (vector,) = vectors(http, text)
    assert len(vector) == 768
    assert math.hypot(*vector) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("renew passport", "Renew my passport before the summer trip", "Buy oat milk and coffee beans"),
        ("insurance renewal", "Renew the insurance of the car", "Write the talk about search"),
        ("ZÜRICH", "Flug nach Zurich buchen", "Flug nach Bremen buchen"),
        ("认证", "JWT 认证更新", "买牛奶和面包"),
        ("トークン", "認証システムのトークン更新", "牛乳を買う"),
        ("인증", "인증 시스템 갱신", "우유 사기"),
    ],
)
def test_texts_with_the_same_words_are_nearer(http, query, near, far):
    asked, alike, unlike = vectors(
        http, f"search_query: {query}", f"search_document: {near}", f"search_document: {far}"
    )
    assert cosine(asked, alike) > 0.3 > cosine(asked, unlike) + 0.1


@pytest.mark.parametrize("prefix", PREFIXES)
def test_an_instruction_has_little_weight_but_some(http, prefix):
    with_it, without, other = vectors(http, f"{prefix}renew passport", "renew passport", f"{prefix}buy milk")
    assert 0.98 < cosine(with_it, without) < 0.99999
    assert cosine(with_it, other) < 0.1


def test_a_title_before_the_text_is_part_of_it(http):
    titled, plain = vectors(http, "title: Renew passport | text: before June", "Renew passport before June")
    assert cosine(titled, plain) > 0.98


def test_half_of_a_surrogate_pair_is_read_as_go_reads_it(http, ollama):
    http.post("/api/embed", content=json.dumps({"model": MODEL, "input": "half \ud83d of a pair"})).raise_for_status()
    assert ollama.embedded == ["half \ufffd of a pair"]


def test_models_of_one_dimension_have_each_vectors_of_their_own(http):
    alike = ("renew passport", "renew my passport")
    bge = vectors(http, *alike, model="bge-m3")
    qwen = vectors(http, *alike, model="qwen3-embedding:0.6b")
    assert sorted(bge[0]) == sorted(qwen[0])
    assert abs(cosine(bge[0], qwen[0])) < 0.2
    assert cosine(*bge) == pytest.approx(cosine(*qwen), abs=1e-5)


def test_a_tag_that_was_pulled_again_has_another_digest_and_other_vectors(http, ollama):
    def digest() -> Any:
        return next(row["digest"] for row in http.get("/api/tags").json()["models"] if row["name"] == f"{MODEL}:latest")

    digests, found = [digest()], vectors(http, "renew passport")
    for _ in range(2):
        assert ollama.repull(MODEL) not in digests
        digests.append(digest())
        found += vectors(http, "renew passport")
    assert len(set(digests)) == 3
    assert all(abs(cosine(one, other)) < 0.2 for one, other in combinations(found, 2))


def test_vectors_are_the_same_in_every_process():
    with FakeOllama() as one, FakeOllama() as other, httpx.Client(trust_env=False) as client:
        asked = {"model": MODEL, "input": "renew passport"}
        first, second = (client.post(f"{at.url}/api/embed", json=asked).json()["embeddings"] for at in (one, other))
    assert first == second


def test_dimensions_cut_and_make_the_length_one_again(http):
    (whole,) = vectors(http, "renew passport before June")
    (short,) = vectors(http, "renew passport before June", dimensions=256)
    (long,) = vectors(http, "renew passport before June", dimensions=5000)
    assert len(short) == 256
    assert math.hypot(*short) == pytest.approx(1, abs=1e-5)
    assert cosine(short, whole[:256]) == pytest.approx(1, abs=1e-5)
    assert long == whole


@pytest.mark.parametrize("given", ["", [], None])
def test_no_text_is_no_error(http, given):
    assert embed(http, given).json() == {"model": MODEL, "embeddings": []}
    assert http.post("/api/embed", json={"model": MODEL}).json() == {"model": MODEL, "embeddings": []}


def test_an_empty_text_in_a_list_is_embedded(http):
    assert len(vectors(http, "", "a")) == 2


# Refusals


@pytest.mark.parametrize("given", [5, {"text": "a"}, ["a", 5], ["a", None], [["a"]]])
def test_what_is_no_text_is_400(http, ollama, given):
    response = embed(http, given)
    assert (response.status_code, response.json()) == (400, {"error": "invalid input type"})
    assert ollama.embedded == []


def test_bodies_that_are_none_are_400(http):
    assert http.post("/api/embed").json() == {"error": "missing request body"}
    assert http.post("/api/embed", content=b"{").status_code == 400


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/embed", {"model": "no", "input": "a"}),
        ("/api/embed", {"model": "no", "input": []}),
        ("/api/embed", {"input": "a"}),
        ("/api/embed", {"model": f"{MODEL}:v1.5", "input": "a"}),
        ("/api/embeddings", {"model": "no", "prompt": "a"}),
        ("/api/show", {"model": "no"}),
    ],
)
def test_a_model_that_is_missing_is_404(http, path, body):
    response = http.post(path, json=body)
    assert response.status_code == 404
    assert "not found" in response.json()["error"]


@pytest.mark.parametrize("name", [MODEL, f"{MODEL}:latest", "Nomic-Embed-Text"])
def test_a_name_means_its_latest_tag(http, name):
    assert vectors(http, "a", model=name) == vectors(http, "a")


def test_a_model_that_was_removed_is_gone(http, ollama):
    ollama.remove(MODEL)
    assert embed(http, "a").status_code == 404
    assert MODEL not in http.get("/api/tags").text


@pytest.mark.parametrize("keep_alive", ["10m", "1h30m", "-1s", "0", 300, -1, 0, 1.5, None])
def test_keep_alive_is_recorded(http, ollama, keep_alive):
    assert embed(http, "a", keep_alive=keep_alive).status_code == 200
    assert ollama.keep_alives == [keep_alive]


@pytest.mark.parametrize("keep_alive", ["300", "-1", "10 minutes", "", "m"])
def test_a_keep_alive_that_is_no_duration_is_400(http, keep_alive):
    response = embed(http, "a", keep_alive=keep_alive)
    assert response.status_code == 400
    assert "duration" in response.json()["error"]


# Too long


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 2), ("word", 4), ("税" * 6000, 6002), ("={" * 3000, 6002), ("word " * 40_000, 52_002), ("x" * 6000, 1002)],
)
def test_tokens_are_counted_about_as_models_count(text, tokens):
    assert token_count(text) == pytest.approx(tokens, abs=1)


@pytest.mark.parametrize("truncate", [{}, {"truncate": True}, {"truncate": None}, {"truncate": False}])
@pytest.mark.parametrize("text", ["税" * 2047, "=" * 2047, "word " * 1575])
def test_a_text_beyond_the_context_fails_the_whole_request_whatever_truncate_says(http, ollama, text, truncate):
    response = embed(http, ["a", text], **truncate)
    assert response.status_code == 400
    assert response.json() == {"error": "the input length exceeds the context length"}
    assert ollama.embedded == []


@pytest.mark.parametrize("text", ["税" * 2046, "=" * 2046, "word " * 1573])
def test_a_text_that_just_fits_is_embedded(http, text):
    assert len(vectors(http, text)) == 1


def test_a_server_that_truncates_embeds_the_beginning_and_counts_only_that(http, ollama):
    ollama.truncates = True
    ollama.context = 12
    long = embed(http, "税" * 5 + "金" * 5 + "本" * 1000).json()
    assert long["embeddings"] == vectors(http, "税" * 5 + "金" * 5)
    assert long["prompt_eval_count"] == 12
    assert embed(http, "税" * 11, truncate=False).status_code == 400


def test_what_runs_the_model_may_die_of_a_long_text(http, ollama):
    ollama.too_long = CRASH
    response = embed(http, "税" * 3000)
    assert response.status_code == 500
    assert response.json()["error"].endswith("EOF")


# What goes wrong


def test_a_poison_fails_the_whole_request(http, ollama):
    ollama.poison("InputArea")
    response = embed(http, ["buy milk", "fix the InputArea"])
    assert response.status_code == 500
    assert response.json() == {"error": "failed to encode response: json: unsupported value: NaN"}
    assert ollama.embedded == []
    assert embed(http, ["buy milk"]).status_code == 200
    ollama.mend()
    assert embed(http, ["fix the InputArea"]).status_code == 200


def test_a_poison_may_look_like_a_bad_request(http, ollama):
    ollama.poison("InputArea", 400, "embedding contains NaN or Inf values")
    response = embed(http, "InputArea")
    assert (response.status_code, response.json()) == (400, {"error": "embedding contains NaN or Inf values"})


def test_an_answer_may_have_one_vector_too_few(http, ollama):
    ollama.break_count(times=1)
    assert [len(vectors(http, "a", "b")) for _ in range(2)] == [1, 2]
    ollama.break_count()
    assert [len(vectors(http, "a", "b")) for _ in range(3)] == [1, 1, 1]
    ollama.mend()
    assert len(vectors(http, "a", "b")) == 2


def test_values_may_be_broken(http, ollama):
    ollama.break_values()
    assert b"NaN" in embed(http, ["a", "b"]).content
    ollama.break_values("infinity")
    assert b"Infinity" in embed(http, "a").content
    ollama.break_values("empty")
    assert [len(vector) for vector in vectors(http, "a", "b")] == [768, 0]
    ollama.break_values("short", times=1)
    assert [len(vector) for vector in vectors(http, "a", "b")] == [768, 767]
    assert [len(vector) for vector in vectors(http, "a", "b")] == [768, 768]


class Slow(FakeOllama):
    """Notes how long it would have waited, and does not."""

    def __init__(self, **options: Any) -> None:
        super().__init__({MODEL: 8}, **options)
        self.waited: list[float] = []

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)


def test_the_first_call_waits_for_the_model_to_load():
    with Slow(load_seconds=30) as ollama, httpx.Client(base_url=ollama.url, trust_env=False) as http:
        first = embed(http, "").json()
        second = embed(http, "a").json()
        assert sum(ollama.waited) == 30
        embed(http, "a", keep_alive=0)
        third = embed(http, "a").json()
        assert sum(ollama.waited) == 60
        ollama.repull(MODEL)
        embed(http, "a")
        assert sum(ollama.waited) == 90
    assert first == {"model": MODEL, "embeddings": []}
    assert second["load_duration"] < 30e9 <= third["load_duration"]
    assert third["total_duration"] > third["load_duration"]


def test_many_at_once_wait_for_the_same_load(ollama):
    ollama.load_seconds = 0.05
    with ThreadPoolExecutor(4) as pool, httpx.Client(base_url=ollama.url, trust_env=False) as http:
        answers = list(pool.map(lambda text: embed(http, text).json(), "abcd"))
    assert sum(answer["load_duration"] > 50e6 for answer in answers) == 1
    assert sorted(ollama.embedded) == list("abcd")


def test_failures_are_those_of_every_fake(http, ollama):
    ollama.fail("POST /api/embed", status=503, body={"error": "server busy"})
    assert [embed(http, "a").status_code for _ in range(2)] == [503, 200]
    assert ollama.embedded == ["a"]
    ollama.fail("POST /api/embed", drop=True)
    with pytest.raises(httpx.RemoteProtocolError):
        embed(http, "a")


# The old way


def legacy(http: httpx.Client, **fields: Any) -> httpx.Response:
    return http.post("/api/embeddings", json={"model": MODEL, **fields})


def test_the_old_call_embeds_one_prompt_without_normalising(http, ollama):
    vector = legacy(http, prompt="renew my passport").json()["embedding"]
    (unit,) = vectors(http, "renew my passport")
    assert cosine(vector, unit) == pytest.approx(1, abs=1e-5)
    assert math.hypot(*vector) > 1.5
    assert ollama.embedded == ["renew my passport"] * 2


def test_the_old_call_given_input_answers_with_an_empty_vector(http, ollama):
    response = legacy(http, input="renew my passport")
    assert (response.status_code, response.json()) == (200, {"embedding": []})
    assert ollama.embedded == []


def test_errors_of_the_old_call_are_500(http, ollama):
    assert legacy(http, prompt="税" * 3000).status_code == 500
    ollama.poison("InputArea", 400)
    assert legacy(http, prompt="InputArea").status_code == 500


def test_an_old_server_has_only_the_old_call(http, ollama):
    ollama.legacy_only = True
    assert embed(http, "a").status_code == 404
    assert embed(http, "a").text == "404 page not found"
    assert len(legacy(http, prompt="a").json()["embedding"]) == 768


def test_serves_from_the_command_line(pytestconfig):
    command = [sys.executable, "-m", "tests.fakes.ollama", "--port", "0", "--model", "qwen3-embedding:0.6b=16"]
    with subprocess.Popen(command, cwd=pytestconfig.rootpath, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        export, address, model = process.stdout.readline().split()
        assert (export, model) == ("export", "ATS_EMBED_MODEL=qwen3-embedding:0.6b")
        url = address.removeprefix("OLLAMA_HOST=")
        asked = {"model": "qwen3-embedding:0.6b", "input": "a"}
        response = httpx.post(f"{url}/api/embed", json=asked, trust_env=False)
        process.terminate()
    assert [len(vector) for vector in json.loads(response.text)["embeddings"]] == [16]
    assert process.returncode == 0
