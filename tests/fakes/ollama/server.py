"""The server: models, both ways to embed, and the ways in which embedding goes wrong."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ..wire import Answer, FakeServer, Request
from .bodies import Refusal, check_duration, fields_of, texts_of
from .models import Model, tagged
from .tokens import cut, token_count
from .vectors import embed, normalised

CRASH = (500, 'do embedding request: Post "http://127.0.0.1:40107/embedding": EOF')
"""Some versions answer this to a text that is too long: what runs the model has died."""

_TOO_LONG = (400, "the input length exceeds the context length")
_NAN = (500, "failed to encode response: json: unsupported value: NaN")

Broken = Literal["count", "nan", "infinity", "empty", "short"]


class _Embedded(NamedTuple):
    vector: list[float]
    tokens: int


class FakeOllama(FakeServer):
    """A server with these models, name to dimension.

    context        tokens that a text may have
    truncates      whether longer texts are cut, as the documentation says; the default is what servers do
    too_long       status and text of the answer to a text that is too long: see `CRASH`
    load_seconds   how long the first call waits for a model
    legacy_only    an old server, which has `/api/embeddings` alone
    embedded       the texts embedded so far, in order, by either way
    keep_alives    what each request to embed said, None where it said nothing
    """

    def __init__(
        self,
        models: Mapping[str, int] | None = None,
        *,
        context: int = 2048,
        load_seconds: float = 0.0,
        legacy_only: bool = False,
        version: str = "0.33.0",
        port: int = 0,
        latency: float = 0.0,
    ) -> None:
        super().__init__(port=port, latency=latency)
        self.models: dict[str, Model] = {}
        self.context = context
        self.truncates = False
        self.too_long = _TOO_LONG
        self.load_seconds = load_seconds
        self.legacy_only = legacy_only
        self.version = version
        self.embedded: list[str] = []
        self.keep_alives: list[str | int | float | None] = []
        self._poisons: dict[str, tuple[int, str]] = {}
        self._broken: Broken | None = None
        self._broken_times = 0
        self._loading = threading.Lock()
        for name, dimension in ({"nomic-embed-text": 768} if models is None else models).items():
            self.pull(name, dimension)

    # What a test does to it

    def pull(self, name: str, dimension: int) -> Model:
        model = self.models[tagged(name)] = Model(tagged(name), dimension)
        return model

    def repull(self, name: str) -> str:
        """The tag has moved on: another digest, which is returned, and the same vectors with their numbers mixed."""
        model = self.models[tagged(name)]
        model.generation += 1
        model.loaded = False
        return model.digest

    def remove(self, name: str) -> None:
        del self.models[tagged(name)]

    def poison(self, text: str, status: int = _NAN[0], error: str = _NAN[1]) -> None:
        """From now on a text that contains this one fails the whole request.

        A newer server says 400 and "embedding contains NaN or Inf values".
        """
        self._poisons[text] = (status, error)

    def break_count(self, times: int = -1) -> None:
        """The next answers, or all until `mend`, have one vector too few."""
        self._broken, self._broken_times = "count", times

    def break_values(self, kind: Literal["nan", "infinity", "empty", "short"] = "nan", times: int = -1) -> None:
        """The last vector has a NaN or Infinity in it, is empty, or is one number short."""
        self._broken, self._broken_times = kind, times

    def mend(self) -> None:
        """Forgets poisons and what is broken."""
        self._poisons.clear()
        self._broken = None

    # What it does

    def answer(self, request: Request) -> Answer:
        if request.line in ("GET /", "HEAD /"):
            return Answer(body=b"Ollama is running", headers={"Content-Type": "text/plain; charset=utf-8"})
        try:
            match request.line:
                case "GET /api/version":
                    return Answer(body={"version": self.version})
                case "GET /api/tags":
                    return Answer(body={"models": [model.listed() for model in list(self.models.values())]})
                case "POST /api/show":
                    return Answer(body=self._show(fields_of(request)))
                case "POST /api/embeddings":
                    return Answer(body=self._embeddings(fields_of(request)))
                case "POST /api/embed" if not self.legacy_only:
                    return Answer(body=self._embed(fields_of(request)))
        except Refusal as refusal:
            return Answer(refusal.status, {"error": refusal.text})
        return Answer(404, b"404 page not found", {"Content-Type": "text/plain"})

    def _show(self, fields: dict[str, Any]) -> dict[str, Any]:
        name = fields.get("model") or fields.get("name")
        if not name:
            raise Refusal(400, "model is required")
        model = self._installed(name)
        if model is None:
            raise Refusal(404, f"model '{name}' not found")
        return model.described(self.context)

    def _embed(self, fields: dict[str, Any]) -> dict[str, Any]:
        """`/api/embed`: normalised vectors of a text or of a list of texts; all of them, or an error."""
        name = fields.get("model", "")
        if not name:
            raise Refusal(404, f"model '{name}' not found")
        texts = texts_of(fields.get("input"))
        model, waited = self._load(name, fields)
        embedded = [self._one(model, text, fields.get("truncate") is not False) for text in texts]
        vectors = [_shortened(normalised(one.vector), fields.get("dimensions") or 0) for one in embedded]
        self.embedded.extend(texts)
        answer = {"model": name, "embeddings": self._tampered(vectors)}
        counters = {
            "total_duration": 14_143_917 + waited if texts else 0,
            "load_duration": 1_019_500 + waited if texts else 0,
            "prompt_eval_count": sum(one.tokens for one in embedded),
        }
        return answer | {counter: value for counter, value in counters.items() if value}

    def _embeddings(self, fields: dict[str, Any]) -> dict[str, Any]:
        """`/api/embeddings`: one text, `prompt`, and a vector that is not normalised; all errors are 500."""
        name = fields.get("model", "")
        if not name:
            raise Refusal(400, "model is required")
        model, _ = self._load(name, fields)
        prompt = fields.get("prompt", "")
        if not prompt:
            return {"embedding": []}
        try:
            one = self._one(model, prompt, False)
        except Refusal as refusal:
            raise Refusal(500, refusal.text) from None
        self.embedded.append(prompt)
        (vector,) = self._tampered([one.vector]) or [[]]
        return {"embedding": vector}

    def _one(self, model: Model, text: str, truncate: bool) -> _Embedded:
        for poison, refusal in list(self._poisons.items()):
            if poison in text:
                raise Refusal(*refusal)
        if token_count(text) > self.context:
            if not (self.truncates and truncate):
                raise Refusal(*self.too_long)
            text = cut(text, self.context)
        return _Embedded(embed(text, model.dimension, model.identity), token_count(text))

    def _load(self, name: str, fields: dict[str, Any]) -> tuple[Model, int]:
        """The model, in memory, and the nanoseconds that took. Who comes meanwhile waits for the same."""
        keep_alive = fields.get("keep_alive")
        self.keep_alives.append(keep_alive)
        check_duration(keep_alive)
        model = self._installed(name)
        if model is None:
            raise Refusal(404, f'model "{name}" not found, try pulling it first')
        with self._loading:
            waited = 0.0 if model.loaded else self.load_seconds
            self.wait(waited)
            model.loaded = keep_alive not in (0, "0", "0s")
        return model, int(waited * 1e9)

    def _installed(self, name: str) -> Model | None:
        wanted = tagged(name).casefold()
        return next((model for known, model in list(self.models.items()) if known.casefold() == wanted), None)

    def _tampered(self, vectors: list[list[float]]) -> list[list[float]]:
        if not vectors or self._broken is None or self._broken_times == 0:
            return vectors
        self._broken_times -= 1
        *others, last = vectors
        match self._broken:
            case "count":
                return others
            case "empty":
                return [*others, []]
            case "short":
                return [*others, last[:-1]]
            case kind:
                return [*others, [math.nan if kind == "nan" else math.inf, *last[1:]]]


def _shortened(vector: list[float], dimensions: int) -> list[float]:
    return normalised(vector[:dimensions]) if 0 < dimensions < len(vector) else vector
