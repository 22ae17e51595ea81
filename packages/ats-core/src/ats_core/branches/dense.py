"""The dense branch: cosine between the query's vector and each task's."""

from __future__ import annotations

import numpy as np

from ats_core.branches.ranked import Ranked, Scope
from ats_core.vectors.types import Cosines

NAME = "dense"

LEAST_COVERED = 0.95
"""Below this share of embedded tasks dense casts no vote: twenty embedded tasks would win every question."""


def dense(cosines: Cosines, scope: Scope, limit: int) -> list[Ranked]:
    """Rank tasks by cosine, best first; corpus order breaks ties. A NaN (no usable vector) never ranks.

    :param cosines: shape (N,), by ordinal.
    """
    eligible = ~np.isnan(cosines)
    if scope is not None:
        eligible &= np.frombuffer(scope, dtype=np.uint8) == 1
    ordinals = np.flatnonzero(eligible)
    scores = cosines[ordinals]
    if len(ordinals) > limit:
        # Everything from the limit-th score up, so that ties at the cut are decided below and not by the partition.
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        ordinals, scores = ordinals[scores >= least], scores[scores >= least]
    order = np.lexsort((ordinals, -scores))[:limit]
    return [Ranked(int(ordinals[at]), float(scores[at])) for at in order]
