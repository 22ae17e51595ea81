"""The cut to the best, over arrays: the same order as `ranked.best`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ats_core.branches.ranked import Ranked, Scope


def array_top(
    scores: npt.NDArray[np.floating], eligible: npt.NDArray[np.bool_], scope: Scope, limit: int
) -> list[Ranked]:
    """The `limit` highest scores among eligible tasks within the scope; corpus order breaks ties.

    :param scores: shape (N,), by ordinal.
    :param eligible: shape (N,); changed in place.
    """
    if scope is not None:
        eligible &= np.frombuffer(scope, dtype=np.uint8) == 1
    ordinals = np.flatnonzero(eligible)
    found = scores[ordinals]
    if len(ordinals) > limit:
        # Everything from the limit-th score up, so that ties at the cut are decided below and not by the partition.
        least = np.partition(found, len(found) - limit)[len(found) - limit]
        ordinals, found = ordinals[found >= least], found[found >= least]
    order = np.lexsort((ordinals, -found))[:limit]
    return [Ranked(int(ordinals[at]), float(found[at])) for at in order]
