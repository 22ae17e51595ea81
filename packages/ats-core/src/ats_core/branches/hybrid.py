"""The hybrid branch: dense and sparse, fused by RRF with k = 60."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ats_core.branches.ranked import Ranked
from ats_core.fusion.fused import BranchRanking, Contest, TieBreak
from ats_core.fusion.rrf import rrf
from ats_core.index.reader import SearchIndex
from ats_core.models import Candidate, Standing

NAME = "hybrid"


def hybrid(
    parts: Mapping[str, Sequence[Ranked]], index: SearchIndex, tie_break: TieBreak, limit: int
) -> list[Candidate]:
    """Fuse the parts (dense first, then sparse), each candidate with its standing in each of them.

    :param parts: rankings by name, best first; one that cast no vote is left out.
    """
    rankings = [BranchRanking(name, [index.task_id(ranked.ordinal) for ranked in part]) for name, part in parts.items()]
    scores = {(name, index.task_id(ranked.ordinal)): ranked.score for name, part in parts.items() for ranked in part}
    return [
        Candidate(
            id=fused.id,
            score=fused.score,
            within={
                share.branch: Standing(rank=share.rank, score=scores[share.branch, fused.id]) for share in fused.shares
            },
        )
        for fused in rrf(Contest(rankings, tie_break))[:limit]
    ]
