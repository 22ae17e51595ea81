"""Where the copy of one scope lies, and how to get at it: one scope never evicts or reads another."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from ats_core.cache.file import Copy, DamagedCopyError, Header, read_copy
from ats_core.digest import blake2b
from ats_core.lock import locked_path


def owner_key(adapter: str, scope: str) -> str:
    """What names an adapter's account in the name of a file or folder: 16 hexadecimal digits."""
    return blake2b(f"{adapter}\0{scope}".encode("utf-8", "replace"), digest_size=8).hexdigest()


class CachePlace:
    """The place of one adapter's and account's copy; `plain` is the plain cache file, None where there is no cache."""

    def __init__(self, plain: Path | None, adapter: str, scope: str) -> None:
        self._plain = plain
        self._owner = (adapter, scope)
        key = owner_key(adapter, scope)
        self._own = None if plain is None else plain.with_name(f"{plain.stem}-{key}{plain.suffix}")

    def path(self) -> Path | None:
        """The file of this scope: the plain name, unless that holds another scope's copy (the demo's gives way)."""
        if self._plain is None or self._own is None:
            return None
        if os.path.exists(self._own):  # false in a folder that we may not enter, where Path.exists() raises
            return self._own
        return self._own if self._is_anothers(_look_at(self._plain)) else self._plain

    def read(self, warnings: list[str]) -> Copy | None:
        """This scope's copy; None where there is none, or it is damaged, which is a warning."""
        if self._plain is None or self._own is None:
            return None
        path = self._own if os.path.exists(self._own) else self._plain
        found = _look_at(path)
        if isinstance(found, DamagedCopyError):
            warning = f"the corpus cache {path} is ignored: {found}"
            if warning not in warnings:
                warnings.append(warning)
            return None
        return found if found is not None and self._is_ours(found.header) else None

    def lock(self, patience: float, until: Callable[[], bool]) -> AbstractContextManager[object]:
        """Hold the fetch lock of this scope, so that cold calls at the same time make one fetch.

        Without a place for the lock, and behind a holder that hangs for `patience` seconds, the block runs without: an
        extra fetch is better than no answer. It runs without, too, once `until` says that there is nothing to wait for.
        """
        path = self.path()
        return nullcontext() if path is None else locked_path(path.with_name(f"{path.name}.lock"), patience, until)

    def _is_anothers(self, found: Copy | DamagedCopyError | None) -> bool:
        """Whether this is the copy of another scope, and one that has to be left alone."""
        return isinstance(found, Copy) and not found.header.demo and not self._is_ours(found.header)

    def _is_ours(self, header: Header) -> bool:
        return (header.adapter, header.scope) == self._owner


def _look_at(path: Path) -> Copy | DamagedCopyError | None:
    try:
        return read_copy(path)
    except DamagedCopyError as error:
        return error
