"""Where the vectors are: in Qdrant where its address is set, else on this machine. Each side is imported when used."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from ats_adapter_ticktick.hybrid.points import LOCAL, PointReader, PointWriter

if TYPE_CHECKING:
    from ats_adapter_ticktick.hybrid.http import Http
    from ats_adapter_ticktick.hybrid.local import LocalPoints
    from ats_adapter_ticktick.hybrid.options import HybridOptions
    from ats_adapter_ticktick.hybrid.space import Space


class Places:
    """The place that the options name, for one owner. Raises ConfigError for an address that is none."""

    def __init__(self, options: HybridOptions, owner: str, state_dir: Path) -> None:
        self._options = options
        self._owner = owner
        self._folder = state_dir / "vectors" / owner
        self._http: Http | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """`LOCAL`, or the address of Qdrant."""
        return self._options.qdrant_url or LOCAL

    @property
    def shown(self) -> str:
        """For messages."""
        return self.name if self._options.qdrant_url is None else f"Qdrant at {self.name}"

    def reader(self, space: Space) -> PointReader:
        """For searches."""
        if self._options.qdrant_url is None:
            return self._local(space)
        from ats_adapter_ticktick.hybrid.qdrant import QdrantPoints

        return QdrantPoints(self.http(self._options.qdrant_url), space, self._owner)

    def writer(self, space: Space) -> PointWriter:
        """For a sync; close it."""
        options = self._options
        if options.qdrant_url is None:
            return self._local(space)
        from ats_adapter_ticktick.hybrid.qdrant_server import QdrantServer
        from ats_adapter_ticktick.hybrid.qdrant_sync import QdrantWriter

        return QdrantWriter(
            QdrantServer(self.http(options.qdrant_url), options.qdrant_key),
            space,
            self._owner,
            shards=options.shard_number,
            replicas=options.replication_factor,
        )

    def discard(self, space: Space) -> None:
        """Remove the owner's vectors of a space."""
        writer = self.writer(space)
        try:
            writer.discard()
        finally:
            writer.close()

    def clear_local(self) -> None:
        """Remove the owner's vectors of all spaces from this machine."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def http(self, url: str) -> Http:
        """The one connection to Qdrant for reading."""
        from ats_adapter_ticktick.hybrid.http import Http

        with self._lock:
            if self._http is None:
                key = self._options.qdrant_key
                self._http = Http(url, headers={"api-key": key} if key else None, label="Qdrant")
            return self._http

    def _local(self, space: Space) -> LocalPoints:
        from ats_adapter_ticktick.hybrid.local import LocalPoints

        return LocalPoints(self._folder, space)
