"""What is asked of an Ollama server, and in which words its failures are told."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any

from ats_core import Deadline, EmbeddingError

from ats_adapter_ticktick.hybrid.http import Http, HttpFailure
from ats_adapter_ticktick.hybrid.models import normalised
from ats_adapter_ticktick.hybrid.refusal import Refusal

_NAN = re.compile(r"\bnan\b", re.IGNORECASE)
_TOO_MUCH = (400, 413)
_ABOUT_THE_TEXTS = (*_TOO_MUCH, 500)
_KEY = "set OLLAMA_API_KEY; it is sent over https, or to this machine"


class OllamaServer:
    """One server and one model of it, by the name that the user gave it.

    Every method makes one request, and raises EmbeddingError where that is not the fault of what was asked.
    """

    def __init__(self, http: Http, model: str) -> None:
        self._http = http
        self._model = model

    def embed(self, texts: Sequence[str], more: Mapping[str, Any], deadline: Deadline) -> list[Any]:
        """One row for each text, unchecked.

        :param more: further fields of the request.
        :raises Refusal: the server did not embed these texts, but may embed others.
        """
        body = {"model": self._model, "input": texts, **more}
        try:
            answer = self._http.request("POST", "/api/embed", deadline, json=body)
        except HttpFailure as failure:
            if failure.status == 404:
                raise self._absent(failure, deadline) from failure
            refusal = self._refusal(failure)
            if refusal is not None:
                raise refusal from failure
            raise self._translated(failure) from failure
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if isinstance(rows, list) and len(rows) == len(texts):
            return rows
        found = f"{len(rows)} vectors" if isinstance(rows, list) else "no vectors"
        raise Refusal(self.error(f"answered with {found} for {len(texts)} texts"), final=False, too_long=False)

    def digest(self, deadline: Deadline) -> str:
        """The digest of the model's weights as they are installed now, in hex."""
        rows = self._get("/api/tags", "models", (list, NoneType), deadline)
        wanted = normalised(self._model)
        for row in rows or ():  # Go has two empty lists, and one of them is null
            if isinstance(row, dict) and wanted in {normalised(str(row.get(key) or "")) for key in ("name", "model")}:
                digest = row.get("digest")
                if isinstance(digest, str) and digest:
                    return digest.removeprefix("sha256:")
        raise self._missing()

    def version(self, deadline: Deadline) -> str:
        """The server's version: the cheapest sign of life."""
        version: str = self._get("/api/version", "version", str, deadline)
        return version

    def error(self, what: str, *, hint: str | None = None) -> EmbeddingError:
        """An error that begins with the server's name and address."""
        return EmbeddingError(f"{self._http.label} at {self._http.base_url} {what}", hint=hint)

    def _get(self, path: str, key: str, kind: type | tuple[type, ...], deadline: Deadline) -> Any:
        try:
            answer = self._http.request("GET", path, deadline)
        except HttpFailure as failure:
            if failure.status == 404:
                raise self._stranger() from failure
            raise self._translated(failure) from failure
        if not isinstance(answer, dict) or not isinstance(answer.get(key), kind):
            raise self._stranger()
        return answer.get(key)

    def _refusal(self, failure: HttpFailure) -> Refusal | None:
        """The failure as one that the texts may have caused."""
        if failure.sort not in ("dropped", "nonsense") and failure.status not in _ABOUT_THE_TEXTS:
            return None
        nan = _NAN.search(failure.detail) is not None
        return Refusal(
            EmbeddingError(failure.message),
            final=nan or failure.status in _TOO_MUCH,
            too_long=not nan and failure.sort != "nonsense",
        )

    def _absent(self, failure: HttpFailure, deadline: Deadline) -> EmbeddingError:
        """A 404 says that the model is not there or, before Ollama 0.3, that `/api/embed` is not."""
        try:
            if failure.spoken:
                self.digest(deadline)
            version = self.version(deadline)
        except EmbeddingError as error:
            return error
        return self.error(f"is too old: version {version[:40]} has no /api/embed", hint="update Ollama")

    def _missing(self) -> EmbeddingError:
        return self.error(f"has no model {self._model}", hint=f"run `ollama pull {self._model}`")

    def _stranger(self) -> EmbeddingError:
        return self.error("does not answer as Ollama does", hint="set OLLAMA_HOST to where Ollama is")

    def _translated(self, failure: HttpFailure) -> EmbeddingError:
        message, hint = failure.message, None
        if failure.sort == "unreachable":
            hint = "start it with `ollama serve`, or set OLLAMA_HOST to where it is"
        elif failure.sort == "late":
            message, hint = f"{message}; it may still be loading {self._model}", "ask again in a minute"
        elif failure.status in (401, 403):
            hint = _KEY
        elif failure.status in (429, 503):
            message, hint = f"{message} (busy)", "ask again in a minute"
        return EmbeddingError(message, hint=hint)
