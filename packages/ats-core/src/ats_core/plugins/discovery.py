"""Finding and loading entry points, one at a time: a broken one is a value and stops no other."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ats_core.atomic import write_atomically
from ats_core.errors import BrokenPluginError, ConfigError, UnknownAdapterError
from ats_core.fanout import describe
from ats_core.plugins.needs import misfit, requirements

if TYPE_CHECKING:  # its email parser and all that comes with it cost 8 ms; a search reads the kept table instead
    from importlib.metadata import Distribution, EntryPoint

ADAPTERS, PLUGINS, COMMANDS = "ats.adapters", "ats.plugins", "ats.commands"

TABLE = "entry-points.json"
"""The name of the kept table, within the state folder."""


_SETTLED = 2_000_000_000
"""Nanoseconds after which a folder's time is to be trusted: two changes within one tick of the clock have one time."""


class Found(NamedTuple):
    """An entry point of ours, not loaded yet, and the distribution that declares it, with what that needs of core."""

    group: str
    name: str
    value: str
    distribution: str
    version: str
    summary: str = ""
    needs: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution} {self.version})"


class Broken(NamedTuple):
    """An entry point that could not be used, why, in one line, and what may mend it."""

    found: Found
    error: str
    hint: str | None = None

    @classmethod
    def of(cls, found: Found, error: BaseException) -> Broken:
        """From what its loading raised."""
        return cls(found, describe(error).removeprefix(f"{_whose(found)} "), getattr(error, "hint", None))

    def __str__(self) -> str:
        return f"{self.found.group.removeprefix('ats.').removesuffix('s')} {self.found}: {self.error}"


class _Table(NamedTuple):
    """A kept scan: the import path with the time each entry changed last, and what was found there."""

    path: list[tuple[str, int | None]]
    found: list[Found]


class Catalogue:
    """All entry points of ours in this environment, by group, sorted by name."""

    def __init__(self, found: list[Found]) -> None:
        self._found = found

    @classmethod
    def kept(cls, table: Path) -> Catalogue:
        """As `scan`, from a table of the last scan as long as no folder of the import path has changed since.

        Installing and removing a distribution changes its folder, so a table that fits is right; a damaged one, or one
        that cannot be written, costs a scan.
        """
        import msgspec  # here, since `ats --help` looks for mounted commands and needs none of it

        path = [(entry, _changed(entry)) for entry in sys.path]
        with suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            known = msgspec.json.decode(table.read_bytes(), type=_Table)
            if known.path == path:
                return cls(known.found)
        scanned = cls.scan()
        if all(changed is None or time.time_ns() - changed > _SETTLED for _, changed in path):
            with suppress(OSError, ValueError):
                write_atomically(table, [msgspec.json.encode(_Table(path, scanned._found))])
        return scanned

    @classmethod
    def scan(cls) -> Catalogue:
        """Read the environment's metadata. The same entry point of the same distribution counts once."""
        from importlib.metadata import distributions

        found: dict[tuple[str, str, str, str], Found] = {}
        for distribution in distributions():
            for point in _entry_points(distribution):
                if point.group in (ADAPTERS, PLUGINS, COMMANDS):
                    entry = _found(point, distribution)
                    # The first on the path wins, as with an import.
                    found.setdefault((entry.group, entry.name, entry.value, entry.distribution), entry)
        return cls(sorted(found.values()))

    def group(self, group: str) -> list[Found]:
        """The entry points of one group, by name."""
        return [entry for entry in self._found if entry.group == group]

    def adapter(self, name: str) -> Found:
        """The entry point of the adapter of this name.

        :raises UnknownAdapterError: nobody offers it; the hint lists who is there.
        :raises ConfigError: two distributions claim the name.
        """
        adapters = self.group(ADAPTERS)
        named = [entry for entry in adapters if entry.name == name]
        if not named:
            installed = ", ".join(sorted({entry.name for entry in adapters})) or "none"
            raise UnknownAdapterError(
                f"adapter {name!r} is not installed",
                hint=f"installed: {installed}; try: pip install ats-adapter-{name}",
            )
        if len(named) > 1:
            claimants = " and ".join(f"{entry.distribution} {entry.version}" for entry in named)
            raise ConfigError(
                f"adapter {name!r} is claimed by {claimants}",
                hint=f"try: pip uninstall {named[-1].distribution}",
            )
        return named[0]


def load(found: Found) -> Any:
    """Import what an entry point names.

    :raises BrokenPluginError: it cannot be imported; whatever it raised is the cause.
    """
    try:
        return _named(found.value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise broken(found, f"cannot be imported: {describe(error)}") from error


def unreadable() -> list[tuple[str, str]]:
    """The distributions whose entry points cannot be read, though they seem to be ours: name with version, and why."""
    from importlib.metadata import distributions

    found = {}
    for distribution in distributions():
        try:
            _ = distribution.entry_points
        except (TypeError, ValueError, OSError) as error:
            text = ""
            with suppress(OSError, ValueError):
                text = distribution.read_text("entry_points.txt") or ""
            if "ats." in text or _folder(distribution)[0].startswith("ats"):
                found[" ".join(_folder(distribution))] = describe(error)
    return sorted(found.items())


def broken(found: Found, what: str) -> BrokenPluginError:
    """The error for an entry point that is there but cannot be used: names the distribution and the mending command,
    and says if it was made for another core."""
    unmet = misfit(found.needs)
    return BrokenPluginError(f"{_whose(found)} {what}{f'; {unmet}' if unmet else ''}", hint=mend(found))


def mend(found: Found) -> str:
    """The command that may mend a distribution."""
    if misfit(found.needs):
        return f"try: pip install --upgrade ats-core {found.distribution}"
    return f"try: pip install --upgrade --force-reinstall {found.distribution}"


def _whose(found: Found) -> str:
    return f"{found.name} of {found.distribution} {found.version}"


def _named(value: str) -> Any:
    """The object that `module:attribute.attribute [extra]` names (the entry-point specification of packaging)."""
    from importlib import import_module

    module, _, attributes = value.partition("[")[0].partition(":")
    named: Any = import_module(module.strip())
    for attribute in filter(None, attributes.strip().split(".")):
        named = getattr(named, attribute)
    return named


def _changed(entry: str) -> int | None:
    try:
        return os.stat(entry or os.curdir).st_mtime_ns
    except OSError:
        return None


def _entry_points(distribution: Distribution) -> Iterable[EntryPoint]:
    try:
        return distribution.entry_points
    except (
        TypeError,
        ValueError,
        OSError,
    ):  # not UTF-8, no "=": anybody's file; `ats doctor` says whose, if it is ours
        return ()


def _found(point: EntryPoint, distribution: Distribution) -> Found:
    name, version = _folder(distribution)
    summary, needs = "", ""
    with suppress(AttributeError, ValueError, OSError):  # no metadata, not UTF-8, not ours to read
        metadata = distribution.metadata
        name, version = metadata["Name"] or name, metadata["Version"] or version
        summary, needs = metadata["Summary"] or "", requirements(metadata.get_all("Requires-Dist") or ())
    return Found(point.group, point.name, point.value, name, version, summary, needs)


def _folder(distribution: Distribution) -> tuple[str, str]:
    """Name and version as the folder of the metadata has them: `acme_shop-1.0.dist-info`."""
    stem = Path(str(getattr(distribution, "_path", ""))).stem
    name, _, version = stem.partition("-")
    return name or "unknown", version or "?"
