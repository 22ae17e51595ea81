"""The static embedder: the vectors of WordLlama's own package, from the files in its wheel and nothing else."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ats_core import Deadline, EmbeddingError, Engine, Task
from ats_core.vectors import static
from ats_core.vectors.embedder import Embedder

pytest.importorskip("wordllama", reason="the static model comes with the extra: pip install 'ats-core[local]'")

TEXTS = [
    "renew my passport",
    "Roll back a release",
    "日本語のタスク",
    "naïve café — “quotes”",
    "😀 emoji",
    "word " * 3000,
    "x",
]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the static embedder must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def embedder() -> Embedder:
    return static.static_embedder()


@pytest.fixture
def theirs() -> Iterator[Any]:
    """WordLlama as its own package loads it; it sets up the root logger, which is put back."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    import wordllama

    folder = Path(wordllama.__file__).parent
    yield wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    root.setLevel(level)
    root.handlers[:] = handlers


def test_the_vectors_are_those_of_wordllamas_own_package(embedder: Embedder, theirs: Any) -> None:
    ours = embedder.compute(TEXTS, "document", Deadline(60))
    # One at a time: its own padding of a batch is not what is compared here.
    expected = np.vstack([theirs.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(ours, expected, atol=1e-5)


def test_unit_vectors_and_cosines_are_theirs_too(embedder: Embedder, theirs: Any) -> None:
    ours = embedder.embed(TEXTS, "document", Deadline(60))
    np.testing.assert_allclose(ours, theirs.embed(TEXTS, norm=True), atol=1e-4)
    cosine = float(embedder.embed_query("renew my passport", Deadline(60)) @ ours[1])
    assert cosine == pytest.approx(theirs.similarity("renew my passport", TEXTS[1]), abs=1e-4)


def test_query_and_document_are_embedded_alike(embedder: Embedder) -> None:
    query = embedder.compute(["passport"], "query", Deadline(60))
    np.testing.assert_array_equal(query, embedder.compute(["passport"], "document", Deadline(60)))


def test_a_text_without_tokens_is_a_row_of_zeros(embedder: Embedder) -> None:
    rows = embedder.compute(["", "passport"], "document", Deadline(60))
    assert rows.shape == (2, static.DIMENSION)
    assert not rows[0].any()
    assert rows[1].any()
    with pytest.raises(EmbeddingError, match="zero or non-finite vector"):
        embedder.embed_query("", Deadline(60))


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.compute([], "document", Deadline(60)).shape == (0, static.DIMENSION)


def test_a_deadline_that_is_past_ends_it(embedder: Embedder) -> None:
    with pytest.raises(EmbeddingError, match="local ran out of time"):
        embedder.compute(["passport"], "document", Deadline(0))


def test_the_space_names_package_version_and_dimension(embedder: Embedder) -> None:
    from importlib.metadata import version

    assert embedder.space == f"wordllama/{version('wordllama')}/l2_supercat/256"


def test_find_with_the_local_embedder_finds_what_shares_no_word(
    make_store: Callable[..., Any], open_engine: Callable[..., Engine]
) -> None:
    tasks = [
        Task(id="car", title="Take the automobile to the garage", project_id="p"),
        Task(id="cake", title="Bake a chocolate cake", project_id="p"),
        Task(id="tax", title="File the tax return", project_id="p"),
    ]
    result = open_engine(make_store(tasks), embedder="local").find("repair my vehicle")
    assert result.hits[0].task.id == "car"
    assert result.hits[0].explain[0].within[0].source == "dense"
    assert not result.degraded


def test_opening_an_engine_with_it_reads_nothing_of_it(python: Callable[..., Any], tmp_path: Path) -> None:
    code = """
import sys
from ats_core.vectors.static import static_embedder
static_embedder()
print([name for name in ("wordllama", "numpy", "tokenizers", "safetensors") if name in sys.modules])
from ats_core import Deadline
static_embedder().embed(["passport"], "query", Deadline(60))
print([name for name in ("wordllama", "requests") if name in sys.modules])
"""
    done = python(code)
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")


@pytest.mark.parametrize("damage", ["weights", "tokenizers", "package"])
def test_damaged_files_of_the_package_are_an_embedding_error(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    static._model.cache_clear()
    if damage == "weights":
        monkeypatch.setattr(static, "_WEIGHTS", Path("nowhere.safetensors"))
    elif damage == "tokenizers":
        monkeypatch.setattr(static, "_TOKENIZER", Path("nowhere.json"))
    else:
        monkeypatch.setattr(static, "find_spec", lambda name: None)
    with pytest.raises(EmbeddingError, match=r"^local: "):
        embedder.compute(["passport"], "query", Deadline(60))
    static._model.cache_clear()
