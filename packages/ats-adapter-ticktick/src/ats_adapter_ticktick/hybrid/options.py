"""The settings of the hybrid backend: environment before settings file, and cheap to read, for every search does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ats_core import ConfigError, Secret, Setting

from ats_adapter_ticktick.hybrid import models

DEFAULT_MODEL = "nomic-embed-text"


class Given(NamedTuple):
    """A text setting as somebody wrote it, and where: a variable's name, or `"<file>: <key>"`."""

    value: str
    origin: str


class HybridOptions(NamedTuple):
    """Everything that the backend may depend on.

    The two addresses are kept as written: `OLLAMA_HOST` belongs to another program, so nonsense in it is an error
    where the address is used and not before. `configured` is true where somebody named a server or a model for ATS,
    that is, where there is anything to be expected of the backend. `dimensions` is the length to which vectors are
    cut, None for the model's own.
    """

    ollama_host: Given = Given("", "OLLAMA_HOST")
    ollama_key: Secret | None = None
    model: str = DEFAULT_MODEL
    dimensions: int | None = None
    keep_alive: str = "10m"
    qdrant_address: Given | None = None
    qdrant_key: Secret | None = None
    cosine_floor: float = 0.3
    shard_number: int | None = None
    replication_factor: int | None = None
    configured: bool = False

    @property
    def ollama_url(self) -> str:
        """Where Ollama is, without a trailing slash. Raises ConfigError for an address that is none."""
        from ats_adapter_ticktick.hybrid.hosts import ollama_url

        return ollama_url(self.ollama_host.value, self.ollama_host.origin)

    @property
    def qdrant_url(self) -> str | None:
        """Where Qdrant is, without a trailing slash, always with a port; None: vectors are kept here.

        Raises ConfigError for an address that is none.
        """
        from ats_adapter_ticktick.hybrid.hosts import qdrant_url

        given = self.qdrant_address
        return None if given is None else qdrant_url(given.value, given.origin)

    @classmethod
    def read(
        cls, settings: Mapping[str, Any], environ: Mapping[str, str], *, source: str = "settings"
    ) -> HybridOptions:
        """Resolve every setting.

        :param source: the name of the settings' file, for messages.
        :raises ConfigError: names the variable or key, its value (never a secret's), and what is expected.
        """
        values: dict[str, Any] = {}
        origins: dict[str, str] = {}
        for option in _OPTIONS:
            found = _find(option, settings, environ, source)
            if found is not None:
                raw, origins[option.field] = found
                values[option.field] = _read(option, raw, origins[option.field])
        for field in ("ollama_host", "qdrant_address"):
            if field in values:
                values[field] = Given(values[field], origins[field])
        signs = {field for field in _SIGNS & values.keys() if origins[field] != _ANOTHERS}
        options = cls(configured=bool(signs), **values)
        if options.dimensions is not None:
            _check_dimensions(options.model, options.dimensions, origins["dimensions"])
        return options


def settings() -> list[Setting]:
    """What `ats config` and `ats doctor` show."""
    return [
        Setting(key=option.key, env=option.env, secret=option.read is _secret, help=option.help) for option in _OPTIONS
    ]


class _Option(NamedTuple):
    """`read` turns a value from environment or file into a typed one, or raises ValueError."""

    field: str
    key: str
    env: str
    expected: str
    read: Callable[[Any], Any]
    help: str


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value.strip()


def _secret(value: Any) -> Secret:
    text = _text(value)
    if not (text.isascii() and text.isprintable()):
        raise ValueError  # no header can carry it
    return Secret(text)


def _model(value: Any) -> str:
    text = _text(value)
    if not text.isprintable() or " " in text:
        raise ValueError
    return text


_DURATION = re.compile(r"-?\d+|-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+")


def _duration(value: Any) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
    if not _DURATION.fullmatch(text):
        raise ValueError
    return text


def _cosine(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError
    number = float(value)
    if not (math.isfinite(number) and -1 <= number <= 1):
        raise ValueError
    return number


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise ValueError
    number = int(value)
    if number < 1:
        raise ValueError
    return number


_WHOLE = "a whole number, at least 1"
_KEY = "printable ASCII"
_COSINE = "a number from -1 to 1"
_KEEP = "a duration such as 10m, seconds, or -1 for ever"

_OPTIONS = (
    _Option("model", "embed_model", "ATS_EMBED_MODEL", "the name of an Ollama model", _model, "model that embeds"),
    _Option("ollama_host", "ollama_host", "OLLAMA_HOST", "a host, host:port or address", _text, "where Ollama is"),
    _Option("ollama_key", "ollama_api_key", "OLLAMA_API_KEY", _KEY, _secret, "key for Ollama, if it wants one"),
    _Option("keep_alive", "keep_alive", "ATS_OLLAMA_KEEP_ALIVE", _KEEP, _duration, "how long a model stays loaded"),
    _Option("dimensions", "embed_dimensions", "ATS_EMBED_DIMENSIONS", _WHOLE, _count, "shorter vectors, if allowed"),
    _Option("cosine_floor", "cosine_floor", "ATS_COSINE_FLOOR", _COSINE, _cosine, "least cosine of a dense hit"),
    _Option("qdrant_address", "qdrant_url", "ATS_QDRANT_URL", "an address", _text, "Qdrant server for the vectors"),
    _Option("qdrant_key", "qdrant_api_key", "ATS_QDRANT_API_KEY", _KEY, _secret, "key for Qdrant"),
    _Option("shard_number", "qdrant_shards", "ATS_QDRANT_SHARDS", _WHOLE, _count, "shards of a new collection"),
    _Option("replication_factor", "qdrant_replicas", "ATS_QDRANT_REPLICAS", _WHOLE, _count, "copies of each shard"),
)

_SIGNS = frozenset({"model", "ollama_host", "qdrant_address"})
_ANOTHERS = "OLLAMA_HOST"
"""Whoever sets it may mean Ollama's own server and other programs: it says where Ollama is, not that we want it."""


def _find(
    option: _Option, settings: Mapping[str, Any], environ: Mapping[str, str], source: str
) -> tuple[Any, str] | None:
    """The value and where it stands; a blank one counts as unset."""
    if environ.get(option.env, "").strip():
        return environ[option.env], option.env
    value = settings.get(option.key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return value, f"{source}: {option.key}"


def _read(option: _Option, value: Any, where: str) -> Any:
    try:
        return option.read(value)
    except ValueError:
        found = "not usable" if option.read is _secret else repr(value)
        raise ConfigError(f"{where} is {found}, expected {option.expected}") from None


def _check_dimensions(model: str, dimensions: int, where: str) -> None:
    if dimensions not in models.profile(model).dimensions:
        allowed = models.profile(model).allowed
        raise ConfigError(
            f"{where} is {dimensions}, expected {allowed} for {model}", hint=f"unset {where.rpartition(' ')[2]}"
        )
