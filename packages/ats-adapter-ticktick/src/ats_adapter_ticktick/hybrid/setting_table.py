"""A table of settings: where each is looked for, how it is read, and what is said of a bad one. Cheap to import.

TickTick's own settings are such a table too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ats_core import ConfigError, Setting

SECRET, ADDRESS = "secret", "address"
_MOST_SHOWN = 80


class Option(NamedTuple):
    """One setting. `read` turns a value from environment or file into a typed one, or raises ValueError.

    `kind` is `"plain"`, or `SECRET`, whose value no message shows, or `ADDRESS`, of which messages show no password.
    """

    key: str
    env: str
    expected: str
    read: Callable[[Any], Any]
    help: str
    kind: str = "plain"

    @property
    def setting(self) -> Setting:
        """What `ats config` and `ats doctor` show."""
        return Setting(key=self.key, env=self.env, secret=self.kind == SECRET, help=self.help)


class Given(NamedTuple):
    """A setting's value, and where it stands: a variable's name, or `"<file>: <key>"`."""

    value: Any
    origin: str


def resolve(
    options: Iterable[Option], settings: Mapping[str, Any], environ: Mapping[str, str], source: str
) -> dict[str, Given]:
    """What is set, by key; environment before settings, and a blank value counts as unset.

    :param source: the name of the settings' file, for messages.
    :raises ConfigError: names the variable, or the file and key, its value (never a secret's), and what is expected.
    """
    given: dict[str, Given] = {}
    for option in options:
        value, origin = environ.get(option.env), option.env
        if is_unset(value):
            value, origin = settings.get(option.key), f"{source}: {option.key}"
        if not is_unset(value):
            given[option.key] = Given(_read(option, value, origin), origin)
    return given


def is_unset(value: Any) -> bool:
    """Whether a variable's or a setting's value is none."""
    return value is None or (isinstance(value, str) and not value.strip())


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number: JSON's true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def shown(value: Any, *, address: bool = False) -> str:
    """A value on one line, cut where it is long; of an address without what might be a password or a key in it."""
    if address and isinstance(value, str):
        value = re.sub(r"^(\s*\w+://)?.*@", r"\1***@", value, flags=re.DOTALL)
        value = re.sub(r"([?#]).*", r"\1***", value, flags=re.DOTALL)
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _read(option: Option, value: Any, origin: str) -> Any:
    try:
        return option.read(value)
    except ValueError:
        found = "not usable" if option.kind == SECRET else shown(value, address=option.kind == ADDRESS)
        raise ConfigError(f"{origin} is {found}, expected {option.expected}") from None
