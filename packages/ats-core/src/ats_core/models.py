"""The values that travel between store, engine and reader.

Frozen, keyword-only structs. Python names are snake_case; JSON carries camelCase, as the files on disk and the
output of `--json` do. Ids are strings. Times are ISO 8601 strings, as the store gave them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Self, TypeAlias

import msgspec

UNSET: Final = msgspec.UNSET
"""The value of a field of a `TaskPatch` that leaves the task's as it is; None clears it."""


class Model(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all models: immutable, keyword-only, camelCase in JSON."""


class Project(Model, frozen=True, kw_only=True):
    """A list, folder or notebook of the store. `kind` is `"tasks"` or `"notes"`; `raw` is the store's own record."""

    id: str
    name: str
    kind: str = "tasks"
    raw: Mapping[str, Any] = {}


class Task(Model, frozen=True, kw_only=True):
    """A task or a note: the unit that is searched, ranked and shown.

    `content` is the body, all of its searchable text. `status` is `"open"` or `"done"`. `raw` is the store's own
    record, kept for `ats get --extract raw` and never searched.
    """

    id: str
    title: str
    content: str = ""
    project_id: str = ""
    project_name: str = ""
    tags: tuple[str, ...] = ()
    due_date: str | None = None
    modified_time: str | None = None
    status: str = "open"
    raw: Mapping[str, Any] = {}


class TaskDraft(Model, frozen=True, kw_only=True):
    """What `create_task` is given. `project_id` None means the store's default project (an inbox)."""

    title: str
    content: str = ""
    project_id: str | None = None
    tags: tuple[str, ...] = ()
    due_date: str | None = None


class TaskPatch(Model, frozen=True, kw_only=True):
    """What `update_task` is given. A field that is UNSET stays as it is; None clears it."""

    title: str | msgspec.UnsetType = msgspec.UNSET
    content: str | msgspec.UnsetType | None = msgspec.UNSET
    project_id: str | msgspec.UnsetType = msgspec.UNSET
    tags: tuple[str, ...] | msgspec.UnsetType | None = msgspec.UNSET
    due_date: str | msgspec.UnsetType | None = msgspec.UNSET
    status: str | msgspec.UnsetType = msgspec.UNSET


class FailedProject(Model, frozen=True, kw_only=True):
    """A project whose tasks could not be fetched: id, name where known, one line that says why.

    An empty `id` stands for what is no project and is missing all the same, and `name` says what it is ("completed
    tasks"): there is nothing to be asked for alone, so all is fetched again.

    `retry_after` is in seconds, where the store said when to come back. Core fills in the rest: `kept` tasks of an
    older copy stand in for it, fetched at `as_of` (seconds since the epoch).
    """

    id: str
    name: str = ""
    error: str = ""
    retry_after: float | None = None
    kept: int = 0
    as_of: float | None = None


class Fetched(Model, frozen=True, kw_only=True):
    """What `bulk_fetch` may return instead of bare tasks: the tasks, and the projects that failed.

    `projects` spares core a `list_projects` call where the tasks carry no project names.
    """

    tasks: Sequence[Task]
    failed: Sequence[FailedProject] = ()
    projects: Sequence[Project] = ()


class Standing(Model, frozen=True, kw_only=True):
    """A candidate's place in one inner ranker: `rank` from 1 (None: not ranked), `score` as that ranker gives it."""

    rank: int | None = None
    score: float | None = None


class Candidate(Model, frozen=True, kw_only=True):
    """One entry of a ranking.

    `task` is given for what may lie outside the corpus (a completed task that native search knows). `within` maps an
    inner ranker's name (`"dense"`, `"sparse"`) to the candidate's standing there: a `Standing`, or a pair
    `(rank, score)`. `passage` is the part of its text that earned the place, where the ranker knows: the snippet is cut
    from it.
    """

    id: str
    score: float | None = None
    task: Task | None = None
    within: Mapping[str, Standing | tuple[int | None, float | None]] | None = None
    passage: str | None = None


class TaskScope(frozenset[str]):
    """The ids of the tasks that a ranking may hold.

    `projects` holds the ids of their projects where the scope is all that these hold, else None: a server of vectors
    filters by a few projects at less cost than by thousands of tasks.
    """

    projects: frozenset[str] | None

    def __new__(cls, ids: Iterable[str] = (), projects: Iterable[str] | None = None) -> Self:
        scope = super().__new__(cls, ids)
        scope.projects = None if projects is None else frozenset(projects)
        return scope


Ranking: TypeAlias = Sequence[Candidate | Task]
"""Best first. A plain `Task` stands for a candidate about which there is no more to say."""


class WithinExplain(Model, frozen=True, kw_only=True):
    """Where an inner ranker of a branch had the hit, and what it added, where the fusion method adds inner scores."""

    source: str
    rank: int | None
    score: float | None = None
    contribution: float | None = None


class Contribution(Model, frozen=True, kw_only=True):
    """What one branch added to a hit's score; a hit's contributions sum to its score.

    `score` is the branch's own score, not comparable between branches.
    """

    source: str
    rank: int | None
    contribution: float
    score: float | None = None
    within: tuple[WithinExplain, ...] = ()


class Snippet(Model, frozen=True, kw_only=True):
    """A passage of a task's body around the match. `marks` are (start, end) offsets into `text`, in code points."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Hit(Model, frozen=True, kw_only=True):
    """One answer, best first in `FindResult.hits`. `sources` are the branches that surfaced it, in branch order."""

    task: Task
    score: float
    sources: tuple[str, ...]
    explain: tuple[Contribution, ...]
    url: str | None = None
    snippet: Snippet = Snippet(text="")


class BranchReport(Model, frozen=True, kw_only=True):
    """How one branch did.

    `status` is `"ok"`, `"degraded"` (it answered with less than it should, `error` says why), `"failed"`,
    `"timed out"` or `"still running"` (stuck since an earlier call, so not started again). `ok` is true for the
    first two: it voted. `count` is the number of candidates it voted with; `dropped` those that were left out,
    because no such task is in the corpus or because a filter excludes them.
    """

    name: str
    status: str
    count: int = 0
    elapsed_ms: float = 0.0
    error: str | None = None
    dropped: int = 0

    @property
    def ok(self) -> bool:
        return self.status in ("ok", "degraded")


class Confidence(Model, frozen=True, kw_only=True):
    """`verdict` is `"strong"`, `"moderate"`, `"weak"` or `"none"`; `reason` says why in plain words."""

    verdict: str
    reason: str


class CorpusReport(Model, frozen=True, kw_only=True):
    """Which corpus answered. `age_ms` counts from the start of the fetch; `sources_failed` names projects."""

    adapter: str
    size: int
    demo: bool = False
    from_cache: bool = False
    age_ms: float = 0.0
    stale: bool = False
    sources_failed: tuple[FailedProject, ...] = ()


class FindResult(Model, frozen=True, kw_only=True):
    """The answer to one retrieval call. `mode` is the call's name (`"find"`, `"sparse"`, ...).

    `suggestions` are titles that come near the query where nothing matches; they are no hits.
    """

    query: str
    mode: str
    limit: int
    elapsed_ms: float
    fusion: str
    k: int
    degraded: bool
    warnings: tuple[str, ...]
    confidence: Confidence
    corpus: CorpusReport
    branches: tuple[BranchReport, ...]
    hits: tuple[Hit, ...]
    suggestions: tuple[str, ...] = ()
