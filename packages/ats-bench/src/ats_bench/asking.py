"""One question, asked by one method: the answer as a row of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

from ats_core.deadline import Deadline
from ats_core.engine import Engine
from ats_core.errors import AtsError
from ats_core.fanout import FanOut, Job, describe
from ats_core.models import FindResult, Hit, Task
from ats_core.plugins.boundary import as_candidate

from ats_bench.methods import Method
from ats_bench.questions import Question
from ats_bench.runs import First, Row

CANDIDATES = 20
"""How many the store's own search is asked for at least: as many as it gives in `find`."""


class Asker:
    """Asks one engine by one method. `task_of` gives the task of an id that the corpus has; `top` answers are kept."""

    def __init__(self, engine: Engine, method: Method, task_of: Callable[[str], Task | None], top: int) -> None:
        self._engine = engine
        self._method = method
        self._task_of = task_of
        self._top = top
        self._fanout = FanOut()

    @property
    def stuck(self) -> bool:
        """Whether something that was given up on still runs: a command then has to end by force."""
        return self._engine.stuck or self._fanout.stuck

    def ask(self, question: Question, repeat: int = 1) -> Row:
        """Ask `repeat` times; the first answer counts, and whether the others were the same."""
        rows, times = [], []
        for _ in range(repeat):
            started = time.perf_counter()
            rows.append(self._ask_once(question))
            times.append((time.perf_counter() - started) * 1000)
        first = rows[0]
        warnings = list(first.warnings)
        if any(row.ids != first.ids for row in rows):
            warnings.append("asked again, it gave another answer")
        return Row(
            question=first.question,
            method=first.method,
            ids=first.ids,
            scores=first.scores,
            confidence=first.confidence,
            reason=first.reason,
            degraded=any(row.degraded for row in rows),
            warnings=tuple(warnings),
            error=first.error,
            ms=tuple(times),
            first=first.first,
        )

    def _ask_once(self, question: Question) -> Row:
        try:
            if self._method.call == "native":
                return self._native(question)
            call = getattr(self._engine, self._method.call.replace("-", "_"))
            return self._row_of(question, call(question.question, limit=self._top))
        except AtsError as error:
            return self._failed(question, describe(error))

    def _row_of(self, question: Question, result: FindResult) -> Row:
        warnings = list(result.warnings)
        scores = _finite((hit.score for hit in result.hits), warnings)
        return Row(
            question=question.id,
            method=self._method.name,
            ids=tuple(hit.task.id for hit in result.hits),
            scores=scores,
            confidence=result.confidence.verdict,
            reason=result.confidence.reason,
            degraded=result.degraded,
            warnings=tuple(warnings),
            first=_first(result.hits[0]) if result.hits else None,
        )

    def _native(self, question: Question) -> Row:
        """The store's own search, cut to what `find` would take of it: tasks of the corpus, or given with the hit."""
        adapter, limit = self._engine.adapter, max(self._top, CANDIDATES)
        job = Job("native", lambda deadline: list(adapter.search_by_query(question.question, limit, deadline)))
        (outcome,) = self._fanout.run([job], Deadline(self._engine.settings.budget_ms / 1000))
        if outcome.value is None:
            return self._failed(question, outcome.error or outcome.status)
        kept: dict[str, tuple[float | None, Task]] = {}
        for candidate in map(as_candidate, outcome.value):
            task = self._task_of(candidate.id) or candidate.task
            if task is not None and task.status != "done":
                kept.setdefault(candidate.id, (candidate.score, task))
        best = list(kept.items())[: self._top]
        warnings: list[str] = []
        return Row(
            question=question.id,
            method=self._method.name,
            ids=tuple(task_id for task_id, _ in best),
            scores=_finite((score for _, (score, _) in best), warnings),
            warnings=tuple(warnings),
            first=First(title=best[0][1][1].title, sources=("native #1",)) if best else None,
        )

    def _failed(self, question: Question, error: str) -> Row:
        return Row(question=question.id, method=self._method.name, degraded=True, error=error)


def _first(hit: Hit) -> First:
    sources = [part.source if part.rank is None else f"{part.source} #{part.rank}" for part in hit.explain]
    return First(title=hit.task.title, sources=tuple(sources or hit.sources))


def _finite(scores: Iterable[float | None], warnings: list[str]) -> tuple[float | None, ...]:
    given = tuple(scores)
    finite = tuple(score if score is not None and math.isfinite(score) else None for score in given)
    odd = sum(score is not None for score in given) - sum(score is not None for score in finite)
    if odd:
        warnings.append(f"{odd} of {len(given)} scores are no finite numbers")
    return finite
