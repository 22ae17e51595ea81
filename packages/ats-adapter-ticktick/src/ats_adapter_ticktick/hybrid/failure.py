"""A request that brought no answer, and the words for it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Sort: TypeAlias = Literal["unreachable", "late", "dropped", "refused", "nonsense"]


class HttpFailure(Exception):  # noqa: N818 not for callers of the backend: whoever asks makes one of core's errors of it
    """A request that brought no JSON answer; the message is a whole line for people, free of secrets.

    `sort` says how it failed:

    - `"unreachable"`: no connection, so nothing was asked
    - `"late"`: no answer within the deadline
    - `"dropped"`: the connection ended before the answer did
    - `"refused"`: an answer that is an error; `status` is its HTTP status, `detail` the server's own words, in one line
      that may be empty, and `spoken` whether those came as JSON
    - `"nonsense"`: a good status, but no JSON, or too much of it
    """

    def __init__(
        self, message: str, sort: Sort, *, status: int | None = None, detail: str = "", spoken: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sort = sort
        self.status = status
        self.detail = detail
        self.spoken = spoken


def words(answer: Any) -> str:
    """The error text in an answer: Ollama's `{"error": "..."}`, Qdrant's `{"status": {"error": "..."}}`."""
    if isinstance(answer, dict):
        status = answer.get("status")
        for found in (answer.get("error"), status.get("error") if isinstance(status, dict) else None):
            text = found.get("message") if isinstance(found, dict) else found
            if isinstance(text, str):
                return text
    return ""
