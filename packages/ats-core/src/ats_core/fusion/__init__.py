"""Fusion methods, one a file: rankings in, one ranking with the contribution of each branch out.

A further method is a file with a function from `Contest` to `list[Fused]`, and its line in `METHODS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from ats_core.fusion.fused import Method
from ats_core.fusion.rrf import rrf
from ats_core.fusion.score import score

METHODS: Mapping[str, Method] = {"rrf": rrf, "score": score}
"""By the name that `fusion` is set to."""
