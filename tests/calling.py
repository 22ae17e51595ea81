"""How the tests of the fakes speak to them: plain HTTP, redirects not followed, any status an answer."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import Any, NamedTuple
from urllib.parse import urlencode


class Reply(NamedTuple):
    """`json` is None where the content type is not JSON."""

    status: int
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        kind = self.headers.get("content-type", "")
        return json.loads(self.body) if kind.startswith("application/json") else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)


def call(
    method: str,
    url: str,
    body: Any = None,
    *,
    token: str | None = None,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """One request with a JSON body or a form; raises what urllib raises where no answer comes."""
    raw = None
    sent = dict(headers or {})
    if form is not None:
        raw = urlencode(form).encode()
    elif body is not None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent.setdefault("Content-Type", "application/json")
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, raw, sent, method=method)
    try:
        with _opener.open(request, timeout=10) as answer:
            return Reply(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, error.headers, error.read())
