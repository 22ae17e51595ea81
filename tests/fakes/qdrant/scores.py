"""Cosine and dot product of a query with many vectors, by numpy where it is installed."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from operator import mul
from typing import Any

try:
    import numpy
except ImportError:  # the fakes need nothing but the standard library
    numpy = None  # type: ignore[assignment]

Vector = array  # of "f": 32-bit floats, as Qdrant keeps them


def vector(numbers: Sequence[float], normalised: bool) -> Vector[float]:
    """As it is stored. Cosine normalises on writing; a zero vector stays one."""
    length = math.hypot(*numbers) if normalised else 1.0
    return array("f", [number / length for number in numbers] if length > 0 else numbers)


def block(vectors: Sequence[Vector[float]]) -> Any:
    """The vectors ready for `products`; worth keeping between two queries."""
    if numpy is None or not vectors:
        return vectors
    return numpy.frombuffer(b"".join(row.tobytes() for row in vectors), dtype=numpy.float32).reshape(len(vectors), -1)


def products(rows: Any, query: Vector[float]) -> list[float]:
    """The dot product of each row with the query.

    Rounded to 7 decimals: equal vectors score the same wherever they lie, so that a tie is a tie.
    """
    if numpy is None or isinstance(rows, Sequence):
        return [round(sum(map(mul, row, query)), 7) for row in rows]
    scores: list[float] = (rows @ numpy.frombuffer(query, dtype=numpy.float32)).round(7).astype(float).tolist()
    return [round(score, 7) for score in scores]
