"""What came back over the wire, read with patience: the service sends empty bodies, web pages and broken text too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec


class Answer:
    """A whole answer, its body read as JSON.

    :param headers: found by lower-case names.
    :param content: the body, decompressed.
    """

    def __init__(self, status: int, headers: Mapping[str, str], content: bytes) -> None:
        self.status = status
        self.headers = headers
        self.value: Any = None
        """The JSON; None for an empty body, and for one that is something else."""
        self.is_page = False
        """Whether it is a web page: what a wrong address, a proxy or a sign-in page of a network answers."""
        self.is_broken = False
        """Whether it says that it is JSON, and is not."""
        text = content.removeprefix(b"\xef\xbb\xbf").strip()
        try:
            self.value = _decode(text) if text else None
        except ValueError:
            kind = headers.get("content-type", "").partition(";")[0].lower()
            self.is_page = "html" in kind or text.startswith(b"<")
            self.is_broken = "json" in kind and not self.is_page

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300

    @property
    def code(self) -> str:
        """The code in the service's envelope for errors, `""` without one."""
        return self.said("errorCode")

    def said(self, key: str) -> str:
        """A text in the JSON object, `""` without one."""
        value = self.value.get(key) if isinstance(self.value, dict) else None
        return value if isinstance(value, str) else ""


def _decode(content: bytes) -> Any:
    """One JSON value. Bytes that are no UTF-8 become U+FFFD, half surrogate pairs stay, NaN is null.

    :raises ValueError: it is no JSON, or nested too deeply.
    """
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return json.loads(content.decode("utf-8", "replace"), strict=False, parse_constant=lambda _: None)
    except RecursionError:
        raise ValueError("nested too deeply") from None
