"""The server on this machine that the browser is sent back to."""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from ats_core import ConfigError, Deadline

_ADDRESSES = {"localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "[::1]": "::1"}
_REDIRECT = re.compile(r"http://(?P<host>localhost|127\.0\.0\.1|\[::1\])(?::(?P<port>\d{1,5}))?(?P<rest>[/?].*)?")
_NAP = 0.1
"""Seconds: on Windows a waiting select is not ended by Ctrl-C."""

_IN_USE = "another program listens there"

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>ATS</title>
<body style="font-family: sans-serif; margin: 4em"><p>{}</p></body></html>
"""
_CAME_BACK = "ATS goes on in the terminal; you can close this window."
_NOTHING_HERE = "Nothing here. ATS waits for the login page to send you back."

Answer = dict[str, str]


class Callback:
    """Listens from its construction on, on loopback alone, until the `with` block ends.

    :param redirect_uri: `http://localhost:8765/callback`, or with another loopback host, port or path.
    :param port: in place of the address' own; 0 for a free one; None to leave it.
    :raises ConfigError: no server of ours can be reached at that address, or its port is taken.
    """

    def __init__(self, redirect_uri: str, port: int | None) -> None:
        parts = _parts(redirect_uri)
        host = parts["host"]
        wanted = int(parts["port"] or 80) if port is None else port
        self._answers: list[Answer] = []
        handler = _handler_of(urlsplit(redirect_uri).path or "/", self._answers.append)
        self._server = _listening(_ADDRESSES[host], wanted, handler)
        if host == "localhost" and _somebody_listens_beside(self._server.server_port):
            self._server.server_close()
            raise _taken(self._server.server_port, _IN_USE)
        self.redirect_uri = redirect_uri if port is None else with_port(redirect_uri, self._server.server_port)

    def wait(self, deadline: Deadline) -> Answer | None:
        """The query with which the browser came back first, once its page was sent; None where it did not in time.

        Runs on the caller's thread, so that Ctrl-C ends it at once.
        """
        while not self._answers and not deadline.expired:
            self._server.timeout = min(_NAP, deadline.remaining())
            self._server.handle_request()
        return self._answers[0] if self._answers else None

    def close(self) -> None:
        """Free the port."""
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def with_port(redirect_uri: str, port: int) -> str:
    """The same loopback address at another port, and every other byte as it was; raises as `Callback`."""
    parts = _parts(redirect_uri)
    return f"http://{parts['host']}:{port}{parts['rest'] or ''}"


def _parts(redirect_uri: str) -> re.Match[str]:
    parts = _REDIRECT.fullmatch(redirect_uri)
    if parts is None:
        raise ConfigError(
            f"no browser can be sent back to us at {redirect_uri}: it is no plain http address of this machine",
            hint="use http://localhost:8765/callback, or `ats auth login --no-browser`",
        )
    return parts


class _Server(ThreadingHTTPServer):
    """A thread for each connection: browsers open some on which they then say nothing."""

    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # where it would let us share a port that somebody listens on

    def server_bind(self) -> None:
        """Bind without a look-up of this machine's name, which can take seconds."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(self.allow_reuse_address))
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a browser that hangs up is no fault of ours, and the answer's stream is not for this."""


class _Server6(_Server):
    address_family = socket.AF_INET6


def _listening(address: str, port: int, handler: type[BaseHTTPRequestHandler]) -> _Server:
    try:
        return (_Server6 if ":" in address else _Server)((address, port), handler)
    except OverflowError as error:
        raise _taken(port, "there is no such port") from error
    except OSError as error:
        raise _taken(port, _IN_USE if error.errno == errno.EADDRINUSE else str(error.strerror)) from error


def _somebody_listens_beside(port: int) -> bool:
    """Whether the port is taken at `::1`, which many browsers try first for `localhost`."""
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(_Server.allow_reuse_address))
            probe.bind(("::1", port))
    except OSError as error:
        return error.errno == errno.EADDRINUSE
    return False


def _taken(port: int, reason: str) -> ConfigError:
    return ConfigError(
        f"port {port} of this machine cannot be used for the login: {reason}",
        hint="free it, or choose another with --port and register its redirect address at your app too",
    )


def _handler_of(path: str, take: Callable[[Answer], None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10.0

        def do_GET(self) -> None:
            address = urlsplit(self.path)
            answer = dict(parse_qsl(address.query, keep_blank_values=True))
            if address.path != path or not (answer.get("code") or answer.get("error")):
                self._send(404, _NOTHING_HERE)
                return
            self._send(200, _CAME_BACK)
            take(answer)

        def _send(self, status: int, text: str) -> None:
            content = _PAGE.format(text).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Referrer-Policy", "no-referrer")  # the address of this page holds the code
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the standard library's
            """Write nothing: the request line holds the code."""

    return Handler
