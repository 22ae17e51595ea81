"""An httpx client for one address: made late, for its import takes time, and with a proxy only where one belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ats_core import StoreError

from ats_adapter_ticktick.hybrid import proxy
from ats_adapter_ticktick.hybrid.lean import UnusableProxyError, load_httpx, open_transport

if TYPE_CHECKING:
    import httpx


CONNECT_SECONDS = 10.0
"""A host that has not answered by then is not there."""


class Connection(NamedTuple):
    """`place` is the host for messages, with the proxy that leads there, if any; it holds no credentials."""

    client: httpx.Client
    place: str


def connect(
    base_url: str, label: str, *, connections: int = 6, transport: httpx.BaseTransport | None = None
) -> Connection:
    """A client for requests to that host; nothing is sent yet.

    This machine is spoken to directly, another host through the proxy that the environment names for it, if any: what
    else the environment says of proxies does no harm. No redirect is followed, no cookie kept.

    :param label: the service's name in messages.
    :param connections: at most so many at a time.
    :param transport: in place of the network, for tests.
    :raises StoreError: the proxy is none that can be used.
    :raises ConfigError: the certificates that the environment names cannot be loaded.
    """
    load_httpx()
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    import httpx

    host = urlsplit(base_url).hostname or ""
    through = None if transport is not None else proxy.proxy_for(base_url)
    place = host if through is None else f"{host} through the proxy {proxy.shown(through)}"
    if transport is None:
        try:
            transport = open_transport(base_url, through, label=label, connections=connections)
        except UnusableProxyError as error:
            raise StoreError(
                f"{label} cannot be reached at {place}: it is none that can be used",
                hint="correct the proxy in HTTPS_PROXY or ALL_PROXY, or except the host by NO_PROXY",
            ) from error
    client = httpx.Client(
        transport=transport,
        headers={"user-agent": "ats", "accept": "application/json"},
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
        follow_redirects=False,
    )
    return Connection(client, place)
