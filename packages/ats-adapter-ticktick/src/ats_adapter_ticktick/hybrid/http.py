"""JSON over HTTP for Ollama and Qdrant: every way in which httpx fails is an `HttpFailure` here.

httpx is imported for the first request and not before, and not as it comes: see `lean`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from ats_core import Deadline, Secret

from ats_adapter_ticktick.hybrid import proxy
from ats_adapter_ticktick.hybrid.failure import HttpFailure, Sort, words
from ats_adapter_ticktick.hybrid.hosts import is_loopback
from ats_adapter_ticktick.hybrid.lean import UnusableProxyError, load_httpx, open_transport
from ats_adapter_ticktick.hybrid.one_line import one_line
from ats_adapter_ticktick.hybrid.timed import Timeouts, TooMuchError, read_body

if TYPE_CHECKING:
    import httpx

__all__ = ["Http", "HttpFailure"]

_CONNECT_SECONDS = 2.0
_MOST_BYTES = 256 * 1024 * 1024
_MOST_CONNECTIONS = 8


class Http:
    """One server, from several threads at once. Nothing is connected or imported before the first request.

    This machine is never spoken to through a proxy; other hosts are, where the environment says so.

    :param base_url: as `hosts` makes it.
    :param headers: sent with every request; wrap the secret ones in `Secret`, and no message will show them.
    :param label: the server's name in messages.
    :param transport: an `httpx.BaseTransport` in place of the network, for tests.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str | Secret] | None = None,
        label: str,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.label = label
        self._headers = dict(headers or {})
        self._secrets = [value for value in self._headers.values() if isinstance(value, Secret)]
        self._transport = transport
        self._proxy: str | None = None
        self._client: httpx.Client | None = None
        self._release: Callable[[], object] = bool
        self._lock = threading.Lock()

    def request(self, method: str, path: str, deadline: Deadline, *, json: Any = None) -> Any:
        """Send one request, once.

        :param path: from the base address on, with its query, percent-encoded.
        :param json: what to send, encoded by msgspec; None for no body.
        :return: the JSON of the answer, None for an empty one.
        :raises HttpFailure: anything else, an HTTP error status included.
        :raises ConfigError: the certificates that the environment names cannot be loaded.
        """
        client = self._connected(deadline)
        import httpx

        body = None if json is None else msgspec.json.encode(json)
        headers = {} if body is None else {"content-type": "application/json"}
        self._remaining(deadline)
        timeouts = {"timeout": Timeouts(deadline, _CONNECT_SECONDS)}
        try:
            with client.stream(
                method, self.base_url + path, content=body, headers=headers, extensions=timeouts
            ) as response:
                return self._parsed(response.status_code, read_body(response, deadline, _MOST_BYTES))
        except TooMuchError:
            raise self._failure("nonsense", f"answered with more than {_MOST_BYTES >> 20} MiB") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._translated(error) from error

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        with self._lock:
            self._client = None
            self._release()

    def __repr__(self) -> str:
        return f"Http({self.label} at {self.base_url})"

    def _connected(self, deadline: Deadline) -> httpx.Client:
        with self._lock:
            if self._client is None:
                if self._transport is None and is_loopback(urlsplit(self.base_url).hostname or ""):
                    self._knock(deadline)
                self._client = self._built()
                self._release = weakref.finalize(self, self._client.close)  # nobody has to close us
            return self._client

    def _knock(self, deadline: Deadline) -> None:
        """Find out that nobody listens before httpx is imported: 0.1 ms in place of 150."""
        import socket

        place = urlsplit(self.base_url)
        address = place.hostname or "", place.port or (443 if place.scheme == "https" else 80)
        try:
            socket.create_connection(address, min(_CONNECT_SECONDS, self._remaining(deadline))).close()
        except OSError as error:
            raise self._unreachable(error.strerror or str(error)) from error

    def _built(self) -> httpx.Client:
        load_httpx()
        import httpx

        transport = self._transport
        if transport is None:
            self._proxy = proxy.proxy_for(self.base_url)
            try:
                transport = open_transport(
                    self.base_url, self._proxy, label=self.label, connections=_MOST_CONNECTIONS, idle_seconds=30.0
                )
            except UnusableProxyError as error:
                raise self._unreachable("httpx cannot use such a proxy") from error
        headers = {"user-agent": "ats"}
        for name, value in self._headers.items():
            headers[name] = value.value if isinstance(value, Secret) else value
        return httpx.Client(transport=transport, headers=headers, follow_redirects=False)

    def _remaining(self, deadline: Deadline) -> float:
        """Seconds left, more than 0."""
        remaining = deadline.remaining()
        if not remaining:
            raise self._failure("late", "did not answer in time")
        return remaining

    def _parsed(self, status: int, content: bytes) -> Any:
        good = 200 <= status < 300
        try:
            answer = msgspec.json.decode(content) if content.strip() else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            if good:
                raise self._failure("nonsense", "answered with something that is no JSON") from None
            page = b"<" in content[:64]
            raise self._refused(status, "" if page else content[:2000].decode(errors="replace"), False) from None
        if not good:
            raise self._refused(status, words(answer), answer is not None)
        return answer

    def _translated(self, error: Exception) -> HttpFailure:
        import httpx

        if isinstance(error, httpx.ConnectTimeout):
            return self._unreachable("it does not answer")
        if isinstance(error, httpx.TimeoutException):
            return self._failure("late", "did not answer in time")
        if isinstance(error, httpx.DecodingError):
            return self._failure("nonsense", "answered with a damaged body")
        if isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError, httpx.CloseError)):
            return self._failure("dropped", "closed the connection without an answer")
        return self._unreachable(str(error) or type(error).__name__)

    def _refused(self, status: int, text: str, spoken: bool) -> HttpFailure:
        detail = one_line(text, hidden=self._secrets)
        what = f"answered with HTTP status {status}" + (f": {detail}" if detail else "")
        return self._failure("refused", what, status=status, detail=detail, spoken=spoken)

    def _unreachable(self, reason: str) -> HttpFailure:
        return self._failure("unreachable", f"cannot be reached: {one_line(reason, hidden=self._secrets)}")

    def _failure(self, sort: Sort, what: str, **more: Any) -> HttpFailure:
        through = f" through the proxy {proxy.shown(self._proxy)}" if self._proxy else ""
        return HttpFailure(f"{self.label} at {self.base_url}{through} {what}", sort, **more)
