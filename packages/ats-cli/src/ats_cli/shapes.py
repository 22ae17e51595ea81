"""Results as JSON documents: the shapes of `--json`. One place, since programs rely on them."""

from typing import Any

from ats_core.cache.inventory import CopyStatus
from ats_core.maintenance import CacheStatus
from ats_core.models import (
    BranchReport,
    Contribution,
    CorpusReport,
    FailedProject,
    FindResult,
    Hit,
    Project,
    Task,
    WithinExplain,
)
from ats_core.why import Why

from ats_cli.copies import own_copy


def result(found: FindResult, *, content: bool = False, explain: bool = False) -> dict[str, Any]:
    """The answer to `find` and the other retrieval commands."""
    return {
        "query": found.query,
        "mode": found.mode,
        "count": len(found.hits),
        "limit": found.limit,
        "elapsedMs": found.elapsed_ms,
        "fusion": found.fusion,
        "k": found.k,
        "degraded": found.degraded,
        "warnings": list(found.warnings),
        "confidence": {"verdict": found.confidence.verdict, "reason": found.confidence.reason},
        "corpus": corpus(found.corpus),
        "branches": [branch(report) for report in found.branches],
        "tasks": [hit(one, content=content, explain=explain) for one in found.hits],
        "suggestions": list(found.suggestions),
    }


def hit(one: Hit, *, content: bool = False, explain: bool = False) -> dict[str, Any]:
    """One entry of `tasks`."""
    shape = task(one.task, url=one.url) | {
        "snippet": one.snippet.text,
        "snippetMarks": [list(mark) for mark in one.snippet.marks],
        "score": one.score,
        "sources": list(one.sources),
    }
    if content:
        shape["content"] = one.task.content
    if explain:
        shape["explain"] = [contribution(share) for share in one.explain]
    return shape


def task(one: Task, *, url: str | None) -> dict[str, Any]:
    """A task without its body."""
    return {
        "id": one.id,
        "title": one.title,
        "projectId": one.project_id,
        "projectName": one.project_name,
        "tags": list(one.tags),
        "dueDate": one.due_date,
        "modifiedTime": one.modified_time,
        "status": one.status,
        "url": url,
    }


def project(one: Project) -> dict[str, Any]:
    """One entry of `projects`."""
    return {"id": one.id, "name": one.name, "kind": one.kind}


def contribution(share: Contribution) -> dict[str, Any]:
    """What one branch added; the contributions of a hit sum to its score."""
    return {
        "source": share.source,
        "rank": share.rank,
        "score": share.score,
        "contribution": share.contribution,
        "within": [_part(part) for part in share.within],
    }


def _part(one: WithinExplain) -> dict[str, Any]:
    """One inner ranker; its `contribution` only where the fusion method adds inner scores."""
    shape = {"source": one.source, "rank": one.rank, "score": one.score}
    return shape if one.contribution is None else shape | {"contribution": one.contribution}


def why(story: Why, *, url: str | None) -> dict[str, Any]:
    """The story of one task and one query; `task` is None where it is not in the corpus.

    :param url: the task's.
    """
    return {
        "query": story.query,
        "reference": story.reference,
        "outcome": story.outcome,
        "limit": story.limit,
        "task": story.task and task(story.task, url=url),
        "place": story.place,
        "score": story.score,
        "fused": story.fused,
        "covered": story.covered,
        "filters": list(story.filters),
        "branches": [
            {
                "name": place.name,
                "status": place.status,
                "rank": place.rank,
                "score": place.score,
                "cut": place.cut,
                "voted": place.voted,
                "error": place.error,
            }
            for place in story.branches
        ],
        "terms": [
            {"term": match.term, "idf": match.idf, "tasks": match.tasks, "held": match.held} for match in story.terms
        ],
        "hint": story.hint,
        "corpus": corpus(story.corpus),
    }


def branch(report: BranchReport) -> dict[str, Any]:
    """How one branch did."""
    return {
        "name": report.name,
        "ok": report.ok,
        "status": report.status,
        "count": report.count,
        "elapsedMs": report.elapsed_ms,
        "error": report.error,
        "dropped": report.dropped,
    }


def corpus(report: CorpusReport) -> dict[str, Any]:
    """Which corpus answered."""
    return {
        "adapter": report.adapter,
        "demo": report.demo,
        "size": report.size,
        "fromCache": report.from_cache,
        "ageMs": report.age_ms,
        "stale": report.stale,
        "sourcesFailed": [_failed(project) for project in report.sources_failed],
    }


def cache(status: CacheStatus, now: float) -> dict[str, Any]:
    """What is kept on disk. `copy` is that of the adapter and account asked, None where there is none.

    :param now: the time, in seconds since the epoch.
    """
    own = own_copy(status)
    return {
        "adapter": status.adapter,
        "scope": status.scope,
        "path": None if status.path is None else str(status.path),
        "outlook": status.outlook,
        "copy": None if own is None else _copy(own, now),
        "otherCopies": [_copy(copy, now) for copy in status.copies if copy is not own],
        "vectors": [
            {
                "space": space.space,
                "vectors": space.vectors,
                "files": space.files,
                "size": space.size,
                "damaged": space.damaged,
            }
            for space in status.vectors
        ],
    }


def _copy(one: CopyStatus, now: float) -> dict[str, Any]:
    header = one.header
    return {
        "path": str(one.path),
        "problem": one.problem,
        "size": one.size,
        "indexSize": one.index_size,
        "adapter": header and header.adapter,
        "scope": header and header.scope,
        "tasks": header and header.count,
        "fetchedAt": header and header.fetched_at,
        "ageMs": header and max(0.0, (now - header.fetched_at) * 1000),
        "demo": header and header.demo,
        "sourcesFailed": [_failed(project) for project in header.failed] if header else [],
    }


def _failed(one: FailedProject) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "error": one.error,
        "retryAfter": one.retry_after,
        "kept": one.kept,
        "asOf": one.as_of,
    }
