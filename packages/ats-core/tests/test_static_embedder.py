"""The static embedder: the vectors of WordLlama's own package, from the files in its wheel and nothing else."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from ats_core import Deadline, EmbeddingError, Engine, NoEmbedderError, Task
from ats_core.vectors import static
from ats_core.vectors.embedder import Embedder
from ats_core.vectors.vocabulary import Vocabulary, pack_vocabulary
from hypothesis import given, settings
from hypothesis import strategies as st

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
    np.testing.assert_allclose(ours, expected, atol=1e-6)


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
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: str
) -> None:
    static._model.cache_clear()
    if damage == "weights":
        monkeypatch.setattr(static, "_WEIGHTS", Path("nowhere.safetensors"))
    elif damage == "tokenizers":
        monkeypatch.setattr(static, "_TOKENIZER", Path("nowhere.json"))
    else:
        monkeypatch.setattr(static, "_installed", lambda: static._Installed(tmp_path, "0"))
    with pytest.raises(EmbeddingError, match=r"^local: "):
        static.static_embedder().compute(["passport"], "query", Deadline(60))
    static._model.cache_clear()


def test_a_package_without_metadata_or_weights_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from importlib.machinery import ModuleSpec

    spec = ModuleSpec("wordllama", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(static, "find_spec", lambda _: spec)
    assert static._installed() is not None  # by importlib.metadata, which knows the real one
    monkeypatch.setattr(static, "_PACKAGE", "nobodys-package")
    with pytest.raises(NoEmbedderError):
        static.static_embedder()
    monkeypatch.setattr(static, "find_spec", lambda _: None)
    with pytest.raises(NoEmbedderError):
        static.static_embedder()


@pytest.fixture(scope="module")
def package() -> Any:
    installed = static._installed()
    assert installed is not None
    return installed


@pytest.fixture(scope="module")
def whole(package: Any) -> Any:
    return static._Model(package, None)._whole


@pytest.fixture(scope="module")
def vocabulary(package: Any) -> Vocabulary:
    found = static._Model(package, None)._vocabulary
    assert found is not None
    return found


@settings(deadline=None, max_examples=200)
@given(st.lists(st.one_of(st.text(max_size=60), st.sampled_from(TEXTS)), min_size=1, max_size=3))
def test_a_tokenizer_cut_down_to_texts_encodes_them_as_the_whole_one(
    whole: Any, vocabulary: Vocabulary, texts: list[str]
) -> None:
    cut = vocabulary.tokenizer(texts).encode_batch(texts, add_special_tokens=False)
    expected = whole.encode_batch(texts, add_special_tokens=False)
    assert [(one.ids, one.tokens) for one in cut] == [(one.ids, one.tokens) for one in expected]


def test_a_short_text_has_the_same_vector_whichever_way(package: Any, whole: Any) -> None:
    by_parts, at_once = static._Model(package, None), static._Model(package, None)
    at_once.__dict__["_whole"] = whole
    assert at_once._table.shape == (32_000, static.DIMENSION)
    for text in TEXTS:
        rows = [static._embed(model, [text], Deadline(60)) for model in (by_parts, at_once)]
        np.testing.assert_array_equal(*rows)
    assert "_table" not in vars(static._Model(package, None))


def test_the_vocabulary_is_kept_and_taken_up_again(package: Any, tmp_path: Path) -> None:
    kept = tmp_path / "wordllama.vocabulary"
    first = static._embed(static._Model(package, tmp_path), ["passport"], Deadline(60))
    inode = kept.stat().st_ino
    second = static._embed(static._Model(package, tmp_path), ["passport"], Deadline(60))
    assert kept.stat().st_ino == inode
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_kept_vocabulary_that_is_damaged_or_of_another_version_is_made_again(
    package: Any, tmp_path: Path, damage: bytes | None
) -> None:
    kept = tmp_path / "wordllama.vocabulary"
    if damage is None:
        static._embed(static._Model(package._replace(version="0"), tmp_path), ["passport"], Deadline(60))
    else:
        kept.write_bytes(damage)
    before = kept.read_bytes()
    assert static._embed(static._Model(package, tmp_path), ["passport"], Deadline(60)).any()
    assert kept.read_bytes() != before


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(package: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert static._embed(static._Model(package, tmp_path / "file" / "below"), ["passport"], Deadline(60)).any()


@pytest.mark.parametrize(
    "change",
    [
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"model": {"type": "WordPiece", "vocab": {}, "merges": []}},
        {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b c"]]}},
        {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "end_of_word_suffix": "</w>"}},
    ],
)
def test_a_tokenizer_of_another_kind_cannot_be_cut(change: dict[str, Any]) -> None:
    document = {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}, "added_tokens": []}
    pack_vocabulary(msgspec.json.encode(document), "test")
    with pytest.raises(ValueError, match=r"cannot be|can be cut"):
        pack_vocabulary(msgspec.json.encode(document | change), "test")
