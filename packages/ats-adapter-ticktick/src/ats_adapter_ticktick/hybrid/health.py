"""How Ollama and Qdrant are, and which vectors there are: for `ats doctor` and an adapter's `status`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ats_core import Deadline
from ats_core.fanout import FanOut, Job, Outcome, attempt, describe

from ats_adapter_ticktick.hybrid.failure import HttpFailure
from ats_adapter_ticktick.hybrid.ollama import OllamaEmbedder
from ats_adapter_ticktick.hybrid.places import Places
from ats_adapter_ticktick.hybrid.qdrant_errors import explained

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.options import HybridOptions
    from ats_adapter_ticktick.hybrid.state import SpaceState

SECONDS = 3.0

Report = dict[str, Any]


def status(
    options: HybridOptions, ollama: Callable[[], OllamaEmbedder], places: Places, states: Sequence[SpaceState]
) -> Report:
    """What is there, as plain JSON, within `SECONDS`:

    - `ok`: a search would have a dense vote, as far as one can tell without asking anything
    - `ollama`: `ok`, `url`, `version`, `model`, `digest`, or `error` and `hint`
    - `qdrant`: `ok`, `url`, `version`, or `error` and `hint`; None where vectors are kept on this machine
    - `spaces`: each `space`, `place`, `current` (a search would use it; None: who knows), `tasks`, `embedded`,
      `unusable`, `finished`, `synced_at` (ISO 8601; None: the file is damaged), and `vectors` where the place tells

    It never raises and holds no secret.
    """
    deadline = Deadline(SECONDS)
    embedder = attempt(Job("ollama", lambda _: ollama()), deadline)
    jobs: list[Job[Report]] = [
        Job("Ollama", lambda until: _ollama(_value(embedder), until)),
        Job("Qdrant", lambda until: _qdrant(options, places, until)),
    ]
    answers = [_report(outcome) for outcome in FanOut().run(jobs, deadline.less(SECONDS / 3))]
    spaces = _spaces(places, states, answers[0], deadline)
    current = [space for space in spaces if space["current"]]
    return {
        "ok": all(answer["ok"] for answer in answers) and any(space["finished"] for space in current),
        "ollama": {"url": _address(lambda: options.ollama_url), "model": options.model} | answers[0],
        "qdrant": None
        if options.qdrant_address is None
        else {"url": _address(lambda: options.qdrant_url)} | answers[1],
        "spaces": spaces,
    }


def _ollama(embedder: OllamaEmbedder, deadline: Deadline) -> Report:
    version = embedder.version(deadline)
    try:
        return {"ok": True, "version": version, "digest": embedder.digest(deadline)}
    except Exception as error:  # noqa: BLE001 - a server that is there but lacks the model is worth its version
        return {"version": version} | _failed(error)


def _qdrant(options: HybridOptions, places: Places, deadline: Deadline) -> Report:
    url = options.qdrant_url
    if url is None:
        return {"ok": True}
    http = places.http(url)
    try:
        answer = http.request("GET", "/", deadline)
        http.request("GET", "/collections", deadline)  # the first one needs no key
    except HttpFailure as failure:
        raise explained(failure, f"Qdrant at {url}", "it") from failure
    version = answer.get("version") if isinstance(answer, dict) else None
    return {"ok": True, "version": version if isinstance(version, str) else None}


def _spaces(places: Places, states: Sequence[SpaceState], ollama: Report, deadline: Deadline) -> list[Report]:
    here = attempt(Job("place", lambda _: places.name), deadline).value
    found = []
    for state in sorted(states, key=lambda state: -state.at):
        in_place = state.place == here
        report: Report = {
            "space": state.space.name,
            "place": state.place,
            "current": in_place and state.digest == ollama["digest"] if "digest" in ollama else None,
            "tasks": state.tasks,
            "embedded": state.settled - state.unusable,
            "unusable": state.unusable,
            "finished": state.finished,
            "synced_at": _instant(state.at),
        }
        if in_place:
            count = FanOut().run([Job("count", places.reader(state.space).count)], deadline)[0]
            if count.value is not None:
                report["vectors"] = count.value
        found.append(report)
    return found


def _instant(seconds: float) -> str | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):  # beyond any calendar
        return None


def _value(outcome: Outcome[OllamaEmbedder]) -> OllamaEmbedder:
    if outcome.value is None:
        raise outcome.exception or RuntimeError(outcome.error)
    return outcome.value


def _report(outcome: Outcome[Report]) -> Report:
    if outcome.value is not None:
        return outcome.value
    if outcome.exception is not None:
        return _failed(outcome.exception)
    return {"ok": False, "error": f"{outcome.name} {outcome.error}"}


def _failed(error: BaseException) -> Report:
    hint = getattr(error, "hint", None)
    return {"ok": False, "error": describe(error)} | ({"hint": hint} if hint else {})


def _address(read: Callable[[], str | None]) -> str | None:
    return attempt(Job("address", lambda _: read()), Deadline(SECONDS)).value
