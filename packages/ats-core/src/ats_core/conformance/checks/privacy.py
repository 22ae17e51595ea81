"""No secret of the configuration leaves the adapter: not in an answer, an error, a repr, a print or a log."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from uuid import uuid4

from ats_core.conformance.asking import Call, Probe, all_calls, ask
from ats_core.conformance.breaking import with_secrets
from ats_core.conformance.listening import listening
from ats_core.conformance.network import refusing_host
from ats_core.conformance.results import PRIVACY, Check, Finding, Rule, Skipped
from ats_core.conformance.subject import Subject
from ats_core.errors import AtsError
from ats_core.hookspecs import AdapterConfig

SECRET = Rule(
    "secrets",
    "No value of a `secret` setting is in anything that an adapter returns, raises, prints or logs, nor in its `repr`.",
    "hold it in ats_core.Secret and read .value where it is sent; word errors yourself instead of passing on what a"
    " client says, for that may hold the address with the key in it",
)

_SECONDS = 3.0


def no_answer_holds_a_secret(subject: Subject) -> Iterator[Finding]:
    """With the configuration as it is."""
    secrets = subject.secrets()
    if not secrets:
        raise Skipped("no setting that is secret has a value here")
    yield from _overheard(subject, subject.config, secrets)


def no_error_holds_a_secret(subject: Subject) -> Iterator[Finding]:
    """With credentials that the kit made up, sent to a host that is not there."""
    yield from _made_up(subject, lambda mark: mark)


def a_refused_secret_is_not_shown(subject: Subject) -> Iterator[Finding]:
    """With credentials that no store can have given: a line end in the middle, as if pasted."""
    yield from _made_up(subject, lambda mark: f"kit \x07\n{mark}")


def _made_up(subject: Subject, spell: Callable[[str], str]) -> Iterator[Finding]:
    mark = f"kit{uuid4().hex}"
    with refusing_host() as port:
        config, settings = with_secrets(subject, spell(mark), port)
        if not settings:
            raise Skipped("no setting is secret")
        yield from _overheard(subject, config, {mark: "a secret setting"})


def _overheard(subject: Subject, config: AdapterConfig, secrets: Mapping[str, str]) -> Iterator[Finding]:
    """Make every reading call, and look for the secrets in all that comes out."""
    calls = list(all_calls(subject, Probe.at_random(subject)))
    with listening() as heard:
        said = list(_said(subject, config, calls))
    said += [("what it logged", record) for record in heard.records]
    said.append(("what it printed", heard.printed.getvalue()))
    told = set()
    for where, text in said:
        for secret, setting in secrets.items():
            if secret in text and (where, setting) not in told:
                told.add((where, setting))
                yield SECRET.broken(f"{where} holds the value of {setting}")


def _said(subject: Subject, config: AdapterConfig, calls: Iterable[Call]) -> Iterator[tuple[str, str]]:
    """Where something was said, and what."""
    try:
        adapter = subject.make(config)
    except AtsError as error:
        yield "the error of making it", _whole(error)
        return
    yield "its repr", repr(adapter.implementation)
    for call in calls:
        outcome = ask(subject, call, adapter, _SECONDS).outcome
        if isinstance(outcome.exception, Skipped):
            continue
        if outcome.exception is not None:
            yield f"the error of {call.name}", _whole(outcome.exception)
        else:
            yield f"what {call.name} gave", repr(outcome.value)


def _whole(error: BaseException) -> str:
    """An exception with all that it was raised from: a program that logs it logs these too."""
    lines: list[str] = []
    link: BaseException | None = error
    while link is not None and len(lines) < 20:
        lines.append(f"{link!r} {link} {getattr(link, 'hint', '')}")
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return "\n".join(lines)


CHECKS = (
    Check(PRIVACY, no_answer_holds_a_secret, (SECRET,)),
    Check(PRIVACY, no_error_holds_a_secret, (SECRET,)),
    Check(PRIVACY, a_refused_secret_is_not_shown, (SECRET,)),
)
