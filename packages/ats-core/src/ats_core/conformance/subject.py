"""What is tested: something that makes adapters, as many as it takes, and what one of them holds."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote
from weakref import finalize

from ats_core.cache.fetch import fetch_corpus
from ats_core.conformance.results import Skipped
from ats_core.conformance.timing import Timed, timed
from ats_core.conformance.watched import Calls, ForeignError, Watched
from ats_core.corpus import Corpus
from ats_core.deadline import Deadline
from ats_core.errors import AtsError
from ats_core.fanout import TIMED_OUT, describe
from ats_core.hookspecs import AdapterConfig, Setting
from ats_core.models import Fetched, Project, Task
from ats_core.plugins.registration import RegistrationError
from ats_core.text.fold import clean

T = TypeVar("T")

MOST_PROJECTS = 8
"""Projects that a check looks into: a store may have hundreds, and may count the requests."""

FETCH_SECONDS = 60.0
_LEAST_SECRET = 8
"""Characters of a secret that is looked for: a shorter one stands by chance in somebody's notes."""


class Subject:
    """An adapter under test.

    `factory` is what its entry point names, called with a config as core calls it. `write` allows the checks that make
    tasks: in `project` (id or name), else in the store's default project. A check that takes longer than `seconds` has
    failed, and so has a hook that is `grace` seconds late for its deadline, or a write that does not show by then.
    """

    def __init__(
        self,
        factory: Callable[[AdapterConfig], object],
        *,
        name: str = "adapter",
        settings: Mapping[str, Any] | None = None,
        environ: Mapping[str, str] | None = None,
        state_dir: Path | None = None,
        write: bool = False,
        project: str | None = None,
        seconds: float = 120.0,
        grace: float = 2.0,
    ) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="ats-conformance-"))
        finalize(self, shutil.rmtree, self.scratch, ignore_errors=True)
        self.config = AdapterConfig(
            name=name,
            settings=dict(settings or {}),
            environ=dict(environ or {}),
            state_dir=state_dir or self.scratch / "state",
        )
        self.write = write
        self.project = project
        self.seconds = seconds
        self.grace = grace
        self.calls = Calls()
        self._factory = factory
        self._known: dict[str, Any] = {}

    def make(self, config: AdapterConfig | None = None) -> Watched:
        """A fresh adapter.

        :raises RegistrationError: its hooks break the contract.
        :raises AtsError: it cannot be made; a `ForeignError` for what is none of ours.
        """
        config = config or self.config
        with self.calls.running("the constructor"):
            try:
                return Watched(config.name, self._factory(config), self.calls)
            except (AtsError, RegistrationError, Skipped, KeyboardInterrupt):
                raise
            except BaseException as error:
                raise ForeignError(f"making it raised {describe(error)}") from error

    def away(
        self, settings: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
    ) -> AdapterConfig:
        """A config like ours, with other values and with a state folder of its own, so that no state is harmed."""
        return AdapterConfig(
            name=self.config.name,
            settings=self.config.settings if settings is None else settings,
            environ=self.config.environ if environ is None else environ,
            state_dir=Path(tempfile.mkdtemp(dir=self.scratch)) / "state",
        )

    @property
    def adapter(self) -> Watched:
        """The one that most checks ask.

        :raises Skipped: it cannot be made, which is for the first check to say.
        """
        return self._once("the adapter", self._make)

    def timed(self, name: str, call: Callable[[], Any], most: float) -> Timed:
        """Make a call that may hang; one that did is not made again until it has come back."""
        done = timed(name, call, most)
        if done.outcome.status == TIMED_OUT:
            self.calls.give_up()
        return done

    def need(self, hook: str) -> Watched:
        """The adapter, where it has the capability.

        :raises Skipped: it has not.
        """
        return self.adapter.need(hook)

    def settings(self) -> list[Setting]:
        """The settings that it declares; none where it fails to, which is for another check to say."""
        try:
            return self._once("settings", lambda: self.need("settings").settings())
        except Skipped:
            return []

    def projects(self) -> list[Project]:
        """Its projects.

        :raises Skipped: there are none, or they cannot be had.
        """
        projects = self._once("list_projects", self.adapter.list_projects)
        if not projects:
            raise Skipped("the store holds no project")
        return projects

    def walk(self) -> dict[str, list[Task]]:
        """The tasks of some projects by the project's id, as the listing gives them."""
        return self._once(
            "list_tasks_in_project",
            lambda: {
                project.id: self.adapter.list_tasks_in_project(project.id)
                for project in self.projects()[:MOST_PROJECTS]
            },
        )

    def some_tasks(self, most: int = 6) -> list[tuple[str, Task]]:
        """Some tasks, each with its project's id: first and last of each project.

        :raises Skipped: there are none.
        """
        ends = [
            (project_id, task) for project_id, tasks in self.walk().items() for task in (*tasks[:1], *tasks[1:][-1:])
        ]
        if not ends:
            raise Skipped("the store holds no task: put some in and test again")
        return ends[:most]

    def bulk(self) -> Fetched:
        """What `bulk_fetch` gives."""
        return self._once("bulk_fetch", lambda: self.need("bulk_fetch").bulk_fetch(Deadline(FETCH_SECONDS)))

    def corpus(self) -> Corpus:
        """All tasks, as a search has them."""
        return self._once("the corpus", lambda: Corpus.of(fetch_corpus(self.adapter, Deadline(FETCH_SECONDS))[0].tasks))

    def forget(self) -> None:
        """Ask the store anew from now on."""
        self._known = {key: value for key, value in self._known.items() if key in ("the adapter", "settings")}

    def secrets(self, config: AdapterConfig | None = None) -> dict[str, str]:
        """The values that no output may hold, each with the setting that has it."""
        config = config or self.config
        found = {}
        for setting in self.settings():
            values = (config.settings.get(setting.key), config.environ.get(setting.env or ""))
            for value in values if setting.secret else ():
                if isinstance(value, str) and len(value.strip()) >= _LEAST_SECRET:
                    found[value.strip()] = found[quote(value.strip(), safe="")] = setting.key
        return found

    def scrubbed(self, text: str) -> str:
        """One line without a secret."""
        for secret in self.secrets():
            text = text.replace(secret, "***")
        line = " ".join(clean(text).split())
        return line if len(line) <= 400 else f"{line[:400]}..."

    def _make(self) -> Watched:
        try:
            return self.make()
        except (AtsError, RegistrationError) as error:
            raise Skipped(f"the adapter cannot be made: {describe(error)}") from error

    def _once(self, what: str, ask: Callable[[], T]) -> T:
        """What was asked once already; a failure counts as an answer, and is for the hook's own check to report."""
        if what not in self._known:
            try:
                self._known[what] = ask()
            except Skipped as skipped:
                self._known[what] = skipped
            except AtsError as error:
                self._known[what] = Skipped(f"{what} cannot be had: {describe(error)}")
        known = self._known[what]
        if isinstance(known, Skipped):
            raise Skipped(*known.args)
        answer: T = known
        return answer
