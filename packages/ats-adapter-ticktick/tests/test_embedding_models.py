"""What is known of embedding models."""

from __future__ import annotations

import pytest
from ats_adapter_ticktick.hybrid.models import normalised, profile


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [
        ("nomic-embed-text", "search_query: q", "search_document: d"),
        ("nomic-embed-text:v1.5", "search_query: q", "search_document: d"),
        ("hf.co/nomic-ai/nomic-embed-text-v1.5-GGUF:Q4_K_M", "search_query: q", "search_document: d"),
        ("mxbai-embed-large:335m-v1-fp16", "Represent this sentence for searching relevant passages: q", "d"),
        ("bge-m3", "q", "d"),
        ("snowflake-arctic-embed2:568m", "query: q", "d"),
        ("embeddinggemma:300m", "task: search result | query: q", "title: t | text: d"),
        (
            "somebody/qwen3-embedding:0.6b",
            "Instruct: Given a search query, retrieve the tasks and notes that answer it\nQuery:q",
            "d",
        ),
        ("all-minilm", "q", "d"),
        ("snowflake-arctic-embed", "q", "d"),
        ("nobody-knows", "q", "d"),
    ],
)
def test_each_family_has_its_prefixes_and_an_unknown_model_none(name: str, query: str, document: str) -> None:
    assert profile(name).query("q") == query
    assert profile(name).document("d", "t") == document


def test_the_scheme_follows_the_prefixes() -> None:
    schemes = {name: profile(name).scheme for name in ("nomic-embed-text", "embeddinggemma", "bge-m3", "all-minilm")}
    assert len(set(schemes.values())) == 3
    assert schemes["bge-m3"] == schemes["all-minilm"] == profile("nobody-knows").scheme


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nomic-embed-text", "nomic-embed-text:latest"),
        ("registry.ollama.ai/library/nomic-embed-text", "nomic-embed-text"),
        ("https://ollama.com/library/bge-m3:567m", "bge-m3:567m"),
        (" BGE-M3 ", "bge-m3"),
        ("localhost:5000/me/model", "localhost:5000/me/model:latest"),
    ],
)
def test_names_of_one_model_are_the_same(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)
    assert normalised(normalised(one)) == normalised(one)


@pytest.mark.parametrize(("one", "other"), [("qwen3-embedding:0.6b", "qwen3-embedding"), ("a/bge-m3", "bge-m3")])
def test_names_of_different_models_are_not(one: str, other: str) -> None:
    assert normalised(one) != normalised(other)


def test_less_than_the_context_is_used_and_never_more_than_1500_tokens() -> None:
    assert [
        profile(name).tokens for name in ("bge-m3", "nomic-embed-text", "mxbai-embed-large", "all-minilm", "?")
    ] == [
        1500,
        1500,
        384,
        192,
        1500,
    ]
    assert [profile(name).chunk_chars for name in ("nomic-embed-text", "mxbai-embed-large")] == [2000, 960]


def test_a_title_is_put_where_the_model_wants_it_in_one_line() -> None:
    gemma = profile("embeddinggemma")
    assert gemma.document("Plan A\nbody", "Plan A") == "title: Plan A | text: body"
    assert gemma.document("body", " a\n b ") == "title: a b | text: body"
    assert gemma.document("body", "") == "title: none | text: body"
