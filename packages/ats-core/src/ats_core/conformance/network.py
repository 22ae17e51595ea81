"""Networks that are broken on purpose: none at all, a host that refuses, a host that never answers."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

_ONE_AT_A_TIME = RLock()
_CONNECTING = ("connect", "connect_ex", "sendto")


@contextmanager
def no_network() -> Iterator[list[str]]:
    """No connection can be made, and no name looked up, by anybody in this process; gives what was tried.

    What stays on this machine by its nature (Unix sockets) goes through. Connections that stand already are left alone,
    so ask an adapter that was made within the block.
    """
    tried: list[str] = []

    def refuse(whereto: object) -> OSError:
        tried.append(str(whereto))
        return OSError(errno.ENETUNREACH, "the conformance kit has taken the network away")

    def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: socket.socket, *arguments: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6):
                raise refuse(arguments[-1])
            return method(self, *arguments)

        return connect

    def getaddrinfo(host: object, *arguments: Any, **options: Any) -> Any:
        raise refuse(host)

    with _ONE_AT_A_TIME:
        before = socket.getaddrinfo
        for name in _CONNECTING:
            setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
        socket.getaddrinfo = getaddrinfo
        try:
            yield tried
        finally:
            socket.getaddrinfo = before
            for name in _CONNECTING:
                delattr(socket.socket, name)  # what was covered is the C class' own


@contextmanager
def refusing_host() -> Iterator[int]:
    """A port of the loopback address that refuses every connection, and that nobody else can take meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@contextmanager
def silent_host() -> Iterator[int]:
    """A port of the loopback address that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(64)
        yield server.getsockname()[1]
