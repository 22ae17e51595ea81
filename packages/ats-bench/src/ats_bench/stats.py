"""How far a mean over questions may be trusted. Every random number comes from a seed: same run, same report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ats_bench.metrics import Values

SEED = 20_261_201
RESAMPLES = 10_000
_CHUNK_CELLS = 4_000_000
"""Cells of one random matrix: bounds memory at 32 MB whatever the number of questions."""

_EXACT_UP_TO = 13
"""With as many differing questions or fewer, all sign patterns are counted instead of drawn."""


def bootstrap_interval(values: Values, *, seed: int = SEED, resamples: int = RESAMPLES) -> Values:
    """The 95 % percentile interval of each column's mean (Efron, 1979): shape `(2, columns)`, lower row first.

    Questions are what is resampled, with replacement; `values` is `(questions, columns)`, at least one question.
    """
    count = len(values)
    random = np.random.default_rng(seed)
    weights = np.full(count, 1 / count)
    means = [random.multinomial(count, weights, size=size) @ values / count for size in _chunks(resamples, count)]
    bounds: Values = np.quantile(np.concatenate(means), [0.025, 0.975], axis=0)
    return bounds


def randomisation_p(differences: Values, *, seed: int = SEED, resamples: int = RESAMPLES) -> float:
    """The two-sided p-value of a mean difference over paired questions, by Fisher's randomisation test.

    If two methods were alike, each question's difference could as well have had the other sign. p is how often
    random signs give a mean at least as far from 0 as the one that was seen; the one that was seen counts itself
    (Phipson and Smyth, 2010), unless all sign patterns are counted. Recommended for retrieval by Smucker, Allan and
    Carterette (CIKM 2007).
    """
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    seen = abs(changed.sum()) - 1e-12  # sums of the same numbers in another order differ in the last bits
    if len(changed) <= _EXACT_UP_TO:
        patterns = (np.arange(2 ** len(changed))[:, None] >> np.arange(len(changed))) & 1
        return float((np.abs((2 * patterns - 1) @ changed) >= seen).mean())
    random = np.random.default_rng(seed)
    as_far = sum(
        int((np.abs((2.0 * random.integers(0, 2, size=(size, len(changed))) - 1) @ changed) >= seen).sum())
        for size in _chunks(resamples, len(changed))
    )
    return (as_far + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for several tests at once (1979): in the order given, each at most 1.

    The k-th smallest of m is multiplied by m - k + 1, and is never below the one before it.
    """
    corrected = [1.0] * len(p_values)
    floor = 0.0
    for done, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        floor = max(floor, min(1.0, p_values[place] * (len(p_values) - done)))
        corrected[place] = floor
    return corrected


def _chunks(resamples: int, count: int) -> Iterator[int]:
    size = max(1, _CHUNK_CELLS // max(count, 1))
    while resamples > 0:
        yield min(size, resamples)
        resamples -= size
