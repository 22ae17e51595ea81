"""The array types of dense retrieval. Importing this imports numpy."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Unit vectors, or one of them: shape (n, d) or (d,)."""

Cosines: TypeAlias = npt.NDArray[np.float32]
"""The cosine of each task to a query, shape (N,), by ordinal; NaN where a task has no usable vector."""

Keys: TypeAlias = npt.NDArray[np.bytes_]
"""Text digests of 16 bytes each, shape (n,)."""
