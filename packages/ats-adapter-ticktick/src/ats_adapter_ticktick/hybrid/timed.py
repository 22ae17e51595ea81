"""One request and its answer, held to a deadline in every phase. httpx has to be loaded already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ats_core import Deadline

if TYPE_CHECKING:
    import httpx


class TooMuchError(Exception):
    """An answer is longer than anything that we could use."""


class Timeouts(Mapping[str, float]):
    """What httpcore looks up at the beginning of each phase of a request: what is left then of the deadline, so that
    the time for a slow connection comes off that for the answer.

    :param connect: seconds, at most, for the first phase: a host that has not answered by then is not there.
    """

    def __init__(self, deadline: Deadline, connect: float) -> None:
        self._deadline = deadline
        self._connect = connect

    def __getitem__(self, phase: str) -> float:
        most = self._connect if phase == "connect" else float("inf")
        return max(0.001, min(most, self._deadline.remaining()))  # 0 would mean not to wait, and fail otherwise

    def __iter__(self) -> Iterator[str]:
        return iter(("connect", "read", "write", "pool"))

    def __len__(self) -> int:
        return 4


def read_body(response: httpx.Response, deadline: Deadline, most_bytes: int) -> bytes:
    """The whole body, decompressed.

    :raises httpx.ReadTimeout: it was not there in time: a server that trickles never runs into that of a single read.
    :raises TooMuchError: it is longer than `most_bytes`.
    """
    import httpx

    body = bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > most_bytes:
            raise TooMuchError
        if deadline.expired:
            raise httpx.ReadTimeout("the answer trickles")
    return bytes(body)
