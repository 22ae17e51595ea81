"""Settings: flag, then environment, then `config.json`, then default.

One table says for every setting its key, what is expected and how it is read; the variable is `ATS_` and the key in
capitals. A bad value is an error that names where it stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ats_core.errors import ConfigError
from ats_core.fusion import METHODS
from ats_core.models import Model

FUSIONS = tuple(METHODS)
LANGUAGE_EXAMPLES = "a language that Snowball stems (english, german, french, ...)"
EMBEDDERS = ("auto", "none", "local")


class Option(NamedTuple):
    """One setting. `read` turns a value from flag, environment or file into a typed one, or raises ValueError."""

    key: str
    default: Any
    expected: str
    read: Callable[[Any], Any]
    help: str

    @property
    def env(self) -> str:
        return f"ATS_{self.key.upper()}"


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value.strip()


def _names(value: Any) -> tuple[str, ...]:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)):
        raise ValueError
    return tuple(stripped for name in names if (stripped := str(name).strip()))


def _path(value: Any) -> Path:
    return Path(_text(str(value) if isinstance(value, Path) else value)).expanduser()


def _whole(least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError
        number = int(value)
        if number < least:
            raise ValueError
        return number

    return read


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError
    number = float(value)
    if not 0 <= number <= 1:
        raise ValueError
    return number


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in ("1", "true", "yes", "on", "0", "false", "no", "off", ""):
        raise ValueError
    return text in ("1", "true", "yes", "on")


def _language(value: Any) -> str:
    language = _text(value)
    if language != "none":
        import Stemmer

        if language not in Stemmer.algorithms():
            raise ValueError
    return language


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if _text(value) not in choices:
            raise ValueError
        return _text(value)

    return read


OPTIONS = (
    Option("adapter", None, "the name of an installed adapter", _text, "which store to ask"),
    Option("plugins", None, "names with commas between them, or nothing for none", _names, "plugins to load"),
    Option("corpus_cache", None, "a file path", _path, "where the corpus is cached"),
    Option("corpus_ttl_ms", 300_000, "milliseconds, 0 to always refetch", _whole(0), "how long it is fresh"),
    Option("corpus_cache_disable", False, "1 or 0", _switch, "no corpus cache"),
    Option("fetch_timeout_ms", 60_000, "milliseconds, at least 1", _whole(1), "time for fetching the corpus"),
    Option("usage_log", None, "a file path", _path, "where calls are logged"),
    Option("usage_disable", False, "1 or 0", _switch, "no usage log"),
    Option("budget_ms", 3000, "milliseconds, at least 1", _whole(1), "time for the branches of a search"),
    Option("fusion", "rrf", " or ".join(FUSIONS), _one_of(*FUSIONS), "how branches are merged"),
    Option("dense_weight", None, "a number from 0 to 1", _share, "weight of dense in score fusion"),
    Option("embedder", "auto", ", ".join(EMBEDDERS), _one_of(*EMBEDDERS), "where vectors come from"),
    Option("language", "english", f"none, or {LANGUAGE_EXAMPLES}", _language, "language of stems and stop words"),
)
_BY_KEY = {option.key: option for option in OPTIONS}


class Settings(Model, frozen=True, kw_only=True):
    """All settings of core, resolved. Times in milliseconds. `origins` says for each key where its value came from."""

    config_dir: Path
    adapter: str | None
    plugins: tuple[str, ...] | None
    corpus_cache: Path
    corpus_ttl_ms: int
    corpus_cache_disable: bool
    fetch_timeout_ms: int
    usage_log: Path
    usage_disable: bool
    budget_ms: int
    fusion: str
    dense_weight: float | None
    embedder: str
    language: str
    origins: Mapping[str, str] = {}


def load_settings(environ: Mapping[str, str], flags: Mapping[str, Any] | None = None) -> Settings:
    """Resolve every setting.

    :param flags: values that the call itself gave, by key; None means not given.
    :raises ConfigError: a value that is not what is expected, or a damaged or unreadable `config.json`.
    """
    folder = config_dir(environ)
    path = folder / "config.json"
    stored = read_json_object(path)
    for key in stored:
        if key not in _BY_KEY:
            raise ConfigError(f"{path}: unknown key {key!r}", hint=f"known keys: {', '.join(_BY_KEY)}")
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for option in OPTIONS:
        values[option.key], origins[option.key] = _resolve(option, flags or {}, environ, stored, path)
    values["corpus_cache"] = values["corpus_cache"] or folder / "corpus-cache.json"
    values["usage_log"] = values["usage_log"] or folder / "search-log.jsonl"
    return Settings(config_dir=folder, origins=origins, **values)


def check_value(key: str, value: Any) -> None:
    """Refuse a key or value that `load_settings` would refuse.

    :raises ConfigError: names the key and what is expected.
    """
    if key not in _BY_KEY:
        raise ConfigError(f"unknown key {key!r}", hint=f"known keys: {', '.join(_BY_KEY)}")
    _read(_BY_KEY[key], value, key)


def config_dir(environ: Mapping[str, str]) -> Path:
    """The configuration and state folder: `ATS_CONFIG_DIR`, else `~/.config/ats`, else one under the temporary folder
    for a user without a home.

    :raises ConfigError: `ATS_CONFIG_DIR` is `~somebody` who has no home.
    """
    chosen = environ.get("ATS_CONFIG_DIR", "").strip()
    home = environ.get("HOME", "").strip()
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError:
            raise ConfigError(f"ATS_CONFIG_DIR is {chosen!r}, expected a folder in a home that exists") from None
    if home:
        return Path(home, ".config", "ats")
    try:
        return _account_home() / ".config" / "ats"
    except (KeyError, RuntimeError):
        owner = os.getuid() if hasattr(os, "getuid") else "user"
        import tempfile

        return Path(tempfile.gettempdir(), f"ats-{owner}")


def _account_home() -> Path:
    """The home that the system knows of. (`Path.home()` believes an empty HOME, and gives the root folder.)

    :raises KeyError: the account is unknown.
    :raises RuntimeError: no home can be determined.
    """
    try:
        from pwd import getpwuid
    except ImportError:
        return Path.home()
    return Path(getpwuid(os.getuid()).pw_dir)


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a configuration file, empty where there is no file.

    :raises ConfigError: unreadable, or something else than an object.
    """
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        if isinstance(error, PermissionError) and not os.access(path.parent, os.X_OK):
            return {}  # the folder is somebody else's, and so is what lies in it: the search answers without
        raise ConfigError(f"{path} cannot be read: {error.strerror}", hint="mend its permissions") from error
    try:
        return msgspec.json.decode(content, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not a JSON object: {error}", hint="mend or delete the file") from error


def _resolve(
    option: Option,
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    stored: Mapping[str, Any],
    path: Path,
) -> tuple[Any, str]:
    if flags.get(option.key) is not None:
        return _read(option, flags[option.key], f"--{option.key.replace('_', '-')}"), "flag"
    # An empty variable counts as unset, except where nothing is a value.
    if environ.get(option.env, "").strip() or (option.env in environ and option.read is _names):
        return _read(option, environ[option.env], option.env), option.env
    if stored.get(option.key) is not None:
        return _read(option, stored[option.key], f"{path}: {option.key}"), str(path)
    return option.default, "default"


def _read(option: Option, value: Any, where: str) -> Any:
    try:
        return option.read(value)
    except (ValueError, TypeError, RuntimeError):  # RuntimeError: ~somebody without a home
        raise ConfigError(f"{where} is {value!r}, expected {option.expected}") from None
