"""The listening socket: HTTP/1.1 with keep-alive, a daemon thread for each connection, ended at once when told to."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from .message import Answer, Request

HOST = "127.0.0.1"
Respond = Callable[[Request], Answer | None]


class Listener(socketserver.ThreadingTCPServer):
    """Hands each request to `respond`; where that gives None, the connection is closed without an answer."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, port: int, prefix: str, respond: Respond) -> None:
        self._connections: set[Any] = set()
        self._changed = threading.Condition()
        super().__init__((HOST, port), _handler(prefix, respond))
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def close(self) -> None:
        """Ends all connections, waits for their threads and frees the port."""
        self.shutdown()
        with self._changed:
            for connection in self._connections:
                with contextlib.suppress(OSError):  # the client was quicker
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._connections, timeout=5)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._changed:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._changed:
            self._connections.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing: a client that hangs up in the middle is part of the tests."""


def _handler(prefix: str, respond: Respond) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            answer = respond(Request.read(self.command, self.path, self.headers, raw, prefix))
            if answer is None:
                self.close_connection = True
            else:
                self.wfile.write(answer.encoded(self.command))

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing: `FakeServer.requests` is the log."""

    return Handler
