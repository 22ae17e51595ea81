"""The dense branch: cosine between the query's vector and each task's."""

from __future__ import annotations

import numpy as np

from ats_core.branches.array_top import array_top
from ats_core.branches.ranked import Ranked, Scope
from ats_core.vectors.types import Cosines

NAME = "dense"

LEAST_COVERED = 0.95
"""Below this share of embedded tasks dense casts no vote: twenty embedded tasks would win every question."""


def dense(cosines: Cosines, scope: Scope, limit: int) -> list[Ranked]:
    """Rank tasks by cosine, best first; corpus order breaks ties. A NaN (no usable vector) never ranks.

    :param cosines: shape (N,), by ordinal.
    """
    return array_top(cosines, ~np.isnan(cosines), scope, limit)
