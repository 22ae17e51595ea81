"""The static embedder of `ats-core[local]`: WordLlama's weights, which ship in its wheel. No server, no download.

A text's vector is the mean of its tokens' rows (WordLlama, https://github.com/dleemiller/WordLlama; the idea is that of
GloVe-like averaging with the token table of a large model). We read the package's two files ourselves, through the
libraries that own their formats: importing the package costs 245 ms against 80, needs `requests`, and sets the root
logger; a test holds our vectors to its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core.atomic import map_file, write_atomically
from ats_core.deadline import Deadline
from ats_core.errors import EmbeddingError, NoEmbedderError
from ats_core.vectors.embedder import Embedder
from ats_core.vectors.vocabulary import Vocabulary, pack_vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ats_core.vectors.types import Vectors

DIMENSION = 256
_PACKAGE = "wordllama"
_WEIGHTS = Path("weights", f"l2_supercat_{DIMENSION}.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_BATCH = 64

_SHORT = 1000
"""Characters for which a tokenizer is cut down sooner than the whole one is loaded: some 3 ms against 50."""


class _Installed(NamedTuple):
    folder: Path
    version: str


def static_embedder(state: Path | None = None) -> Embedder:
    """The embedder `local`; its files are read when it is first asked to embed.

    :param state: a folder to keep the vocabulary in, as it is read without parsing; None: every process parses it.
    :raises NoEmbedderError: the extra is not installed.
    """
    package = _installed()
    if package is None:
        raise NoEmbedderError(
            "embedder local needs the extra that brings its weights",
            hint="try: pip install 'ats-core[local]'",
        )
    space = f"{_PACKAGE}/{package.version}/l2_supercat/{DIMENSION}"
    return Embedder("local", space, lambda texts, kind, deadline: _embed(_model(package, state), texts, deadline))


def _embed(model: _Model, texts: Sequence[str], deadline: Deadline) -> Vectors:
    """Mean token vectors, shape (len(texts), 256); query and document alike. A text without tokens is a zero row."""
    import numpy as np

    rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for start in range(0, len(texts), _BATCH):
        if deadline.expired:
            raise EmbeddingError("local ran out of time")
        batch = list(texts[start : start + _BATCH])
        try:
            encodings = model.tokenizer(batch).encode_batch(batch, add_special_tokens=False)
            for row, encoding in enumerate(encodings, start):
                if encoding.ids:
                    rows[row] = model.weights(encoding.ids).mean(axis=0, dtype=np.float32)
        except Exception as error:  # the libraries raise bare Exception
            raise EmbeddingError(f"local: the files of {_PACKAGE} cannot be read: {error}") from error
    return rows


class _Model:
    """The package's files, each read when it is first needed, and no more of it than is."""

    def __init__(self, package: _Installed, state: Path | None) -> None:
        self._package = package
        self._state = state

    def tokenizer(self, texts: Sequence[str]) -> Tokenizer:
        """One that encodes these texts: cut down to them, unless the whole one is there or costs less."""
        whole = "_whole" in vars(self) or sum(map(len, texts)) > _SHORT or self._vocabulary is None
        return self._whole if whole or self._vocabulary is None else self._vocabulary.tokenizer(texts)

    def weights(self, ids: Sequence[int]) -> Any:
        """The rows of some tokens, float16, shape (len(ids), 256)."""
        import numpy as np

        if len(ids) <= _SHORT and "_table" not in vars(self):
            return np.concatenate([self._rows[token : token + 1] for token in ids])
        return self._table[ids]

    @cached_property
    def _whole(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._package.folder / _TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _vocabulary(self) -> Vocabulary | None:
        """As kept, else from the package, and kept from now on; None where the tokenizer is of a kind that has none."""
        origin = self._package.folder / _TOKENIZER
        source = f"{self._package.version} {origin.stat().st_size}"
        path = None if self._state is None else self._state / f"{_PACKAGE}.vocabulary"
        if path is not None:
            with suppress(OSError, ValueError):
                kept = Vocabulary(map_file(path))
                if kept.source == source:
                    return kept
        try:
            packed = pack_vocabulary(origin.read_bytes(), source)
        except (KeyError, ValueError):
            return None
        if path is not None:
            with suppress(OSError):
                write_atomically(path, (packed,))
        return Vocabulary(packed)

    @cached_property
    def _rows(self) -> Any:
        """The weights, mapped: a row is read when it is asked for."""
        from safetensors import safe_open

        file: Any = safe_open(self._package.folder / _WEIGHTS, framework="np")
        return file.get_slice("embedding.weight")

    @cached_property
    def _table(self) -> Any:
        """The weights as one array."""
        return self._rows[:]


@cache
def _model(package: _Installed, state: Path | None) -> _Model:
    return _Model(package, state)


def _installed() -> _Installed | None:
    """Where the package is and its version, told by its folders: importing importlib.metadata costs 8 ms."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    described = list(folder.parent.glob(f"{_PACKAGE}-*.dist-info"))
    if len(described) == 1:
        return _Installed(folder, described[0].name.removeprefix(f"{_PACKAGE}-").removesuffix(".dist-info"))
    from importlib.metadata import PackageNotFoundError, version

    try:
        return _Installed(folder, version(_PACKAGE))
    except PackageNotFoundError:
        return None
