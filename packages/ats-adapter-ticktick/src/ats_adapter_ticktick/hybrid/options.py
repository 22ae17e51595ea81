"""The settings of the hybrid backend: environment before settings file, and cheap to read: every dense search does."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ats_core import ConfigError, Secret, Setting

from ats_adapter_ticktick.hybrid import is_configured
from ats_adapter_ticktick.hybrid.setting_table import SECRET, Given, Option, is_whole, resolve

DEFAULT_MODEL = "nomic-embed-text"


class HybridOptions(NamedTuple):
    """Everything that the backend may depend on.

    The two addresses are kept as written: `OLLAMA_HOST` belongs to another program, so nonsense in it is an error
    where the address is used and not before. `configured` is what `is_configured` says. `dimensions` is the length to
    which vectors are cut, None for the model's own.
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
        given = resolve(_OPTIONS.values(), settings, environ, source)
        found = {field: given[option.key] for field, option in _OPTIONS.items() if option.key in given}
        values: dict[str, Any] = {
            field: one if field in ("ollama_host", "qdrant_address") else one.value for field, one in found.items()
        }
        options = cls(configured=is_configured(settings, environ), **values)
        if options.dimensions is not None:
            _check_dimensions(options.model, options.dimensions, found["dimensions"].origin)
        return options


def settings() -> list[Setting]:
    """What `ats config` and `ats doctor` show."""
    return [option.setting for option in _OPTIONS.values()]


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


def _duration(value: Any) -> str:
    text = str(value) if is_whole(value) else _text(value)
    if not re.fullmatch(r"-?\d+|-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+", text):
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
    number = int(value) if isinstance(value, str) or is_whole(value) else 0
    if number < 1:
        raise ValueError
    return number


_WHOLE = "a whole number, at least 1"
_KEY = "printable ASCII"
_COSINE = "a number from -1 to 1"
_KEEP = "a duration such as 10m, seconds, or -1 for ever"

_OPTIONS = {
    "model": Option("embed_model", "ATS_EMBED_MODEL", "the name of an Ollama model", _model, "model that embeds"),
    "ollama_host": Option("ollama_host", "OLLAMA_HOST", "a host, host:port or address", _text, "where Ollama is"),
    "ollama_key": Option("ollama_api_key", "OLLAMA_API_KEY", _KEY, _secret, "key for Ollama, if it wants one", SECRET),
    "keep_alive": Option("keep_alive", "ATS_OLLAMA_KEEP_ALIVE", _KEEP, _duration, "how long a model stays loaded"),
    "dimensions": Option("embed_dimensions", "ATS_EMBED_DIMENSIONS", _WHOLE, _count, "shorter vectors, if allowed"),
    "cosine_floor": Option("cosine_floor", "ATS_COSINE_FLOOR", _COSINE, _cosine, "least cosine of a dense hit"),
    "qdrant_address": Option("qdrant_url", "ATS_QDRANT_URL", "an address", _text, "Qdrant server for the vectors"),
    "qdrant_key": Option("qdrant_api_key", "ATS_QDRANT_API_KEY", _KEY, _secret, "key for Qdrant", SECRET),
    "shard_number": Option("qdrant_shards", "ATS_QDRANT_SHARDS", _WHOLE, _count, "shards of a new collection"),
    "replication_factor": Option("qdrant_replicas", "ATS_QDRANT_REPLICAS", _WHOLE, _count, "copies of each shard"),
}
"""By the field of `HybridOptions`."""


def _check_dimensions(model: str, dimensions: int, where: str) -> None:
    from ats_adapter_ticktick.hybrid import models

    if dimensions not in models.profile(model).dimensions:
        allowed = models.profile(model).allowed
        raise ConfigError(
            f"{where} is {dimensions}, expected {allowed} for {model}", hint=f"unset {where.rpartition(' ')[2]}"
        )
