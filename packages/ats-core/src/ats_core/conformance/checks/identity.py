"""What an adapter says about itself: whose tasks these are, its settings, whether it is logged in, its commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from ats_core.conformance.asking import local_calls
from ats_core.conformance.network import no_network
from ats_core.conformance.results import CAPABILITIES, Check, Finding, Rule, Skipped
from ats_core.conformance.rules import ABOUT_ITSELF
from ats_core.conformance.subject import Subject
from ats_core.deadline import Deadline
from ats_core.errors import AtsError, StoreError
from ats_core.fanout import describe
from ats_core.settings import OPTIONS

SCOPE = Rule(
    "cache-scope-stable",
    "It names host and account by the same string in every process, and is never empty.",
    "build it from the address and the account's id (or a hash of the credential), and from nothing that changes",
)
NAMED = Rule(
    "settings-named",
    "Each has a key of its own, and where it has a variable, one that is spelt in capitals and is none of core's.",
    "name them key='token', env='ATS_<ADAPTER>_TOKEN'",
)
FLAGGED = Rule(
    "settings-secret",
    "A setting that holds a credential is `secret`: `config` and `doctor` show all others.",
    "add secret=True to the Setting",
)
AUTH_STATUS = Rule(
    "auth-status-answers",
    "Where there is no login it returns `AuthStatus(ok=False, message=...)`; it raises only where it could not find"
    " out.",
    "return AuthStatus(ok=False, message='not logged in')",
)
TYPER = Rule(
    "commands-typer",
    "It returns a `typer.Typer`, or None.",
    "return the app itself, not a command of it or a function",
)

_CREDENTIAL = re.compile(r"(^|_)(token|secret|password|passphrase|api_?key|private_key|credentials?)$")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_AT_ONCE = 1.0
_CORES = {option.env for option in OPTIONS} | {"ATS_CONFIG_DIR"}


def it_speaks_for_itself_without_a_network(subject: Subject) -> Iterator[Finding]:
    """Hooks about the adapter itself answer at once, even in an adapter that has done nothing yet."""
    calls = list(local_calls(subject))
    if not calls:
        raise Skipped("it has none of these hooks")
    with no_network() as tried:
        adapter = subject.make()
        for call in calls:
            known = len(tried)
            done = [subject.timed(call.name, partial(call.make, adapter, Deadline(_AT_ONCE)), 5) for _ in "12"]
            if tried[known:]:
                yield ABOUT_ITSELF.broken(f"{call.name} asked the network for {tried[known]}")
            elif min(one.seconds for one in done) > _AT_ONCE:
                yield ABOUT_ITSELF.broken(f"{call.name} took {min(one.seconds for one in done):.1f} s at best")


def the_cache_scope_is_stable(subject: Subject) -> Iterator[Finding]:
    """One name for one account, from this adapter and from another one."""
    adapter = subject.need("cache_scope")
    scopes = [adapter.cache_scope(), adapter.cache_scope(), subject.make().cache_scope()]
    if scopes[0] is not None and not scopes[0].strip():
        yield SCOPE.broken("cache_scope is blank")
    if len(set(scopes)) > 1:
        other = next(scope for scope in scopes if scope != scopes[0])
        yield SCOPE.broken(f"cache_scope was {scopes[0]!r}, then {other!r}")


def settings_are_named(subject: Subject) -> Iterator[Finding]:
    """Keys and variables are distinct and well formed."""
    settings = subject.need("settings").settings()
    for names in ([setting.key for setting in settings], [setting.env for setting in settings if setting.env]):
        for name in {name for name in names if names.count(name) > 1}:
            yield NAMED.broken(f"two settings are named {name!r}")
    for setting in settings:
        if not setting.key.strip():
            yield NAMED.broken("a setting has a blank key")
        if setting.env is not None and not _VARIABLE.fullmatch(setting.env):
            yield NAMED.broken(f"the variable of {setting.key!r} is {setting.env!r}")
        elif setting.env in _CORES:
            yield NAMED.broken(f"the variable of {setting.key!r} is core's own {setting.env}")


def secrets_are_flagged(subject: Subject) -> Iterator[Finding]:
    """What is called a token or a password is secret."""
    for setting in subject.need("settings").settings():
        names = (setting.key.lower(), (setting.env or "").lower())
        if not setting.secret and any(map(_CREDENTIAL.search, names)):
            yield FLAGGED.broken(f"the setting {setting.key!r} is not marked as secret")


def auth_status_answers(subject: Subject) -> Iterator[Finding]:
    """With the login that there is, and with none."""
    adapter = subject.need("auth_status")
    adapter.auth_status()
    bare = subject.make(subject.away({}, {}))
    try:
        status = bare.auth_status()
    except AtsError as error:
        yield AUTH_STATUS.broken(f"auth_status where nothing is configured raised {describe(error)}")
        return
    if not status.ok and not status.message.strip():
        yield AUTH_STATUS.broken("auth_status says no, and has no message")


def commands_are_a_typer_app(subject: Subject) -> Iterator[Finding]:
    """What would be mounted can be."""
    adapter = subject.need("commands")
    try:
        app = adapter.commands()
    except StoreError as error:
        if isinstance(error.__cause__, ImportError):
            raise Skipped(f"its commands need more than is installed here: {describe(error.__cause__)}") from error
        raise
    # Core does not import typer, which comes with the command line.
    if app is not None and not any(kind.__name__ == "Typer" for kind in type(app).__mro__):
        yield TYPER.broken(f"commands gave {type(app).__name__}")


CHECKS = (
    Check(CAPABILITIES, it_speaks_for_itself_without_a_network, (ABOUT_ITSELF,)),
    Check(CAPABILITIES, the_cache_scope_is_stable, (SCOPE,)),
    Check(CAPABILITIES, settings_are_named, (NAMED,)),
    Check(CAPABILITIES, secrets_are_flagged, (FLAGGED,)),
    Check(CAPABILITIES, auth_status_answers, (AUTH_STATUS,)),
    Check(CAPABILITIES, commands_are_a_typer_app, (TYPER,)),
)
