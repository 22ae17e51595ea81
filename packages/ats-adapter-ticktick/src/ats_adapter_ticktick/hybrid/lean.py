"""httpx for a third of its price: what a search needs of it, without what it loads besides.

In a process of its own, CPU time: `import httpx` 176 ms, its default client 118 more; as here 117 together.
"""

from __future__ import annotations

import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

_NEEDLESS = ("httpx._main", "h2")
"""The command line of httpx, with click, rich and pygments (98 ms), and HTTP/2 (80 ms, installed for qdrant-client).

Both packages cope without. Where somebody does ask for HTTP/2, httpcore imports it again, and then finds it.
"""

_IMPORT = threading.Lock()


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


def trust(url: str) -> ssl.SSLContext | bool:
    """Whom to trust, for `verify`: whom httpx does, but over plain HTTP nobody, for the certificates take 100 ms."""
    import ssl

    return True if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
