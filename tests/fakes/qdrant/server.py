"""The server: who may ask, and which request does what."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import unquote, urlsplit

from ..wire import Answer, FakeServer, Request
from .bodies import body_of
from .collection import Collection
from .config import check_name, config
from .query import query, query_groups
from .refusal import Refusal, beyond, not_found

LARGEST_BODY = 32 * 1024 * 1024
"""Bytes; Qdrant's `max_request_size_mb`."""

_OPEN = {"/", "/healthz", "/readyz", "/livez"}
_READING_POSTS = {"", "/count", "/scroll", "/query", "/query/groups"}


class FakeQdrant(FakeServer):
    """One node without persistence.

    `collections` by name. `largest_body` in bytes. `too_large` is the status of the answer to a larger one: Qdrant's is
    400, a proxy in front of it says 413. With `strict` filters need an index, as in Qdrant's cloud.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        read_only_api_key: str | None = None,
        version: str = "1.16.0",
        strict: bool = False,
        port: int = 0,
        latency: float = 0.0,
    ) -> None:
        super().__init__(port=port, latency=latency)
        self.collections: dict[str, Collection] = {}
        self.version = version
        self.strict = strict
        self.largest_body = LARGEST_BODY
        self.too_large = 400
        self._api_key = api_key
        self._read_only_api_key = read_only_api_key
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Answer:
        denied = self._denied(request)
        if denied is not None:
            return denied
        if request.path in _OPEN:
            return self._health(request.path)
        with self._lock:
            try:
                return _ok(self._result(request))
            except Refusal as refusal:
                return Answer(refusal.status, {"status": {"error": refusal.text}, "time": 0.0})

    def _denied(self, request: Request) -> Answer | None:
        """The answer to a request without the right key; it is text, not JSON, unless the key may only read."""
        keys = [key for key in (self._api_key, self._read_only_api_key) if key]
        if not keys or request.path in _OPEN:
            return None
        given = request.headers.get("api-key") or request.bearer
        if not given:
            return _text(401, "Must provide an API key or an Authorization bearer token")
        if given not in keys:
            return _text(401, "Invalid API key or JWT")
        if given == self._api_key or _only_reads(request):
            return None
        return Answer(403, {"status": {"error": "Forbidden: Global manage access is required"}, "time": 0.0})

    def _health(self, path: str) -> Answer:
        if path == "/":
            return Answer(body={"title": "qdrant - vector search engine", "version": self.version, "commit": "0" * 40})
        return _text(200, f"{path[1:]} check passed" if path == "/healthz" else "all shards are ready")

    def _result(self, request: Request) -> Any:
        if len(request.raw) > self.largest_body:
            size = f"JSON payload ({len(request.raw)} bytes) is larger than allowed (limit: {self.largest_body} bytes)."
            raise Refusal(self.too_large, f"Payload error: {size}")
        # The target, not the path: a name may have an escaped slash in it.
        _, *parts = [unquote(part) for part in urlsplit(request.target or request.path).path.split("/")]
        match request.method, parts:
            case "GET", ["collections"]:
                return {"collections": [{"name": name} for name in self.collections]}
            case "GET", ["collections", name, "exists"]:
                return {"exists": name in self.collections}
            case "PUT", ["collections", name]:
                return self._create(name, request)
            case "DELETE", ["collections", name]:
                return self.collections.pop(name, None) is not None
            case _, ["collections", name, *rest]:
                return self._in_collection(self._collection(name), f"{request.method} {'/'.join(rest)}", rest, request)
        raise beyond(request.line)

    def _create(self, name: str, request: Request) -> bool:
        check_name(name)
        made = config(body_of(request))
        if name in self.collections:
            raise Refusal(409, f"Wrong input: Collection `{name}` already exists!")
        self.collections[name] = Collection(made, self.strict)
        return True

    def _collection(self, name: str) -> Collection:
        if name not in self.collections:
            raise not_found(f"Collection `{name}` doesn't exist!")
        return self.collections[name]

    def _in_collection(self, collection: Collection, line: str, rest: list[str], request: Request) -> Any:
        wait = request.query.get("wait") == "true"
        writes = {
            "PUT points": collection.upsert,
            "POST points/delete": collection.delete,
            "PUT index": collection.create_index,
        }
        if line in writes:
            return collection.write(writes[line], body_of(request), wait)
        if line.startswith("DELETE index/"):
            return collection.write(collection.delete_index, rest[1], wait)
        try:
            return self._read(collection, line, request)
        finally:
            collection.settle()

    def _read(self, collection: Collection, line: str, request: Request) -> Any:
        match line:
            case "GET ":
                return collection.info()
            case "POST points":
                return collection.retrieve(body_of(request))
            case "POST points/scroll":
                return collection.scroll(body_of(request))
            case "POST points/count":
                return collection.count(body_of(request))
            case "POST points/query":
                return query(collection, body_of(request))
            case "POST points/query/groups":
                return query_groups(collection, body_of(request))
        raise beyond(line)


def _only_reads(request: Request) -> bool:
    _, points, action = request.path.partition("/points")
    return request.method == "GET" or (request.method == "POST" and bool(points) and action in _READING_POSTS)


def _ok(result: Any) -> Answer:
    return Answer(body={"result": result, "status": "ok", "time": 0.000123})


def _text(status: int, text: str) -> Answer:
    return Answer(status, text.encode(), {"Content-Type": "text/plain; charset=utf-8"})
