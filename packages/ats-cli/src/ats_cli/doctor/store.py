"""The adapter that is asked: its login, its store, its hybrid backend, and who embeds."""

from collections.abc import Iterator, Mapping
from typing import Any

from ats_cli.doctor.check import Check, fine, problem
from ats_cli.doctor.children import Ended
from ats_cli.show.units import counted

_LOGIN = "run: ats auth login"


def failed(name: str, ended: Ended) -> Check | None:
    """Why a probe has no answer; None where it has one."""
    if ended.code is None:
        return problem(name, f"no answer within {ended.seconds:.0f} s", "is its server up, and the network?")
    if ended.answer is None:
        return problem(name, f"asking ended the process (exit code {ended.code})", "see what is said of the adapter")
    if "error" in ended.answer:
        hint = _LOGIN if ended.answer.get("type") == "LoginRequiredError" else "try again, or ask: ats find --fresh x"
        return problem(name, str(ended.answer["error"]), ended.answer.get("hint") or hint)
    return None


def login_check(ended: Ended) -> Check:
    """What `auth_status` says."""
    if check := failed("login", ended):
        return check
    answer: Mapping[str, Any] = ended.answer or {}
    if not answer["needed"]:
        return fine("login", "none is needed")
    if not answer["ok"]:
        return problem("login", answer["message"] or "not logged in", _LOGIN)
    expires = f", until {answer['expires']}" if answer["expires"] else ""
    return fine("login", f"{answer['message'] or 'ok'}{expires}")


def store_check(ended: Ended) -> Check:
    """Whether the store answers."""
    check = failed("store", ended)
    return check or fine("store", f"answers, {counted((ended.answer or {})['projects'], 'project')}")


def backend_check(ended: Ended) -> Check | None:
    """What the hybrid backend says of itself; None where there is none. `ok` that is false is a problem."""
    if check := failed("hybrid backend", ended):
        return check
    status = (ended.answer or {})["status"]
    if status is None:
        return None
    if status.get("ok") is False:
        error = next(_found(status, "error"), "it says that it is not ok")
        return problem("hybrid backend", str(error), next(_found(status, "hint"), "run: ats sync"))
    return fine("hybrid backend", _line(status) or "there")


def embedder_check(ended: Ended) -> Check:
    """Whether a word could be embedded."""
    if check := failed("embedder", ended):
        return check
    answer: Mapping[str, Any] = ended.answer or {}
    if "none" in answer:
        return fine("embedder", answer["none"])
    took = f"{answer['seconds'] * 1000:.0f} ms a word"
    return fine("embedder", f"{answer['provider']}, {answer['space']}, {answer['dimension']} dimensions, {took}")


def _found(status: Any, key: str) -> Iterator[Any]:
    """The values under a key, however deep."""
    if isinstance(status, Mapping):
        if status.get(key):
            yield status[key]
        for value in status.values():
            yield from _found(value, key)
    elif isinstance(status, list):
        for value in status:
            yield from _found(value, key)


def _line(status: Mapping[str, Any]) -> str:
    """What a backend says, in one line: what is plain, and one level below."""
    parts = []
    for key, value in status.items():
        if isinstance(value, Mapping):
            parts.append(f"{key} ({_line({name: one for name, one in value.items() if not _nested(one)})})")
        elif isinstance(value, list):
            parts.append(f"{key} {len(value)}")
        elif value is not None:
            parts.append(f"{key} {value}")
    return ", ".join(parts)


def _nested(value: Any) -> bool:
    return isinstance(value, (Mapping, list))
