"""Strict registration of an object's hook implementations, and their calls. The one module that knows pluggy.

Each object gets a plugin manager of its own: pluggy's calls run all implementations in a row and lose every result when
one raises, and here the implementations belong to different people.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pluggy

from ats_core.hookspecs import PROJECT_NAME, AtsSpec

_HOOKS = frozenset(name for name in vars(AtsSpec) if not name.startswith("_"))


class RegistrationError(ValueError):
    """An object's hooks break the contract; the message names the hook and says how to mend it, in one line."""


class Hooks:
    """The hook implementations of one object.

    `names` are those it implements. Nothing stays registered when registration fails.

    :raises RegistrationError: a default or a keyword-only parameter (pluggy never fills it in), a method named like a
        hook without the marker, a misspelt hook, an argument that the hook does not have.
    """

    def __init__(self, plugin: object) -> None:
        faults = list(_faults(plugin))
        if faults:
            raise RegistrationError("; ".join(faults))
        manager = pluggy.PluginManager(PROJECT_NAME)
        manager.add_hookspecs(AtsSpec)
        try:
            manager.register(plugin)
            manager.check_pending()
        except pluggy.PluginValidationError as error:
            raise RegistrationError(" ".join(str(error).split())) from error
        self._manager = manager
        self.names = frozenset(name for name in _HOOKS if getattr(manager.hook, name).get_hookimpls())

    def call(self, hook: str, **arguments: Any) -> Any:
        """Call one hook. None where the object does not implement it. Whatever it raises passes through."""
        results = getattr(self._manager.hook, hook)(**arguments)
        return results[0] if results else None


def _faults(plugin: object) -> Iterator[str]:
    """What pluggy accepts in silence and then never calls, or never fills in."""
    for name in dir(plugin):
        static = inspect.getattr_static(plugin, name, None)
        function = static.__func__ if isinstance(static, (staticmethod, classmethod)) else static
        marked = getattr(function, f"{PROJECT_NAME}_impl", None) is not None
        if not callable(function):
            if name in _HOOKS and getattr(getattr(type(plugin), name, None), f"{PROJECT_NAME}_impl", None):
                yield f"hook {name} is hidden by an attribute of the same name: rename the attribute"
            continue
        if marked and name not in _HOOKS:
            yield f"hook {name} is unknown{_nearest(name)}"
        elif marked:
            yield from _parameter_faults(name, getattr(plugin, name))
        elif name in _HOOKS and inspect.isroutine(function):
            yield f"method {name} is named like a hook but has no marker: decorate it with @hookimpl"


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, _HOOKS, n=1)
    return f": did you mean {close[0]}?" if close else ""


def _parameter_faults(name: str, bound: Any) -> Iterator[str]:
    expected = list(inspect.signature(getattr(AtsSpec, name)).parameters)[1:]
    for parameter in inspect.signature(bound).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            yield f"hook {name} takes {parameter}, which is never filled in: name the arguments"
        elif parameter.kind is parameter.KEYWORD_ONLY:
            yield f"hook {name} has the keyword-only parameter {parameter.name}, which is never filled in: remove the *"
        elif parameter.default is not parameter.empty:
            yield f"hook {name} gives {parameter.name} a default, so it is never filled in: remove the default"
        elif parameter.name not in expected:
            known = ", ".join(expected) or "none"
            yield f"hook {name} has no argument {parameter.name} (it has: {known}): rename or remove it"
