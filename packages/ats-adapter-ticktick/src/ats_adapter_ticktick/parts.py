"""What stands behind the hooks, each part made when it is first needed: a warm search needs next to none of it."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from ats_core import AdapterConfig, AtsError, Deadline
from ats_core.cache.place import owner_key
from ats_core.fanout import describe

from ats_adapter_ticktick.auth.credentials import Credentials
from ats_adapter_ticktick.auth.service import service_of
from ats_adapter_ticktick.corpus.seen import SeenFile
from ats_adapter_ticktick.hybrid import is_configured, is_synced
from ats_adapter_ticktick.options import Options

if TYPE_CHECKING:
    from pathlib import Path

    from ats_adapter_ticktick.api.endpoints import TickTickApi
    from ats_adapter_ticktick.api.pace import Pacer
    from ats_adapter_ticktick.hybrid.backend import Backend

CALL_SECONDS = 30.0
"""How long a hook that is given no deadline may take."""


def call_deadline() -> Deadline:
    """The deadline of a hook that is given none."""
    return Deadline(CALL_SECONDS)


class Parts:
    """The parts of one adapter, each made once. Safe to use from several threads."""

    def __init__(self, config: AdapterConfig) -> None:
        self.config = config
        self._lock = RLock()
        self._options: Options | None = None
        self._credentials: Credentials | None = None
        self._account: Account | None = None

    def options(self) -> Options:
        """The settings.

        :raises ConfigError: one of them is wrong.
        """
        with self._lock:
            if self._options is None:
                self._options = Options.read(self.config)
            return self._options

    def credentials(self) -> Credentials:
        """The login."""
        with self._lock:
            if self._credentials is None:
                self._credentials = Credentials(self.options(), self.config.environ)
            return self._credentials

    def account(self) -> Account:
        """The account that is logged in now; a login of another one counts from the next call on."""
        scope = self.credentials().scope()
        with self._lock:
            if self._account is None or self._account.scope != scope:
                self._account = Account(self, scope)
            return self._account

    def api(self) -> TickTickApi:
        """The service, as this account."""
        return self.account().api()


class Account:
    """What belongs to one account: `scope` names it, `seen` is what is remembered of its lists."""

    def __init__(self, parts: Parts, scope: str) -> None:
        self.scope = scope
        self._parts = parts
        self._key = owner_key(parts.config.name, scope)
        self._lock = RLock()
        self._pacer: Pacer | None = None
        self._api: TickTickApi | None = None
        self._backend: Backend | None = None
        self.seen = SeenFile(self._file("lists"))

    def pacer(self) -> Pacer:
        """The pace of its requests, which processes share."""
        with self._lock:
            if self._pacer is None:
                from ats_adapter_ticktick.api.pace import Pacer

                self._pacer = Pacer(self._file("pace"), label=service_of(self._parts.options().region))
            return self._pacer

    def api(self) -> TickTickApi:
        """The service. Nothing is sent before the first call."""
        with self._lock:
            if self._api is None:
                from ats_adapter_ticktick.api.client import Client
                from ats_adapter_ticktick.api.endpoints import TickTickApi

                options = self._parts.options()
                client = Client(
                    options.api_url, self._parts.credentials().token, self.pacer(), label=service_of(options.region)
                )
                self._api = TickTickApi(client)
            return self._api

    def backend(self) -> Backend | None:
        """Dense retrieval, where a setting asks for it or a sync was done; nothing is connected before the first call.

        :raises ConfigError: one of its settings is wrong.
        """
        with self._lock:
            config = self._parts.config
            wanted = is_configured(config.settings, config.environ)
            if self._backend is None and (wanted or self._is_synced()):
                from ats_adapter_ticktick.hybrid.backend import Backend
                from ats_adapter_ticktick.hybrid.options import HybridOptions

                options = HybridOptions.read(config.settings, config.environ, source=f"{config.name}.json")
                self._backend = Backend(options, config.name, self.scope, config.state_dir)
            return self._backend

    def forget(self) -> list[str]:
        """Remove what is kept of the account here, its vectors included. Returns what could not be removed."""
        self.seen.forget()
        if not self._is_synced():
            return []
        try:
            backend = self.backend()
            if backend is not None:
                backend.forget()
        except (AtsError, OSError) as error:
            return [f"its vectors could not be removed: {describe(error)}"]
        return []

    def _is_synced(self) -> bool:
        config = self._parts.config
        return is_synced(config.state_dir, config.name, self.scope)

    def _file(self, what: str) -> Path:
        return self._parts.config.state_dir / f"{what}-{self._key}.json"
