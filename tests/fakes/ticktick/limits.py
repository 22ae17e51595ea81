"""Rate limits, each counted by account in a sliding window of the fake's clock."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from ..message import Answer
from .refusal import envelope

CODE = "exceed_query_limit"


@dataclass
class Limit:
    """At most `count` requests in any `seconds`.

    Refused ones count only where `burst` is set: then hammering keeps the door shut. With `retry_after` (seconds) the
    refusal is a 429 that says when to come back, instead of the service's 500.
    """

    count: int
    seconds: float
    retry_after: float | None = None
    burst: bool = False
    _arrivals: dict[str, deque[float]] = field(default_factory=dict)

    def refuses(self, uid: str, now: float) -> bool:
        """Whether this account has used up its window."""
        arrivals = self._arrivals.setdefault(uid, deque())
        while arrivals and now - arrivals[0] >= self.seconds:
            arrivals.popleft()
        if self.burst:
            arrivals.append(now)
            return len(arrivals) > self.count
        return len(arrivals) >= self.count

    def count_one(self, uid: str, now: float) -> None:
        """Counts a request that was let through."""
        if not self.burst:
            self._arrivals[uid].append(now)

    def refusal(self) -> Answer:
        period = "minute" if self.seconds == 60 else f"{self.seconds:g} seconds"
        message = (
            f"Query rate limit exceeded. Maximum {self.count} requests per {period} allowed. Please try again later."
        )
        if self.retry_after is None:
            return envelope(CODE, message)
        return envelope(CODE, message, status=429, headers={"Retry-After": f"{self.retry_after:g}"})
