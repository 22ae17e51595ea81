"""Reciprocal Rank Fusion (Cormack, Clarke and Buettcher 2009, "Reciprocal Rank Fusion outperforms Condorcet").

score(d) = sum over branches 1 / (60 + rank(d)), ranks from 1
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ats_core.fusion.fused import BranchRanking, Fused, K, Share, TieBreak, distinct


def rrf(rankings: Sequence[BranchRanking], tie_break: TieBreak, k: int = K) -> list[Fused]:
    """Fuse rankings, best first.

    Within a branch an id counts once, at its best rank, and ranks are counted after that. The total order: score
    descending; then a title that is exactly the query; then best single rank; then how early in branch order that rank
    was won; then corpus order; then id. Same input, same bytes out, in every process.

    :param rankings: in branch order; an empty one changes nothing.
    """
    shares: dict[str, list[Share]] = {}
    won: dict[str, tuple[int, int]] = {}  # best rank, then the place of the branch that gave it
    for place, ranking in enumerate(rankings):
        for rank, task_id in enumerate(distinct(ranking.ids), start=1):
            shares.setdefault(task_id, []).append(Share(ranking.name, rank, 1 / (k + rank)))
            won[task_id] = min(won.get(task_id, (rank, place)), (rank, place))
    # fsum: the order of addition, and so the order of branches, must not move a score by a bit.
    fused = [
        Fused(task_id, math.fsum(share.contribution for share in of_task), tuple(of_task))
        for task_id, of_task in shares.items()
    ]

    def order(hit: Fused) -> tuple[object, ...]:
        inexact_title, corpus_order = tie_break(hit.id)
        return (-hit.score, inexact_title, *won[hit.id], corpus_order, hit.id)

    return sorted(fused, key=order)
