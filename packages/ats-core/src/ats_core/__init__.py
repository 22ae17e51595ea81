"""ATS core: retrieval over the tasks and notes that people already keep.

The names below are the public ones, loaded on first use, since a program rarely needs them all:

    from ats_core import Engine
    for hit in Engine.open().find("how do I roll back a release").hits:
        print(hit.score, hit.task.title, hit.url)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

CONTRACT = "0.1"
"""Version of the contract in `ats_core.hookspecs`; adapters declare `ats-core>=0.1,<0.2`."""

if TYPE_CHECKING:
    from ats_core.corpus import Corpus
    from ats_core.deadline import Deadline
    from ats_core.engine import Engine
    from ats_core.errors import (
        AllBranchesFailedError,
        AtsError,
        BrokenPluginError,
        ConfigError,
        ContractError,
        EmbeddingError,
        LoginRequiredError,
        NoEmbedderError,
        NotFoundError,
        RateLimitedError,
        ReadOnlyAdapterError,
        StoreError,
        StoreTimeoutError,
        UnknownAdapterError,
        UsageError,
    )
    from ats_core.hookspecs import AdapterConfig, AuthStatus, Branch, HybridBackend, Setting, hookimpl
    from ats_core.models import (
        UNSET,
        Candidate,
        FailedProject,
        Fetched,
        FindResult,
        Hit,
        Project,
        Ranking,
        Standing,
        Task,
        TaskDraft,
        TaskPatch,
        TaskScope,
    )
    from ats_core.secret import Secret

_HOMES = ("errors", "deadline", "secret", "models", "corpus", "hookspecs", "engine")
"""Where the public names live, each module importing those before it: looking for a name imports nothing needless."""

__all__ = [
    "CONTRACT",
    "UNSET",
    "AdapterConfig",
    "AllBranchesFailedError",
    "AtsError",
    "AuthStatus",
    "Branch",
    "BrokenPluginError",
    "Candidate",
    "ConfigError",
    "ContractError",
    "Corpus",
    "Deadline",
    "EmbeddingError",
    "Engine",
    "FailedProject",
    "Fetched",
    "FindResult",
    "Hit",
    "HybridBackend",
    "LoginRequiredError",
    "NoEmbedderError",
    "NotFoundError",
    "Project",
    "Ranking",
    "RateLimitedError",
    "ReadOnlyAdapterError",
    "Secret",
    "Setting",
    "Standing",
    "StoreError",
    "StoreTimeoutError",
    "Task",
    "TaskDraft",
    "TaskPatch",
    "TaskScope",
    "UnknownAdapterError",
    "UsageError",
    "__version__",
    "hookimpl",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from importlib import import_module

        for home in _HOMES:
            module = import_module(f"{__name__}.{home}")
            if name in vars(module):
                globals()[name] = value = vars(module)[name]
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
