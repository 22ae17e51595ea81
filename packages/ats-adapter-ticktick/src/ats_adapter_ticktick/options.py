"""The adapter's settings: environment before settings file, and cheap to read, for every search does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ats_core import AdapterConfig, Secret, Setting

from ats_adapter_ticktick.hybrid.setting_table import ADDRESS, SECRET, Option, is_whole, resolve

_REGIONS = {"ticktick": "ticktick.com", "dida365": "dida365.com"}
"""Two account systems: a token of one is nothing to the other, so their hosts change together."""


class Options(NamedTuple):
    """Everything that the adapter may depend on, the hybrid backend's settings excepted.

    `region` is `"ticktick"` or `"dida365"`. The addresses have no slash at their end: `api_url` is the base of the API,
    `oauth_url` what `/oauth/authorize` and `/oauth/token` are below of, `web_url` where links lead. `token` is a
    personal API token, which goes before any login. `wiki_project` is the id or the name of the list of notes.
    `completed_days` is how far back completed tasks are looked for. `native_search` allows a request for each question.
    """

    region: str
    api_url: str
    oauth_url: str
    web_url: str
    state_dir: Path
    token: Secret | None = None
    client_id: str | None = None
    client_secret: Secret | None = None
    redirect_uri: str = "http://localhost:8765/callback"
    wiki_project: str = "Permanent Notes"
    completed_days: int = 90
    native_search: bool = False

    @classmethod
    def read(cls, config: AdapterConfig) -> Options:
        """Resolve every setting.

        :raises ConfigError: names the variable, or the file and key, its value (never a secret's), and what is
            expected.
        """
        given = resolve(_OPTIONS, config.settings, config.environ, f"{config.name}.json")
        values: dict[str, Any] = {key: found.value for key, found in given.items()}
        domain = _REGIONS[values.setdefault("region", "ticktick")]
        site = f"https://{domain}"
        defaults = {"api_url": f"https://api.{domain}/open/v1", "oauth_url": site, "web_url": site}
        return cls(state_dir=config.state_dir, **(defaults | values))


def settings() -> list[Setting]:
    """What `ats config` and `ats doctor` show."""
    return [option.setting for option in _OPTIONS]


def _text(value: Any) -> str:
    """A line of text; numbers count as text, for that is how a file may hold an id or a name."""
    text = str(value) if is_whole(value) else value
    if not isinstance(text, str) or _CONTROL.search(text.strip()):
        raise ValueError
    return text.strip()


def _word(value: Any) -> str:
    text = _text(value)
    if not text.isascii() or " " in text:
        raise ValueError
    return text


def _secret(value: Any) -> Secret:
    return Secret(_word(value))


def _region(value: Any) -> str:
    region = _word(value).lower()
    if region not in _REGIONS:
        raise ValueError
    return region


def _redirect(value: Any) -> str:
    """Kept byte for byte, since it has to equal the one that was registered."""
    address = _word(value)
    parts = urlsplit(address)  # raises ValueError, as `port` does
    usable = parts.scheme in ("http", "https") and _HOST.fullmatch(parts.hostname or "") and parts.port != 0
    if not usable or "@" in parts.netloc or "#" in address:
        raise ValueError
    return address


def _service(value: Any) -> str:
    """The base of a service that is sent secrets: beyond this machine they must not travel in the clear."""
    address = _redirect(value)
    parts = urlsplit(address)
    if "?" in address or (parts.scheme == "http" and not _is_here(parts.hostname or "")):
        raise ValueError
    return f"{parts.scheme}{address[len(parts.scheme) :]}".rstrip("/")


def _is_here(host: str) -> bool:
    if host in ("localhost", "127.0.0.1"):  # what nearly everybody writes needs no import of sockets
        return True
    from ats_adapter_ticktick.hybrid.hosts import is_loopback

    return is_loopback(host)


def _days(value: Any) -> int:
    days = int(value) if isinstance(value, str) or is_whole(value) else 0
    if not 1 <= days <= 3650:
        raise ValueError
    return days


def _switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = _word(value).lower()
    if word not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        raise ValueError
    return word in ("1", "true", "yes", "on")


_CONTROL = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")
_HOST = re.compile(r"[\w.:-]+")

_LINK, _SAFE = "an http(s) address", "an https address (http only for this machine)"
_TOKEN = "printable ASCII without spaces or line ends, as it was shown when it was made"  # noqa: S105 - words for people
_DAYS = "a whole number from 1 to 3650"

_OPTIONS = (
    Option("region", "ATS_TICKTICK_REGION", "ticktick or dida365", _region, "which of the two services"),
    Option("token", "ATS_TICKTICK_TOKEN", _TOKEN, _secret, "personal API token, in place of a login", SECRET),
    Option("client_id", "ATS_TICKTICK_CLIENT_ID", "one word", _word, "id of your app, for a login"),
    Option("client_secret", "ATS_TICKTICK_CLIENT_SECRET", _TOKEN, _secret, "secret of your app, if it has one", SECRET),
    Option("redirect_uri", "ATS_TICKTICK_REDIRECT_URI", _LINK, _redirect, "redirect address of your app", ADDRESS),
    Option("wiki_project", "ATS_WIKI_PROJECT", "the name of a list", _text, "list that notes_find looks in"),
    Option("completed_days", "ATS_TICKTICK_COMPLETED_DAYS", _DAYS, _days, "age of completed tasks that are found"),
    Option("native_search", "ATS_TICKTICK_NATIVE_SEARCH", "1 or 0", _switch, "ask the service's own search too"),
    Option("api_url", "ATS_TICKTICK_API_URL", _SAFE, _service, "base of the API, in place of the region's", ADDRESS),
    Option(
        "oauth_url", "ATS_TICKTICK_OAUTH_URL", _SAFE, _service, "base of the login, in place of the region's", ADDRESS
    ),
)
