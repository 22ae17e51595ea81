"""A login that has begun and is not finished: what has to match when the browser comes back (RFC 6749, RFC 7636)."""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlencode

import msgspec
from ats_core import ConfigError, LoginRequiredError, Secret, UsageError
from ats_core.atomic import open_file

from ats_adapter_ticktick.auth.service import service_of
from ats_adapter_ticktick.auth.token import usable, write_secretly
from ats_adapter_ticktick.hybrid.one_line import one_line

if TYPE_CHECKING:
    from ats_adapter_ticktick.options import Options

SCOPES = "tasks:read tasks:write"

_MOST_BYTES = 64 * 1024


class Attempt(NamedTuple):
    """`state` ties the answer to the question, `verifier` the token to whoever asked for the code."""

    state: Secret
    verifier: Secret
    redirect_uri: str
    client_id: str
    region: str

    @classmethod
    def begin(cls, options: Options, redirect_uri: str) -> Self:
        """A new one.

        :raises ConfigError: no app is configured.
        """
        return cls(
            state=Secret(secrets.token_urlsafe(32)),
            verifier=Secret(secrets.token_urlsafe(48)),
            redirect_uri=redirect_uri,
            client_id=app_of(options),
            region=options.region,
        )

    def address(self, options: Options) -> str:
        """The page on which the user agrees. It holds the state, but nothing that is worth stealing."""
        digest = sha256(self.verifier.value.encode()).digest()
        query = {
            "client_id": self.client_id,
            "scope": SCOPES,
            "state": self.state.value,
            "redirect_uri": self.redirect_uri,
            "response_type": "code",
            "code_challenge": urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{options.oauth_url}/oauth/authorize?{urlencode(query)}"

    def code_in(self, answer: Mapping[str, str], *, state_optional: bool = False) -> Secret | None:
        """The code in the query with which the browser came back; None where there is none.

        :param state_optional: for what people copy by hand, who may lose a part of it.
        :raises LoginRequiredError: the service refused, or the answer belongs to another login.
        """
        state, refusal, code = answer.get("state"), answer.get("error"), answer.get("code")
        service = service_of(self.region)
        if not (code or refusal):
            return None
        if state is None:
            ours = state_optional or bool(refusal)
        else:
            ours = compare_digest(state.encode("utf-8", "replace"), self.state.value.encode())
        if not ours:
            raise LoginRequiredError(
                f"{service}: the answer belongs to another login (its state is not the one that was sent)",
                hint="close old login pages and run `ats auth login` again",
            )
        if refusal:
            raise LoginRequiredError(
                f"{service} did not let us in: {one_line(refusal, answer.get('error_description'))}",
                hint="run `ats auth login` again and agree, or check the app's redirect address",
            )
        return Secret(code) if code is not None and usable(code) else None

    def save(self, path: Path) -> None:
        """Keep it for `ats auth exchange`, for nobody else to read.

        :raises ConfigError: it cannot be written.
        """
        record = _Record(self.state.value, self.verifier.value, self.redirect_uri, self.client_id, self.region)
        write_secretly(path, msgspec.json.encode(record))

    @classmethod
    def saved(cls, path: Path) -> Self:
        """The one that was kept.

        :raises UsageError: no login has begun, or what was kept of it is damaged.
        """
        try:
            with open_file(path) as file:
                record = msgspec.json.decode(file.read(_MOST_BYTES), type=_Record)
        except (FileNotFoundError, NotADirectoryError):
            raise UsageError("no login has begun", hint="run `ats auth login --no-browser` first") from None
        except OSError as error:
            raise UsageError(
                f"{path} cannot be read: {error.strerror}", hint="mend or remove it, then `ats auth login --no-browser`"
            ) from error
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise UsageError(f"{path} is damaged", hint="run `ats auth login --no-browser` again") from None
        return cls(Secret(record.state), Secret(record.verifier), record.redirect_uri, record.client_id, record.region)


def app_of(options: Options) -> str:
    """The client id of the user's app.

    :raises ConfigError: no app is configured; says where to get one, and what is simpler.
    """
    if options.client_id is None:
        raise ConfigError(
            f"logging in to {service_of(options.region)} needs the client id of an app of yours",
            hint=_advice(options),
        )
    return options.client_id


def pending_file(options: Options) -> Path:
    """Where a login that waits for `ats auth exchange` is kept."""
    return options.state_dir / "login.json"


class _Record(msgspec.Struct):
    state: str
    verifier: str
    redirect_uri: str
    client_id: str
    region: str


def _advice(options: Options) -> str:
    portal = f"https://developer.{'dida365' if options.region == 'dida365' else 'ticktick'}.com/manage"
    return (
        f"simplest is a personal token: {service_of(options.region)} on the web, Settings, Account, API Token, into "
        f"ATS_TICKTICK_TOKEN; or register an app at {portal} with the redirect address {options.redirect_uri}, and set "
        "ATS_TICKTICK_CLIENT_ID"
    )
