"""How far an answer is to be believed: a verdict an agent can act on, with the reason in plain words.

It rests on what was measured on the best hit: how much of the query it really covers, weighted by rarity; in how many
words; and how far its cosine stands out. Agreement of branches alone is no evidence: keyword and sparse read the same
words, and dense ranks something first for any question.

The thresholds are fitted by `tests/confidence_figures.py` on two question sets and checked on three others; its table
is in `docs/ranking.md`.
"""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from ats_core.models import Confidence

VERDICTS = ("none", "weak", "moderate", "strong")
"""From the least to the most."""

STRONG_COVERAGE = 0.8
"""The share of the query that a strong hit covers, beside a second family of rankers that agrees on it."""

WORD_BONUS, MOST_WORDS, MODERATE = 0.3, 4, 0.76
"""A moderate hit has coverage + WORD_BONUS * min(words, MOST_WORDS) / MOST_WORDS >= MODERATE: one matching word must be
two thirds of the query (.685), four or more must be 46 % of it."""

STANDS_OUT = 3.0
"""How many standard deviations a cosine must lie above what the best of so many strangers is expected to reach."""


class Evidence(NamedTuple):
    """What was measured on the best hit.

    `exact`: its title or id is the query. `coverage`: the idf-weighted share of the query that it holds, 0 to 1, in
    `words` words. `families`: those of the rankers that have it in their first three (`"lexical"`, `"dense"`,
    `"native"`). `stand_out`: see `STANDS_OUT`; None where no cosines of the corpus are at hand.
    """

    exact: bool
    coverage: float
    words: int
    families: Set[str]
    stand_out: float | None = None


def judge(evidence: Evidence | None, *, degraded: bool) -> Confidence:
    """The verdict on an answer; `evidence` is None where there are no hits. A degraded answer is at most moderate."""
    if evidence is None:
        return Confidence(verdict="none", reason="no task matches")
    verdict, reason = _verdict(evidence)
    if degraded and verdict == "strong":
        return Confidence(verdict="moderate", reason=f"{reason}; but the answer is degraded")
    return Confidence(verdict=verdict, reason=reason)


def judge_likeness(evidence: Evidence | None, *, degraded: bool) -> Confidence:
    """The verdict where the query is a task and not words: only how far its nearest neighbour stands out can tell."""
    if evidence is None:
        return judge(None, degraded=degraded)
    if evidence.stand_out is not None and evidence.stand_out >= STANDS_OUT:
        return Confidence(verdict="moderate", reason="the nearest task stands out from the others")
    return Confidence(verdict="weak", reason="the nearest task is hardly nearer than chance gives")


def _verdict(evidence: Evidence) -> tuple[str, str]:
    share = f"{evidence.coverage:.0%} of what the query says"
    words = f"{evidence.words} matching word{'' if evidence.words == 1 else 's'}"
    if evidence.exact:
        return "strong", "the query is exactly the best hit's title or id"
    if evidence.coverage >= STRONG_COVERAGE and len(evidence.families) > 1:
        return "strong", f"the best hit covers {share}, and {' and '.join(sorted(evidence.families))} agree on it"
    if evidence.coverage + WORD_BONUS * min(evidence.words, MOST_WORDS) / MOST_WORDS >= MODERATE:
        return "moderate", f"the best hit covers {share} in {words}"
    if evidence.stand_out is not None and evidence.stand_out >= STANDS_OUT:
        return "moderate", "the best hit's meaning stands out, though few of the words match"
    if not evidence.words:
        return "weak", "none of the query's words is in the best hit"
    return "weak", f"the best hit covers only {share} in {words}"
