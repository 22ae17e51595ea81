"""A right adapter passes every check, and each wrong one is found by the check that is there for it."""

from __future__ import annotations

import ctypes
import itertools
import logging
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pytest
from ats_core import (
    AdapterConfig,
    AuthStatus,
    Branch,
    Candidate,
    ConfigError,
    Corpus,
    Deadline,
    EmbeddingError,
    Fetched,
    LoginRequiredError,
    NotFoundError,
    Project,
    Secret,
    Setting,
    StoreError,
    StoreTimeoutError,
    Task,
    TaskDraft,
    TaskPatch,
    TaskScope,
    hookimpl,
)
from ats_core.conformance import CHECKS, RULES, CheckResult, Subject, run_check, run_checks
from msgspec import UNSET

TOKEN = "s3cret-token-of-anna"
PROJECTS = [Project(id="p", name="Errands"), Project(id="q", name="Work")]
TASKS = [
    Task(
        id="a1", title="Renew passport", content="Two photos.", project_id="p", tags=("travel",), due_date="2026-05-29"
    ),
    Task(id="a2", title="Buy milk", content="And bread.", project_id="p"),
    Task(id="b1", title="Roll back a release", content="Use the tag.", project_id="q"),
    Task(id="b2", title="Passport photos", project_id="q", status="done"),
]
OLD = Task(id="c1", title="Old visa form", project_id="q", status="done")


class Store:
    """What the service holds. Adapters of one subject share it."""

    def __init__(self) -> None:
        self.tasks = {task.id: task for task in TASKS}
        self.ids = itertools.count(1)
        self.writes = 0


class Service(socketserver.ThreadingTCPServer):
    """Answers every connection with one byte: it is there."""

    allow_reuse_address, daemon_threads = True, True

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(b"!")

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Right:
    """An adapter with every capability, that keeps the whole contract."""

    def __init__(self, config: AdapterConfig) -> None:
        self._store: Store | None = config.settings.get("store")
        self._url = config.environ.get("RIGHT_URL", "127.0.0.1:9")
        token = config.environ.get("RIGHT_TOKEN")
        self._token = None if token is None else Secret(token)

    def _ask(self, deadline: Deadline) -> Store:
        if self._store is None:
            raise ConfigError("no store is set", hint="set store")
        if self._token is None:
            raise LoginRequiredError("no token is set", hint="set RIGHT_TOKEN")
        if not self._token.value.isprintable():
            raise ConfigError("RIGHT_TOKEN is not usable, expected printable text")
        host, _, port = self._url.rpartition("/")[2].partition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=deadline.remaining() or 1e-6) as connection:
                connection.settimeout(deadline.remaining() or 1e-6)
                connection.recv(1)
        except TimeoutError as error:
            raise StoreTimeoutError("the service did not answer in time") from error
        except OSError as error:
            raise StoreError(f"the service cannot be reached: {error.strerror}") from error
        return self._store

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        self._ask(Deadline(5))
        return PROJECTS

    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return [task for task in self._ask(Deadline(5)).tasks.values() if task.project_id == project_id]

    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        task = self._ask(Deadline(5)).tasks.get(task_id)
        return task if task is not None and task.project_id == project_id else None

    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"https://right.example/{project_id}/{task_id}"

    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        store = self._ask(Deadline(5))
        fields = {name: getattr(draft, name) for name in ("title", "content", "tags", "due_date")}
        return self._put(store, Task(id=f"n{next(store.ids)}", project_id=draft.project_id or "p", **fields))

    @hookimpl
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        store = self._ask(Deadline(5))
        task = store.tasks.get(task_id)
        if task is None:
            raise NotFoundError(f"no task {task_id!r}")
        return self._put(store, msgspec.structs.replace(task, **self._changes(patch)))

    def _changes(self, patch: TaskPatch) -> dict[str, Any]:
        empty: dict[str, Any] = {"content": "", "tags": ()}
        fields = {name: getattr(patch, name) for name in patch.__struct_fields__}
        return {
            name: empty.get(name) if value is None else value for name, value in fields.items() if value is not UNSET
        }

    def _put(self, store: Store, task: Task) -> Task:
        store.tasks[task.id] = task
        store.writes += 1
        return task

    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Sequence[Task] | Fetched:
        tasks = self._ask(deadline).tasks.values()
        return [task for project in PROJECTS for task in tasks if task.project_id == project.id]

    @hookimpl
    def list_completed_tasks(self, since: str, deadline: Deadline) -> Sequence[Task]:
        self._ask(deadline)
        return [OLD]

    @hookimpl
    def revision(self) -> str | None:
        return None if self._store is None else str(self._store.writes)

    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        rows = [[text.casefold().count(letter) + 0.01 * len(text) for letter in "aeiounrstlbc"] for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), 12)

    @hookimpl
    def embedding_space(self) -> str | None:
        return "letters:12"

    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        found = [*self._ask(deadline).tasks.values(), OLD]
        return [task for task in found if query.casefold() in task.title.casefold()][:limit]

    @hookimpl
    def branches(self) -> Sequence[Branch] | None:
        return [Branch("titles", self._rank)]

    def _rank(self, query: str, corpus: Corpus, deadline: Deadline) -> Any:
        return [Candidate(id=task.id, score=1.0) for task in corpus if query.casefold() in task.title.casefold()]

    @hookimpl
    def hybrid_backend(self) -> Any:
        return Backend(self)

    @hookimpl
    def auth_status(self) -> AuthStatus:
        if self._token is None:
            return AuthStatus(ok=False, message="not logged in")
        return AuthStatus(ok=True, message="a token is set")

    @hookimpl
    def cache_scope(self) -> str | None:
        return "right.example:anna"

    @hookimpl
    def settings(self) -> Sequence[Setting]:
        return [
            Setting(key="url", env="RIGHT_URL", help="where it is"),
            Setting(key="token", env="RIGHT_TOKEN", secret=True, help="the key to it"),
        ]


class Backend:
    """Dense alone, by letters in common."""

    dense_only = True

    def __init__(self, adapter: Right) -> None:
        self._adapter = adapter

    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Any:
        tasks = self._adapter._ask(deadline).tasks.values()
        ranked = [
            (len(set(query) & set(task.title)) / 40, task.id) for task in tasks if scope is None or task.id in scope
        ]
        return [Candidate(id=task_id, score=score) for score, task_id in sorted(ranked, reverse=True)[:limit]]

    def similar(self, task: Task, limit: int, scope: TaskScope | None, deadline: Deadline) -> Any:
        found = self.search(task.title, limit + 1, "dense", scope, deadline)
        return [candidate for candidate in found if candidate.id != task.id][:limit]

    def sync(self, corpus: Corpus, progress: Callable[[int, int], None]) -> Any:
        return {}

    def status(self) -> Any:
        return {"points": 4}


class BareHybrid(Backend):
    """Of the other kind: it ranks by words too, and gives no cosines."""

    dense_only = False

    def search(self, *asked: Any) -> Any:
        return [Candidate(id=candidate.id) for candidate in super().search(*asked)]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with Service() as server:
        yield server
        server.shutdown()


Make = Callable[..., Subject]


@pytest.fixture
def subject(service: Service) -> Make:
    """`subject(adapter class, **options)`: with a token and the address of the service."""

    def make(adapter: Callable[[AdapterConfig], object], **options: Any) -> Subject:
        environ = {"RIGHT_URL": f"http://127.0.0.1:{service.server_address[1]}", "RIGHT_TOKEN": TOKEN}
        return Subject(adapter, settings={"store": Store()}, environ=environ, **{"write": True} | options)

    return make


def faults(results: Sequence[CheckResult]) -> list[str]:
    return [str(finding) for result in results for finding in result.findings]


def test_a_right_adapter_passes_every_check(subject: Make) -> None:
    results = run_checks(subject(Right))
    assert faults(results) == []
    skipped = {result.check: result.reason for result in results if result.status == "skipped"}
    assert skipped == {
        "broken_files_give_our_errors": "no setting names a file",
        "commands_are_a_typer_app": "no commands",
    }


def test_a_right_backend_of_the_other_kind_passes_too(subject: Make) -> None:
    class Rich(Right):
        @hookimpl
        def hybrid_backend(self) -> Any:
            return BareHybrid(self)

    assert faults(run_checks(subject(Rich), levels=["capabilities"])) == []


class Mutant(NamedTuple):
    """A wrong adapter, the check that finds it, and the sentence that it breaks."""

    adapter: type[Right]
    check: str
    anchor: str
    options: dict[str, Any]


MUTANTS: list[Mutant] = []


def mutant(check: str, anchor: str, **options: Any) -> Callable[[type[Right]], type[Right]]:
    """Register a class as a mutant; `options` go to its subject."""

    def register(adapter: type[Right]) -> type[Right]:
        MUTANTS.append(Mutant(adapter, check, anchor, options))
        return adapter

    return register


@mutant("hooks_are_registered", "required")
class LacksGetTask(Right):
    get_task = None


@mutant("hooks_are_registered", "marked")
class MisspellsAHook(Right):
    @hookimpl
    def serach_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        return []


@mutant("hooks_are_registered", "marked")
class GivesAnArgumentADefault(Right):
    @hookimpl
    def get_task(self, project_id: str, task_id: str = "") -> Task | None:
        return None


@mutant("hooks_are_registered", "made")
class CannotBeMade(Right):
    def __init__(self, config: AdapterConfig) -> None:
        raise KeyError("token")


@mutant("it_is_made_without_a_network", "made")
class ConnectsWhenItIsMade(Right):
    def __init__(self, config: AdapterConfig) -> None:
        super().__init__(config)
        if self._token is not None:
            self._ask(Deadline(5))


@mutant("it_is_made_where_nothing_is_configured", "made-bare")
class WantsItsSettingsAtOnce(Right):
    def __init__(self, config: AdapterConfig) -> None:
        super().__init__(config)
        if self._token is None:
            raise ConfigError("no token is set")


@mutant("nothing_is_printed", "silent")
class Prints(Right):
    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        print("fetching projects")
        return super().list_projects()


@mutant("projects_are_listed", "list-projects-unique")
class ListsAProjectTwice(Right):
    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        return [*PROJECTS, PROJECTS[0]]


@mutant("projects_are_listed", "list-projects-order")
class TurnsItsProjectsRound(Right):
    calls = 0

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        self.calls += 1
        return PROJECTS[:: 1 if self.calls % 2 else -1]


@mutant("projects_are_listed", "types")
class GivesDictsForProjects(Right):
    @hookimpl
    def list_projects(self) -> Any:
        return [{"id": "p", "name": "Errands"}]


@mutant("tasks_are_listed", "list-tasks-unique")
class NumbersItsTasksInEachProject(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        tasks = super().list_tasks_in_project(project_id)
        return [msgspec.structs.replace(task, id=str(number)) for number, task in enumerate(tasks)]


@mutant("tasks_are_listed", "list-tasks-project")
class ListsTasksOfAnotherProject(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return TASKS if project_id == "p" else []


@mutant("tasks_are_listed", "types")
class GivesNoIds(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Any:
        return [Task(id=None, title="x", project_id=project_id)]  # type: ignore[arg-type]


@mutant("fields_have_their_types", "types")
class GivesNumbersForTitles(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Any:
        return [Task(id="a1", title=5, project_id=project_id)]  # type: ignore[arg-type]


@mutant("fields_have_their_types", "status")
class CallsItCompleted(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return [Task(id="b2", title="x", project_id=project_id, status="completed")]


@mutant("an_unknown_project_has_no_tasks", "list-tasks-unknown")
class RaisesForAnUnknownProject(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        return {"p": TASKS[:2], "q": TASKS[2:]}[project_id]


@mutant("get_task_agrees_with_the_listing", "get-task-agrees")
class CutsBodiesInTheListing(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        tasks = super().list_tasks_in_project(project_id)
        return [msgspec.structs.replace(task, content=task.content[:5]) for task in tasks]


@mutant("an_unknown_task_is_none", "get-task-unknown")
class RaisesForAnUnknownTask(Right):
    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return {task.id: task for task in TASKS}[task_id]


@mutant("an_unknown_task_is_none", "get-task-unknown")
class MakesUpAnUnknownTask(Right):
    @hookimpl
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        return Task(id=task_id, title="")


@mutant("url_for_gives_an_address", "url-for-url")
class GivesAPathForAnAddress(Right):
    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        return f"/{project_id}/{task_id}"


@mutant("url_for_asks_nobody", "url-for-local")
class AsksForTheAddress(Right):
    @hookimpl
    def url_for(self, project_id: str, task_id: str) -> str:
        self._ask(Deadline(5))
        return "https://right.example"


@mutant("bulk_fetch_equals_the_walk", "bulk-fetch-equals")
class FetchesOnePageOnly(Right):
    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Any:
        return TASKS[:3]


@mutant("bulk_fetch_equals_the_walk", "bulk-fetch-equals")
class FetchesATrashToo(Right):
    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Any:
        return [*TASKS, Task(id="z", title="Thrown away", project_id="trash")]


@mutant("bulk_fetch_equals_the_walk", "bulk-fetch-order")
class FetchesTheNewestFirst(Right):
    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Any:
        return [*TASKS[1::-1], *TASKS[:1:-1]]


@mutant("bulk_fetch_keeps_project_order", "bulk-fetch-order")
class MixesItsProjects(Right):
    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Any:
        return [TASKS[0], TASKS[2], TASKS[1], TASKS[3]]


@mutant("completed_tasks_are_done", "completed-done")
class LeavesCompletedTasksOpen(Right):
    @hookimpl
    def list_completed_tasks(self, since: str, deadline: Deadline) -> Sequence[Task]:
        return [Task(id="c1", title="Old visa form", project_id="q")]


@mutant("the_revision_holds_still", "revision-stable")
class TakesTheClockForARevision(Right):
    @hookimpl
    def revision(self) -> str | None:
        return str(time.monotonic_ns())


@mutant("it_speaks_for_itself_without_a_network", "about-itself")
class AsksForItsRevision(Right):
    @hookimpl
    def revision(self) -> str | None:
        return str(self._ask(Deadline(5)).writes)


@mutant("the_cache_scope_is_stable", "cache-scope-stable")
class NamesItselfAnewEachTime(Right):
    @hookimpl
    def cache_scope(self) -> str | None:
        return f"right:{id(self)}"


@mutant("settings_are_named", "settings-named")
class TakesAVariableOfCore(Right):
    @hookimpl
    def settings(self) -> Sequence[Setting]:
        return [Setting(key="budget", env="ATS_BUDGET_MS")]


@mutant("secrets_are_flagged", "settings-secret")
class ShowsItsToken(Right):
    @hookimpl
    def settings(self) -> Sequence[Setting]:
        return [Setting(key="token", env="RIGHT_TOKEN")]


@mutant("auth_status_answers", "auth-status-answers")
class RaisesWhereItIsNotLoggedIn(Right):
    @hookimpl
    def auth_status(self) -> AuthStatus:
        if self._token is None:
            raise LoginRequiredError("not logged in")
        return AuthStatus(ok=True)


@mutant("commands_are_a_typer_app", "commands-typer")
class GivesAFunctionForCommands(Right):
    @hookimpl
    def commands(self) -> Any:
        return print


@mutant("embeddings_are_vectors", "embeddings-shape")
class EmbedsInDoublePrecision(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return super().embeddings(texts, kind, deadline).astype(np.float64)


@mutant("embeddings_are_vectors", "embeddings-shape")
class EmbedsQueriesShorter(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return super().embeddings(texts, kind, deadline)[:, : 6 if kind == "query" else 12]


@mutant("embeddings_are_vectors", "raising")
class EmbedsNothingByRaising(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return np.stack([super(EmbedsNothingByRaising, self).embeddings([text], kind, deadline)[0] for text in texts])


@mutant("embeddings_are_finite", "embeddings-finite")
class GivesNotANumber(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return super().embeddings(texts, kind, deadline) / np.float32(np.nan)


@mutant("embeddings_stay_the_same", "embeddings-same")
class ThrowsDice(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return np.random.default_rng().standard_normal((len(texts), 12)).astype(np.float32)


@mutant("embeddings_tell_texts_apart", "embeddings-different")
class GivesOneVectorForAll(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return np.ones((len(texts), 12), dtype=np.float32)


@mutant("embeddings_tell_texts_apart", "embeddings-different")
class SortsItsTexts(Right):
    @hookimpl
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> Any:
        return super().embeddings(sorted(texts), kind, deadline)


@mutant("the_embedding_space_is_stable", "embedding-space-stable")
class NamesItsSpaceAnewEachTime(Right):
    @hookimpl
    def embedding_space(self) -> str | None:
        return f"letters:{time.monotonic_ns()}"


@mutant("native_search_ranks", "search-limit")
class IgnoresTheLimit(Right):
    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        return TASKS


@mutant("native_search_ranks", "ranking")
class RanksTheWorstFirst(Right):
    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        return [Candidate(id="a1", score=0.1), Candidate(id="b1", score=0.9)][:limit]


@mutant("native_search_ranks", "ranking-known")
class FindsWhatIsNotInTheCorpus(Right):
    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        return [Candidate(id=OLD.id)]


@mutant("native_search_takes_any_text", "search-any-text")
class SpeaksAQueryLanguage(Right):
    @hookimpl
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Any:
        if query.count("(") != query.count(")"):
            raise StoreError("syntax error in the query")
        return []


@mutant("branches_have_names", "branches-names")
class TakesTheNameOfABranchOfCore(Right):
    @hookimpl
    def branches(self) -> Sequence[Branch] | None:
        return [Branch("keyword", self._rank)]


@mutant("branches_rank", "ranking")
class RanksATaskTwice(Right):
    def _rank(self, query: str, corpus: Corpus, deadline: Deadline) -> Any:
        return [corpus[0], corpus[1], corpus[0]]


@mutant("branches_rank", "types")
class RanksBareIds(Right):
    def _rank(self, query: str, corpus: Corpus, deadline: Deadline) -> Any:
        return ["a1"]


@mutant("deadlines_are_kept", "deadline", grace=0.3)
class KeepsNoDeadline(Right):
    def _rank(self, query: str, corpus: Corpus, deadline: Deadline) -> Any:
        threading.Event().wait(20)
        return []


@mutant("deadlines_are_kept", "gil", grace=0.3)
class HoldsTheGil(Right):
    def _rank(self, query: str, corpus: Corpus, deadline: Deadline) -> Any:
        ctypes.PyDLL(None).usleep(1_500_000)  # unlike CDLL, PyDLL keeps the lock
        return []


def with_backend(backend: type[Backend]) -> type[Right]:
    """A mutant that is right but for its backend."""

    class WithBackend(Right):
        @hookimpl
        def hybrid_backend(self) -> Any:
            return backend(self)

    WithBackend.__name__ = backend.__name__
    return WithBackend


class LacksStatus(Backend):
    status = None


class TurnsTheArgumentsRound(Backend):
    def search(self, query: str, limit: int, scope: Any, mode: str) -> Any:
        return []


class IgnoresTheScope(Backend):
    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Any:
        return super().search(query, limit, mode, None, deadline)


class FindsTheTaskLikeItself(Backend):
    def similar(self, task: Task, limit: int, scope: TaskScope | None, deadline: Deadline) -> Any:
        return [Candidate(id=task.id, score=1.0)]


class GivesDistances(Backend):
    def search(self, *asked: Any) -> Any:
        return [Candidate(id=candidate.id, score=40 * candidate.score) for candidate in super().search(*asked)]


class RaisesInItsStatus(Backend):
    def status(self) -> Any:
        raise EmbeddingError("the server is down")


for _check, _anchor, _backend in (
    ("the_backend_has_its_methods", "backend-methods", LacksStatus),
    ("the_backend_has_its_methods", "backend-methods", TurnsTheArgumentsRound),
    ("the_backend_stays_in_scope", "backend-scope", IgnoresTheScope),
    ("the_backend_ranks", "backend-limit", FindsTheTaskLikeItself),
    ("the_backend_ranks", "backend-cosine", GivesDistances),
    ("the_backend_says_how_it_is", "backend-status", RaisesInItsStatus),
):
    mutant(_check, _anchor)(with_backend(_backend))


@mutant("it_writes_or_says_that_it_cannot", "read-only")
class HasWritesThatAreNotThere(Right):
    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        raise NotImplementedError


@mutant("a_created_task_is_there", "create-task-there", grace=0.1)
class ForgetsWhatItCreated(Right):
    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        return Task(id="new", title=draft.title, content=draft.content, project_id="p")


@mutant("a_draft_is_stored_whole", "create-task-whole")
class DropsTheTags(Right):
    @hookimpl
    def create_task(self, draft: TaskDraft) -> Task:
        return super().create_task(msgspec.structs.replace(draft, tags=()))


@mutant("a_partial_update_loses_nothing", "update-task-partial")
class ClearsWhatIsNotSet(Right):
    def _changes(self, patch: TaskPatch) -> dict[str, Any]:
        return {"due_date": None} | super()._changes(patch)


@mutant("a_partial_update_loses_nothing", "update-task-returns")
class ReturnsTheTaskAsItWas(Right):
    @hookimpl
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        before = self.get_task(project_id, task_id)
        super().update_task(project_id, task_id, patch)
        return before


@mutant("none_clears", "update-task-clears")
class TakesNoneForUnset(Right):
    def _changes(self, patch: TaskPatch) -> dict[str, Any]:
        return {name: value for name, value in super()._changes(patch).items() if value}


@mutant("done_is_done", "update-task-status")
class NeverCompletes(Right):
    def _changes(self, patch: TaskPatch) -> dict[str, Any]:
        return {name: value for name, value in super()._changes(patch).items() if name != "status"}


@mutant("an_update_of_an_unknown_task_is_refused", "update-task-unknown")
class MakesWhatItDoesNotFind(Right):
    @hookimpl
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        store = self._ask(Deadline(5))
        store.tasks.setdefault(task_id, Task(id=task_id, title="", project_id=project_id))
        return super().update_task(project_id, task_id, patch)


@mutant("the_revision_follows_a_write", "revision-follows", grace=0.1)
class KeepsItsRevision(Right):
    @hookimpl
    def revision(self) -> str | None:
        return "1"


@mutant("a_host_that_refuses_gives_our_errors", "errors")
@mutant("without_a_network_its_errors_are_ours", "errors")
class LetsForeignErrorsOut(Right):
    def _ask(self, deadline: Deadline) -> Store:
        try:
            return super()._ask(deadline)
        except StoreError as error:
            raise error.__cause__ or error from None


@mutant("without_a_login_its_errors_are_ours", "errors")
class StumblesWithoutALogin(Right):
    def _ask(self, deadline: Deadline) -> Store:
        self._token.value  # type: ignore[union-attr]  # noqa: B018
        return super()._ask(deadline)


@mutant("a_host_that_refuses_gives_our_errors", "no-empty-answer")
@mutant("without_a_login_its_errors_are_ours", "no-empty-answer")
class AnswersAFailureWithNothing(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        try:
            return super().list_tasks_in_project(project_id)
        except StoreError:
            return []


@mutant("a_host_that_is_silent_costs_no_more_than_the_deadline", "deadline", grace=0.3)
class WaitsForASilentHost(Right):
    @hookimpl
    def bulk_fetch(self, deadline: Deadline) -> Any:
        return super().bulk_fetch(Deadline(5))


@mutant("an_expired_deadline_ends_at_once", "errors")
class TakesADeadlineForATimeToDivideBy(Right):
    @hookimpl
    def list_completed_tasks(self, since: str, deadline: Deadline) -> Sequence[Task]:
        pages = 1 / deadline.remaining()
        return [OLD] if pages else []


@mutant("broken_files_give_our_errors", "errors")
class ReadsAFileAndHopes(Right):
    def __init__(self, config: AdapterConfig) -> None:
        super().__init__(config)
        self._path = config.environ.get("RIGHT_FILE")

    @hookimpl
    def list_projects(self) -> Sequence[Project]:
        if self._path is not None:
            with open(self._path, encoding="utf-8") as file:
                file.read()
        return PROJECTS

    @hookimpl
    def settings(self) -> Sequence[Setting]:
        return [Setting(key="file", env="RIGHT_FILE")]


@mutant("threads_get_the_same_answers", "threads")
class KeepsACallInAnAttribute(Right):
    @hookimpl
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        self._project = project_id
        self._ask(Deadline(5))
        time.sleep(0.005)
        return super().list_tasks_in_project(self._project)


@mutant("no_answer_holds_a_secret", "secrets")
class ShowsItsTokenInItsScope(Right):
    @hookimpl
    def cache_scope(self) -> str | None:
        return None if self._token is None else f"right.example:{self._token.value}"


@mutant("no_answer_holds_a_secret", "secrets")
class ShowsItsTokenInItsRepr(Right):
    def __repr__(self) -> str:
        return f"Right({self._token and self._token.value})"


@mutant("no_error_holds_a_secret", "secrets")
class ShowsItsTokenInAnError(Right):
    def _ask(self, deadline: Deadline) -> Store:
        try:
            return super()._ask(deadline)
        except StoreError as error:
            raise StoreError(f"GET {self._url}/?token={self._token and self._token.value} failed") from error


@mutant("no_error_holds_a_secret", "secrets")
class LogsItsToken(Right):
    def _ask(self, deadline: Deadline) -> Store:
        logging.getLogger("right").debug("asking with %s", self._token and self._token.value)
        return super()._ask(deadline)


@mutant("a_refused_secret_is_not_shown", "secrets")
class ShowsATokenThatItRefuses(Right):
    def _ask(self, deadline: Deadline) -> Store:
        if self._token is not None and not self._token.value.isprintable():
            raise ConfigError(f"RIGHT_TOKEN is {self._token.value!r}, expected printable text")
        return super()._ask(deadline)


@pytest.mark.parametrize("wrong", MUTANTS, ids=lambda wrong: f"{wrong.adapter.__name__}-{wrong.check}")
def test_a_wrong_adapter_is_found(wrong: Mutant, subject: Make) -> None:
    check = next(check for check in CHECKS if check.name == wrong.check)
    result = run_check(check, subject(wrong.adapter, **wrong.options))
    assert result.status == "failed", result.reason
    assert f"docs/hooks.md#{wrong.anchor}" in [finding.anchor for finding in result.findings], faults([result])
    for finding in result.findings:
        assert all((finding.problem, finding.sentence, finding.mend))
        assert TOKEN not in str(finding)
        assert "\n" not in finding.problem


def test_every_check_finds_a_mutant() -> None:
    assert {wrong.check for wrong in MUTANTS} == {check.name for check in CHECKS}


def test_every_sentence_is_broken_by_a_mutant() -> None:
    assert {rule.anchor for rule in RULES} - {wrong.anchor for wrong in MUTANTS} == {"time-out"}
