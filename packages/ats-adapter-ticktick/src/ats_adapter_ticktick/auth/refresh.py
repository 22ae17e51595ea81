"""A login's token is renewed: once for many processes, and nothing is lost of what the answer leaves out."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ats_core import ConfigError, Deadline, LoginRequiredError, StoreTimeoutError

from ats_adapter_ticktick.auth import oauth
from ats_adapter_ticktick.auth.service import expired, not_logged_in, service_of
from ats_adapter_ticktick.auth.token import Token, TokenFile

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options


def renewed(options: Options, file: TokenFile, deadline: Deadline, clock: Callable[[], float]) -> Token:
    """The token in the file, renewed unless another process did so while we waited for it.

    A token that cannot be saved is returned all the same: it answers this search.

    :raises LoginRequiredError: nobody is logged in any more, or the service refuses to renew the login.
    :raises StoreError: the service could not be asked.
    """

    def nothing_to_do() -> bool:
        try:
            token = file.read()
        except LoginRequiredError:
            return True
        return token is None or token.refresh is None or not token.expired(clock())

    with file.lock(deadline.remaining(), nothing_to_do):
        token = file.read()
        if token is None:
            raise not_logged_in(options)
        if not token.expired(clock()):
            return token
        if token.refresh is None:
            raise expired(options)
        if deadline.expired:
            raise StoreTimeoutError(f"{service_of(options.region)}: another process did not renew the login in time")
        new = _asked(options, file, token, deadline, clock)
        with suppress(ConfigError):
            file.write(new)
        return new


def _asked(options: Options, file: TokenFile, token: Token, deadline: Deadline, clock: Callable[[], float]) -> Token:
    now = clock()
    try:
        grant = oauth.refresh(options, token, deadline)
    except oauth.GrantRefusedError as error:
        there = file.read()
        if there is not None and there != token and not there.expired(clock()):
            return there  # where no lock could be had, another process was quicker
        if there == token:
            # Asking again would bring the same answer: those who come next shall not wait for it.
            with suppress(ConfigError):
                file.write(token._replace(refresh=None))
        raise expired(options) from error
    return Token(
        access=grant.access,
        refresh=grant.refresh or token.refresh,
        expires_at=None if grant.lifetime is None else now + grant.lifetime,
        scopes=grant.scopes or token.scopes,
        account=token.owner,
        region=options.region,
        client_id=token.client_id,
    )
