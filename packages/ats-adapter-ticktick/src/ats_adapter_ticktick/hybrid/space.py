"""Which vectors may be compared with each other."""

from __future__ import annotations

from typing import NamedTuple

from ats_core.digest import blake2b


class Space(NamedTuple):
    """What vectors must share to be comparable: the model and its very weights, their length, the form of the texts."""

    model: str
    digest: str
    dimension: int
    scheme: str

    @property
    def name(self) -> str:
        """For people, and wherever vectors are kept."""
        return f"ollama/{self.model}@{self.digest[:12]}/{self.dimension}/{self.scheme}"

    @property
    def key(self) -> str:
        """16 hex digits, for the name of a collection or a file."""
        return blake2b("\0".join(map(str, self)).encode(), digest_size=8).hexdigest()
