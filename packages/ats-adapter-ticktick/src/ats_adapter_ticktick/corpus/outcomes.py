"""What a job that failed, or was given up on, means as an error."""

from __future__ import annotations

from typing import Any

from ats_core import AtsError, StoreError, StoreTimeoutError
from ats_core.fanout import TIMED_OUT, Outcome


def error_of(outcome: Outcome[Any]) -> BaseException:
    """The error to raise for a job that failed: its own, if that is one of ours."""
    if isinstance(outcome.exception, AtsError):
        return outcome.exception
    if outcome.status == TIMED_OUT:
        return StoreTimeoutError(
            f"TickTick: {outcome.name} {outcome.error}", hint="raise ATS_FETCH_TIMEOUT_MS, or try again"
        )
    error = StoreError(f"TickTick: {outcome.name} failed: {outcome.error}")
    error.__cause__ = outcome.exception
    return error
