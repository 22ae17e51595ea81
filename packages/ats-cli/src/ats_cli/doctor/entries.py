"""Each entry point: loaded or broken, shadowed, or switched off."""

import signal
from collections.abc import Mapping
from typing import Any, NamedTuple

from ats_core.hookspecs import REQUIRED
from ats_core.plugins.discovery import Found, mend
from ats_core.plugins.needs import misfit

from ats_cli.doctor.check import OK, PROBLEM, WARNING, Check, fine, warning
from ats_cli.doctor.children import Ended
from ats_cli.doctor.clashes import Clash

_LONGEST_PRINT = 60
"""Characters of what was printed that are shown."""


class Entry(NamedTuple):
    """An entry point and how it fared. `state` is one word: ok, broken, hangs, prints, shadowed, off, unknown."""

    found: Found
    state: str
    check: Check

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "group": self.found.group,
            "name": self.found.name,
            "distribution": self.found.distribution,
            "version": self.found.version,
            "state": self.state,
        }


def kind(found: Found) -> str:
    """adapter, plugin or command."""
    return found.group.removeprefix("ats.").removesuffix("s")


def entry(found: Found, ended: Ended | None, clash: Clash | None, *, asked: bool = False) -> Entry:
    """Judge one.

    :param ended: how loading it went; None: it is switched off.
    :param asked: whether it is the adapter that is asked.
    """
    name = f"{kind(found)} {found.name}"
    whose = f"{found.distribution} {found.version}"
    if ended is None:
        return Entry(found, "off", fine(name, f"{whose}: switched off by the setting plugins"))
    judged = _fault(found, ended) or (_shadow(clash) if clash else None)
    if judged is not None:
        return Entry(
            found, judged.state, Check(name, judged.status, f"{whose}: {judged.why}{_aside(ended)}", judged.hint)
        )
    if ended.printed.strip():
        hint = f"it is led to stderr and harms nobody; tell the author of {found.distribution}"
        return Entry(found, "prints", warning(name, f"{whose}{_aside(ended)}", hint))
    place = ", the one that is asked" if asked else ""
    return Entry(found, OK, fine(name, f"{whose}{place}{_can(ended.answer or {})}"))


class _Judged(NamedTuple):
    state: str
    status: str
    why: str
    hint: str


def _fault(found: Found, ended: Ended) -> _Judged | None:
    """Why it cannot be used."""
    if ended.code is None:
        return _unfinished(found, ended)
    if ended.answer is None:
        why = f"ends the process that loads it ({_exit(ended)})"
    elif "error" in ended.answer:
        return _Judged("broken", PROBLEM, str(ended.answer["error"]), ended.answer.get("hint") or mend(found))
    elif unmet := misfit(found.needs):
        why = unmet
    elif ended.answer.get("faults"):
        why = str(ended.answer["faults"][0])
    else:
        return None
    return _Judged("broken", PROBLEM, why, mend(found))


def _unfinished(found: Found, ended: Ended) -> _Judged:
    if not ended.seconds:
        return _Judged("unknown", WARNING, "not tried, the time was up", "mend the others first")
    stuck = f"hangs: loading it had not ended after {ended.seconds:.0f} s"
    return _Judged("hangs", PROBLEM, stuck, f"try: pip uninstall {found.distribution}, and tell its author")


def _shadow(clash: Clash) -> _Judged:
    return _Judged("shadowed", PROBLEM if clash.fatal else WARNING, clash.message, clash.hint)


def _exit(ended: Ended) -> str:
    code = ended.code or 0
    if code < 0:
        try:
            return signal.Signals(-code).name
        except ValueError:
            return ended.said or f"signal {-code}"
    return f"exit code {code}" + (f": {ended.said}" if ended.said and code else "")


def _aside(ended: Ended) -> str:
    """What it has printed."""
    lines = ended.printed.split("\n")
    text = next((line.strip() for line in lines if line.strip()), "")
    if not text:
        return ""
    shown = text if len(text) <= _LONGEST_PRINT else f"{text[:_LONGEST_PRINT]}…"
    return f"; prints to standard output when it is loaded: {shown}"


def _can(answer: Mapping[str, Any]) -> str:
    hooks = [hook for hook in answer.get("hooks", ()) if hook not in REQUIRED]
    demo = ", sample data" if answer.get("demo") else ""
    return f"{demo}: {', '.join(hooks)}" if hooks else demo
