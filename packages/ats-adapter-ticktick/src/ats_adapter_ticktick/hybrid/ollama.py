"""Ollama's embeddings, from a server that refuses some texts, cuts others, and now and then is gone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from ats_core import Deadline, EmbeddingError, Secret
from ats_core.text.fold import clean

from ats_adapter_ticktick.hybrid import models
from ats_adapter_ticktick.hybrid.hosts import is_loopback
from ats_adapter_ticktick.hybrid.http import Http
from ats_adapter_ticktick.hybrid.length import CHARS_PER_TOKEN, cut
from ats_adapter_ticktick.hybrid.ollama_server import OllamaServer
from ats_adapter_ticktick.hybrid.options import HybridOptions
from ats_adapter_ticktick.hybrid.refusal import Input, Refusal, Vector, embed_batch
from ats_adapter_ticktick.hybrid.space import Space

BATCH = 32
"""Texts a request. Who embeds many does well to hand over so many at a time, and to keep what came back."""

_PROBE = "a note"
"""A text that any model that works can embed."""


class OllamaEmbedder:
    """Texts to vectors by `/api/embed`. Safe to share between threads; a query and `digest` may be asked at once.

    Every method that takes a deadline asks the server, and raises EmbeddingError where that is gone, late or too old,
    or lacks the model.
    """

    def __init__(self, options: HybridOptions, http: Http) -> None:
        self.model = models.normalised(options.model)
        self.profile = models.profile(options.model)
        self._server = OllamaServer(http, options.model)
        self._more: dict[str, Any] = {"keep_alive": _duration(options.keep_alive), "truncate": True}
        if options.dimensions is not None:
            self._more["dimensions"] = options.dimensions
        self._dimension: int | None = None
        self._dimension_of: dict[str, int] = {}

    def embed_query(self, text: str, deadline: Deadline) -> Vector:
        """The vector of a query. One that is more than the model takes has none: its beginning is another question.

        :raises EmbeddingError: that too, so that whoever asked is told, and answered from words alone.
        """
        whole = clean(text).strip()
        if not whole:
            raise EmbeddingError("a blank query has no vector")
        given = self._input(whole, self.profile.query)
        if given.text != whole:
            raise EmbeddingError(f"the query is longer than {self.model} takes, some {self.profile.tokens} tokens")
        try:
            vector = self._again([given], deadline)[0]
        except Refusal as refusal:
            raise refusal.error from refusal
        if vector is None:
            raise self._server.error("gave no usable vector for the query")
        return vector

    def embed_documents(self, texts: Sequence[str], titles: Sequence[str], deadline: Deadline) -> list[Vector | None]:
        """A vector for each text, all of one length; None for a blank one, and for one that the model refuses.

        An error says nothing about any of the texts: the same call may be made again.

        :param titles: the title of each text's task, for models that want it apart.
        """
        vectors: list[Vector | None] = [None] * len(texts)
        places = [place for place, text in enumerate(texts) if text.strip()]
        inputs = [
            self._input(text, partial(self.profile.document, title=clean(title)))
            for text, title in zip(texts, titles, strict=True)
        ]
        ask, vouch = partial(self._ask, deadline=deadline), partial(self._vouch, deadline)
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            found = embed_batch([inputs[place] for place in batch], ask, vouch)
            for place, vector in zip(batch, found, strict=True):
                vectors[place] = vector
        return vectors

    def digest(self, deadline: Deadline) -> str:
        """The digest of the model's weights as they are installed now, in hex."""
        return self._server.digest(deadline)

    def space_of(self, digest: str, dimension: int) -> Space:
        """The space of vectors of that length from those weights; nobody is asked."""
        return Space(self.model, digest, dimension, self.profile.scheme)

    def space(self, deadline: Deadline) -> Space:
        """The space as it is now: one request, and one more for the dimension of weights that are new to us."""
        digest = self.digest(deadline)
        if digest not in self._dimension_of:
            self._dimension_of[digest] = len(self.embed_query(_PROBE, deadline))
        return self.space_of(digest, self._dimension_of[digest])

    def version(self, deadline: Deadline) -> str:
        """The server's version: the cheapest sign of life."""
        return self._server.version(deadline)

    def _input(self, text: str, form: Any) -> Input:
        return Input(cut(clean(text).strip(), self.profile.tokens * CHARS_PER_TOKEN), form)

    def _ask(self, inputs: Sequence[Input], deadline: Deadline) -> list[Vector | None]:
        texts = [given.form(given.text) for given in inputs]
        vectors = [_usable(row) for row in self._server.embed(texts, self._more, deadline)]
        lengths = {len(vector) for vector in vectors if vector is not None}
        if len(lengths) > 1:
            error = self._server.error(f"gave vectors of different lengths: {sorted(lengths)}")
            raise Refusal(error, final=False, too_long=False)
        for length in lengths:
            known, self._dimension = self._dimension, length
            if known not in (None, length):
                changed = f"gave vectors of {length} numbers, and before that of {known}"
                raise self._server.error(changed, hint=f"{self.model} was replaced: embed everything again")
        return vectors

    def _again(self, inputs: Sequence[Input], deadline: Deadline) -> list[Vector | None]:
        """As `_ask`, and once more after a mishap."""
        try:
            return self._ask(inputs, deadline)
        except Refusal as refusal:
            if refusal.final:
                raise
        return self._ask(inputs, deadline)

    def _vouch(self, deadline: Deadline) -> None:
        try:
            vectors = self._ask([self._input(_PROBE, partial(self.profile.document, title=""))], deadline)
        except Refusal as refusal:
            raise refusal.error from refusal
        if None in vectors:
            raise self._server.error(f"gives no usable vectors with {self.model}")


def connect(options: HybridOptions) -> OllamaEmbedder:
    """The embedder of some options; nothing is asked yet.

    The key is never sent unencrypted to another machine: `OLLAMA_API_KEY` may have been set for another server.

    :raises ConfigError: `OLLAMA_HOST` is no address.
    """
    url = options.ollama_url
    headers = {}
    if options.ollama_key is not None and (url.startswith("https:") or is_loopback(urlsplit(url).hostname or "")):
        headers["authorization"] = Secret(f"Bearer {options.ollama_key.value}")
    return OllamaEmbedder(options, Http(url, headers=headers, label="Ollama"))


def _usable(row: Any) -> Vector | None:
    """The row if it is a vector of finite numbers, not all zero."""
    try:
        return row if isinstance(row, list) and all(map(isfinite, row)) and any(row) else None
    except (TypeError, OverflowError):
        return None


def _duration(text: str) -> str | int:
    """As Ollama takes it: seconds are a number, all else has a unit."""
    return int(text) if text.lstrip("-").isdigit() else text
