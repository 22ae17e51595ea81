"""Reciprocal Rank Fusion (Cormack, Clarke and Buettcher 2009, "Reciprocal Rank Fusion outperforms Condorcet").

    score(d) = sum over branches 1 / (60 + rank(d)), ranks from 1

Every branch has a full vote, whatever its scores; nothing has to be calibrated. What is typed exactly is not left to
votes alone: a task whose id is the query comes first, for no ranker reads ids and every note that mentions it has more
votes; and the best task whose title is the query comes third at worst, for bodies full of the same words can bury it.
"""

from __future__ import annotations

import math

from ats_core.fusion.fused import Contest, Fused, K, Ranks, Share, lift, ordered

TITLE_AT_WORST = 3
"""The lowest place of the best task whose title is exactly the query."""


def rrf(contest: Contest, k: int = K) -> list[Fused]:
    """Fuse by ranks alone, best first."""
    ranks = Ranks(contest.rankings)
    fused = []
    for task_id in ranks.ids:
        shares = tuple(Share(branch, rank, 1 / (k + rank)) for branch, rank in ranks.of(task_id))
        # fsum: the order of addition, and so the order of branches, must not move a score by a bit.
        fused.append(Fused(task_id, math.fsum(share.contribution for share in shares), shares))
    ranking = ordered(fused, ranks, contest.tie_break)
    if contest.exact_id is not None:
        ranking = lift(ranking, contest.exact_id, 1)
    titled = set(contest.pinned) - {contest.exact_id}
    best_titled = next((item.id for item in ranking if item.id in titled), None)
    return ranking if best_titled is None else lift(ranking, best_titled, TITLE_AT_WORST)
