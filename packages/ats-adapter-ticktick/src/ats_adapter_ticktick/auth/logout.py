"""`ats auth logout`: the token is forgotten here, and by the service where it can be asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ats_core import AtsError, ConfigError, Deadline, LoginRequiredError

from ats_adapter_ticktick.auth.attempt import pending_file
from ats_adapter_ticktick.auth.credentials import token_file
from ats_adapter_ticktick.auth.service import service_of

if TYPE_CHECKING:
    from ats_adapter_ticktick.auth.token import Token
    from ats_adapter_ticktick.options import Options

_SECONDS = 5.0


def logout(options: Options) -> str:
    """Forget the login, a begun one included. The token is deleted first: whatever the service says, it is gone here.

    :return: a line for people.
    :raises ConfigError: a file cannot be deleted; names it.
    """
    file = token_file(options)
    with file.lock(_SECONDS):
        try:
            token = file.read()
        except LoginRequiredError:
            token = None  # damaged: nothing in it to revoke
        found = _deleted(file.path)
    _deleted(pending_file(options))
    told = f"logged out of {service_of(options.region)}" if found else "there was no login"
    if token is not None:
        told += f"; {_revoked(options, token)}"
    if options.token is not None:
        told += "; ATS_TICKTICK_TOKEN (or token in ticktick.json) is still set: remove it to be logged out"
    return told


def _revoked(options: Options, token: Token) -> str:
    from ats_adapter_ticktick.auth import oauth

    if token.region not in (options.region, None):
        return f"its token of {service_of(token.region or '')} was deleted, not revoked"
    try:
        oauth.revoke(options, token, Deadline(_SECONDS))
    except AtsError as error:
        return f"its token was deleted, but not revoked: {error.message}"
    return "its token was revoked and deleted"


def _deleted(path: Path) -> bool:
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise ConfigError(f"{path} cannot be deleted: {error.strerror}", hint="delete it by hand") from error
    return True
