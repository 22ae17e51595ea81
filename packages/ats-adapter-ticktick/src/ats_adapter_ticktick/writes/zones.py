"""The user's time zone: in it lie the days and the times without an offset that he writes."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ats_adapter_ticktick.mapping.dates import zone

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINK = re.compile(r".*/zoneinfo[^/]*/(?:posix/|right/)?(.+)", re.DOTALL)


class Zone(NamedTuple):
    """An IANA name, which the service stores with a task, and its rules."""

    name: str
    rules: tzinfo

    @classmethod
    def of(cls, name: object) -> Zone | None:
        """The zone of this name, None for an unknown one."""
        rules = zone(name)
        return Zone(str(name), rules) if rules is not None else None


UTC_ZONE = Zone("UTC", UTC)


def user_zone(environ: Mapping[str, str] = os.environ, localtime: Path = Path("/etc/localtime")) -> Zone | None:
    """This machine's zone, by `TZ` or else by the link that systems keep; None where it has no name that we can find.

    A `TZ` that is no IANA name (`CST-8`) has none.
    """
    named = environ.get("TZ")
    if named is not None:
        return UTC_ZONE if named in ("", ":") else Zone.of(_name(named.removeprefix(":")))
    try:
        return Zone.of(_name(str(localtime.resolve(strict=True))))
    except OSError:
        return None


def in_zone(naive: datetime, where: Zone | None) -> datetime:
    """A time on the user's wall as a time with an offset; by the machine's own clock where his zone has no name."""
    return naive.astimezone() if where is None else naive.replace(tzinfo=where.rules)


def _name(path: str) -> str:
    match = _LINK.fullmatch(path)
    return match.group(1) if match else path
