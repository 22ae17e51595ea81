"""What is said about the corpus that answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ats_core.cache.opened import OpenedCorpus
from ats_core.models import CorpusReport, FailedProject

_MOST_NAMED = 3


def corpus_report(opened: OpenedCorpus, now: float, *, from_cache: bool, stale: bool) -> CorpusReport:
    """The report on a corpus, at `now` (seconds since the epoch)."""
    header = opened.header
    return CorpusReport(
        adapter=header.adapter,
        demo=header.demo,
        size=len(opened.corpus),
        from_cache=from_cache,
        age_ms=max(0.0, (now - header.fetched_at) * 1000),
        stale=stale or any(project.kept for project in header.failed),
        sources_failed=header.failed,
    )


def corpus_warnings(opened: OpenedCorpus, now: float) -> tuple[str, ...]:
    """What stays true of a corpus as long as it answers: the fetch's own warnings, and the projects that failed."""
    return (*opened.header.warnings, *_about(opened.header.failed, now), *opened.warnings)


def _about(failed: Iterable[FailedProject], now: float) -> Iterator[str]:
    """A line a project; one for all that failed in the same way where these are many, as under a rate limit."""
    alike: dict[tuple[str, str], list[str]] = {}
    for project in failed:
        if not project.id:
            yield f"{project.name} are missing: {project.error}"
            continue
        alike.setdefault((_state(project, now), project.error), []).append(project.name or project.id)
    for (state, error), names in alike.items():
        if len(names) > _MOST_NAMED:
            yield f"{len(names)} projects are {state}: {error} ({', '.join(names[:_MOST_NAMED])}, ...)"
        else:
            yield from (f"project {name} is {state}: {error}" for name in names)


def _state(project: FailedProject, now: float) -> str:
    if project.kept and project.as_of is not None:
        return f"as of {max(0.0, now - project.as_of) / 60:.0f} min ago"
    return "missing"
