"""ATS adapter for TickTick and Dida365.

    pip install ats-cli ats-adapter-ticktick
    ats auth login --adapter ticktick
    ats find how do I roll back a release

The adapter is imported when its name is used, since every search imports this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ats_adapter_ticktick.adapter import TickTickAdapter

__all__ = ["TickTickAdapter", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "TickTickAdapter":
        from ats_adapter_ticktick.adapter import TickTickAdapter

        return TickTickAdapter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
