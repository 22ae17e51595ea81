"""What Qdrant answers where it does not do what it was asked, in its own words."""

from __future__ import annotations


class Refusal(Exception):
    """An error answer: `status` and the text of `{"status": {"error": ...}}`."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def malformed(reason: str) -> Refusal:
    """JSON that does not parse into the request."""
    return Refusal(400, f"Format error in JSON body: {reason}")


def invalid(field: str, reason: str, where: str = "JSON body") -> Refusal:
    """A value out of range."""
    return Refusal(422, f"Validation error in {where}: [{field}: {reason}]")


def wrong_input(reason: str) -> Refusal:
    return Refusal(400, f"Wrong input: {reason}")


def bad_request(reason: str) -> Refusal:
    return Refusal(400, f"Bad request: {reason}")


def not_found(what: str) -> Refusal:
    return Refusal(404, f"Not found: {what}")


def beyond(what: str) -> Refusal:
    """Something that Qdrant does and this fake does not: never a silent wrong answer."""
    return Refusal(501, f"the fake Qdrant does not know {what}")
