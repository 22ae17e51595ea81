"""A request as it arrived, an answer before it leaves, and how both look on the wire."""

from __future__ import annotations

import base64
import binascii
import email
import json
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import responses
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit


class Answer(NamedTuple):
    """What goes back. `body` None is an empty one, bytes go as they are and count as HTML, all else is sent as JSON.

    A `Content-Length` or `Content-Type` in `headers` replaces the right one.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = {}

    def encoded(self, method: str) -> bytes:
        """Head and body in one piece: two writes would cost a delayed acknowledgement."""
        headers: dict[str, str] = {}
        body = b""
        if isinstance(self.body, bytes):
            body = self.body
            headers["Content-Type"] = "text/html;charset=UTF-8"
        elif self.body is not None:
            body = _json(self.body)
            headers["Content-Type"] = "application/json;charset=UTF-8"
        headers["Content-Length"] = str(len(body))
        headers |= {name.title(): value for name, value in self.headers.items()}
        lines = [f"HTTP/1.1 {self.status} {responses.get(self.status, 'Unknown')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
        return head if method == "HEAD" else head + body


@dataclass(frozen=True)
class Request:
    """One request, as it arrived.

    `path` is decoded and without the server's `prefix`; `target` is what stood in the request line. `query` has the
    last value of each key. `body` is the parsed JSON, the text where it is no JSON, None where it is empty. `headers`
    have lower-case names.
    """

    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: dict[str, str]
    target: str = ""
    raw: bytes = b""

    @classmethod
    def read(cls, method: str, target: str, headers: Message[str, str], raw: bytes, prefix: str) -> Request:
        """The request that these bytes are."""
        address = urlsplit(target)
        path = unquote(address.path)
        if path.startswith(prefix + "/"):
            path = path.removeprefix(prefix)
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        names = {name.lower(): value for name, value in headers.items()}
        return cls(method, path, query, _parsed(raw), names, target, raw)

    @property
    def line(self) -> str:
        """`"METHOD /path"`: what the patterns of `FakeServer.fail` and `count` are matched with."""
        return f"{self.method} {self.path}"

    @property
    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer ...`."""
        scheme, _, token = self.headers.get("authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None

    @property
    def basic(self) -> tuple[str, str] | None:
        """Name and password of `Authorization: Basic ...`."""
        scheme, _, encoded = self.headers.get("authorization", "").partition(" ")
        try:
            name, colon, password = base64.b64decode(encoded, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return None
        return (unquote(name), unquote(password)) if scheme.lower() == "basic" and colon else None

    @property
    def form(self) -> dict[str, str]:
        """The fields of an urlencoded or a multipart form."""
        kind = self.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data"):
            return dict(parse_qsl(self.raw.decode(errors="replace"), keep_blank_values=True))
        message = email.message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + self.raw)
        parts = [part for part in message.walk() if not part.is_multipart()]
        names = [part.get_param("name", header="content-disposition") for part in parts]
        return {str(name): str(part.get_payload()) for name, part in zip(names, parts, strict=True)}


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode(errors="replace")


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can only carry escaped
        return json.dumps(value).encode()
