"""What is known of embedding models: the prefixes they were trained with, how much they read, how they may be cut.

Ollama adds no prefix of its own, so the right one goes into the text. The table is that of the facts sheet; a model
that is not in it gets its texts as they are.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from ats_core.digest import blake2b

from ats_adapter_ticktick.hybrid.length import CHARS_PER_TOKEN

_VERSION = 1
"""Raise it when `Profile.query` or `Profile.document` make another text of the same prefixes."""

_MOST_TOKENS = 1500
"""Never more a text: many servers crash on, or silently cut, what goes beyond a physical batch of 2,048 tokens."""

_CHUNK_TOKENS = 800


class Profile(NamedTuple):
    """One model family. `context` is in tokens, `dimensions` the vector lengths that may be asked for."""

    query_prefix: str = ""
    document_prefix: str = ""
    context: int = 2048
    dimensions: Collection[int] = ()

    @property
    def scheme(self) -> str:
        """Names what is done to a text before it is embedded; part of the embedding space."""
        prefixes = f"{self.query_prefix}\0{self.document_prefix}".encode()
        return f"p{_VERSION}-{blake2b(prefixes, digest_size=3).hexdigest()}"

    @property
    def tokens(self) -> int:
        """How many tokens of a text are sent, by our estimate, which errs: a quarter of the context is left free."""
        return min(_MOST_TOKENS, self.context * 3 // 4)

    @property
    def chunk_chars(self) -> int:
        """`limit_chars` for `chunk.chunks`: well below what the model reads, for a chunk is also the snippet."""
        return int(min(_CHUNK_TOKENS, self.tokens) * CHARS_PER_TOKEN)

    @property
    def allowed(self) -> str:
        """`dimensions` in words."""
        if not self.dimensions:
            return "no cut (not known to allow one)"
        if isinstance(self.dimensions, range):
            return f"{self.dimensions.start} to {self.dimensions.stop - 1}"
        return " or ".join(str(length) for length in sorted(self.dimensions))

    def query(self, text: str) -> str:
        """A query as the model wants it."""
        return self.query_prefix + text

    def document(self, text: str, title: str) -> str:
        """A document as the model wants it; `title` is used by those that have a place for it, and not said twice."""
        if "{title}" not in self.document_prefix:
            return self.document_prefix + text
        title = " ".join(title.split())
        body = text[len(title) :].lstrip() if title and text.startswith(title) else text
        return self.document_prefix.replace("{title}", title or "none") + (body or text)


_NOMIC = Profile("search_query: ", "search_document: ", 2048, (64, 128, 256, 512, 768))
_MXBAI = Profile("Represent this sentence for searching relevant passages: ", "", 512, range(64, 1025))
_GEMMA = Profile("task: search result | query: ", "title: {title} | text: ", 2048, (128, 256, 512, 768))
_QWEN = Profile(
    "Instruct: Given a search query, retrieve the tasks and notes that answer it\nQuery:", "", 32768, range(32, 4097)
)

_PROFILES = {
    "nomic-embed-text": _NOMIC,
    "nomic-embed-text-v1.5": _NOMIC,
    "mxbai-embed-large": _MXBAI,
    "mxbai-embed-large-v1": _MXBAI,
    "bge-m3": Profile(context=8192),
    "snowflake-arctic-embed2": Profile("query: ", "", 8192, (256, 1024)),
    "snowflake-arctic-embed-l-v2.0": Profile("query: ", "", 8192, (256, 1024)),
    "embeddinggemma": _GEMMA,
    "embeddinggemma-300m": _GEMMA,
    "qwen3-embedding": _QWEN,
    "qwen3-embedding-0.6b": _QWEN,
    "qwen3-embedding-4b": _QWEN,
    "qwen3-embedding-8b": _QWEN,
    "all-minilm": Profile(context=256),
}

_UNKNOWN = Profile()


def profile(name: str) -> Profile:
    """What is known of a model, by its name in any form."""
    family = normalised(name).rpartition("/")[2].partition(":")[0]
    return _PROFILES.get(family.removesuffix("-gguf"), _UNKNOWN)


def normalised(name: str) -> str:
    """The one form of a model's name: lower case, with its tag, without the default registry.

    >>> normalised("registry.ollama.ai/library/nomic-embed-text") == normalised("nomic-embed-text:latest")
    True
    """
    name = name.strip().lower().removeprefix("https://").removeprefix("http://")
    for registry in ("registry.ollama.ai/", "ollama.com/", "library/"):
        name = name.removeprefix(registry)
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"
