"""What is said about the corpus that answered."""

from __future__ import annotations

from ats_core.cache.opened import OpenedCorpus
from ats_core.models import CorpusReport, FailedProject


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
    failed = (_about(project, now) for project in opened.header.failed)
    return (*opened.header.warnings, *failed, *opened.warnings)


def _about(project: FailedProject, now: float) -> str:
    name = project.name or project.id
    if project.kept and project.as_of is not None:
        return f"project {name} is as of {max(0.0, now - project.as_of) / 60:.0f} min ago: {project.error}"
    return f"project {name} is missing: {project.error}"
