"""The static embedder of `ats-core[local]`: WordLlama's weights, which ship in its wheel. No server, no download.

A text's vector is the mean of its tokens' rows (WordLlama, https://github.com/dleemiller/WordLlama; the idea is that of
GloVe-like averaging with the token table of a large model). We read the package's two files ourselves, through the
libraries that own their formats: importing the package costs 245 ms against 80, needs `requests`, and sets the root
logger; a test holds our vectors to its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError, NoEmbedderError
from ats_core.vectors.embedder import Embedder

if TYPE_CHECKING:
    from ats_core.vectors.types import Vectors

DIMENSION = 256
_WEIGHTS = Path("weights", f"l2_supercat_{DIMENSION}.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_BATCH = 64


def static_embedder() -> Embedder:
    """The embedder `local`; its files are read when it is first asked to embed.

    :raises NoEmbedderError: the extra is not installed.
    """
    try:
        package = version("wordllama")
    except PackageNotFoundError as error:
        raise NoEmbedderError(
            "embedder local needs the extra that brings its weights",
            hint="try: pip install 'ats-core[local]'",
        ) from error
    return Embedder("local", f"wordllama/{package}/l2_supercat/{DIMENSION}", _embed)


def _embed(texts: Sequence[str], kind: str, deadline: Deadline) -> Vectors:
    """Mean token vectors, shape (len(texts), 256); query and document alike. A text without tokens is a zero row."""
    import numpy as np

    tokenizer, table = _model()
    rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for start in range(0, len(texts), _BATCH):
        if deadline.expired:
            raise EmbeddingError("local ran out of time")
        encodings = tokenizer.encode_batch(list(texts[start : start + _BATCH]), add_special_tokens=False)
        for row, encoding in enumerate(encodings, start):
            if encoding.ids:
                rows[row] = table[encoding.ids].mean(axis=0, dtype=np.float32)
    return rows


@cache
def _model() -> tuple[Any, Vectors]:
    from safetensors import safe_open
    from tokenizers import Tokenizer

    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbeddingError("local: the package wordllama is damaged")
    folder = Path(spec.origin).parent
    try:
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        with safe_open(folder / _WEIGHTS, framework="np") as weights:
            table = weights.get_tensor("embedding.weight")
    except Exception as error:  # the libraries raise bare Exception
        raise EmbeddingError(f"local: the files of wordllama cannot be read: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, table
