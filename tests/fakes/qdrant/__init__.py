"""A fake Qdrant server: the part of its REST interface that dense retrieval uses."""

from __future__ import annotations

from .collection import Collection
from .points import Point
from .refusal import Refusal
from .server import FakeQdrant

__all__ = ["Collection", "FakeQdrant", "Point", "Refusal"]
