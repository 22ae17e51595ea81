"""The addresses of Ollama and Qdrant, in every form in which people and their servers write them."""

from __future__ import annotations

import re
from socket import AF_INET, AF_INET6, inet_pton

from ats_core import ConfigError

from ats_adapter_ticktick.hybrid.setting_table import shown

_HOST = re.compile(r"\w[\w.-]*")
_NUMERIC = re.compile(r"[\d.]+")
_LOOPBACK_6 = bytes(15) + b"\1"
_MAPPED = bytes(10) + b"\xff\xff"
"""Begins an IPv4 address within IPv6."""


def ollama_url(value: str, origin: str) -> str:
    """The address in `OLLAMA_HOST`, as `scheme://host:port/path`, without a trailing slash.

    Read as Ollama reads it: nothing is 127.0.0.1:11434; without a scheme http and port 11434, with one its usual
    port; an address to listen on, 0.0.0.0 or `::`, means this machine.

    :param origin: where the value stands, for messages.
    :raises ConfigError: it is no address.
    """
    if _bare(value) == "ollama.com":
        return "https://ollama.com:443"
    return _url(value, origin, "127.0.0.1:11434", {"": 11434, "http": 80, "https": 443})


def qdrant_url(value: str, origin: str) -> str:
    """The address of a Qdrant server, as `ollama_url`.

    Without a port, https means 443, for so one comes to Qdrant behind a proxy, and anything else 6333. (Qdrant's own
    client takes 6333 for https too: the port that is always written out here keeps it from that.)
    """
    return _url(value, origin, "127.0.0.1:6333", {"": 6333, "http": 6333, "https": 443})


def is_loopback(host: str) -> bool:
    """Whether a host, as in a URL without brackets, is this machine."""
    host = host.lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _address(host)
    return address is not None and (address[0] == 127 if len(address) == 4 else _is_loopback_6(address))


def _is_loopback_6(address: bytes) -> bool:
    return address == _LOOPBACK_6 or (address.startswith(_MAPPED) and address[12] == 127)


def _address(host: str) -> bytes | None:
    """An IP address as 4 or 16 bytes, None for a name."""
    try:
        return inet_pton(AF_INET6 if ":" in host else AF_INET, host)
    except (OSError, ValueError):  # ValueError: a null character
        return None


def _bare(value: str) -> str:
    return value.strip().strip("\"'").strip()


def _url(value: str, origin: str, default: str, ports: dict[str, int]) -> str:
    scheme, separator, rest = _bare(value).partition("://")
    if not separator:
        scheme, rest = "", scheme
    place, slash, path = rest.partition("/")
    try:
        if separator and scheme.lower() not in ("http", "https"):
            raise ValueError
        host, port = _split(place or ("" if separator or slash else default))
        if re.search(r"[\s?#\\\ud800-\udfff]", path):
            raise ValueError
    except ValueError:
        raise ConfigError(
            f"{origin} is {shown(value, address=True)}, expected a host, host:port, or http(s)://host:port/path",
            hint=f"the default is {default}" + ("; keys have settings of their own" if "@" in value else ""),
        ) from None
    scheme = scheme.lower()
    return f"{scheme or 'http'}://{host}:{port or ports[scheme]}/{path}".rstrip("/")


def _split(place: str) -> tuple[str, int | None]:
    """A host that one can connect to, in brackets where it is IPv6, and the port. Raises ValueError."""
    host, port = place, ""
    if place.startswith("["):
        host, bracket, rest = place[1:].partition("]")
        if not bracket or ":" not in host or (rest and not rest.startswith(":")):
            raise ValueError
        port = rest[1:]
    elif place.count(":") < 2:
        host, colon, port = place.partition(":")
        if colon and not port:
            raise ValueError
        host = host or ("0.0.0.0" if colon else "")  # noqa: S104 as in ":11500"; it becomes loopback below
    return _reachable(host), _port(port) if port else None


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:6]) <= 65535:
        raise ValueError
    return int(text)


def _reachable(host: str) -> str:
    address = _address(host)
    if address is None:
        if not _HOST.fullmatch(host) or _NUMERIC.fullmatch(host) or len(host) > 253:
            raise ValueError  # a port alone, or an IPv4 address that is none
        return host.lower()
    if len(address) == 4:
        return host if any(address) else "127.0.0.1"
    return f"[{host.lower()}]" if any(address) else "[::1]"
