"""The token endpoint: a code or a refresh token for a token, and its end. httpx' errors become ours here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ats_core import (
    AtsError,
    ConfigError,
    Deadline,
    LoginRequiredError,
    RateLimitedError,
    Secret,
    StoreError,
    StoreTimeoutError,
)

from ats_adapter_ticktick.api.answer import Answer
from ats_adapter_ticktick.api.connection import CONNECT_SECONDS, connect
from ats_adapter_ticktick.api.pace import COOL_DOWN
from ats_adapter_ticktick.api.refusal import RATE_LIMIT
from ats_adapter_ticktick.auth.attempt import SCOPES, Attempt
from ats_adapter_ticktick.auth.service import service_of
from ats_adapter_ticktick.auth.token import Token, lifetime, usable
from ats_adapter_ticktick.hybrid.one_line import one_line
from ats_adapter_ticktick.hybrid.timed import Timeouts, TooMuchError, read_body

if TYPE_CHECKING:
    import httpx

    from ats_adapter_ticktick.options import Options

_MOST_BYTES = 1024 * 1024
_NO_SUCH_APP = ("invalid_client", "unauthorized_client")

Fields = Mapping[str, str | Secret]


class Grant(NamedTuple):
    """The service's answer. `lifetime` is in seconds, None where it did not say; `scopes` has blanks between them."""

    access: Secret
    refresh: Secret | None
    lifetime: float | None
    scopes: str


class GrantRefusedError(LoginRequiredError):
    """The code or refresh token is good for nothing, and will not be when it is sent again."""


def redeem(options: Options, attempt: Attempt, code: Secret, deadline: Deadline) -> Grant:
    """Change a code into a token.

    :raises GrantRefusedError: the code is used up, too old, or not of this login.
    :raises ConfigError: the service does not know the app, or its secret is wrong.
    :raises StoreError: it could not be asked, or answered nonsense.
    """
    fields: Fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": attempt.redirect_uri,
        "code_verifier": attempt.verifier,
        "scope": SCOPES,
    }
    return _grant(options, attempt.client_id, fields, deadline)


def refresh(options: Options, token: Token, deadline: Deadline) -> Grant:
    """Change a refresh token into a token; raises as `redeem`."""
    client_id = token.client_id or options.client_id
    if token.refresh is None or client_id is None:
        raise GrantRefusedError(f"{service_of(options.region)}: nothing to renew the login with")
    return _grant(options, client_id, {"grant_type": "refresh_token", "refresh_token": token.refresh}, deadline)


def revoke(options: Options, token: Token, deadline: Deadline) -> None:
    """Make the service forget a token; raises as `redeem`. It takes that at the API's host, as a multipart form."""
    api = urlsplit(options.api_url)
    secrets = [secret for secret in (token.access, token.refresh) if secret is not None]
    exchange = _Exchange(options, f"{api.scheme}://{api.netloc}/oauth/revoke", secrets, deadline)
    for secret in secrets:
        exchange.post(files={"token": (None, secret.value)})


def _grant(options: Options, client_id: str, fields: Fields, deadline: Deadline) -> Grant:
    """The app's secret goes into the header, as documented; without one its id goes into the form (RFC 6749, 3.2.1)."""
    secret = options.client_secret if options.client_id in (client_id, None) else None
    given: dict[str, Any] = {}
    if secret is None:
        fields = {**fields, "client_id": client_id}
    else:
        given["auth"] = (client_id, secret.value)
    hidden = [value for value in (*fields.values(), secret) if isinstance(value, Secret)]
    exchange = _Exchange(options, f"{options.oauth_url}/oauth/token", hidden, deadline)
    answer = exchange.post(data={name: _plain(value) for name, value in fields.items()}, **given)
    if not isinstance(answer, dict) or not usable(answer.get("access_token")):
        raise StoreError(f"{exchange.label} answered without a token")
    renewal, scopes = answer.get("refresh_token"), answer.get("scope")
    return Grant(
        access=Secret(answer["access_token"]),
        refresh=Secret(renewal) if isinstance(renewal, str) and renewal else None,
        lifetime=lifetime(answer.get("expires_in")),
        scopes=one_line(scopes) if isinstance(scopes, str) else "",
    )


class _Exchange:
    """One address that is posted to, and what its answers mean. No message holds any of the `hidden` ones."""

    def __init__(self, options: Options, url: str, hidden: list[Secret], deadline: Deadline) -> None:
        self.label = f"{service_of(options.region)}'s login"
        self._url = url
        self._hidden = hidden
        self._deadline = deadline

    def post(self, **content: Any) -> Any:
        """Send a form once.

        :return: the JSON of the answer; None where a good answer has none.
        """
        connection = connect(self._url, self.label, connections=1)
        import httpx

        if self._deadline.expired:
            raise self._late()
        try:
            with connection.client as client:
                answer = self._sent(client, content)
        except httpx.TimeoutException as error:
            raise self._late() from error
        except TooMuchError:
            raise StoreError(f"{self.label} answered with far too much") from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            reason = one_line(str(error), hidden=self._hidden) or type(error).__name__
            raise StoreError(f"{self.label} cannot be reached at {connection.place}: {reason}") from error
        if answer.is_good:
            return answer.value
        raise self._refusal(answer)

    def _sent(self, client: httpx.Client, content: Mapping[str, Any]) -> Answer:
        timeouts = {"timeout": Timeouts(self._deadline, CONNECT_SECONDS)}
        with client.stream("POST", self._url, extensions=timeouts, **content) as response:
            body = read_body(response, self._deadline, _MOST_BYTES)
            return Answer(response.status_code, response.headers, body)

    def _refusal(self, answer: Answer) -> AtsError:
        code = answer.said("error") or answer.code
        words = (code, answer.said("error_description"), answer.said("errorMessage"))
        told = one_line(*words, hidden=self._hidden)
        message = f"{self.label} answered {answer.status}" + (f" ({told})" if told else "")
        if answer.status == 429 or code == RATE_LIMIT:
            return RateLimitedError(message, hint="wait a minute and try again", retry_after=COOL_DOWN)
        if code in _NO_SUCH_APP:
            return ConfigError(message, hint="check ATS_TICKTICK_CLIENT_ID, ATS_TICKTICK_CLIENT_SECRET and the region")
        if code and 400 <= answer.status < 500:
            return GrantRefusedError(message, hint="run `ats auth login` again: a code is good once, and not for long")
        return StoreError(message + (" with a web page" if answer.is_page else ""), hint="try again later")

    def _late(self) -> StoreTimeoutError:
        return StoreTimeoutError(f"{self.label} did not answer in time")


def _plain(value: str | Secret) -> str:
    return value.value if isinstance(value, Secret) else value
