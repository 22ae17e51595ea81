"""Everything that `ats doctor` looks at, within its time."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ats_core.deadline import Deadline
from ats_core.fanout import FanOut, Job
from ats_core.plugins.discovery import Found
from ats_core.plugins.patience import Patience, note_path

from ats_cli.commands import COMMANDS
from ats_cli.doctor.check import PROBLEM, Check, warning
from ats_cli.doctor.children import Ended, Order, run_all
from ats_cli.doctor.clashes import clashes
from ats_cli.doctor.entries import Entry, entry
from ats_cli.doctor.folders import folder_checks
from ats_cli.doctor.kept import kept_checks
from ats_cli.doctor.log import log_check
from ats_cli.doctor.scene import Scene, look, settings_check
from ats_cli.doctor.store import backend_check, embedder_check, failed, login_check, store_check
from ats_cli.doctor.veil import Veil
from ats_cli.doctor.versions import version_checks, versions

SECONDS = 8.0
"""For all that has to be waited for; the whole command is to take less than 10."""

LOADING = 5.0
"""Seconds for loading one entry point."""

FILES = 2.0
"""Seconds for looking at files: a disk may hang too."""


class Examination(NamedTuple):
    """What was found, as checks and as JSON. All of it may be shown: secrets are hidden."""

    checks: list[Check]
    document: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether no check is a problem."""
        return all(check.status != PROBLEM for check in self.checks)


def examine(environ: Mapping[str, str], adapter: str | None) -> Examination:
    """Look at everything.

    :param adapter: the adapter to ask, before what environment and configuration say.
    """
    deadline = Deadline(SECONDS)
    scene = look(environ, adapter)
    local = _local_checks(scene)
    loads = {found: Order("load", {"found": found}, LOADING) for found in scene.found if _is_on(scene, found)}
    questions = _questions(scene)
    ended = run_all([*questions.values(), *loads.values()], environ, deadline)
    answers = dict(zip(questions, ended, strict=False))
    results = dict(zip(loads, ended[len(questions) :], strict=True))
    entries = _entries(scene, results)
    loading = {found for found, ran in results.items() if ran.answer is not None and "error" not in ran.answer}
    _let_back_in(scene, loading)
    own = _own_checks(scene, answers) if scene.asked in loading else []
    veil = _veil(scene, results)
    found = [*version_checks(), *local, *scene.checks, *(one.check for one in entries), *own]
    checks = [Check(*veil.over(check)) for check in found]
    examination = Examination(checks, {})
    examination.document.update(
        ok=examination.ok,
        checks=[check._asdict() for check in checks],
        versions=versions(),
        adapter=scene.asked and scene.asked.name,
        entryPoints=[one.document() for one in entries],
        settings=veil.over([one._asdict() for one in scene.shown]),
        adapterSettings=veil.over(_own_settings(answers)),
    )
    return examination


def _local_checks(scene: Scene) -> list[Check]:
    jobs: list[Job[list[Check]]] = []
    folder, settings = scene.folder, scene.settings
    if folder is not None:
        jobs.append(Job("folders", lambda _: folder_checks(folder, settings)))
    if settings is not None:
        jobs.append(Job("usage log", lambda until: [log_check(settings, until.less(FILES / 2))]))
    checks = []
    for outcome in FanOut().run(jobs, Deadline(FILES)):
        failure = warning(outcome.name, f"could not be looked at: {outcome.error}", "does its disk hang?")
        checks += [failure] if outcome.value is None else outcome.value
    return checks


def _is_on(scene: Scene, found: Found) -> bool:
    return found not in scene.switched_off


def _questions(scene: Scene) -> dict[str, Order]:
    """What the adapter is asked; nothing where the settings would fail every command anyway."""
    if scene.asked is None or scene.settings is None:
        return {}
    named = {"adapter": scene.asked.name}
    orders = {what: Order(what, named, SECONDS) for what in ("login", "store", "backend", "kept", "configured")}
    return orders | {"embedder": Order("embedder", {**named, "seconds": SECONDS - 2}, SECONDS)}


def _entries(scene: Scene, results: Mapping[Found, Ended]) -> list[Entry]:
    having = [found for found, ended in results.items() if ended.answer and ended.answer.get("commands")]
    shadowed = clashes(scene.found, COMMANDS, having)
    return [entry(found, results.get(found), shadowed.get(found), asked=found == scene.asked) for found in scene.found]


def _let_back_in(scene: Scene, loading: Iterable[Found]) -> None:
    """Those that hung and load now need not be left out any more."""
    if scene.folder is not None:
        patience = Patience(note_path(scene.folder))
        for found in loading:
            patience.forget(found)


def _own_checks(scene: Scene, answers: Mapping[str, Ended]) -> list[Check]:
    """What is said of the adapter that is asked. (Where it does not load, that is said already.)"""
    if not answers:
        return []
    login = login_check(answers["login"])
    checks = [login] if login.status == PROBLEM else [login, store_check(answers["store"])]
    if backend := backend_check(answers["backend"]):
        checks.append(backend)
    checks.append(embedder_check(answers["embedder"]))
    name = f"settings of {scene.asked.name}" if scene.asked else ""
    own = [(one["key"], _shown(one["value"]), one["origin"]) for one in _own_settings(answers)]
    unread = failed(name, answers["configured"])
    return [*checks, *kept_checks(answers["kept"]), unread or settings_check(name, own)]


def _own_settings(answers: Mapping[str, Ended]) -> list[dict[str, Any]]:
    ended = answers.get("configured")
    settings: list[dict[str, Any]] = (ended.answer or {}).get("settings", []) if ended else []
    return settings


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _veil(scene: Scene, results: Mapping[Found, Ended]) -> Veil:
    veil = Veil(scene.environ, scene.folder, {found.name for found in results})
    for found, ended in results.items():
        with suppress(TypeError, ValueError):
            for key, variable in (ended.answer or {}).get("secrets", ()):
                veil.hide_setting(found.name, key, variable)
    return veil
