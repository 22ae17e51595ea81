"""The report of `ats ticktick status` as rows for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ats_adapter_ticktick.commands.kit import counted

_MOST_LISTED = 5
_UNKNOWN = "not known before the first fetch"

Report = dict[str, Any]
Row = tuple[str, str]

SWITCH_ON = "off; to have it: ats config set ticktick.embed_model nomic-embed-text && ats sync"


def rows(report: Report) -> list[Row]:
    """What is what, and how it is."""
    return [
        ("account", f"{report['account']['message']} [{report['account']['scope']}]"),
        ("service", f"{report['region']}, {report['apiUrl']}" + (f": {report['error']}" if report["error"] else "")),
        ("projects", _projects(report["projects"])),
        ("tasks", _tasks(report["tasks"])),
        *_failed(report["tasks"]["failed"]),
        *_cut(report["cut"]),
        ("rate limit", f"{counted(report['rateLimit']['available'], 'request')} left for now"),
        ("notes", _notes(report["notes"])),
        ("native", "on, a request a search" if report["nativeSearch"] else "off"),
        *_dense(report["dense"]),
    ]


def _projects(projects: Report | None) -> str:
    if projects is None:
        return _UNKNOWN
    details = [f"{projects[what]} {what if what == 'archived' else 'for notes'}" for what in ("archived", "notes")]
    shown = ", ".join(detail for detail in details if not detail.startswith("0 "))
    return f"{projects['count']}" + (f" ({shown})" if shown else "")


def _tasks(tasks: Report) -> str:
    if tasks["cached"] is None:
        return str(tasks["outlook"])
    return f"{counted(tasks['cached'], 'task')} cached {tasks['ageMs'] / 60_000:.0f} min ago; {tasks['outlook']}"


def _failed(failed: list[Report]) -> Iterator[Row]:
    if failed:
        yield "missing", f"lists that could not be read: {_listed([one['name'] for one in failed])}"


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_LISTED
    return ", ".join(names[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _cut(cut: Report) -> Iterator[Row]:
    if cut["byList"]:
        yield "cut", "more tasks than one answer holds, so every list is read by itself"
    if cut["completed"]:
        yield "cut", f"the service gives only 200 of each of these: {_listed(cut['completed'])}"


def _notes(notes: Report | None) -> str:
    if notes is None:
        return _UNKNOWN
    if notes["projects"]:
        return ", ".join(project["name"] for project in notes["projects"])
    return f"no list is named {notes['wanted']}: notes_find is left out (ATS_WIKI_PROJECT names another)"


def _dense(dense: Report | None) -> Iterator[Row]:
    if dense is None:
        yield "dense", SWITCH_ON
        return
    if "ollama" not in dense:
        yield "dense", str(dense.get("error"))
        return
    yield "ollama", _server(dense["ollama"])
    yield "qdrant", "none, vectors are kept on this machine" if dense["qdrant"] is None else _server(dense["qdrant"])
    if not dense["spaces"]:
        yield "vectors", "none yet; run ats sync"
    for space in dense["spaces"]:
        yield "vectors", _space(space)


def _server(server: Report) -> str:
    """One of the two servers: where it is, and how."""
    known = [str(server[key]) for key in ("url", "version", "model") if server.get(key)]
    if server.get("ok"):
        return f"ok, {', '.join(known)}"
    hint = f" ({server['hint']})" if server.get("hint") else ""
    return f"{server.get('error')}{hint}"


def _space(space: Report) -> str:
    parts = [f"{space['embedded']:,} of {counted(space['tasks'], 'task')}"]
    if space.get("vectors") is not None:
        parts.append(counted(space["vectors"], "vector"))
    if space["unusable"]:
        parts.append(f"{space['unusable']:,} that cannot be embedded")
    parts.append(f"synced {space['synced_at'] or 'some time ago'}" if space["finished"] else "its sync is not finished")
    return f"{space['space']}: {', '.join(parts)}" + ("" if space["current"] else " (not in use)")
