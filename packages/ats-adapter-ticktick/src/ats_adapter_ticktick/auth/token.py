"""A login's token, and the file that keeps it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from ats_core import ConfigError, LoginRequiredError, Secret
from ats_core.atomic import open_file, write_atomically
from ats_core.digest import blake2b
from ats_core.lock import locked_path

LEEWAY = 60.0
"""Seconds before its expiry from which a token counts as expired: what is sent must not expire on the way."""

_DIGEST = "token-"
_MOST_BYTES = 64 * 1024
_LONGEST_LIFE = 100 * 365 * 86400.0


class Token(NamedTuple):
    """What a login brought.

    `expires_at` is in seconds since the epoch, None where the service did not say. `account` names whose token it is.
    `client_id` is the app that it was given to, which alone may renew it.
    """

    access: Secret
    refresh: Secret | None = None
    expires_at: float | None = None
    scopes: str = ""
    account: str | None = None
    region: str | None = None
    client_id: str | None = None

    def expired(self, now: float) -> bool:
        """Whether it is too late to use it, `LEEWAY` included."""
        return self.expires_at is not None and now >= self.expires_at - LEEWAY

    @property
    def name(self) -> str | None:
        """The account for people; None where it could not be learnt and a digest stands for it."""
        return None if self.account is None or self.account.startswith(_DIGEST) else self.account

    @property
    def owner(self) -> str:
        """The account, else a digest of the token in its place: never a secret."""
        return self.account or digest_of(self.access)


class TokenFile:
    """A token in a JSON file, 0600 in a folder 0700, replaced as a whole."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Token | None:
        """The token; None where there is no file.

        :raises LoginRequiredError: the file is damaged or unreadable; names it, and says what mends it.
        """
        try:
            with open_file(self.path) as file:
                content = file.read(_MOST_BYTES + 1)
                written = os.fstat(file.fileno()).st_mtime
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise LoginRequiredError(
                f"{self.path} cannot be read: {error.strerror}", hint="mend or remove it, then run `ats auth login`"
            ) from error
        try:
            return _decoded(content, written)
        except ValueError as error:
            raise LoginRequiredError(
                f"{self.path} is damaged: {error}", hint="run `ats auth login`, which replaces it"
            ) from None

    def write(self, token: Token) -> None:
        """Replace what the file holds.

        :raises ConfigError: it cannot be written; an older one is unharmed.
        """
        record = _Record(
            access_token=token.access.value,
            refresh_token=None if token.refresh is None else token.refresh.value,
            expires_at=token.expires_at,
            scope=token.scopes,
            account=token.account,
            region=token.region,
            client_id=token.client_id,
        )
        write_secretly(self.path, msgspec.json.encode(record))

    def lock(self, patience: float, until: Callable[[], bool] = lambda: False) -> AbstractContextManager[bool]:
        """The lock of whoever changes the file, between processes; see `ats_core.lock.locked`."""
        return locked_path(self.path.with_name(f"{self.path.name}.lock"), patience, until)


def usable(text: object) -> bool:
    """Whether this can be sent as a bearer token: printable ASCII without a blank."""
    return isinstance(text, str) and text.isascii() and text.isprintable() and bool(text) and " " not in text


def lifetime(expires_in: Any) -> float | None:
    """The seconds that a service's `expires_in` means, a number or the digits of one; None where it says nothing."""
    if isinstance(expires_in, bool) or not isinstance(expires_in, (int, float, str)):
        return None
    try:
        seconds = float(expires_in)
    except (ValueError, OverflowError):
        return None
    return seconds if math.isfinite(seconds) and 0 < seconds <= _LONGEST_LIFE else None


def digest_of(secret: Secret) -> str:
    """What stands for a token where it must not be seen: `token-` and 16 hexadecimal digits."""
    return f"{_DIGEST}{blake2b(secret.value.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def write_secretly(path: Path, content: bytes) -> None:
    """Replace a file that nobody else may read.

    :raises ConfigError: it cannot be written; an older one is unharmed.
    """
    try:
        write_atomically(path, [content])
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {error.strerror}", hint="mend the folder, or set ATS_CONFIG_DIR to another"
        ) from error


class _Record(msgspec.Struct, omit_defaults=True):
    """The file's JSON. `expires_in` is only read: it stands in answers of the service that people put there by hand."""

    access_token: str
    refresh_token: str | None = None
    expires_at: float | None = None
    expires_in: Any = None
    scope: str = ""
    account: str | None = None
    region: str | None = None
    client_id: str | None = None


def _decoded(content: bytes, written: float) -> Token:
    """The token in a file's content. Raises ValueError with a reason that quotes nothing of it."""
    if len(content) > _MOST_BYTES:
        raise ValueError("it is too large for a token")
    try:
        record = msgspec.json.decode(content, type=_Record)
    except msgspec.ValidationError as error:
        raise ValueError(_first_line(error)) from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise ValueError("it is no JSON") from None
    if not usable(record.access_token):
        raise ValueError("its access_token is no token")
    expires_at = record.expires_at
    if expires_at is None and (seconds := lifetime(record.expires_in)) is not None:
        expires_at = written + seconds
    return Token(
        access=Secret(record.access_token),
        refresh=Secret(record.refresh_token) if record.refresh_token else None,
        expires_at=expires_at,
        scopes=record.scope,
        account=record.account or None,
        region=record.region or None,
        client_id=record.client_id or None,
    )


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["it is no token"])[0]
