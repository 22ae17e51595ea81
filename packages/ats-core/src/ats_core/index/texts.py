"""Strings end to end in one buffer: how ids, titles, bodies, terms and tags are kept."""

from __future__ import annotations

from array import array

from ats_core.index.layout import Buffer

SEPARATOR = b"\xff"
"""After each string: a byte that UTF-8 never holds, so that no query can match across two tasks."""


class TextsBuilder:
    """Gathers strings for the pair of sections `name` and `name_starts`, which `reader.Texts` reads."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._buffer = bytearray()
        self._starts = array("Q")

    def add(self, text: str) -> None:
        self.add_encoded(text.encode("utf-8", "replace"))

    def add_encoded(self, text: bytes) -> None:
        """Add a text that is UTF-8 already."""
        self._starts.append(len(self._buffer))
        self._buffer += text
        self._buffer += SEPARATOR

    def sections(self) -> dict[str, Buffer]:
        starts = self._starts + array("Q", [len(self._buffer)])
        return {self._name: self._buffer, f"{self._name}_starts": starts.tobytes()}
