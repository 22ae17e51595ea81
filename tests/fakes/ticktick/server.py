"""The server: which account a token opens, whether it has requests left, and which route answers."""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, NamedTuple

from ..wire import Answer, FakeServer, Request
from .account import Account
from .corpus import read_jsonl
from .limits import Limit
from .oauth import OAuth
from .refusal import NOT_FOUND, Refused, invalid, unauthorized
from .routes import matching

SCOPES = "tasks:read tasks:write"
WEB_APP = Answer(body=b"<!DOCTYPE html><html><head><title>TickTick</title></head><body></body></html>")


class Grant(NamedTuple):
    """What a token is good for, until a time on the fake's clock; None is for ever."""

    account: Account
    scope: str
    expires_at: float | None


class FakeTickTick(FakeServer):
    """The service. `clock` (seconds since the epoch) may be set: expiry, limits and all times written follow it.

    Limits are off until `limit` or `limit_burst` is called. Paths in `requests`, `fail` and `count` are without
    `/open/v1`, as in `"GET /project/inbox/data"`; those of the login pages begin with `/oauth`.
    """

    prefix: ClassVar[str] = "/open/v1"

    def __init__(self, *, port: int = 0, latency: float = 0.0, clock: Callable[[], float] = time.time) -> None:
        super().__init__(port=port, latency=latency)
        self.clock = clock
        self.accounts: list[Account] = []
        self.oauth = OAuth(self)
        self._grants: dict[str, Grant] = {}
        self._limits: list[Limit] = []
        self._numbers = itertools.count(1)
        self._lock = threading.RLock()

    @property
    def api_url(self) -> str:
        """The base of the API, without a slash at its end."""
        return self.url + self.prefix

    @property
    def oauth_url(self) -> str:
        """What `/oauth/authorize` and `/oauth/token` are below of."""
        return self.url

    def account(
        self,
        token: str,
        *,
        uid: str | None = None,
        username: str | None = None,
        time_zone: str = "Europe/Berlin",
        scope: str = SCOPES,
    ) -> Account:
        """The account that this token opens.

        A known token gives its account again; the `uid` of a known account gives that a further token; all else makes
        a new account.
        """
        if token in self._grants:
            return self._grants[token].account
        account = next((account for account in self.accounts if account.uid == uid), None)
        if account is None:
            number = len(self.accounts)
            uid, username = uid or str(115781412 + number), username or f"user{number + 1}@example.org"
            account = Account(uid, username, time_zone, self._now, self._new_id)
            self.accounts.append(account)
        self._grants[token] = Grant(account, scope, None)
        return account

    def first_account(self) -> Account:
        """The account made first; a new one where there is none."""
        return self.accounts[0] if self.accounts else self.account(str(uuid.uuid4()))

    def seed_from_jsonl(self, path: Path, token: str = "token") -> Account:
        """Loads a corpus of the memory adapter's form, ids kept, into the account of this token."""
        account = self.account(token)
        account.load(read_jsonl(Path(path)))
        return account

    def issue(self, account: Account, scope: str, seconds: float | None) -> str:
        """A new token for this account, good for so long."""
        token = str(uuid.uuid4())
        self._grants[token] = Grant(account, scope, None if seconds is None else self.clock() + seconds)
        return token

    def revoke(self, token: str) -> None:
        """401 for this token from now on."""
        with self._lock:
            self._grants.pop(token, None)

    def limit(self, count: int = 100, seconds: float = 60, *, retry_after: float | None = None) -> None:
        """At most `count` requests of an account in any `seconds`; a further call adds a further limit.

        Over it the answer is the service's 500, or with `retry_after` (seconds) a 429 that names them.
        """
        self._limits.append(Limit(count, seconds, retry_after))

    def limit_burst(self, count: int = 10, seconds: float = 1, *, retry_after: float | None = None) -> None:
        """Refuses a request where more than `count`, refused ones included, arrived in the last `seconds`."""
        self._limits.append(Limit(count, seconds, retry_after, burst=True))

    def unlimited(self) -> None:
        """Takes all limits back."""
        self._limits.clear()

    def answer(self, request: Request) -> Answer:
        """The login pages, the API, and for any other address the web app, as a wrong base address meets it."""
        with self._lock:
            if request.path.startswith("/oauth/"):
                return self.oauth.answer(request)
            if not request.target.startswith(self.prefix + "/"):
                return WEB_APP
            try:
                return self._api(request)
            except Refused as refused:
                return refused.answer

    def _api(self, request: Request) -> Answer:
        grant = self._grants.get(request.bearer or "")
        now = self.clock()
        if grant is None or (grant.expires_at is not None and grant.expires_at <= now):
            return unauthorized(request.bearer)
        self._check_limits(grant.account, now)
        found = matching(request, self.prefix)
        if found is None:
            return NOT_FOUND
        route, parts = found
        if route.writes and "tasks:write" not in grant.scope.split():
            raise invalid("Insufficient scope for this resource")
        answer = route.act(grant.account, request, *parts)
        return answer if isinstance(answer, Answer) else Answer(body=answer)

    def _check_limits(self, account: Account, now: float) -> None:
        refusing = [limit for limit in self._limits if limit.refuses(account.uid, now)]
        if refusing:
            raise Refused(refusing[0].refusal())
        for limit in self._limits:
            limit.count_one(account.uid, now)

    def _now(self) -> float:
        return self.clock()

    def _new_id(self) -> str:
        return f"6a2e9f{next(self._numbers):018x}"
