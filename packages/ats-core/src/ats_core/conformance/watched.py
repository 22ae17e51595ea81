"""An adapter whose calls are watched: which hook runs, which hangs, and what it raised by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ats_core.conformance.results import Skipped
from ats_core.errors import AtsError, StoreError
from ats_core.fanout import describe
from ats_core.plugins.adapter import Adapter


class Calls:
    """The calls that run now, by name, and those that were given up on. Safe to use from several threads."""

    def __init__(self) -> None:
        self._running: list[str] = []
        self._stuck: set[str] = set()

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """While the block runs, so does the call.

        :raises Skipped: an earlier call of this name still hangs.
        """
        if name in self._stuck:
            raise Skipped(f"{name} hangs in an earlier call")
        self._running.append(name)
        try:
            yield
        finally:
            self._running.remove(name)
            self._stuck.discard(name)

    def give_up(self) -> list[str]:
        """Count what runs now as hanging, until it comes back."""
        names = sorted(set(self._running))
        self._stuck.update(names)
        return names


class ForeignError(StoreError):
    """What a hook raised and what is none of ours; the cause is the exception itself."""


class Watched(Adapter):
    """An adapter as core has it, which tells foreign exceptions from ours."""

    def __init__(self, name: str, implementation: object, calls: Calls) -> None:
        self._calls = calls
        self.implementation = implementation
        super().__init__(name, implementation)

    def need(self, hook: str) -> Watched:
        """The adapter itself, where it has the capability.

        :raises Skipped: it has not.
        """
        if hook not in self.implemented:
            raise Skipped(f"no {hook}")
        return self

    def raw(self, hook: str, **arguments: Any) -> Any:
        """What a hook returned, before core reads it."""
        return self._call(hook, **arguments)

    def _call(self, hook: str, **arguments: Any) -> Any:
        with self._calls.running(hook):
            try:
                value = self._hooks.call(hook, **arguments)
                # A generator runs only while it is read, so what it raises belongs here.
                return list(value) if isinstance(value, Iterator) else value
            except (AtsError, Skipped, KeyboardInterrupt):
                raise
            except BaseException as error:
                raise ForeignError(f"{hook} raised {describe(error)}") from error
