"""An adapter can be made and registered: in silence, without a network, before anything is configured."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import redirect_stdout

from ats_core.conformance.network import no_network
from ats_core.conformance.results import CONTRACT, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.errors import AtsError
from ats_core.fanout import describe
from ats_core.plugins.registration import RegistrationError

MARKED = Rule(
    "marked",
    "A hook is marked with `@hookimpl`, is spelt as here, and names its arguments as here, without defaults; an"
    " argument that is not used may be left out.",
    "do what the message says: it names the hook",
)
REQUIRED_HOOKS = Rule(
    "required",
    "`list_projects`, `list_tasks_in_project`, `get_task` and `url_for` are required of every adapter.",
    "implement the hooks that are missing, each marked with @hookimpl",
)
MADE = Rule(
    "made",
    "Making an adapter touches no network and needs no login.",
    "move what connects or reads into the hook that needs it, to be done on first use",
)
MADE_BARE = Rule(
    "made-bare",
    "It can be made where nothing is configured yet: the first hook that needs a setting raises `ConfigError`, since"
    " `ats config set` has to make the adapter to know its settings.",
    "read the settings in the constructor if you like, but complain in the hooks",
)
SILENT = Rule(
    "silent",
    "An adapter prints nothing: standard output is the answer's.",
    "remove the print, or use the logging module",
)


def hooks_are_registered(subject: Subject) -> Iterator[Finding]:
    """It can be made, and its hooks are what the contract knows."""
    try:
        subject.make()
    except RegistrationError as error:
        missing = "required hooks are missing" in str(error)
        yield (REQUIRED_HOOKS if missing else MARKED).broken(str(error))
    except AtsError as error:
        yield MADE.broken(describe(error))


def it_is_made_without_a_network(subject: Subject) -> Iterator[Finding]:
    """Its constructor connects to nothing."""
    with no_network() as tried:
        try:
            subject.make()
        except (AtsError, RegistrationError) as error:
            if not tried:
                raise Skipped(f"it cannot be made: {describe(error)}") from error
    if tried:
        yield MADE.broken(f"making it asked the network for {tried[0]}")


def it_is_made_where_nothing_is_configured(subject: Subject) -> Iterator[Finding]:
    """Its constructor needs no setting."""
    try:
        subject.make(subject.away({}, {}))
    except RegistrationError as error:
        raise Skipped(f"it cannot be registered: {error}") from error
    except AtsError as error:
        yield MADE_BARE.broken(f"without any setting: {type(error).__name__}, {describe(error)}")


def nothing_is_printed(subject: Subject) -> Iterator[Finding]:
    """Neither its constructor nor a hook prints."""
    subject.adapter  # noqa: B018 - skips the check where there is none
    with redirect_stdout(io.StringIO()) as printed:
        try:
            adapter = subject.make()
            for project in adapter.list_projects()[:1]:
                for task in adapter.list_tasks_in_project(project.id)[:1]:
                    adapter.get_task(project.id, task.id)
                    adapter.url_for(project.id, task.id)
        except AtsError:
            pass  # which is for other checks to say
    if printed.getvalue():
        yield SILENT.broken(f"it printed {printed.getvalue()[:60]!r}")


CHECKS = (
    Check(CONTRACT, hooks_are_registered, (MARKED, REQUIRED_HOOKS, MADE)),
    Check(CONTRACT, it_is_made_without_a_network, (MADE,)),
    Check(CONTRACT, it_is_made_where_nothing_is_configured, (MADE_BARE,)),
    Check(CONTRACT, nothing_is_printed, (SILENT,)),
)
