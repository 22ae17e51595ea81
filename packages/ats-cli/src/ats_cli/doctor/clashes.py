"""Names that several lay claim to. Our own commands come first, then those of `ats.commands`, then adapters."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ats_core.plugins.discovery import ADAPTERS, COMMANDS, Found


class Clash(NamedTuple):
    """Why an entry point is not reached, or not fully. `fatal`: nobody is reached under this name."""

    message: str
    hint: str
    fatal: bool = False


def clashes(
    found: Sequence[Found], built_in: Collection[str], having_commands: Collection[Found]
) -> Mapping[Found, Clash]:
    """The entry points whose name is somebody else's too.

    :param built_in: the names of our own commands.
    :param having_commands: the adapters that bring commands of their own.
    """
    result: dict[Found, Clash] = {}
    for point in found:
        twins = [other for other in found if (other.group, other.name) == (point.group, point.name) and other != point]
        if point.group == COMMANDS and point.name in built_in:
            result[point] = Clash(
                f"shadowed: ats {point.name} is built in, and this one is never reached",
                f"ask its author for another name, or: pip uninstall {point.distribution}",
            )
        elif twins and point.group in (COMMANDS, ADAPTERS):
            others = " and ".join(f"{twin.distribution} {twin.version}" for twin in twins)
            victims = sorted({point.distribution, *(twin.distribution for twin in twins)})
            result[point] = Clash(
                f"the name is claimed by {others} as well, and neither is used",
                f"try: pip uninstall {victims[-1]}",
                fatal=True,
            )
        elif point in having_commands and (before := _before(point.name, found, built_in)):
            result[point] = Clash(
                f"its commands are shadowed: ats {point.name} is {before}",
                f"all else of it works: ats find --adapter {point.name} ...",
            )
    return result


def _before(name: str, found: Sequence[Found], built_in: Collection[str]) -> str | None:
    """Who has the name of an adapter's commands."""
    if name in built_in:
        return "built in"
    return next(
        (f"the command of {point.distribution}" for point in found if (point.group, point.name) == (COMMANDS, name)),
        None,
    )
