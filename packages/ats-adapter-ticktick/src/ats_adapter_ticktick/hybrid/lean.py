"""httpx for a third of its price: what a search needs of it, without what it loads besides.

In a process of its own, CPU time: `import httpx` 176 ms, its default client 118 more; as here 117 together.
"""

from __future__ import annotations

import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING

from ats_core import ConfigError

if TYPE_CHECKING:
    import ssl

    import httpx

_NEEDLESS = ("httpx._main", "h2")
"""The command line of httpx, with click, rich and pygments (98 ms), and HTTP/2 (80 ms, installed for qdrant-client).

Both packages cope without. Where somebody does ask for HTTP/2, httpcore imports it again, and then finds it.
"""

_IMPORT = threading.Lock()


class UnusableProxyError(Exception):
    """The proxy is of a kind, or written in a way, that httpx cannot use."""


def load_httpx() -> None:
    """Import httpx and httpcore, but not what they import besides; `import httpx` is cheap afterwards."""
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]  # None: not to be imported
    with _IMPORT:
        if "httpcore" in modules:
            return
        kept_out = [name for name in _NEEDLESS if name not in modules]
        modules.update(dict.fromkeys(kept_out))
        try:
            import httpcore  # noqa: F401
            import httpx  # noqa: F401
        finally:
            for name in kept_out:
                del modules[name]


def open_transport(
    url: str, proxy: str | None, *, label: str, connections: int, idle_seconds: float = 5.0
) -> httpx.HTTPTransport:
    """The network as httpx sees it; nothing is sent yet.

    :param url: what will be asked, or where that begins.
    :param proxy: as `proxy.proxy_for` chose it.
    :param label: the server's name in messages.
    :param connections: at most so many at a time, each kept for `idle_seconds`.
    :raises ConfigError: the certificates that the environment names cannot be loaded.
    :raises UnusableProxyError: the proxy cannot be used.
    """
    load_httpx()
    import httpx

    limits = httpx.Limits(
        max_connections=connections, max_keepalive_connections=connections, keepalive_expiry=idle_seconds
    )
    try:
        return httpx.HTTPTransport(verify=_trust(url), proxy=proxy, limits=limits)
    except OSError as error:
        raise ConfigError(
            f"{label}: the certificates cannot be loaded: {error.strerror or error}",
            hint="check SSL_CERT_FILE and SSL_CERT_DIR",
        ) from error
    except (ValueError, ImportError, httpx.InvalidURL):
        if proxy is None:
            raise
        raise UnusableProxyError from None  # what httpx says may hold the proxy's password


def _trust(url: str) -> ssl.SSLContext | bool:
    """Whom to trust, for `verify`: whom httpx does, but over plain HTTP nobody, for the certificates take 100 ms."""
    import ssl

    return True if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
