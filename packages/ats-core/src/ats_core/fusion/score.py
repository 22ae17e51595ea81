"""Score fusion: what the scorers within hybrid say about every candidate, with a bonus for the other branches' ranks.

    score(d) = ws * sparse(d) / max sparse + wd * clip((cos(d) - median) / (max cos - median), 0, 1)
             + sum over the other branches .2 * 60 / (60 + rank(d))

A convex combination of normalised scores (Bruch, Gai and Ingber 2023, "An analysis of fusion functions for hybrid
retrieval"), where RRF would give a weak ranker a full vote. Every candidate gets its true sparse score and cosine, also
where it lies outside of that ranker's own best. A branch whose inner scores are unknown enters by rank, at weight 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ats_core.fusion.fused import Contest, Fused, K, Part, Ranks, Share, Signals, ordered, pin

BONUS = 0.2
"""What a first place in a branch other than hybrid adds."""

_HYBRID = ("hybrid", "sparse")


def score(contest: Contest) -> list[Fused]:
    """Fuse by scores, best first; tasks whose title or id is exactly the query before all others, in corpus order."""
    ranks = Ranks(contest.rankings)
    signals = contest.signals()
    fused = []
    for task_id in ranks.ids:
        shares = tuple(_shares(task_id, ranks, signals))
        fused.append(Fused(task_id, math.fsum(share.contribution for share in shares), shares))
    return pin(ordered(fused, ranks, contest.tie_break), contest.pinned)


def _shares(task_id: str, ranks: Ranks, signals: Signals | None) -> Iterator[Share]:
    of_branch = dict(ranks.of(task_id))
    if signals is not None:
        parts = tuple(
            Part(signal.name, signal.raw(task_id), signal.weight * signal.value(task_id)) for signal in signals.parts
        )
        rank = of_branch.pop(signals.branch, None)
        contribution = math.fsum(part.contribution for part in parts)
        if rank is not None or contribution:
            yield Share(signals.branch, rank, contribution, parts)
    for branch, rank in of_branch.items():
        yield Share(branch, rank, (1.0 if branch in _HYBRID else BONUS) * K / (K + rank))
