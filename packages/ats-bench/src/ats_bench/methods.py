"""The ways to ask: `find`, `keyword`, ..., and variants such as `find:score`.

A name is the call, and after a colon what is varied: a fusion (`find:score`), an embedder (`semantic:local`), or both
(`find:score+local`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from ats_core.errors import UsageError
from ats_core.settings import EMBEDDERS, FUSIONS

DENSE_CALLS = frozenset({"find", "hybrid", "semantic"})
"""Calls that use vectors where there are any."""

CALLS = ("find", "hybrid", "sparse", "semantic", "keyword", "native", "notes-find")
DEFAULTS = ("find", "find:score", "hybrid", "sparse", "semantic", "keyword", "native", "notes-find")


class Method(NamedTuple):
    """One way to ask. `flags` are the settings that it varies, by key."""

    name: str
    call: str
    flags: dict[str, Any]

    @property
    def dense(self) -> bool:
        return self.call in DENSE_CALLS


def parse_method(name: str) -> Method:
    """Read a method's name.

    :raises UsageError: there is no such call, or it has no such variant.
    """
    call, _, variants = name.partition(":")
    if call not in CALLS:
        close = get_close_matches(call, CALLS, n=1)
        suggestion = f"did you mean {close[0]}? " if close else ""
        raise UsageError(f"unknown method {name!r}", hint=f"{suggestion}methods: {', '.join(DEFAULTS)}")
    flags: dict[str, Any] = {}
    for variant in variants.split("+") if variants else ():
        if variant in FUSIONS and call == "find":
            flags["fusion"] = variant
        elif variant in EMBEDDERS and call in DENSE_CALLS:
            flags["embedder"] = variant
        else:
            known = [*(FUSIONS if call == "find" else ()), *(EMBEDDERS if call in DENSE_CALLS else ())]
            raise UsageError(
                f"method {call} has no variant {variant!r}", hint=f"variants of {call}: {', '.join(known) or 'none'}"
            )
    return Method(name, call, flags)


def parse_methods(words: Sequence[str]) -> list[Method]:
    """The methods of `--methods`: names with commas between them, each once, in order.

    :raises UsageError: one of them is unknown, or there is none.
    """
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    if not names:
        raise UsageError("no method is named", hint=f"methods: {', '.join(DEFAULTS)}")
    return [parse_method(name) for name in dict.fromkeys(names)]


def default_methods(*, dense: bool, native: bool) -> tuple[list[Method], list[str]]:
    """The methods that are measured where none is named, and the names of those that cannot be.

    :param dense: whether there are vectors. Without them hybrid is sparse under another name, and semantic is nothing.
    :param native: whether the adapter has a search of its own.
    """
    without = ({"hybrid", "semantic"} if not dense else set()) | ({"native"} if not native else set())
    return _methods(name for name in DEFAULTS if name not in without), [name for name in DEFAULTS if name in without]


def _methods(names: Iterable[str]) -> list[Method]:
    return [parse_method(name) for name in names]
