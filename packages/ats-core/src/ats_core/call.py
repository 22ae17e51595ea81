"""One call of the engine: what was asked, what is to be said about it, and its line in the usage log."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from ats_core.confidence import VERDICTS
from ats_core.errors import UsageError
from ats_core.filters import Filters
from ats_core.models import BranchReport
from ats_core.text.fold import clean
from ats_core.text.tokens import tokenize
from ats_core.usage_log import UsageLog


class Options(TypedDict, total=False):
    """What every retrieval call takes, all by keyword.

    `limit`: hits shown, default 5. `candidates`: how many a branch may give, default 20, never less than `limit`.
    `fresh`: refetch the corpus first. `cached`: answer from any copy of it and fetch nothing.

    Filters: `project` (id, name or the beginning of one), `tags` (all of them), `status` (`"open"`, the default,
    `"done"` or `"any"`; `include_completed` is the same as `"any"`), and dates: `due_before`, `due_after`,
    `modified_after` (see `text.dates.parse_bound`).

    `min_confidence`: below this verdict the answer is empty, and says so.
    """

    limit: int
    candidates: int
    fresh: bool
    cached: bool
    project: str | None
    tags: Sequence[str]
    status: str | None
    include_completed: bool
    due_before: str | None
    due_after: str | None
    modified_after: str | None
    min_confidence: str | None


class Asked(NamedTuple):
    """`Options` with their defaults filled in."""

    limit: int = 5
    candidates: int = 20
    fresh: bool = False
    cached: bool = False
    project: str | None = None
    tags: Sequence[str] = ()
    status: str | None = None
    include_completed: bool = False
    due_before: str | None = None
    due_after: str | None = None
    modified_after: str | None = None
    min_confidence: str | None = None

    @property
    def filters(self) -> Filters:
        return Filters(
            project=self.project,
            tags=tuple(self.tags),
            status=self.status or ("any" if self.include_completed else "open"),
            due_before=self.due_before,
            due_after=self.due_after,
            modified_after=self.modified_after,
        )

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Asked:
        """Check the options.

        :raises UsageError: a number below 1, or fresh and cached together.
        """
        asked = cls(**options)
        for name, number in (("limit", asked.limit), ("candidates", asked.candidates)):
            if number < 1:
                raise UsageError(f"{name} is {number}, expected at least 1")
        if asked.min_confidence not in (None, *VERDICTS):
            raise UsageError(f"min-confidence is {asked.min_confidence!r}, expected {', '.join(VERDICTS)}")
        asked.filters.check(datetime.now().astimezone())
        if asked.fresh and asked.cached:
            raise UsageError("fresh and cached exclude each other", hint="give one of them")
        return asked._replace(candidates=max(asked.candidates, asked.limit))


class Call:
    """A call under way. `warnings` gathers lines for people."""

    def __init__(self, tool: str, query: str, asked: Asked) -> None:
        self.tool = tool
        self.query = query
        self.asked = asked
        self.warnings: list[str] = []
        self._started = time.monotonic()
        self._logged: dict[str, Any] = {}

    @property
    def elapsed_ms(self) -> float:
        return (time.monotonic() - self._started) * 1000

    def answered(
        self,
        result_count: int,
        top_id: str | None,
        *,
        degraded: bool = False,
        branches: tuple[BranchReport, ...] = (),
    ) -> None:
        """Note what the log will say about the answer."""
        self._logged = {
            "result_count": result_count,
            "top_id": top_id,
            "degraded": degraded,
            "branches": branches,
        }

    @property
    def logged(self) -> Mapping[str, Any]:
        return self._logged


@contextmanager
def logged_call(
    log: UsageLog, tool: str, query: str, options: Mapping[str, Any], budget_ms: int | None
) -> Iterator[Call]:
    """A call that leaves one line in the log, however it ends; one with a wrong option never begins.

    :raises UsageError: the query is blank, or an option is wrong.
    """
    text = clean(query).strip()
    call = Call(tool, text, Asked.of(options))
    error: str | None = None
    try:
        if not text:
            raise UsageError("the query is blank", hint='try: ats find "what you remember of it"')
        yield call
    except BaseException as raised:
        error = clean(f"{type(raised).__name__}: {raised}" if str(raised) else type(raised).__name__)
        raise
    finally:
        log.write(
            tool,
            text,
            len(tokenize(text)),
            error=error,
            budget_ms=budget_ms,
            duration_ms=call.elapsed_ms,
            **call.logged,
        )
