"""What a run must reach, and what it may lose against an earlier one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ats_core.errors import UsageError

from ats_bench.metrics import MEASURES
from ats_bench.report.words import p_value
from ats_bench.scoring import Contrast, Scores

_ALIASES = {"mrr@10": "mrr", "ndcg": "ndcg@10", "p@5": "precision@5", "success@5": "recall@5", "success@1": "hit@1"}
_FLOOR = re.compile(r"\s*(?P<method>.+)\.(?P<measure>[^.<>=]+?)\s*>=\s*(?P<least>[^<>=]+?)\s*")


class Floor(NamedTuple):
    """A demand such as `find.mrr>=0.85`."""

    method: str
    measure: str
    least: float

    def __str__(self) -> str:
        return f"{self.method}.{self.measure}>={self.least:g}"


def known_measure(name: str) -> str:
    """The measure of this name.

    :raises UsageError: there is none.
    """
    folded = name.strip().lower()
    found = _ALIASES.get(folded, folded)
    if found not in MEASURES:
        close = get_close_matches(folded, MEASURES, n=1)
        suggestion = f"did you mean {close[0]}? " if close else ""
        raise UsageError(f"unknown measure {name!r}", hint=f"{suggestion}measures: {', '.join(MEASURES)}")
    return found


def parse_floor(text: str) -> Floor:
    """Read `METHOD.MEASURE>=NUMBER`.

    :raises UsageError: it is something else.
    """
    match = _FLOOR.fullmatch(text)
    if match is None:
        raise UsageError(f"--min is {text!r}, expected METHOD.MEASURE>=NUMBER", hint='e.g. --min "find.mrr>=0.85"')
    return Floor(match["method"], known_measure(match["measure"]), share(match["least"], f"--min {text!r}"))


def share(text: str | float, where: str) -> float:
    """A number from 0 to 1.

    :raises UsageError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= 1:
        raise UsageError(f"{where}: {text} is no number from 0 to 1")
    return number


def below_floors(scores: Scores, floors: Sequence[Floor]) -> Iterator[str]:
    """A line for each demand that is not met.

    :raises UsageError: a method that the run does not have.
    """
    for floor in floors:
        if floor.method not in scores.methods:
            raise UsageError(f"the run has no method {floor.method!r}", hint=f"it has: {', '.join(scores.methods)}")
    for floor in floors:
        group = scores.methods[floor.method].overall
        mean = group.means.get(floor.measure)
        if mean is None:
            yield f"{floor}: no question could be scored"
        elif mean < floor.least:
            yield f"{floor}: it is {mean:.4f} (n = {group.n})"


def beyond_drop(contrasts: Sequence[Contrast], max_drop: float, *, significant: bool) -> Iterator[str]:
    """A line for each method that lost more than `max_drop`.

    :param significant: a drop that may be chance does not count.
    """
    for contrast in contrasts:
        if contrast.difference is None:
            yield f"{contrast.method}.{contrast.measure}: no question was answered healthily by both runs"
        elif -contrast.difference > max_drop + 1e-12 and (contrast.shown or not significant):
            chance = "" if contrast.p_holm is None else f", {p_value(contrast.p_holm)}"
            yield (
                f"{contrast.method}.{contrast.measure} dropped by {-contrast.difference:.4f}, more than {max_drop:g}"
                f" (n = {contrast.n}{chance})"
            )
