"""How wide the 95 % interval is at some numbers of questions: the table of the README.

    python packages/ats-bench/tests/authoring/interval_widths.py

Question sets are drawn from a distribution of the gold's rank, and each is given the interval that `ats bench score`
would give it; the table shows the mean width over the draws.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ats_bench.stats import bootstrap_interval

SIZES = (30, 50, 100, 300)
DRAWS = 100
RANKS = np.array([1, 2, 3, 5, 10, 0])
"""Rank of the gold; 0: not in the first ten."""

RETRIEVERS = {
    "good": np.array([0.85, 0.06, 0.02, 0.01, 0.00, 0.06]),
    "middling": np.array([0.50, 0.12, 0.06, 0.05, 0.02, 0.25]),
}


def values(ranks: np.ndarray) -> np.ndarray:
    """hit@1 and reciprocal rank of each question."""
    reciprocal = np.divide(1.0, ranks, out=np.zeros(len(ranks)), where=ranks > 0)
    return np.column_stack([ranks == 1, reciprocal])


def width(shares: np.ndarray, size: int) -> np.ndarray:
    """The mean width of the interval of hit@1 and of MRR."""
    random = np.random.default_rng(size)
    drawn = (values(random.choice(RANKS, size=size, p=shares)) for _ in range(DRAWS))
    return np.mean([np.diff(bootstrap_interval(one, resamples=500), axis=0)[0] for one in drawn], axis=0)


def table() -> Iterator[str]:
    """The lines of the table."""
    means = {name: shares @ values(RANKS) for name, shares in RETRIEVERS.items()}
    columns = [
        f"{measure} {mean:.2f}"
        for name in RETRIEVERS
        for measure, mean in zip(("hit@1", "MRR"), means[name], strict=True)
    ]
    yield "| questions | " + " | ".join(columns) + " |"
    yield "|---:|" + "---:|" * len(columns)
    for size in SIZES:
        widths = np.concatenate([width(shares, size) for shares in RETRIEVERS.values()])
        yield f"| {size} | " + " | ".join(f"{one:.2f}" for one in widths) + " |"


if __name__ == "__main__":
    print("\n".join(table()))
