"""The models that a fake Ollama has, as it lists and describes them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

_ARCHITECTURES = {"nomic": "nomic-bert", "embeddinggemma": "gemma3", "qwen3": "qwen3"}


def tagged(name: str) -> str:
    """The full name: names without a tag mean `:latest`."""
    return name if ":" in name.rpartition("/")[2] else f"{name}:latest"


@dataclass
class Model:
    """An installed model. `generation` counts how often its tag was pulled."""

    name: str
    dimension: int
    generation: int = 0
    loaded: bool = False

    @property
    def digest(self) -> str:
        """64 hex digits, without the algorithm."""
        return sha256(f"{self.name} {self.generation}".encode()).hexdigest()

    @property
    def identity(self) -> str:
        """What its vectors depend on."""
        return f"{self.name}@{self.digest}"

    def listed(self) -> dict[str, Any]:
        """Its row of `/api/tags`."""
        return {
            "name": self.name,
            "model": self.name,
            "modified_at": f"2026-03-{1 + self.generation % 28:02}T10:00:00.000000001Z",
            "size": 274_302_450,
            "digest": self.digest,
            "details": self._details(),
            "capabilities": ["embedding"],
        }

    def described(self, context: int) -> dict[str, Any]:
        """The answer of `/api/show`."""
        architecture = self._architecture()
        return {
            "license": "",
            "modelfile": f"FROM {self.name}",
            "parameters": f"num_ctx                        {context}",
            "template": "{{ .Prompt }}",
            "details": self._details(),
            "model_info": {
                "general.architecture": architecture,
                f"{architecture}.context_length": context,
                f"{architecture}.embedding_length": self.dimension,
            },
            "capabilities": ["embedding"],
            "modified_at": self.listed()["modified_at"],
        }

    def _details(self) -> dict[str, Any]:
        family = self._architecture()
        return {
            "parent_model": "",
            "format": "gguf",
            "family": family,
            "families": [family],
            "parameter_size": "137M",
            "quantization_level": "F16",
        }

    def _architecture(self) -> str:
        base = self.name.rpartition("/")[2]
        return next((known for start, known in _ARCHITECTURES.items() if base.startswith(start)), "bert")
