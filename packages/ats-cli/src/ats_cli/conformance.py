"""The conformance kit, run over an installed adapter."""

import faulthandler
from functools import partial
from typing import Any, NamedTuple

import msgspec
from ats_core import CONTRACT
from ats_core.conformance import CheckResult, Subject, run_checks
from ats_core.plugins.discovery import Catalogue, Found, load
from ats_core.settings import load_settings, read_json_object

from ats_cli.session import Session

LAST_RESORT = 30.0
"""Seconds beyond the limit of a check: who holds the GIL for so long can only be shown, and ended with the process."""


class Report(NamedTuple):
    """What came of all checks of one adapter."""

    found: Found
    results: list[CheckResult]
    writes: bool

    def count(self, status: str) -> int:
        """How many checks ended so."""
        return sum(result.status == status for result in self.results)

    @property
    def failed(self) -> int:
        return self.count("failed")

    def document(self) -> dict[str, Any]:
        """What `--json` writes."""
        return {
            "adapter": self.found.name,
            "distribution": self.found.distribution,
            "version": self.found.version,
            "contract": CONTRACT,
            "ok": not self.failed,
            **{status: self.count(status) for status in ("passed", "failed", "skipped")},
            "checks": msgspec.to_builtins(self.results),
        }


def tested(session: Session, name: str, *, write: bool, project: str | None) -> Report:
    """Run all checks over the adapter of a name, with the configuration that a search would have.

    :raises ConfigError: it is not installed, or cannot be imported.
    """
    settings = load_settings(session.environ)
    found = Catalogue.scan().adapter(name)
    patience = session.patience(settings)
    patience.forget(found)  # whoever asks for it by name wants to see it tried
    subject = Subject(
        patience.load(found, partial(load, found)),
        name=name,
        settings=read_json_object(settings.config_dir / f"{name}.json"),
        environ=session.environ,
        state_dir=settings.config_dir / name,
        write=write,
        project=project,
    )

    def watch(_: object = None) -> None:
        faulthandler.dump_traceback_later(subject.seconds + LAST_RESORT, exit=True)

    with session.doing(f"testing {name}"):
        watch()
        try:
            return Report(found, run_checks(subject, on_result=watch), write)
        finally:
            faulthandler.cancel_dump_traceback_later()
