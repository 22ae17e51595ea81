"""The login pages: authorization code with PKCE or a client secret, refresh where it is switched on, revocation."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlencode, urlsplit

from ..message import Answer, Request

if TYPE_CHECKING:
    from .account import Account
    from .server import FakeTickTick

SIX_MONTHS = 15551999


class Client(NamedTuple):
    """A registered app. `any_port`: the port of a loopback redirect address may differ; the service's may not."""

    secret: str | None
    redirect_uris: tuple[str, ...]
    any_port: bool = False

    def accepts(self, redirect_uri: str) -> bool:
        return redirect_uri in self.redirect_uris or (
            self.any_port and _portless(redirect_uri) in map(_portless, self.redirect_uris)
        )


class Consent(NamedTuple):
    """What a code stands for, and a refresh token; `challenge` is that of PKCE."""

    client_id: str
    account: Account
    scope: str
    redirect_uri: str = ""
    challenge: str = ""


class OAuth:
    """The login server. Its attributes are knobs:

    `signed_in` is the account that consents in the browser, None the fake's first; with `denies` it declines.
    `expires_in` is in seconds; None leaves it out of the reply. `refresh_token`: replies carry one, as the service's
    do not. `refresh_reply`: whether the reply to a refresh repeats it (`"same"`), replaces it (`"new"`, the old one
    is void), or says nothing of it (`"none"`).
    """

    def __init__(self, fake: FakeTickTick) -> None:
        self.clients: dict[str, Client] = {}
        self.signed_in: Account | None = None
        self.denies = False
        self.expires_in: int | None = SIX_MONTHS
        self.refresh_token = False
        self.refresh_reply: Literal["none", "same", "new"] = "none"
        self._fake = fake
        self._codes: dict[str, Consent] = {}
        self._refresh_tokens: dict[str, Consent] = {}

    def register(self, client_id: str, secret: str | None, *redirect_uris: str, any_port: bool = False) -> None:
        """What the user does in the developer portal."""
        self.clients[client_id] = Client(secret, redirect_uris, any_port)

    def revoke_refresh_tokens(self) -> None:
        """Every refresh token is void from now on."""
        self._refresh_tokens.clear()

    def answer(self, request: Request) -> Answer:
        """The answer to a request below `/oauth`."""
        match request.line:
            case "GET /oauth/authorize":
                return self._authorize(request.query)
            case "POST /oauth/token":
                return self._token(request)
            case "POST /oauth/revoke":
                self._fake.revoke((request.query | request.form).get("token", ""))
                return Answer()
        return _page(404, "Not Found")

    def _authorize(self, query: dict[str, str]) -> Answer:
        """Straight back to the app with a code, as if the user had consented; a page where the app is not right."""
        client = self.clients.get(query.get("client_id", ""))
        redirect_uri = query.get("redirect_uri", "")
        if client is None:
            return _page(400, "invalid_client: no such client")
        if not client.redirect_uris:
            return _page(400, "At least one redirect_uri must be registered with the client")
        if not client.accepts(redirect_uri):
            return _page(400, "redirect_uri_mismatch")
        if query.get("response_type") != "code":
            return _page(400, "unsupported_response_type")
        if query.get("code_challenge") and query.get("code_challenge_method") != "S256":
            return _page(400, "invalid_request: code_challenge_method")
        if self.denies:
            return _redirect(redirect_uri, {"error": "access_denied"}, query)
        code = secrets.token_urlsafe(6)
        account = self.signed_in or self._fake.first_account()
        scope = query.get("scope") or "tasks:read tasks:write"
        consent = Consent(query["client_id"], account, scope, redirect_uri, query.get("code_challenge", ""))
        self._codes[code] = consent
        return _redirect(redirect_uri, {"code": code}, query)

    def _token(self, request: Request) -> Answer:
        fields = request.query | request.form
        client_id, secret = request.basic or (fields.get("client_id", ""), fields.get("client_secret"))
        client = self.clients.get(client_id)
        if client is None or (secret is not None and secret != client.secret):
            return _error(401, "invalid_client", "Bad client credentials")
        grant = fields.get("grant_type")
        if grant == "authorization_code":
            return self._exchange(client_id, secret, fields)
        if grant == "refresh_token" and self.refresh_token:
            return self._refresh(client_id, fields.get("refresh_token", ""))
        return _error(400, "unsupported_grant_type", f"Unsupported grant type: {grant}")

    def _exchange(self, client_id: str, secret: str | None, fields: dict[str, str]) -> Answer:
        """A code is good for one attempt. It takes the verifier where a challenge came first, the secret otherwise."""
        code = fields.get("code", "")
        consent = self._codes.pop(code, None)
        if consent is None or consent.client_id != client_id:
            return _error(400, "invalid_grant", f"Invalid authorization code: {code}")
        if fields.get("redirect_uri") != consent.redirect_uri:
            return _error(400, "invalid_grant", "Redirect URI mismatch.")
        if consent.challenge and _challenge(fields.get("code_verifier", "")) != consent.challenge:
            return _error(400, "invalid_grant", "Invalid code verifier")
        if not consent.challenge and secret is None:
            return _error(401, "invalid_client", "Bad client credentials")
        refresh_token = self._new_refresh_token(consent) if self.refresh_token else None
        return self._grant(consent, refresh_token)

    def _refresh(self, client_id: str, refresh_token: str) -> Answer:
        consent = self._refresh_tokens.get(refresh_token)
        if consent is None or consent.client_id != client_id:
            return _error(400, "invalid_grant", f"Invalid refresh token: {refresh_token}")
        match self.refresh_reply:
            case "new":
                del self._refresh_tokens[refresh_token]
                return self._grant(consent, self._new_refresh_token(consent))
            case "same":
                return self._grant(consent, refresh_token)
        return self._grant(consent, None)

    def _grant(self, consent: Consent, refresh_token: str | None) -> Answer:
        token = self._fake.issue(consent.account, consent.scope, self.expires_in)
        body = {"access_token": token, "token_type": "bearer", "expires_in": self.expires_in, "scope": consent.scope}
        body["refresh_token"] = refresh_token
        return Answer(body={name: value for name, value in body.items() if value is not None})

    def _new_refresh_token(self, consent: Consent) -> str:
        token = secrets.token_urlsafe(24)
        self._refresh_tokens[token] = consent
        return token


def _challenge(verifier: str) -> str:
    """S256 of RFC 7636."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _portless(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname in ("localhost", "127.0.0.1") else address


def _redirect(address: str, fields: dict[str, str], query: dict[str, str]) -> Answer:
    if "state" in query:
        fields |= {"state": query["state"]}
    joint = "&" if "?" in address else "?"
    return Answer(302, headers={"Location": address + joint + urlencode(fields)})


def _page(status: int, text: str) -> Answer:
    return Answer(status, f"<!DOCTYPE html><html><body><h1>OAuth Error</h1><p>{text}</p></body></html>".encode())


def _error(status: int, error: str, description: str) -> Answer:
    return Answer(status, {"error": error, "error_description": description})
