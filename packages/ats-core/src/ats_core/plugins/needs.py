"""What a distribution needs of `ats-core`, and whether this one is it.

Read with the metadata; judged only where a distribution has failed, and by `ats doctor`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import ats_core

_OURS = re.compile(r"ats[-_.]+core(?![\w.-])", re.IGNORECASE)
_PLAIN = re.compile(r"ats[-_.]+core\s*\(?((?:\s*(?:>=|<)\s*\d+(?:\.\d+)*\s*,?)*)\)?", re.IGNORECASE)
_BOUND = re.compile(r"(>=|<)\s*([\d.]+)")


def requirements(lines: Iterable[str]) -> str:
    """The lines of `Requires-Dist` that are about core."""
    return "\n".join(line.strip() for line in lines if _OURS.match(line.strip()))


def misfit(needs: str) -> str | None:
    """What is amiss, in words, where this core is not what `needs` asks for; None where it is, or nobody can tell."""
    unmet = [line for line in needs.splitlines() if not _met(line, ats_core.__version__)]
    return f"it needs {' and '.join(unmet)}, and this is ats-core {ats_core.__version__}" if unmet else None


def _met(requirement: str, version: str) -> bool:
    plain = _PLAIN.fullmatch(requirement)
    if plain and re.fullmatch(r"[\d.]+", version):
        # The form that everybody writes: to import `packaging` takes 40 ms, on every search beside a broken plugin.
        return all(
            (_release(version) >= _release(bound)) == (operator == ">=") for operator, bound in _BOUND.findall(plain[1])
        )
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        parsed = Requirement(requirement)
    except InvalidRequirement:
        return True
    if parsed.marker is not None and not parsed.marker.evaluate({"extra": ""}):
        return True
    return parsed.specifier.contains(version, prereleases=True)


def _release(version: str) -> list[int]:
    numbers = [int(number) for number in version.split(".") if number]
    while numbers and not numbers[-1]:
        numbers.pop()  # 0.1 and 0.1.0 are the same
    return numbers
