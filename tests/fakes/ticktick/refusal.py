"""The service's ways to say no: nearly always HTTP 500 with the same envelope, whatever the reason."""

from __future__ import annotations

from ..message import Answer

NOT_FOUND = Answer(404)


class Refused(Exception):
    """Ends the handling of a request with this answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer)
        self.answer = answer


def envelope(code: str, message: str, *, status: int = 500, headers: dict[str, str] | None = None) -> Answer:
    """The body of every error but those of the login."""
    body = {"errorId": "f7x2k0@fake.server", "errorCode": code, "errorMessage": message, "data": None}
    return Answer(status, body, headers or {})


def invalid(message: str) -> Refused:
    """A request that fails validation: a 500, which nothing but its text tells from a server in trouble."""
    return Refused(envelope("unknown_exception", message))


def unauthorized(token: str | None) -> Answer:
    """401 with the login server's own envelope, which repeats the token it refuses."""
    if not token:
        return _unauthorized("unauthorized", "Full authentication is required to access this resource")
    return _unauthorized("invalid_token", f"Invalid access token: {token}")


def _unauthorized(error: str, description: str) -> Answer:
    return Answer(401, {"error": error, "error_description": description, "errors": None})
