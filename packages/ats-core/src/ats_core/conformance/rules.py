"""The rules that hold for every hook. A rule of one hook stands beside the check that is there for it."""

from __future__ import annotations

from ats_core.conformance.results import Rule

TYPES = Rule(
    "types",
    "A hook returns what its signature says, and each field of a model has the type that the model declares.",
    "return the models of ats_core, with text as str, tags as a tuple of str, dates as str or None",
)
RAISING = Rule(
    "raising",
    "A hook raises where the store failed, and only there.",
    "mend what raised; what the store does not have is an answer: None, or []",
)
ERRORS = Rule(
    "errors",
    "What fails is raised as one of `ats_core`'s errors; anything else is shown by its type and first line, without a"
    " hint, and ends with exit code 1.",
    "catch what your client raises in one place, and raise StoreError, StoreTimeoutError, RateLimitedError or"
    " LoginRequiredError from it",
)
NO_EMPTY_ANSWER = Rule(
    "no-empty-answer",
    "A failure is never answered with an empty list: core would take the store for empty.",
    "let the error out: raise StoreError, or name the project in Fetched.failed",
)
DEADLINE = Rule(
    "deadline",
    "A hook that is given a deadline has returned or raised by then: it hands `deadline.remaining()` to whatever it"
    " waits for.",
    "give your client deadline.remaining() as its time-out, for each request anew",
)
TIME_OUT = Rule(
    "time-out",
    "A hook that is given none has a time-out of its own, of half a minute at most.",
    "give every request a time-out, and stop retrying when the time is over",
)
GIL = Rule(
    "gil",
    "C code that holds Python's GIL past the deadline cannot be given up on: it must release it.",
    "release the GIL in the C code, or do that work in a process of its own",
)
ABOUT_ITSELF = Rule(
    "about-itself",
    "`revision`, `embedding_space`, `branches`, `hybrid_backend`, `cache_scope` and `settings` may be called for every"
    " search: they answer at once, from this machine.",
    "keep what they say, or read it from a file; connect in the hook that needs the connection",
)

GENERAL = (TYPES, RAISING, ERRORS, NO_EMPTY_ANSWER, DEADLINE, TIME_OUT, GIL, ABOUT_ITSELF)
"""In the order of `docs/hooks.md`."""
