"""A Qdrant server through qdrant-client, whose exceptions end here. Importing this takes 0.8 s: for a sync only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import msgspec
from ats_core import EmbeddingError, Secret
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import QdrantException, ResourceExhaustedResponse
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from ats_adapter_ticktick.hybrid import proxy
from ats_adapter_ticktick.hybrid.failure import HttpFailure, words
from ats_adapter_ticktick.hybrid.http import Http
from ats_adapter_ticktick.hybrid.lean import UnusableProxyError, open_transport
from ats_adapter_ticktick.hybrid.one_line import one_line
from ats_adapter_ticktick.hybrid.qdrant_errors import explained

CALL_SECONDS = 60
_CONNECTIONS = 8


class QdrantServer:
    """A server that is written to.

    :param http: the same server for reading; it lends its address and no more.
    """

    def __init__(self, http: Http, key: Secret | None) -> None:
        self.http = http
        self.place = f"Qdrant at {http.base_url}"
        self._key = key
        self._client: QdrantClient | None = None

    @contextmanager
    def client(self, space: str) -> Iterator[QdrantClient]:
        """The client. What it raises within the block becomes an EmbeddingError: nobody else catches its exceptions."""
        if self._client is None:
            try:
                self._client = _connect(self.http.base_url, self._key)
            except UnusableProxyError as error:
                raise EmbeddingError(f"{self.place} cannot be asked: httpx cannot use the proxy") from error
        try:
            yield self._client
        except ResourceExhaustedResponse as error:
            wait = f"; it says to come back in {error.retry_after_s} s"
            raise EmbeddingError(f"{self.place} has too much to do{wait}", hint="run `ats sync` again") from error
        except (
            ApiException,
            QdrantException,
            ValueError,
            AssertionError,
        ) as error:  # the last two for nonsense
            raise explained(self._failure(error), self.place, space) from error

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _failure(self, error: Exception) -> HttpFailure:
        if isinstance(error, UnexpectedResponse):
            try:
                answer = msgspec.json.decode(error.content)
            except (msgspec.DecodeError, UnicodeDecodeError):
                answer = None
            detail = self._tidied(words(answer))
            said = f"{self.place} answered with HTTP status {error.status_code}" + (f": {detail}" if detail else "")
            return HttpFailure(said, "refused", status=error.status_code, detail=detail, spoken=answer is not None)
        source = error.source if isinstance(error, ResponseHandlingException) else error
        if isinstance(source, httpx.TimeoutException) and not isinstance(source, httpx.ConnectTimeout):
            return HttpFailure(f"{self.place} did not answer within {CALL_SECONDS} s", "late")
        if isinstance(source, httpx.TransportError):
            reason = self._tidied(str(source)) or type(source).__name__
            return HttpFailure(f"{self.place} cannot be reached: {reason}", "unreachable")
        return HttpFailure(f"{self.place} answered with something that is no answer of Qdrant's", "nonsense")

    def _tidied(self, text: str) -> str:
        return one_line(text, hidden=[self._key] if self._key else [])


def _connect(url: str, key: Secret | None) -> QdrantClient:
    """The proxy is chosen by us, as for reading: httpx would send loopback addresses through it too."""
    transport = open_transport(url, proxy.proxy_for(url), label="Qdrant", connections=_CONNECTIONS)
    return QdrantClient(
        url=url,
        port=443 if url.startswith("https:") else 80,  # the addresses have one; without any the client says 6333
        headers={"api-key": key.value} if key else None,  # `api_key=` warns where there is no TLS
        timeout=CALL_SECONDS,
        check_compatibility=False,
        transport=transport,
    )
