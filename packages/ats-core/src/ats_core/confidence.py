"""How far an answer is to be believed: a verdict an agent can act on, with the reason in plain words.

It rests on how much of the query the best hit really covers, weighted by rarity, and on how many independent families
of rankers agree. Keyword and sparse read the same words, so both are the one family `lexical`.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from ats_core.models import Confidence

VERDICTS = ("none", "weak", "moderate", "strong")
"""From the least to the most."""

STRONG_COVERAGE = 0.8
MODERATE_COVERAGE = 0.5


class Evidence(NamedTuple):
    """What was measured on the best hit.

    `exact`: its title or id is the query. `coverage`: the idf-weighted share of the query that it holds, 0 to 1.
    `families`: those that have it in their first three (`"lexical"`, `"dense"`, `"native"`).
    """

    exact: bool
    coverage: float
    families: Set[str]


def judge(evidence: Evidence | None, *, degraded: bool) -> Confidence:
    """The verdict on an answer; `evidence` is None where there are no hits. A degraded answer is at most moderate."""
    if evidence is None:
        return Confidence(verdict="none", reason="no task matches")
    covers = f"the best hit covers {evidence.coverage:.0%} of the query's weight"
    families = ", ".join(sorted(evidence.families)) or "no family of rankers"
    if evidence.exact:
        verdict, reason = "strong", "the query is exactly the best hit's title or id"
    elif evidence.coverage >= STRONG_COVERAGE and len(evidence.families) > 1:
        verdict, reason = "strong", f"{covers}, and {families} agree on it"
    elif evidence.coverage >= MODERATE_COVERAGE:
        verdict, reason = "moderate", f"{covers}, found by {families}"
    else:
        verdict, reason = "weak", f"{covers}, found by {families}"
    if degraded and verdict == "strong":
        verdict, reason = "moderate", f"{reason}; but the answer is degraded"
    return Confidence(verdict=verdict, reason=reason)
