"""What lies on disk: the cached corpus, its index, the vectors."""

from collections.abc import Iterator, Mapping
from typing import Any

from ats_cli.doctor.check import Check, fine, warning
from ats_cli.doctor.children import Ended
from ats_cli.doctor.store import failed
from ats_cli.show.units import counted, duration, size

_REFETCH = "run: ats cache sync"


def kept_checks(ended: Ended) -> list[Check]:
    """From what `ats cache status --json` would show."""
    if check := failed("cache", ended):
        return [check]
    status: Mapping[str, Any] = ended.answer or {}
    if status["path"] is None:
        return [fine("cache", "off: every search fetches"), *_vectors(status["vectors"])]
    return [*_cache(status), *_others(status["otherCopies"]), *_vectors(status["vectors"])]


def _cache(status: Mapping[str, Any]) -> Iterator[Check]:
    copy = status["copy"]
    if copy is None:
        yield fine("cache", status["outlook"])
        return
    if copy["problem"]:
        yield warning("cache", f"{copy['path']} is damaged: {copy['problem']}", _REFETCH)
        return
    said = f"{counted(copy['tasks'], 'task')}, {size(copy['size'])}, {duration(copy['ageMs'] / 1000)} old"
    missing = [project["name"] or project["id"] for project in copy["sourcesFailed"]]
    if missing:
        yield warning("cache", f"{said}; the last fetch failed for {', '.join(missing)}", _REFETCH)
    else:
        yield fine("cache", f"{said}; {status['outlook']}")
    index = copy["indexSize"]
    yield fine("index", "absent, the next search builds it" if index is None else f"present, {size(index)}")


def _others(copies: list[Mapping[str, Any]]) -> Iterator[Check]:
    for copy in copies:
        if copy["problem"]:
            yield warning("other caches", f"{copy['path']} is damaged: {copy['problem']}", "run: ats cache clear --all")


def _vectors(spaces: list[Mapping[str, Any]]) -> Iterator[Check]:
    if not spaces:
        yield fine("vectors", "none")
    for space in spaces:
        said = f"{space['vectors']} in {space['space']}, {size(space['size'])}"
        if space["damaged"]:
            yield warning("vectors", f"{said}; {counted(space['damaged'], 'file')} damaged", "run: ats sync")
        else:
            yield fine("vectors", said)
