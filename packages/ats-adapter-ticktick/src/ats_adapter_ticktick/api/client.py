"""JSON over HTTP with TickTick: the one place that sends, waits, tries again, and translates what httpx raises."""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ats_core import ConfigError, Deadline, RateLimitedError, Secret, StoreError, StoreTimeoutError

from ats_adapter_ticktick.api.answer import Answer
from ats_adapter_ticktick.api.call import Call
from ats_adapter_ticktick.api.connection import CONNECT_SECONDS, Connection, connect
from ats_adapter_ticktick.api.pace import COOL_DOWN, Pacer
from ats_adapter_ticktick.api.refusal import ServiceError, refusal
from ats_adapter_ticktick.hybrid.one_line import one_line
from ats_adapter_ticktick.hybrid.timed import Timeouts, TooMuchError, read_body

if TYPE_CHECKING:
    import httpx

CONNECTIONS = 6
_MOST_BYTES = 64 * 1024 * 1024
_PAUSE = 0.5
"""Seconds before a read is tried again that a gateway could not pass on."""


class Client:
    """One account at one service, from several threads at once. Nothing is imported or sent before the first request.

    Every request is paced, and none outlives its deadline. One that was refused for the rate limit is sent once more
    where the wait fits into the deadline. A GET is sent once more as well where a gateway or the connection failed;
    nothing else is ever repeated.

    All methods raise, besides what `get` and `post` name:

    - LoginRequiredError: the service refuses the token, or there is none
    - RateLimitedError: the service, or our own pace, wants a longer wait than the deadline allows
    - StoreTimeoutError: no answer within the deadline
    - StoreError: anything else that went wrong; `ServiceError` where that was at the service
    - ConfigError: the token is one that cannot be sent

    :param base_url: of the API, without a slash at its end.
    :param token: gives the token; asked for each request.
    :param label: the service's name in messages.
    :param transport: in place of the network, for tests.
    """

    def __init__(
        self,
        base_url: str,
        token: Callable[[Deadline], str],
        pacer: Pacer,
        *,
        label: str = "TickTick",
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._base_url = base_url
        self._token = token
        self._pacer = pacer
        self.label = label
        self._transport = transport
        self._connection: Connection | None = None
        self._release: Callable[[], object] = bool
        self._lock = threading.Lock()

    def get(self, path: str, deadline: Deadline, **params: str | int) -> Any:
        """Read.

        :param path: below the base address, percent-encoded.
        :return: the JSON of the answer; None for an empty body, and for text that is no JSON.
        """
        return self._ask(Call("GET", path, deadline, params=params))

    def post(self, path: str, deadline: Deadline, body: Any = None, *, repeatable: bool = True) -> Any:
        """Write, or read with a question that is too long for an address; returns what `get` does.

        :param body: sent as JSON; None for no body.
        :param repeatable: False for a create: it is never sent twice, and where nobody can know whether it was taken,
            the error says so.
        """
        return self._ask(Call("POST", path, deadline, body=body, repeatable=repeatable))

    def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        with self._lock:
            self._connection = None
            self._release()

    def __repr__(self) -> str:
        return f"Client({self.label} at {self._base_url})"

    def _ask(self, call: Call) -> Any:
        first = True
        while True:
            token = self._sendable_token(call.deadline)
            if call.deadline.expired:
                raise self._late(call, sent=False)
            self._pacer.acquire(call.deadline)
            try:
                return self._sent(call, token)
            except RateLimitedError as error:
                self._pacer.cool_down(error.retry_after or COOL_DOWN)
                if not (first and call.repeatable):
                    raise
            except ServiceError as error:
                if not (first and error.passing and call.method == "GET" and call.deadline.remaining() > _PAUSE):
                    raise
                self._pacer.pause(_PAUSE)
            first = False

    def _sendable_token(self, deadline: Deadline) -> Secret:
        token = Secret(self._token(deadline))
        if not (token.value.isascii() and token.value.isprintable() and token.value and " " not in token.value):
            raise ConfigError(
                f"{self.label}: the token holds a space, a line end, or something else that cannot be sent",
                hint="copy it again, or run `ats auth login`",
            )
        return token

    def _sent(self, call: Call, token: Secret) -> Any:
        """Send a request once. Raises what the answer means if it is no good one."""
        connection = self._connected()
        import httpx

        headers = {"authorization": f"Bearer {token.value}"}
        if call.body is not None:
            headers["content-type"] = "application/json"
        try:
            with connection.client.stream(
                call.method,
                self._base_url + call.path,
                params=call.params or None,
                content=None if call.body is None else json.dumps(call.body).encode(),
                headers=headers,
                extensions={"timeout": Timeouts(call.deadline, CONNECT_SECONDS)},
            ) as response:
                content = read_body(response, call.deadline, _MOST_BYTES)
                answer = Answer(response.status_code, response.headers, content)
        except TooMuchError:
            raise ServiceError(f"{self.label} answered {call.line} with far too much", hint=call.hint()) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            cause = None if token.value in str(error) else error
            raise self._translated(error, call, connection.place, token) from cause
        if (refused := refusal(answer, call.line, self.label, token, time.time())) is not None:
            if isinstance(refused, ServiceError) and refused.unsure:
                refused.hint = call.hint(refused.hint)
            raise refused
        if answer.is_broken:
            raise ServiceError(f"{self.label} answered {call.line} with broken JSON", hint=call.hint())
        return answer.value

    def _connected(self) -> Connection:
        with self._lock:
            if self._connection is None:
                self._connection = connect(
                    self._base_url, self.label, connections=CONNECTIONS, transport=self._transport
                )
                self._release = weakref.finalize(self, self._connection.client.close)  # nobody has to close us
            return self._connection

    def _translated(self, error: Exception, call: Call, place: str, token: Secret) -> StoreError:
        import httpx

        if isinstance(error, httpx.ConnectTimeout):
            return StoreTimeoutError(f"{self.label} cannot be reached at {place}: it does not answer")
        if isinstance(error, httpx.TimeoutException):
            return self._late(call, sent=not isinstance(error, httpx.PoolTimeout))
        if isinstance(error, (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError, httpx.CloseError)):
            message = f"{self.label} at {place} closed the connection before it had answered {call.line}"
            return ServiceError(message, hint=call.hint("try again later"), passing=True, unsure=True)
        if isinstance(error, httpx.DecodingError):
            return ServiceError(f"{self.label} answered {call.line} with a damaged body", hint=call.hint())
        reason = one_line(str(error), hidden=[token]) or type(error).__name__
        return StoreError(f"{self.label} cannot be reached at {place}: {reason}", hint="check the network")

    def _late(self, call: Call, *, sent: bool = True) -> StoreTimeoutError:
        return StoreTimeoutError(f"{self.label} did not answer {call.line} in time", hint=call.hint() if sent else None)
