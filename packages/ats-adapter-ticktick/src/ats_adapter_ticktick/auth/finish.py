"""The end of every login: the code becomes a token, the token's account is learnt, both are kept."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ats_core import Deadline, Secret

from ats_adapter_ticktick.auth import oauth
from ats_adapter_ticktick.auth.account import account_of
from ats_adapter_ticktick.auth.attempt import Attempt, pending_file
from ats_adapter_ticktick.auth.credentials import iso_instant, token_file
from ats_adapter_ticktick.auth.service import service_of
from ats_adapter_ticktick.auth.token import Token, digest_of

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

_SECONDS = 30.0
_LOCK_SECONDS = 10.0


def finish(options: Options, attempt: Attempt, code: Secret) -> str:
    """Log in with a code.

    :return: a line for people.
    :raises AtsError: as `oauth.redeem`; ConfigError where the token cannot be kept.
    """
    asked_at = time.time()
    grant = oauth.redeem(options, attempt, code, Deadline(_SECONDS))
    token = Token(
        access=grant.access,
        refresh=grant.refresh,
        expires_at=None if grant.lifetime is None else asked_at + grant.lifetime,
        scopes=grant.scopes,
        account=account_of(options, grant.access, Deadline(_SECONDS)) or digest_of(grant.access),
        region=attempt.region,
        client_id=attempt.client_id,
    )
    file = token_file(options)
    with file.lock(_LOCK_SECONDS):  # or a renewal of the old login could replace the new one
        file.write(token)
    with suppress(OSError):
        pending_file(options).unlink()
    return _told(options, token)


def _told(options: Options, token: Token) -> str:
    told = f"logged in to {service_of(options.region)}"
    if token.name is not None:
        told += f" as {token.name}"
    if (until := iso_instant(token.expires_at)) is not None:
        told += f" until {until[:10]}"
    if options.token is not None:
        told += "; ATS_TICKTICK_TOKEN (or token in ticktick.json) is set and goes first, so remove it to use this login"
    return told
