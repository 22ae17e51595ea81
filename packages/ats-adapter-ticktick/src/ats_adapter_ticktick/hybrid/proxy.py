"""The proxy that the environment asks for, for one address: chosen here, so that a bad one for others does no harm."""

from __future__ import annotations

from urllib.parse import urlsplit

from ats_adapter_ticktick.hybrid.hosts import is_loopback


def proxy_for(url: str) -> str | None:
    """The proxy's address for a URL, None for a direct connection, which is how this machine is always reached.

    `HTTP_PROXY` or `HTTPS_PROXY` by the URL's scheme, else `ALL_PROXY`; `NO_PROXY` excepts hosts. On macOS and Windows
    the system's settings where there are no variables.
    """
    from urllib.request import getproxies, proxy_bypass

    place = urlsplit(url)
    if is_loopback(place.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(place.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(f"{place.hostname}:{place.port}" if place.port else f"{place.hostname}"):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def shown(proxy: str) -> str:
    """A proxy's address without user name, password, path and query.

    >>> shown("http://anna:secret@proxy.example:3128/")
    'http://proxy.example:3128'
    """
    scheme, _, rest = proxy.partition("://")
    place = rest.rpartition("@")[2]
    for mark in "/?#":
        place = place.partition(mark)[0]
    return f"{scheme}://{place}"
