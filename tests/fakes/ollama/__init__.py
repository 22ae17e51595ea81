"""A fake Ollama server: its models embed by the words of a text, so that alike texts are near to each other."""

from __future__ import annotations

from .models import Model
from .server import CRASH, FakeOllama
from .tokens import token_count

__all__ = ["CRASH", "FakeOllama", "Model", "token_count"]
