"""The engine: a question in, ranked tasks with their provenance out. `Engine.find` is the product in one place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any, Unpack

from ats_core.answer import Ballots, make_hits, url_of
from ats_core.branches.title_match import NAME as NOTES_FIND
from ats_core.cache.fetch import fetch_with_completed
from ats_core.cache.freshness import Policy
from ats_core.cache.store import CorpusStore, Loaded
from ats_core.call import Call, Options, logged_call
from ats_core.confidence import VERDICTS, judge, judge_likeness
from ats_core.deadline import Deadline
from ats_core.dense_source import DenseSource
from ats_core.errors import AllBranchesFailedError, NotFoundError
from ats_core.evidence import evidence_for
from ats_core.fanout import FanOut, Job
from ats_core.filters import Selection
from ats_core.fusion import METHODS
from ats_core.fusion.fused import Contest, Fused, K
from ats_core.library import nearest_titles, resolve_project, resolve_task
from ats_core.maintenance import Maintenance
from ats_core.models import FindResult, Project, Task, TaskDraft, TaskPatch
from ats_core.opening import cache_scope, choose_adapter, open_adapter, open_plugins
from ats_core.plugins.adapter import Adapter, Plugin
from ats_core.plugins.discovery import TABLE, Broken, Catalogue
from ats_core.plugins.patience import Patience, note_path
from ats_core.retrieval.dense import dense_job, hybrid_job, similar_job
from ats_core.retrieval.foreign import custom_branches, custom_job, native_job
from ats_core.retrieval.lexical import id_job, keyword_job, notes_find_job, sparse_job
from ats_core.retrieval.question import Question
from ats_core.retrieval.signals import signals_of
from ats_core.retrieval.vote import Vote
from ats_core.settings import Settings, load_settings
from ats_core.text.analyser import Analyser
from ats_core.usage_log import UsageLog
from ats_core.why import Why, explain, not_in_corpus

if TYPE_CHECKING:
    from ats_core.links import Link

SIMILAR = "similar"

FEW_QUESTIONS = 2
"""After so many an engine counts as long-lived: what costs once and then helps is worth it."""

MOST_WORDS = 100_000
"""Words that a long-lived engine remembers the terms of, some 20 MB."""

SUGGESTION_LEAST = 60.0
"""How near a title must come to the query to be suggested where nothing matches, of 100."""


class Engine:
    """Retrieval over one adapter. Safe to use from several threads.

    Make one with `Engine.open()`; the constructor takes the parts that it puts together. `broken` are the plugins that
    could not be loaded, `state` is what is kept on disk.
    """

    def __init__(
        self,
        adapter: Adapter,
        settings: Settings,
        *,
        scope: str,
        plugins: Sequence[Plugin] = (),
        broken: Sequence[Broken] = (),
        on_fetch: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.adapter = adapter
        self.settings = settings
        self.broken = tuple(broken)
        self._plugins = tuple(plugins)
        self._fanout = FanOut()
        self._known_words: Analyser | None = None
        self._asked = 0
        self._log = UsageLog(None if settings.usage_disable else settings.usage_log)
        self._dense = DenseSource(adapter, self._plugins, settings, scope)
        policy = Policy(
            path=None if settings.corpus_cache_disable else settings.corpus_cache,
            time_to_live=settings.corpus_ttl_ms / 1000,
            fetch_timeout=settings.fetch_timeout_ms / 1000,
        )
        self._open_store = CorpusStore(adapter, scope, policy, self._analyser, on_fetch=on_fetch)
        self._stores = [self._open_store]
        if adapter.has("list_completed_tasks"):
            self._stores.append(
                CorpusStore(
                    adapter, f"{scope}\0completed", policy, self._analyser, fetch_with_completed, on_fetch=on_fetch
                )
            )
        self._full_store = self._stores[-1]
        self.state = Maintenance(settings, scope, self._stores, self._dense)

    @classmethod
    def open(
        cls,
        environ: Mapping[str, str] | None = None,
        adapter: str | None = None,
        flags: Mapping[str, Any] | None = None,
        on_fetch: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> Engine:
        """An engine for this environment. Touches no network.

        :param environ: environment variables; default: the process' own.
        :param adapter: its name, before what environment and configuration say.
        :param flags: settings of this call, by key (see `ats_core.settings.OPTIONS`).
        :param on_fetch: gives the context in which each fetch of the corpus runs, to show that it takes its time.
        :raises ConfigError: a setting is wrong, or the adapter cannot be loaded.
        """
        environ = os.environ if environ is None else environ
        settings = load_settings(environ, {**(flags or {}), "adapter": adapter})
        catalogue = Catalogue.kept(settings.config_dir / TABLE)
        opened, config = open_adapter(choose_adapter(catalogue, settings.adapter), settings, environ)
        plugins, broken = open_plugins(catalogue, settings.plugins, Patience(note_path(settings.config_dir)))
        return cls(
            opened,
            settings,
            scope=cache_scope(opened, config),
            plugins=plugins,
            broken=broken,
            on_fetch=on_fetch,
        )

    def find(self, query: str, **options: Unpack[Options]) -> FindResult:
        """Ask all branches at once and fuse them as `fusion` is set: the call to use unless you know better.

        :raises UsageError: the query is blank.
        :raises StoreError: there is no corpus (`LoginRequiredError`: for want of a login).
        :raises AllBranchesFailedError: no branch answered in time.
        """
        with self._call("find", query, options) as call:
            corpus = self._corpus(call)
            question = self._question(call, corpus)
            ballots = Ballots(self._fanout.run(self._branches(question, call), self._deadline()))
            fused = self._fuse(question, ballots)
            return self._answer(call, corpus, question, ballots, fused, fusion=self.settings.fusion)

    def _branches(self, question: Question, call: Call) -> list[Job[Vote]]:
        """The branches of `find`, in branch order."""
        jobs = [self._hybrid_or_sparse(question), keyword_job(question)]
        if self.adapter.has("search_by_query"):
            jobs.append(native_job(question, self.adapter))
        custom = custom_branches((self.adapter, *self._plugins), call.warnings)
        jobs += [custom_job(question, branch) for branch in custom]
        return jobs if question.exact_id is None else [*jobs, id_job(question)]

    def why(self, query: str, reference: str, **options: Unpack[Options]) -> Why:
        """Why a task does or does not show in `find` for a query. Not logged.

        :param reference: the task's id, the unique beginning of it, or its exact title.
        :raises UsageError: the query is blank, or several tasks fit the reference.
        """
        with logged_call(UsageLog(None), "why", query, options, None) as call:
            corpus = self._corpus(call)
            limit = call.asked.limit
            question, whole = self._question(call, corpus), self._question(call, corpus, candidates=corpus.report.size)
            ballots, deep = (
                Ballots(self._fanout.run(self._branches(asked, call), self._deadline())) for asked in (question, whole)
            )
            try:
                task = resolve_task(corpus.opened, reference)
            except NotFoundError as error:
                carried = ballots.task(reference.strip())
                if carried is None:
                    return not_in_corpus(call.query, reference, limit, corpus.report, error.nearest)
                task = carried
            return explain(
                task,
                question,
                ballots=ballots,
                ranking=self._fuse(question, ballots),
                deep=deep,
                corpus=corpus.report,
                reference=reference,
                limit=limit,
                warnings=(*corpus.warnings, *call.warnings, *question.warnings),
            )

    def hybrid(self, query: str, **options: Unpack[Options]) -> FindResult:
        """Dense and sparse, fused; sparse alone where there are no vectors."""
        return self._ask_one("hybrid", query, options, self._hybrid_or_sparse)

    def semantic(self, query: str, **options: Unpack[Options]) -> FindResult:
        """Dense alone.

        :raises NoEmbedderError: nothing here computes vectors.
        """

        def job(question: Question) -> Job[Vote]:
            return dense_job(question, self._dense.need(question.opened))

        return self._ask_one("semantic", query, options, job)

    def sparse(self, query: str, **options: Unpack[Options]) -> FindResult:
        """Exact tokens, weighted by rarity."""
        return self._ask_one("sparse", query, options, sparse_job)

    def keyword(self, query: str, **options: Unpack[Options]) -> FindResult:
        """The query as a literal substring."""
        return self._ask_one("keyword", query, options, keyword_job)

    def notes_find(self, query: str, **options: Unpack[Options]) -> FindResult:
        """Titles of notes: the adapter's own branch of this name where it has one, else core's title match."""

        def job(question: Question) -> Job[Vote]:
            own = [branch for branch in custom_branches([self.adapter], []) if branch.name == NOTES_FIND]
            return custom_job(question, own[0]) if own else notes_find_job(question)

        return self._ask_one(NOTES_FIND, query, options, job)

    def similar(self, task_id: str, **options: Unpack[Options]) -> FindResult:
        """The tasks most like a known one, by vector; the task itself is left out.

        :param task_id: its id, the unique beginning of it, or its exact title.
        :raises NotFoundError: no such task; `nearest` holds the closest titles.
        :raises NoEmbedderError: nothing here computes vectors.
        """

        def job(question: Question) -> Job[Vote]:
            seed = resolve_task(question.opened, task_id)
            return similar_job(question, seed, self._dense.need(question.opened))

        return self._ask_one(SIMILAR, task_id, options, job)

    def get(self, reference: str, *, tool: str = "get") -> Task:
        """One task by id, unique beginning of an id, or exact title.

        :param tool: what the usage log is to call it: `"get"`, `"url"` or `"open"`.
        :raises NotFoundError: none fits; `nearest` holds the closest titles.
        :raises UsageError: several fit; the message lists them.
        """
        with self._call(tool, reference, {"include_completed": True}) as call:
            task = resolve_task(self._corpus(call).opened, reference)
            call.answered(1, task.id)
            return task

    def resolve(self, reference: str) -> Task:
        """As `get`, for a call whose purpose is another one: it is not logged."""
        return resolve_task(self.corpus(include_completed=True).opened, reference)

    def links(self, reference: str) -> tuple[Task, list[Link]]:
        """A task, found as `get` finds it, and what its text points to. Not logged."""
        from ats_core.links import links_in

        opened = self.corpus(include_completed=True).opened
        task = resolve_task(opened, reference)
        return task, links_in(task, opened)

    def corpus(self, *, include_completed: bool = False) -> Loaded:
        """All tasks with their index, and the report on where they came from; cached as for a search. Not logged.

        :param include_completed: also the done tasks that the normal listing lacks.
        :raises StoreError: there is no corpus (`LoginRequiredError`: for want of a login).
        """
        return (self._full_store if include_completed else self._open_store).load()

    def url(self, task: Task) -> str | None:
        """The address that opens a task, None where the adapter cannot make one."""
        return url_of(self.adapter, task)

    def projects(self) -> list[Project]:
        """All projects, in the store's order."""
        return self.adapter.list_projects()

    def tasks(self, project: str) -> list[Task]:
        """The tasks of one project, as the store has them now.

        :param project: id, exact name, or unique beginning of a name.
        """
        return self.adapter.list_tasks_in_project(resolve_project(self.projects(), project).id)

    def create(self, draft: TaskDraft) -> Task:
        """Create a task in the store; the next search finds it.

        :raises ReadOnlyAdapterError: the adapter has no writes.
        """
        task = self.adapter.create_task(draft)
        self._take_over(task)
        return task

    def update(self, reference: str, patch: TaskPatch) -> Task:
        """Change what `patch` sets of one task, found as `get` finds it; the next search sees the change.

        :raises ReadOnlyAdapterError: the adapter has no writes.
        """
        task = self.resolve(reference)
        changed = self.adapter.update_task(task.project_id, task.id, patch)
        self._take_over(changed)
        return changed

    def _take_over(self, task: Task) -> None:
        for store in self._stores:
            store.written(task)

    @property
    def stuck(self) -> bool:
        """Whether a branch or a fetch that was given up on still runs: a command then ends by `os._exit`."""
        return self._fanout.stuck or any(store.stuck for store in self._stores)

    def _ask_one(
        self, mode: str, query: str, options: Options, make_job: Callable[[Question], Job[Vote]]
    ) -> FindResult:
        """A call of one branch, whose own ranking and scores are the answer."""
        with self._call(mode, query, options) as call:
            corpus = self._corpus(call)
            question = self._question(call, corpus)
            jobs = [make_job(question)]
            if question.exact_id is not None and mode != SIMILAR:
                jobs.insert(0, id_job(question))
            ballots = Ballots(self._fanout.run(jobs, self._deadline()))
            return self._answer(call, corpus, question, ballots, ballots.own_scores(), fusion="none")

    def _hybrid_or_sparse(self, question: Question) -> Job[Vote]:
        source = self._dense.choose(question.opened)
        return sparse_job(question) if source is None else hybrid_job(question, source, self._fanout)

    def _fuse(self, question: Question, ballots: Ballots) -> list[Fused]:
        weight = self._dense.weight
        contest = Contest(
            ballots.rankings(),
            question.tie_break,
            pinned=question.pinned,
            exact_id=question.exact_id,
            signals=lambda: signals_of(question, ballots.votes, weight),
        )
        return METHODS[self.settings.fusion](contest)

    def _call(self, tool: str, query: str, options: Options) -> AbstractContextManager[Call]:
        return logged_call(self._log, tool, query, options, self.settings.budget_ms)

    def _corpus(self, call: Call) -> Loaded:
        asked = call.asked
        store = self._full_store if asked.filters.wants_completed else self._open_store
        return store.load(fresh=asked.fresh, cached=asked.cached)

    def _question(self, call: Call, corpus: Loaded, candidates: int | None = None) -> Question:
        selection = Selection(call.asked.filters, corpus.opened, datetime.now().astimezone())
        self._asked += 1
        return Question(
            call.query,
            corpus.opened,
            self._query_analyser(),
            selection=selection,
            candidates=candidates or call.asked.candidates,
            one_of_many=self._asked > FEW_QUESTIONS,
        )

    def _deadline(self) -> Deadline:
        return Deadline(self.settings.budget_ms / 1000)

    def _query_analyser(self) -> Analyser:
        """One for all questions, so that a word is stemmed once."""
        analyser = self._known_words
        if analyser is None or analyser.size > MOST_WORDS:
            analyser = self._known_words = self._analyser()
        return analyser

    def _analyser(self) -> Analyser:
        return Analyser(self.settings.language)

    def _answer(
        self,
        call: Call,
        corpus: Loaded,
        question: Question,
        ballots: Ballots,
        ranking: Sequence[Fused],
        *,
        fusion: str,
    ) -> FindResult:
        reports = ballots.reports
        troubled = [report for report in reports if report.status != "ok"]
        if not any(report.ok for report in reports):
            call.answered(0, None, degraded=True, branches=reports)
            reasons = "; ".join(f"{report.name}: {report.error}" for report in troubled)
            raise AllBranchesFailedError(f"no branch answered: {reasons}", hint="try again, or raise --budget-ms")
        degraded = bool(troubled or corpus.report.stale or corpus.report.sources_failed)
        hits = make_hits(ranking[: call.asked.limit], ballots, question, self.adapter)
        evidence = evidence_for(hits[0], question, ballots.votes) if hits else None
        confidence = (judge_likeness if call.tool == SIMILAR else judge)(evidence, degraded=degraded)
        suggestions = () if hits else _suggestions(question)
        if VERDICTS.index(confidence.verdict) < VERDICTS.index(call.asked.min_confidence or "none"):
            hits = []
        call.answered(len(hits), hits[0].task.id if hits else None, degraded=degraded, branches=reports)
        return FindResult(
            query=call.query,
            mode=call.tool,
            limit=call.asked.limit,
            elapsed_ms=call.elapsed_ms,
            fusion=fusion,
            k=K,
            degraded=degraded,
            warnings=(
                *corpus.warnings,
                *call.warnings,
                *question.warnings,
                *(f"{report.name} {report.status}: {report.error}" for report in troubled),
            ),
            confidence=confidence,
            corpus=corpus.report,
            branches=reports,
            hits=tuple(hits),
            suggestions=suggestions,
        )


def _suggestions(question: Question) -> tuple[str, ...]:
    """Titles near the query, of tasks that the filters would let through."""
    return nearest_titles(question.opened, question.text, least=SUGGESTION_LEAST, scope=question.scope)
