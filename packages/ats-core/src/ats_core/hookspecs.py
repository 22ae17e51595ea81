"""The contract between ATS and an adapter: every hook, what it is given and what it owes.

Hooks are synchronous, and core may call them from several threads at once: guard what is not safe to share.
Name every argument exactly as here, without defaults; an argument that is not used may be left out. A hook that
raises has failed (a row in the report, never a crash); one of `ats_core`'s errors says it best, any other exception
is reported by its type and text, so keep secrets out of it. Texts and ids are cleaned by core at this boundary:
integers become decimal strings, lone surrogates U+FFFD.

Required of an adapter: `list_projects`, `list_tasks_in_project`, `get_task`, `url_for`. All others are capabilities,
used where they are implemented. A plugin of the group `ats.plugins` may implement `embeddings` with
`embedding_space`, and `branches`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pluggy

from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.models import Fetched, Model, Project, Ranking, Task, TaskDraft, TaskPatch, TaskScope

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PROJECT_NAME = "ats"

hookspec = pluggy.HookspecMarker(PROJECT_NAME)
hookimpl = pluggy.HookimplMarker(PROJECT_NAME)

REQUIRED = ("list_projects", "list_tasks_in_project", "get_task", "url_for")
"""What every adapter implements."""

PLUGIN_HOOKS = ("embeddings", "embedding_space", "branches")
"""All that a plugin beside the adapter may implement."""


class Branch(NamedTuple):
    """A ranker of the adapter's or plugin's own.

    `run(query, corpus, deadline)` returns a ranking, best first; core cuts, filters and fuses it. It runs on a
    thread of its own and should hand `deadline.remaining()` to whatever it waits for.
    """

    name: str
    run: Callable[[str, Corpus, Deadline], Ranking]


class AdapterConfig(Model, frozen=True, kw_only=True):
    """Everything an adapter may depend on, given to its factory.

    `settings` is the adapter's `<name>.json`, `environ` the process' environment, `state_dir` a folder for
    files of its own (it may not exist yet). Constructing an adapter touches no network and needs no login.
    """

    name: str
    settings: Mapping[str, Any] = {}
    environ: Mapping[str, str] = {}
    state_dir: Path = Path()


class Setting(Model, frozen=True, kw_only=True):
    """A setting that `ats config` and `ats doctor` may show: `key` in `<adapter>.json`, `env` in the environment.

    The value of a `secret` one is never shown.
    """

    key: str
    env: str | None = None
    secret: bool = False
    help: str = ""


class AuthStatus(Model, frozen=True, kw_only=True):
    """Whether the store takes us: `ok`, and a line for people (account, expiry, scopes), free of secrets."""

    ok: bool
    message: str = ""
    account: str | None = None
    expires_at: str | None = None


class HybridBackend(Protocol):
    """A store of vectors with its own hybrid search, in place of core's.

    `mode` is `"hybrid"` or `"dense"`. `scope` is None for the whole corpus, or the ids of the tasks to stay within.
    Rankings as everywhere; fill `Candidate.within` with `"dense"` and `"sparse"` standings to take part in the
    explanation and in score fusion.

    A backend without a sparse ranking of its own has an attribute `dense_only` that is true: it is asked for `"dense"`
    alone, with each candidate's cosine as its score, and core fuses that with its own sparse.
    """

    def search(self, query: str, limit: int, mode: str, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        """Rank at most `limit` tasks for the query."""
        ...

    def similar(self, task: Task, limit: int, scope: TaskScope | None, deadline: Deadline) -> Ranking:
        """Rank at most `limit` tasks by likeness to `task`, without the task itself."""
        ...

    def sync(self, corpus: Corpus, progress: Callable[[int, int], None]) -> Mapping[str, Any]:
        """Bring the vectors up to the corpus; call `progress(done, total)`; return counts for a summary."""
        ...

    def status(self) -> Mapping[str, Any]:
        """Health and counts, for `ats doctor`: within seconds, without a secret, and not by raising."""
        ...


class AtsSpec:
    """Every hook. The order here is the order of `docs/hooks.md`."""

    @hookspec
    def list_projects(self) -> Sequence[Project]:
        """List all projects, in the order in which the store shows them.

        :return: every project that may hold tasks; ids unique.
        """
        raise NotImplementedError

    @hookspec
    def list_tasks_in_project(self, project_id: str) -> Sequence[Task]:
        """List the tasks of one project, in the store's order.

        :param project_id: an id that `list_projects` gave.
        :return: its tasks; `[]` for an unknown project.
        """
        raise NotImplementedError

    @hookspec
    def get_task(self, project_id: str, task_id: str) -> Task | None:
        """Read one task as it is now.

        :return: the task, None for an unknown one.
        """
        raise NotImplementedError

    @hookspec
    def url_for(self, project_id: str, task_id: str) -> str:
        """Make the address that opens a task, without asking the store.

        Called for each hit that is shown, on the caller's thread: it must return at once.
        """
        raise NotImplementedError

    @hookspec
    def create_task(self, draft: TaskDraft) -> Task:
        """Create a task.

        :return: the task as stored, with its id. Without this hook the adapter is read-only.
        """
        raise NotImplementedError

    @hookspec
    def update_task(self, project_id: str, task_id: str, patch: TaskPatch) -> Task:
        """Change the fields of one task that `patch` sets, and no other.

        :param patch: an UNSET field stays as it is, None clears it.
        :return: the task as stored afterwards.
        """
        raise NotImplementedError

    @hookspec
    def bulk_fetch(self, deadline: Deadline) -> Sequence[Task] | Fetched:
        """Fetch the whole corpus in one go, in project order, then the store's order.

        Called instead of walking the projects, when the cached corpus is not fresh.

        :return: all tasks, or `Fetched` with the projects that failed. Raising means that nothing was fetched.
        """
        raise NotImplementedError

    @hookspec
    def list_completed_tasks(self, since: str, deadline: Deadline) -> Sequence[Task]:
        """List completed tasks that the normal listing lacks, for `--include-completed`.

        :param since: ISO 8601 instant; older completions may be left out.
        """
        raise NotImplementedError

    @hookspec
    def revision(self) -> str | None:
        """Give a string that changes when the store does, cheaply and locally (a file's size and time).

        A cached corpus of the same revision is fresh beyond its time to live, one of another never is.

        :return: None where there is nothing to tell by right now.
        """
        raise NotImplementedError

    @hookspec
    def embeddings(self, texts: Sequence[str], kind: str, deadline: Deadline) -> npt.NDArray[np.float32]:
        """Embed texts. Comes in a pair with `embedding_space`.

        :param kind: `"query"` or `"document"`; many models want a different prefix for each.
        :return: float32, shape (len(texts), d), finite; need not be of unit length.
        """
        raise NotImplementedError

    @hookspec
    def embedding_space(self) -> str | None:
        """Name the space of the vectors: model, digest, dimension, prefixes. Part of every stored vector's key.

        Called for every search, so it must not wait for a network.

        :return: a string that changes whenever vectors stop being comparable; None: no embedder after all.
        """
        raise NotImplementedError

    @hookspec
    def search_by_query(self, query: str, limit: int, deadline: Deadline) -> Ranking:
        """Ask the store's own search: the branch `native`.

        :param query: the text as the user typed it.
        :param limit: how many candidates core will use.
        """
        raise NotImplementedError

    @hookspec
    def branches(self) -> Sequence[Branch] | None:
        """Give further branches. A name that is taken is refused.

        :return: None or `[]` for none.
        """
        raise NotImplementedError

    @hookspec
    def hybrid_backend(self) -> HybridBackend | None:
        """Give the object that takes the place of core's generic hybrid; connect on first use, not here.

        :return: None where it is not configured.
        """
        raise NotImplementedError

    @hookspec
    def auth_status(self) -> AuthStatus:
        """Say whether the store takes us, for `ats auth status`."""
        raise NotImplementedError

    @hookspec
    def auth_login(self, browser: bool, port: int | None) -> str:
        """Log in, for `ats auth login`; may open a browser and wait.

        :param browser: whether to open one. Without it the line says which address to open, and `auth_exchange` takes
            what comes of it.
        :param port: of the loopback address that the browser is sent back to; None for the adapter's own choice.
        :return: a line for people, free of secrets.
        """
        raise NotImplementedError

    @hookspec
    def auth_exchange(self, code: str) -> str:
        """Finish a login with what the user pasted: a code, or the whole address of the redirect.

        :return: a line for people, free of secrets.
        """
        raise NotImplementedError

    @hookspec
    def auth_logout(self) -> str:
        """Forget the login, for `ats auth logout`.

        :return: a line for people, free of secrets.
        """
        raise NotImplementedError

    @hookspec
    def cache_scope(self) -> str | None:
        """Name whose tasks these are: host and account, never a secret. Must not ask the network.

        :return: a string; no account is ever served a copy that was cached under another one. None, or no such hook:
            core derives it from the adapter's settings and its environment variables.
        """
        raise NotImplementedError

    @hookspec
    def settings(self) -> Sequence[Setting]:
        """List the adapter's settings, so that `config` and `doctor` know what to show and what to hide."""
        raise NotImplementedError

    @hookspec
    def commands(self) -> Any:
        """Give a `typer.Typer` that is mounted as `ats <adapter>`; None for none."""
        raise NotImplementedError
