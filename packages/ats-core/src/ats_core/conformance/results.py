"""What a check is, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ats_core.models import Model

if TYPE_CHECKING:
    from ats_core.conformance.subject import Subject

CONTRACT, CAPABILITIES, WRITES, FAULTS, THREADS, PRIVACY = LEVELS = (
    "contract",
    "capabilities",
    "writes",
    "faults",
    "threads",
    "privacy",
)
"""The levels, in the order in which they run."""

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

DOCUMENT = "docs/hooks.md"


class Finding(Model, frozen=True, kw_only=True):
    """One thing that is wrong.

    `problem` says in one line what was seen, `sentence` what the contract says, standing at `anchor`
    (`docs/hooks.md#...`), and `mend` what to do about it.
    """

    problem: str
    anchor: str
    sentence: str
    mend: str

    def __str__(self) -> str:
        return f"{self.problem}\n  {self.anchor}: {self.sentence}\n  to mend it: {self.mend}"


class Rule(NamedTuple):
    """A sentence of `docs/hooks.md` that an adapter can break. `anchor` is its name there."""

    anchor: str
    sentence: str
    mend: str

    def broken(self, problem: str) -> Finding:
        """The finding that something broke this rule."""
        return Finding(problem=problem, anchor=f"{DOCUMENT}#{self.anchor}", sentence=self.sentence, mend=self.mend)


class Check(NamedTuple):
    """A check of one level: `run(subject)` yields a finding for each thing that is wrong.

    `rules` are those that it is there for; the general ones (see `rules.GENERAL`) any check may find broken.
    """

    level: str
    run: Callable[[Subject], Iterator[Finding]]
    rules: tuple[Rule, ...]

    @property
    def name(self) -> str:
        return self.run.__name__


class CheckResult(Model, frozen=True, kw_only=True):
    """How one check ended. `status` is `"passed"`, `"failed"` (see `findings`) or `"skipped"` (`reason` says why)."""

    level: str
    check: str
    status: str
    findings: tuple[Finding, ...] = ()
    reason: str | None = None
    elapsed_ms: float = 0.0


class Skipped(Exception):  # noqa: N818 - it is no error
    """Raised by a check that has nothing to look at: the capability is not there, or the store is empty."""
