"""Embedding by Ollama: what is sent, what is believed, and whom a failure is blamed on."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator

import httpx
import pytest
from ats_adapter_ticktick.hybrid.http import Http
from ats_adapter_ticktick.hybrid.length import length
from ats_adapter_ticktick.hybrid.ollama import BATCH, OllamaEmbedder, connect
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_adapter_ticktick.hybrid.space import Space
from ats_core import ConfigError, Deadline, EmbeddingError
from fakes.ollama import CRASH, FakeOllama, token_count

EMBED = "POST /api/embed"


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    with FakeOllama({"nomic-embed-text": 16, "bge-m3": 8, "embeddinggemma": 8}) as fake:
        yield fake


def embedder(fake: FakeOllama, **environ: str) -> OllamaEmbedder:
    return connect(HybridOptions.read({}, {"OLLAMA_HOST": fake.url, **environ}))


def soon() -> Deadline:
    return Deadline(30)


def documents(of: OllamaEmbedder, *texts: str) -> list[list[float] | None]:
    return of.embed_documents(texts, [""] * len(texts), soon())


def failure(call: Callable[[], object]) -> EmbeddingError:
    with pytest.raises(EmbeddingError) as caught:
        call()
    assert "\n" not in caught.value.message
    return caught.value


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


# What is sent


def test_a_query_and_a_document_get_the_models_prefixes(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    assert len(of.embed_query("renew passport", soon())) == 16
    documents(of, "Renew passport")
    assert ollama.embedded == ["search_query: renew passport", "search_document: Renew passport"]


def test_a_model_with_a_place_for_the_title_gets_it_there_once(ollama: FakeOllama) -> None:
    of = embedder(ollama, ATS_EMBED_MODEL="embeddinggemma")
    of.embed_documents(["Plan A\nthe body", "the rest", "Plan A", "x"], ["Plan A", "Plan  A", "Plan A", ""], soon())
    assert ollama.embedded == [
        "title: Plan A | text: the body",
        "title: Plan A | text: the rest",
        "title: Plan A | text: Plan A",
        "title: none | text: x",
    ]


def test_documents_go_out_in_batches_of_32_and_come_back_in_order(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    texts = [f"note number {number}" for number in range(70)]
    vectors = documents(of, *texts)
    assert [len(request.body["input"]) for request in ollama.requests] == [32, 32, 6]
    alone = documents(of, texts[40])[0]
    assert vectors[40] is not None
    assert vectors[40] == pytest.approx(alone)
    assert vectors[40] != pytest.approx(vectors[39])
    assert BATCH == 32


@pytest.mark.parametrize(("given", "sent"), [("", "10m"), ("30m", "30m"), ("-1", -1), ("0", 0), ("300", 300)])
def test_keep_alive_and_truncate_are_sent_with_every_request(given: str, sent: object, ollama: FakeOllama) -> None:
    of = embedder(ollama, ATS_OLLAMA_KEEP_ALIVE=given)
    of.embed_query("a", soon())
    documents(of, "a")
    assert ollama.keep_alives == [sent, sent]
    assert all(request.body["truncate"] is True for request in ollama.requests)


def test_shorter_vectors_are_asked_of_the_server(ollama: FakeOllama) -> None:
    ollama.pull("nomic-embed-text", 768)
    of = embedder(ollama, ATS_EMBED_DIMENSIONS="64")
    assert len(of.embed_query("renew the travel insurance", soon())) == 64
    assert ollama.requests[0].body["dimensions"] == 64


def test_blank_texts_are_never_sent(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    found = documents(of, "", "a", " \n\t", "b", "")
    assert [vector is None for vector in found] == [True, False, True, False, True]
    assert documents(of, "", " ") == [None, None]
    assert documents(of) == []
    assert failure(lambda: of.embed_query("  ", soon())).message == "a blank query has no vector"
    assert len(ollama.requests) == 1


def test_lone_surrogates_are_replaced_before_they_are_sent(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    of.embed_query("plan \ud83d", soon())
    of.embed_documents(["plan \ud83d"], ["\ud83d"], soon())
    assert [text.partition(": ")[2] for text in ollama.embedded] == ["plan \ufffd", "plan \ufffd"]


def test_the_key_is_sent_to_this_machine_and_over_https_but_never_in_the_clear(ollama: FakeOllama) -> None:
    embedder(ollama, OLLAMA_API_KEY="k-secret").embed_query("a", soon())
    assert ollama.requests[0].headers["authorization"] == "Bearer k-secret"
    sent = {
        host: connect(
            HybridOptions.read({}, {"OLLAMA_HOST": host, "OLLAMA_API_KEY": "k-secret"})
        )._server._http._headers
        for host in ("https://h", "http://h", "http://127.0.0.1.example", "http://[::1]:1")
    }
    assert {host for host, headers in sent.items() if headers} == {"https://h", "http://[::1]:1"}


def test_a_nonsense_address_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="OLLAMA_HOST"):
        connect(HybridOptions.read({}, {"OLLAMA_HOST": "ftp://h"}))


# Texts that the server refuses


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (500, "failed to encode response: json: unsupported value: NaN"),
        (400, "embedding contains NaN or Inf values"),
        CRASH,
        (400, "the input length exceeds the context length"),
    ],
)
def test_one_bad_text_of_twenty_costs_its_own_vector_only(status: int, error: str, ollama: FakeOllama) -> None:
    ollama.poison("InputArea", status, error)
    texts = [f"note number {number}" for number in range(20)]
    texts[13] = "the InputArea of the form"
    vectors = documents(embedder(ollama), *texts)
    assert [place for place, vector in enumerate(vectors) if vector is None] == [13]
    asked = [text for request in ollama.requests for text in request.body["input"] if len(request.body["input"]) == 1]
    assert sum("InputArea" in text for text in asked) <= 2
    assert len(ollama.requests) < 20


@pytest.mark.parametrize("status", [400, 500])
def test_a_long_text_that_gives_nan_is_neither_repeated_nor_halved(status: int, ollama: FakeOllama) -> None:
    ollama.poison("InputArea", status, "embedding contains NaN or Inf values")
    assert documents(embedder(ollama), "InputArea " * 200) == [None]
    assert sum("InputArea" in request.body["input"][0] for request in ollama.requests) == 1
    assert ollama.embedded == ["search_document: a note"] * 2


def test_a_text_that_is_refused_once_only_is_embedded_after_all(ollama: FakeOllama) -> None:
    ollama.fail(EMBED, status=500, body={"error": "llama runner process has terminated"}, times=1)
    ollama.fail(EMBED, drop=True, times=1)
    assert None not in documents(embedder(ollama), "a", "b")


@pytest.mark.parametrize("kind", ["nan", "infinity", "empty", "short"])
def test_a_reply_with_an_unusable_vector_is_asked_for_again(kind: str, ollama: FakeOllama) -> None:
    ollama.break_values(kind, times=1)
    vectors = documents(embedder(ollama), *"abcd")
    assert [vector and len(vector) for vector in vectors][:3] == [16, 16, 16]
    ollama.mend()
    assert documents(embedder(ollama), "d")[0] is not None


@pytest.mark.parametrize("kind", ["count", "nan", "infinity", "empty"])
def test_a_server_that_gives_no_usable_vectors_at_all_blames_no_text(kind: str, ollama: FakeOllama) -> None:
    ollama.break_count() if kind == "count" else ollama.break_values(kind)
    of = embedder(ollama)
    failure(lambda: documents(of, *"abcd"))
    failure(lambda: of.embed_query("a", soon()))


def mocked(answer: Callable[[list[str]], object], status: int = 200) -> OllamaEmbedder:
    """An embedder whose server answers `/api/embed` with what `answer` gives for the texts."""

    def handle(request: httpx.Request) -> httpx.Response:
        body = answer(json.loads(request.content)["input"])
        return body if isinstance(body, httpx.Response) else httpx.Response(status, json=body)

    return OllamaEmbedder(HybridOptions(), Http("http://mock", label="Ollama", transport=httpx.MockTransport(handle)))


@pytest.mark.parametrize("row", [[0.0, 0.0], [], ["1", "2"], [None, 1.0], [10**400, 1.0], None, 3])
def test_a_row_that_is_no_vector_costs_its_own_text_only(row: object) -> None:
    of = mocked(lambda texts: {"embeddings": [row if "bad" in text else [3.0, 4.0] for text in texts]})
    assert documents(of, "a", "bad", "c") == [[3.0, 4.0], None, [3.0, 4.0]]
    assert "gave no usable vector" in failure(lambda: of.embed_query("bad", soon())).message


@pytest.mark.parametrize("answer", [{}, [], None, {"embeddings": None}, {"embeddings": []}, {"embedding": [1.0]}, "x"])
def test_an_answer_without_vectors_is_an_error(answer: object) -> None:
    of = mocked(lambda texts: answer)
    message = "Ollama at http://mock answered with no vectors for 1 texts"
    for call in (lambda: documents(of, "a", "b"), lambda: of.embed_query("a", soon())):
        assert failure(call).message.replace("0 vectors", "no vectors") == message


def test_vectors_that_change_their_length_are_an_error_once() -> None:
    sizes = iter([3, 4, 4, 4])
    of = mocked(lambda texts: {"embeddings": [[1.0] * next(sizes)]})
    assert documents(of, "a") == [[1.0] * 3]
    found = failure(lambda: of.embed_query("a", soon()))
    assert found.message == "Ollama at http://mock gave vectors of 4 numbers, and before that of 3"
    assert found.hint is not None
    assert len(of.embed_query("a", soon())) == 4


# Texts that are too long

WORDS = ["plan", "note", "review", "travel", "insurance", "passport", "a", "the", "of", "budget", "meeting"]
LONG = {
    "forty thousand words": " ".join(random.Random(1).choices(WORDS, k=40_000)),
    "symbols": "={" * 3000,
    "han": "認証情報更新旅行保険" * 600,
    "one word": "x" * 20_000,
    "emoji": "👩‍👩‍👧" * 2000,
}


@pytest.mark.parametrize("too_long", [None, CRASH])
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("context", [2048, 200])
def test_a_text_that_is_too_long_is_shortened_until_it_is_accepted(
    text: str, context: int, too_long: tuple[int, str] | None, ollama: FakeOllama
) -> None:
    ollama.context = context
    ollama.too_long = too_long or ollama.too_long
    of = embedder(ollama)
    assert None not in documents(of, "short", text, "shorter")
    assert all(token_count(sent) <= context for sent in ollama.embedded)
    refused = [json.dumps(request.body["input"]) for request in ollama.requests]
    repeats = len(refused) - len(set(refused))
    assert repeats <= (0 if too_long is None else 2)
    assert len(refused) < 25


def test_what_is_sent_is_capped_at_1500_tokens_before_the_server_is_asked(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    for text in LONG.values():
        of.embed_documents([text], [""], soon())
    assert len(ollama.requests) == len(LONG)
    prefix = len("search_document: ")
    assert max(length(text) for text in ollama.embedded) <= 1500 * 2.5 + prefix * 2.5
    assert max(map(len, ollama.embedded)) > 3000


def test_half_a_text_keeps_its_prefix_and_tears_no_character(ollama: FakeOllama) -> None:
    ollama.context = 60
    of = embedder(ollama)
    of.embed_documents(["नि" * 200], [""], soon())
    (sent,) = (text for text in ollama.embedded if "नि" in text)
    assert sent.startswith("search_document: नि")
    assert sent.endswith("नि")


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_query_that_is_longer_than_the_model_takes_is_said_to_be_and_not_sent(text: str, ollama: FakeOllama) -> None:
    found = failure(lambda: embedder(ollama).embed_query(text, soon()))
    assert found.message == "the query is longer than nomic-embed-text:latest takes, some 1500 tokens"
    assert not ollama.requests


@pytest.mark.parametrize(("too_long", "times"), [((400, "the input length exceeds the context length"), 1), (CRASH, 2)])
def test_a_query_that_the_server_refuses_is_told_in_its_words_and_not_cut(
    too_long: tuple[int, str], times: int, ollama: FakeOllama
) -> None:
    ollama.context, ollama.too_long = 200, too_long
    found = failure(lambda: embedder(ollama).embed_query("insurance " * 300, soon()))
    assert found.message.endswith(f"answered with HTTP status {too_long[0]}: {too_long[1]}")
    assert len(ollama.requests) == times


def test_a_query_that_is_refused_once_only_is_embedded_after_all(ollama: FakeOllama) -> None:
    ollama.fail(EMBED, status=500, body={"error": "boom"})
    assert embedder(ollama).embed_query("insurance", soon())


# Servers that are gone, late, or not what they should be


def test_a_server_that_is_down_says_so_at_once() -> None:
    with FakeOllama() as gone:
        of = embedder(gone)
    for call in (
        lambda: of.embed_query("a", soon()),
        lambda: documents(of, *"abc"),
        lambda: of.digest(soon()),
        lambda: of.version(soon()),
        lambda: of.space(soon()),
    ):
        found = failure(call)
        assert "cannot be reached: Connection refused" in found.message
        assert found.hint == "start it with `ollama serve`, or set OLLAMA_HOST to where it is"


def test_no_text_is_blamed_when_the_server_goes_between_two_batches(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    ollama.fail(EMBED, drop=True, times=None, after=1)
    failure(lambda: documents(of, *(f"note {number}" for number in range(40))))
    ollama.heal()
    assert None not in documents(of, *(f"note {number}" for number in range(40)))


def test_no_text_is_blamed_when_the_server_goes_while_a_text_is_judged(ollama: FakeOllama) -> None:
    ollama.poison("bad", 500, "llama runner process has terminated")
    of = embedder(ollama)
    ollama.fail(EMBED, status=503, body={"error": "server busy"}, times=None, after=3)
    found = failure(lambda: documents(of, "bad"))
    assert "server busy (busy)" in found.message
    assert ollama.count(EMBED) == 4


def test_a_server_that_fails_everything_is_given_up_soon(ollama: FakeOllama) -> None:
    ollama.fail(EMBED, status=500, body={"error": "model requires more system memory"}, times=None)
    found = failure(lambda: documents(embedder(ollama), *(f"note {number}" for number in range(64))))
    assert "model requires more system memory" in found.message
    assert len(ollama.requests) == 7


@pytest.mark.parametrize("name", ["absent", "nomic-embed-text:v1"])
def test_a_missing_model_is_told_with_the_command_that_pulls_it(name: str, ollama: FakeOllama) -> None:
    of = embedder(ollama, ATS_EMBED_MODEL=name)
    for call in (lambda: of.embed_query("a", soon()), lambda: documents(of, "a"), lambda: of.digest(soon())):
        found = failure(call)
        assert found.message == f"Ollama at {ollama.url} has no model {name}"
        assert found.hint == f"run `ollama pull {name}`"


def test_a_server_without_the_new_endpoint_is_too_old() -> None:
    with FakeOllama(legacy_only=True, version="0.1.30") as old:
        of = embedder(old)
        for call in (lambda: of.embed_query("a", soon()), lambda: documents(of, "a")):
            found = failure(call)
            assert found.message == f"Ollama at {old.url} is too old: version 0.1.30 has no /api/embed"
            assert found.hint == "update Ollama"


@pytest.mark.parametrize("spoken", [{"error": "no route"}, b"404 page not found"])
def test_a_404_of_a_server_that_has_the_model_means_an_old_one(spoken: object, ollama: FakeOllama) -> None:
    ollama.fail(EMBED, status=404, body=spoken)
    assert "too old" in failure(lambda: embedder(ollama).embed_query("a", soon())).message


def test_another_server_is_not_taken_for_ollama(ollama: FakeOllama) -> None:
    ollama.fail(".*", status=404, body=b"<html>", times=None)
    of = embedder(ollama)
    for call in (lambda: of.embed_query("a", soon()), lambda: of.digest(soon()), lambda: of.version(soon())):
        assert failure(call).message == f"Ollama at {ollama.url} does not answer as Ollama does"


@pytest.mark.parametrize("tags", [[], {"models": {}}, {"models": 1}, "x"])
def test_a_list_of_models_that_is_none_is_an_error(tags: object, ollama: FakeOllama) -> None:
    ollama.fail("GET /api/tags", status=200, body=tags)
    assert "does not answer as Ollama does" in failure(lambda: embedder(ollama).digest(soon())).message


@pytest.mark.parametrize("tags", [{"models": None}, {"models": [1, None, {}, {"name": "nomic-embed-text"}]}])
def test_a_list_without_the_model_and_its_digest_lacks_the_model(tags: object, ollama: FakeOllama) -> None:
    ollama.fail("GET /api/tags", status=200, body=tags)
    assert "has no model nomic-embed-text" in failure(lambda: embedder(ollama).digest(soon())).message


def test_a_model_that_takes_long_to_load_is_late_and_may_be_loading(ollama: FakeOllama) -> None:
    ollama.load_seconds = 30
    found = failure(lambda: embedder(ollama).embed_query("a", Deadline(0.05)))
    assert found.message == f"Ollama at {ollama.url} did not answer in time; it may still be loading nomic-embed-text"


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (503, "ask again in a minute"),
        (429, "ask again in a minute"),
        (401, "set OLLAMA_API_KEY; it is sent over https, or to this machine"),
        (403, "set OLLAMA_API_KEY; it is sent over https, or to this machine"),
        (502, None),
    ],
)
def test_an_error_that_no_text_can_cause_is_raised_at_once(status: int, hint: str, ollama: FakeOllama) -> None:
    ollama.fail(EMBED, status=status, body={"error": "in the server's words"}, times=None)
    of = embedder(ollama)
    found = failure(lambda: documents(of, "a", "b"))
    assert f"answered with HTTP status {status}: in the server's words" in found.message
    assert found.hint == hint
    assert len(ollama.requests) == 1


def test_the_deadline_ends_a_bisection(ollama: FakeOllama) -> None:
    clock = [0.0]
    of = mocked(lambda texts: (clock.__setitem__(0, clock[0] + 1), httpx.Response(500))[1])
    found = failure(lambda: of.embed_documents(list("abcdefgh"), [""] * 8, Deadline(2.5, clock=lambda: clock[0])))
    assert "did not answer in time" in found.message
    assert clock[0] == 3


# The space


def test_the_space_names_model_digest_dimension_and_prefixes(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    space = of.space(soon())
    digest = ollama.models["nomic-embed-text:latest"].digest
    assert space == Space("nomic-embed-text:latest", digest, 16, of.profile.scheme)
    assert space == of.space_of(of.digest(soon()), 16)
    assert space.name == f"ollama/nomic-embed-text:latest@{digest[:12]}/16/{of.profile.scheme}"
    others = [space._replace(**{field: "x"}) for field in space._fields]
    assert len({other.key for other in [space, *others]}) == 5
    assert space.key == Space(*space).key
    assert len(space.key) == 16


def test_a_name_with_and_without_its_tag_is_one_space(ollama: FakeOllama) -> None:
    names = ["nomic-embed-text", "nomic-embed-text:latest", "library/nomic-embed-text", "Nomic-Embed-Text"]
    assert len({embedder(ollama, ATS_EMBED_MODEL=name).space_of("d", 16) for name in names}) == 1
    assert embedder(ollama, ATS_EMBED_MODEL="nomic-embed-text:latest").digest(soon())


def test_a_model_that_is_pulled_again_is_another_space(ollama: FakeOllama) -> None:
    of = embedder(ollama)
    before = of.space(soon())
    assert of.space(soon()) == before
    assert ollama.count(EMBED) == 1
    ollama.repull("nomic-embed-text")
    after = of.space(soon())
    assert (after.dimension, after.model) == (before.dimension, before.model)
    assert after.key != before.key
    assert ollama.count(EMBED) == 2


def test_the_digest_is_read_with_and_without_its_algorithm(ollama: FakeOllama) -> None:
    rows = [{"name": "nomic-embed-text:latest", "digest": "sha256:abc"}]
    ollama.fail("GET /api/tags", status=200, body={"models": rows})
    assert embedder(ollama).digest(soon()) == "abc"


def test_the_version_is_the_servers(ollama: FakeOllama) -> None:
    assert embedder(ollama).version(soon()) == "0.33.0"


def test_a_query_and_the_digest_are_asked_for_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=10)

    def handle(request: httpx.Request) -> httpx.Response:
        both.wait()
        if request.url.path == "/api/tags":
            return httpx.Response(200, json={"models": [{"name": "nomic-embed-text:latest", "digest": "abc"}]})
        return httpx.Response(200, json={"embeddings": [[1.0]]})

    of = OllamaEmbedder(HybridOptions(), Http("http://m", label="Ollama", transport=httpx.MockTransport(handle)))
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(of.digest(Deadline(10))))
    thread.start()
    found.append(of.embed_query("a", Deadline(10)))
    thread.join()
    assert sorted(found, key=str) == [[1.0], "abc"]


def test_alike_texts_are_near_and_vectors_are_of_length_one(ollama: FakeOllama) -> None:
    ollama.pull("nomic-embed-text", 768)
    of = embedder(ollama)
    query = of.embed_query("renew passport", soon())
    near, far = documents(of, "Renew Lina's passport", "Bake bread")
    assert near is not None
    assert far is not None
    assert dot(query, near) > dot(query, far)
    assert dot(query, query) == pytest.approx(1, abs=1e-4)
