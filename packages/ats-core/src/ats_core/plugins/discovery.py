"""Finding and loading entry points, one at a time: a broken one is a value and stops no other."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any, NamedTuple

from ats_core.errors import BrokenPluginError, ConfigError, UnknownAdapterError
from ats_core.fanout import describe

ADAPTERS, PLUGINS, COMMANDS = "ats.adapters", "ats.plugins", "ats.commands"


class Found(NamedTuple):
    """An entry point of ours, not loaded yet, and the distribution that declares it."""

    group: str
    name: str
    value: str
    distribution: str
    version: str
    summary: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.distribution} {self.version})"


class Broken(NamedTuple):
    """An entry point that could not be used, and why, in one line."""

    found: Found
    error: str

    def __str__(self) -> str:
        return f"{self.found.group.removeprefix('ats.').removesuffix('s')} {self.found}: {self.error}"


class Catalogue:
    """All entry points of ours in this environment, by group, sorted by name."""

    def __init__(self, found: list[Found]) -> None:
        self._found = found

    @classmethod
    def scan(cls) -> Catalogue:
        """Read the environment's metadata. The same entry point of the same distribution counts once."""
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
        return EntryPoint(found.name, found.value, found.group).load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise broken(found, f"cannot be imported: {describe(error)}") from error


def broken(found: Found, what: str) -> BrokenPluginError:
    """The error for an entry point that is there but cannot be used; names the distribution and the mending command."""
    return BrokenPluginError(
        f"{found.name} of {found.distribution} {found.version} {what}",
        hint=f"try: pip install --upgrade --force-reinstall {found.distribution}",
    )


def _entry_points(distribution: Distribution) -> Iterable[EntryPoint]:
    try:
        return distribution.entry_points
    except (TypeError, ValueError):  # not UTF-8, or a line without "=": anybody's file, and none of our business
        return ()


def _found(point: EntryPoint, distribution: Distribution) -> Found:
    metadata = distribution.metadata
    return Found(
        point.group,
        point.name,
        point.value,
        metadata["Name"] or "unknown",
        distribution.version or "?",
        metadata["Summary"] or "",
    )
