"""Hides secrets in what `ats doctor` says: it repeats what others said, and nobody knows what they let slip."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ats_core.errors import AtsError
from ats_core.settings import read_json_object

from ats_cli.configuration import CREDENTIALS, HIDDEN

_SHORTEST, _SHORTEST_GUESSED = 4, 8
"""Characters of a secret that was declared, and of one whose name merely sounds so: shorter ones are in every text."""

_SOUNDS_SECRET = re.compile(r"token(?!i)|secret|passw|credential|api_?key|_key$|^key$", re.IGNORECASE)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{4,}")


class Veil:
    """Knows values that must not be shown: those of settings that were declared secret, and of names that sound so."""

    def __init__(self, environ: Mapping[str, str], config_dir: Path | None, adapters: Iterable[str]) -> None:
        self._environ = environ
        self._stored = {name: _read(config_dir, name) for name in adapters}
        self._values: set[str] = set()
        self._hide(_leaves(environ, secret=False), _SHORTEST_GUESSED)
        for stored in self._stored.values():
            self._hide(_leaves(stored, secret=False), _SHORTEST_GUESSED)

    def hide_setting(self, adapter: str, key: str, variable: str | None) -> None:
        """Hide the value of a setting that its adapter has declared to be secret."""
        self._hide({self._environ.get(variable or "", "")}, _SHORTEST)
        self._hide(_leaves(self._stored.get(adapter, {}).get(key), secret=True), _SHORTEST)

    def over(self, value: Any) -> Any:
        """The same document with `HIDDEN` in place of every secret."""
        if isinstance(value, str):
            return self._over_text(value)
        if isinstance(value, Mapping):
            return {key: self.over(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.over(item) for item in value]
        return value

    def _hide(self, values: Iterable[str], shortest: int) -> None:
        self._values.update(stripped for value in values if len(stripped := value.strip()) >= shortest)

    def _over_text(self, text: str) -> str:
        for secret in sorted(self._values, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return CREDENTIALS.sub("***@", _BEARER.sub(rf"\1 {HIDDEN}", text))


def _read(config_dir: Path | None, adapter: str) -> Mapping[str, Any]:
    try:
        return read_json_object(config_dir / f"{adapter}.json") if config_dir else {}
    except (AtsError, ValueError):
        return {}


def _leaves(value: Any, *, secret: bool) -> set[str]:
    """The texts in a value: all of them if it is secret, else those under a name that sounds so."""
    if isinstance(value, str):
        return {value} if secret else set()
    leaves: set[str] = set()
    if isinstance(value, Mapping):
        for key, item in value.items():
            leaves |= _leaves(item, secret=secret or bool(_SOUNDS_SECRET.search(key)))
    elif isinstance(value, list):
        for item in value:
            leaves |= _leaves(item, secret=secret)
    return leaves
