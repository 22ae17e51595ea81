"""Reciprocal Rank Fusion (Cormack, Clarke and Buettcher 2009, "Reciprocal Rank Fusion outperforms Condorcet").

    score(d) = sum over branches 1 / (60 + rank(d)), ranks from 1

Every branch has a full vote, whatever its scores; nothing has to be calibrated.
"""

from __future__ import annotations

import math

from ats_core.fusion.fused import Contest, Fused, K, Ranks, Share, ordered


def rrf(contest: Contest, k: int = K) -> list[Fused]:
    """Fuse by ranks alone, best first."""
    ranks = Ranks(contest.rankings)
    fused = []
    for task_id in ranks.ids:
        shares = tuple(Share(branch, rank, 1 / (k + rank)) for branch, rank in ranks.of(task_id))
        # fsum: the order of addition, and so the order of branches, must not move a score by a bit.
        fused.append(Fused(task_id, math.fsum(share.contribution for share in shares), shares))
    return ordered(fused, ranks, contest.tie_break)
