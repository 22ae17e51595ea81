"""Reading request bodies, and refusing them in Ollama's words."""

from __future__ import annotations

import re
from typing import Any

from ..wire import Request

_DURATION = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")


class Refusal(Exception):
    """An error answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def fields_of(request: Request) -> dict[str, Any]:
    if not request.raw:
        raise Refusal(400, "missing request body")
    if not isinstance(request.body, dict):
        raise Refusal(400, "invalid character looking for beginning of value")
    return request.body


def texts_of(given: Any) -> list[str]:
    """None, "" and [] are no text; an empty text inside a list is one."""
    if given is None or given == "":
        return []
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refusal(400, "invalid input type")
    # Half of a surrogate pair, which JSON may carry escaped, is read as U+FFFD.
    return [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]


def check_duration(keep_alive: Any) -> None:
    """A number of seconds, or text with a unit: "300" is none."""
    if not isinstance(keep_alive, str) or keep_alive == "0":
        return
    if re.fullmatch(r"-?\d+", keep_alive):
        raise Refusal(400, f'time: missing unit in duration "{keep_alive}"')
    if not re.fullmatch(f"({_DURATION.pattern})+", keep_alive):
        raise Refusal(400, f'time: invalid duration "{keep_alive}"')
