"""All checks, in the order in which they run. A check is a plain function, and its rules stand beside it."""

from __future__ import annotations

from ats_core.conformance.checks import (
    address,
    backend,
    embedding,
    faults,
    fetching,
    identity,
    privacy,
    ranking,
    registration,
    storage,
    threads,
    writing,
)
from ats_core.conformance.results import Check

CHECKS: tuple[Check, ...] = (
    *registration.CHECKS,
    *storage.CHECKS,
    *address.CHECKS,
    *fetching.CHECKS,
    *identity.CHECKS,
    *embedding.CHECKS,
    *ranking.CHECKS,
    *backend.CHECKS,
    *writing.CHECKS,
    *faults.CHECKS,
    *threads.CHECKS,
    *privacy.CHECKS,
)
