"""Settings that lead somewhere broken: hosts and files, found by what they are called and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ats_core.conformance.subject import Subject
from ats_core.hookspecs import AdapterConfig, Setting

_HOST = re.compile(r"(^|_)(url|uri|host|endpoint|address|server|base)$")
_NOT_ASKED = re.compile(r"redirect|callback|web_url|proxy")
"""Addresses that the adapter hands out or is called at, and asks nothing itself."""
_FILE = re.compile(r"(^|_)(file|path|folder|dir|directory|vault|database|db)$")

MISSING = "a file that is not there"


def with_host(subject: Subject, port: int) -> AdapterConfig | None:
    """Our config with every host in it replaced by a port of this machine; None where no setting names a host."""
    changed = {setting: _address(_value(subject, setting), setting, port) for setting in _hosts(subject)}
    return _changed(subject, changed) if changed else None


def with_files(subject: Subject) -> Iterator[tuple[str, AdapterConfig]]:
    """Our config with every file in it replaced by one that is broken, and how."""
    files = [setting for setting in subject.settings() if _is_file(subject, setting)]
    if not files:
        return
    garbage, folder = subject.scratch / "garbage", subject.scratch / "folder"
    garbage.write_bytes(b'\0\xff\xfe{"tasks": [{"id"' * 50)
    folder.mkdir(exist_ok=True)
    for how, path in (
        (MISSING, subject.scratch / "nowhere" / "missing"),
        ("a damaged file", garbage),
        ("a folder in place of a file", folder),
    ):
        yield how, _changed(subject, dict.fromkeys(files, str(path)))


def without_secrets(subject: Subject) -> AdapterConfig | None:
    """Our config without any credential, its state folder empty too; None where no setting is secret."""
    secrets = [setting for setting in subject.settings() if setting.secret]
    return _changed(subject, dict.fromkeys(secrets)) if secrets else None


def with_secrets(subject: Subject, value: str, port: int) -> tuple[AdapterConfig, list[Setting]]:
    """Our config with every credential replaced by a made-up one, and every host by one that is not there."""
    secrets = [setting for setting in subject.settings() if setting.secret]
    hosts = {setting: _address(_value(subject, setting), setting, port) for setting in _hosts(subject)}
    return _changed(subject, hosts | dict.fromkeys(secrets, value)), secrets


def _hosts(subject: Subject) -> list[Setting]:
    return [setting for setting in subject.settings() if _is_host(subject, setting)]


def _value(subject: Subject, setting: Setting) -> str:
    value = subject.config.environ.get(setting.env or "") or subject.config.settings.get(setting.key)
    return value.strip() if isinstance(value, str) else ""


def _names(setting: Setting) -> list[str]:
    return [setting.key.lower(), (setting.env or "").lower()]


def _is_host(subject: Subject, setting: Setting) -> bool:
    names = _names(setting)
    if setting.secret or any(map(_NOT_ASKED.search, names)):
        return False
    value = _value(subject, setting)
    return any(map(_HOST.search, names)) or ("://" in value and not value.startswith("file:"))


def _is_file(subject: Subject, setting: Setting) -> bool:
    value = _value(subject, setting)
    if setting.secret or "://" in value:
        return False
    return any(map(_FILE.search, _names(setting))) or (value.startswith(("/", "~", "./")) and Path(value).exists())


def _address(value: str, setting: Setting, port: int) -> str:
    """The same address on another host; where there was none, of the form that its name calls for."""
    if "://" in value:
        return urlsplit(value)._replace(netloc=f"127.0.0.1:{port}").geturl()
    bare = bool(value) and not any(map(re.compile(r"(url|uri|endpoint|base)$").search, _names(setting)))
    return f"127.0.0.1:{port}" if bare else f"http://127.0.0.1:{port}"


def _changed(subject: Subject, values: Mapping[Setting, Any]) -> AdapterConfig:
    """Our config with other values; None takes a setting out."""
    settings, environ = dict(subject.config.settings), dict(subject.config.environ)
    for setting, value in values.items():
        settings.pop(setting.key, None)
        environ.pop(setting.env or "", None)
        if value is None:
            continue
        if setting.env:
            environ[setting.env] = value
        else:
            settings[setting.key] = value
    return subject.away(settings, environ)
