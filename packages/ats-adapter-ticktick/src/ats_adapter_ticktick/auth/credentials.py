"""The bearer token of every request, and whose it is: the personal token that is set, else the login's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ats_core import AuthStatus, Deadline, LoginRequiredError, StoreTimeoutError

from ats_adapter_ticktick.auth.service import expired, not_logged_in, service_of
from ats_adapter_ticktick.auth.token import Token, TokenFile, digest_of

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

NOBODY = "nobody"
"""The scope of whoever is not logged in."""


class Credentials:
    """From several threads at once. Constructing it reads nothing.

    :param environ: the environment that the options were read from, for messages.
    :param clock: seconds since the epoch.
    """

    def __init__(self, options: Options, environ: Mapping[str, str], *, clock: Callable[[], float] = time.time) -> None:
        self._options = options
        self._environ = environ
        self._clock = clock
        self._file = token_file(options)
        self._lock = threading.Lock()
        self._renewed: tuple[Token, Token] | None = None

    def token(self, deadline: Deadline) -> str:
        """The token to send, renewed where it has expired and can be.

        The file is read each time, so that a login, a logout and another process' renewal count at once.

        :raises LoginRequiredError: there is none, it has expired, or its file is damaged.
        :raises StoreError: the service could not be asked to renew it.
        """
        if self._options.token is not None:
            return self._options.token.value
        token = self._stored()
        if token is None:
            raise not_logged_in(self._options)
        if not token.expired(self._clock()):
            return token.access.value
        if token.refresh is None:
            raise expired(self._options)
        return self._renew(token, deadline).access.value

    def scope(self) -> str:
        """Whose tasks these are: the API's host and the account, never a secret; `NOBODY` without a login.

        Asks no network and never raises. It stays the same over renewals and logins of the same account, and after the
        login has expired: what was cached for the account is still its own.
        """
        options = self._options
        host = urlsplit(options.api_url).netloc.rpartition("@")[2]
        if options.token is not None:
            return f"{host}/{digest_of(options.token)}"
        try:
            token = self._stored()
        except LoginRequiredError:
            token = None
        return NOBODY if token is None else f"{host}/{token.owner}"

    def status(self) -> AuthStatus:
        """Who is logged in, until when, for what, and where the token comes from; asks no network."""
        options = self._options
        if options.token is not None:
            return AuthStatus(
                ok=True, message=f"API token of {self._origin()}: its account and expiry are known to the service alone"
            )
        try:
            token = self._stored()
        except LoginRequiredError as error:
            return AuthStatus(ok=False, message=error.message)
        if token is None:
            return AuthStatus(ok=False, message=not_logged_in(options).message)
        return self._status_of(token)

    def __repr__(self) -> str:
        return f"Credentials({service_of(self._options.region)})"

    def _status_of(self, token: Token) -> AuthStatus:
        late = token.expired(self._clock())
        parts = ["login expired" if late else "logged in"]
        if token.name is not None:
            parts.append(f"as {token.name}")
        if (until := iso_instant(token.expires_at)) is not None:
            parts.append(f"on {until[:10]}" if late else f"until {until[:10]}")
        if token.scopes:
            parts.append(f"for {token.scopes}")
        message = " ".join(parts)
        if late and token.refresh is not None:
            message += ", renewed at the next use"
        return AuthStatus(
            ok=not late or token.refresh is not None,
            message=f"{message} ({self._file.path})",
            account=token.name,
            expires_at=until,
        )

    def _stored(self) -> Token | None:
        """The file's token, if it is of this region."""
        token = self._file.read()
        if token is not None and token.region is not None and token.region != self._options.region:
            raise LoginRequiredError(
                f"logged in to {service_of(token.region)} and not to {service_of(self._options.region)}",
                hint="run `ats auth login`, or set ATS_TICKTICK_REGION back",
            )
        return token

    def _renew(self, old: Token, deadline: Deadline) -> Token:
        """A new token for an old one, once for all threads. It is kept here too: the file may not be writable."""
        if not self._lock.acquire(timeout=deadline.remaining()):
            raise StoreTimeoutError(f"{service_of(self._options.region)}: the login was not renewed in time")
        try:
            if self._renewed is not None:
                before, after = self._renewed
                if before == old and not after.expired(self._clock()):
                    return after
            from ats_adapter_ticktick.auth.refresh import renewed

            new = renewed(self._options, self._file, deadline, self._clock)
            self._renewed = (old, new)
            return new
        finally:
            self._lock.release()

    def _origin(self) -> str:
        return "ATS_TICKTICK_TOKEN" if self._environ.get("ATS_TICKTICK_TOKEN", "").strip() else "ticktick.json"


def token_file(options: Options) -> TokenFile:
    """Where a login's token is kept."""
    return TokenFile(options.state_dir / "token.json")


def iso_instant(seconds: float | None) -> str | None:
    """Seconds since the epoch in ISO 8601, UTC; None where no calendar has them."""
    from datetime import UTC, datetime

    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return None
